//! The box over the page: prompts, questions and forms. Its title says who asks, its last row has the keys.

use geomys_wire::net::shown_url;
use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::key_hints::Hints;
use super::screen::Screen;
use super::screen::on_screen;
use super::theme::{Glyph, Role};
use geomys_app::dialogs::dialog::{AnswerMethod, Dialog};
use geomys_app::dialogs::text_input::{BookmarkInput, InputCommand, PathInput, RequestInput};
use geomys_app::layout::Layout;
use geomys_app::view::builtin;

/// The place of a box over the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoxPlace {
    /// The middle of the page.
    Middle,
    /// The half of the page without this line of the screen: the text changes what is shown of the page.
    AwayFrom(u16),
}

/// The area of a box without its frame, as it will be drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct PromptBox {
    page: Rect,
    /// The columns with the frame.
    columns: u16,
    question_columns: usize,
    place: BoxPlace,
}

impl PromptBox {
    pub(super) fn new(layout: &Layout, place: BoxPlace) -> Self {
        Self {
            page: on_screen(layout.transfers()),
            columns: layout.box_columns(),
            question_columns: layout.question_columns(),
            place,
        }
    }

    /// Returns the columns inside of the frame.
    pub(super) fn width(self) -> u16 {
        self.columns.saturating_sub(2)
    }

    /// Returns the columns of the lines that explain a question.
    pub(super) fn question_columns(self) -> usize {
        self.question_columns
    }

    /// Returns the highest number of rows inside of the frame.
    pub(super) fn max_rows(self) -> usize {
        usize::from(self.page.height.saturating_sub(2))
    }

    /// Draws the frame around this number of rows, and returns their area.
    pub(super) fn draw(
        self,
        screen: &Screen<'_>,
        (title, role): (&str, Role),
        rows: usize,
        buffer: &mut Buffer,
    ) -> Rect {
        let page = self.page;
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        let width = self.columns;
        let height = rows.saturating_add(2).min(page.height);
        let below = page.height - height;
        let y = match self.place {
            BoxPlace::Middle => below / 2,
            BoxPlace::AwayFrom(line) if line >= page.y + page.height / 2 => 0,
            BoxPlace::AwayFrom(_) => below,
        };
        let x = page.x + (page.width - width) / 2;
        let outer = Rect::new(x, page.y + y, width, height);
        screen.clear(buffer, outer);
        if height < 3 {
            return outer;
        }
        draw_frame(screen, (title, role), outer, buffer);
        Rect::new(x + 1, outer.y + 1, width.saturating_sub(2), height - 2)
    }
}

/// Draws a frame with a title.
fn draw_frame(screen: &Screen<'_>, (title, role): (&str, Role), outer: Rect, buffer: &mut Buffer) {
    let inner = usize::from(outer.width.saturating_sub(2));
    let dash = screen.glyph(Glyph::Line);
    let rule = |text: String| screen.span(text, Role::Rule);
    let title = screen.shorten(title, inner.saturating_sub(3));
    let title = format!(" {title} ");
    let rest = inner.saturating_sub(text::width(&title) + 1);
    let top = Line::from(vec![
        rule(format!("┌{dash}")),
        screen.span(title, role),
        rule(format!("{}┐", dash.repeat(rest))),
    ]);
    let bottom = Line::from(rule(format!("└{}┘", dash.repeat(inner))));
    let last = outer.height.saturating_sub(1);
    screen.write_at(buffer, outer, 0, &top);
    screen.write_at(buffer, outer, last, &bottom);
    for row in outer.rows().skip(1).take(usize::from(last) - 1) {
        let side = Line::from(rule(screen.glyph(Glyph::Rule).to_owned()));
        screen.write(buffer, Rect { width: 1, ..row }, &side);
        let x = row.right().saturating_sub(1);
        screen.write(buffer, Rect { x, width: 1, ..row }, &side);
    }
}

/// Draws rows of keys at the bottom of an area.
pub(super) fn draw_keys(screen: &Screen<'_>, keys: Vec<Hints>, area: Rect, buffer: &mut Buffer) {
    let skipped = usize::from(area.height).saturating_sub(keys.len());
    for (hints, row) in keys.into_iter().zip(area.rows().skip(skipped)) {
        let x = (row.x + 1).min(row.right());
        let width = row.right() - x;
        hints.draw(screen, Rect { x, width, ..row }, buffer);
    }
}

/// Returns the title of the box of a question, which says who asks, and the text that is asked; no text if the title
/// says it.
pub(super) fn title(dialog: &Dialog) -> (String, Option<&str>) {
    let question = dialog.question.as_str();
    let AnswerMethod::Text(input) = &dialog.answer_method else {
        return ("Geomys asks".to_owned(), Some(question));
    };
    match &input.command {
        InputCommand::Request(_, RequestInput::NewsServer) => {
            ("Geomys asks".to_owned(), Some(question))
        }
        InputCommand::Request(pending, of) => {
            let url = shown_url(&pending.request.url);
            if url == builtin::SEARCH {
                return ("Search all stored pages".to_owned(), None);
            }
            let who = pending.title.as_str().trim();
            if let RequestInput::Search = of {
                // The title of a search says what is asked.
                return (format!("{who} ({url})"), None);
            }
            let title = match who {
                "" => format!("{url} asks"),
                who if who == url => format!("{url} asks"),
                who => format!("{who} asks ({url})"),
            };
            (title, Some(question))
        }
        InputCommand::Open
        | InputCommand::Article
        | InputCommand::Find(_)
        | InputCommand::Filter
        | InputCommand::MarkPattern
        | InputCommand::Path(_)
        | InputCommand::Author(_)
        | InputCommand::Bookmarks(_)
        | InputCommand::RenameIdentity(_) => (question.trim_end_matches(':').to_owned(), None),
    }
}

/// Returns what Enter does with the typed text, as the label of its hint.
pub(super) fn verb(command: &InputCommand) -> &'static str {
    match command {
        InputCommand::Open
        | InputCommand::Article
        | InputCommand::Bookmarks(BookmarkInput::Filter) => "open",
        InputCommand::Find(_) | InputCommand::Filter => "keep",
        InputCommand::MarkPattern => "mark",
        InputCommand::Path(PathInput::Pipe(_)) => "run",
        InputCommand::Request(_, RequestInput::Search) => "search",
        InputCommand::Request(_, RequestInput::Identity | RequestInput::NewsServer) => "use",
        InputCommand::Request(..) => "send",
        InputCommand::Author(_) => "continue",
        InputCommand::Bookmarks(BookmarkInput::State(_)) => "restore",
        InputCommand::Bookmarks(BookmarkInput::Import) => "import",
        InputCommand::Path(_) | InputCommand::Bookmarks(_) | InputCommand::RenameIdentity(_) => {
            "save"
        }
    }
}
