//! Overlays: an input line, a form, the command palette, link details, a question.

use geomys_wire::net::shown_url;
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use rfc1738::{Departure, ParseError, Url};
use tui_input::Input;

use super::key_hints::{Hint, Hints};
use super::prompt_box::{self, BoxPlace, PromptBox};
use super::screen::Screen;
use super::theme::{Glyph, Role};
use super::{drafts, question};
use crate::app::dialogs::dialog::AnswerMethod;
use crate::app::dialogs::palette::PaletteEntry;
use crate::app::dialogs::text_input::{BookmarkInput, Completions, InputCommand, TextInput};
use crate::app::mouse::Click;
use crate::app::{Continuations, Dialog, Focus, Layout, Overlay};

/// The sign before a line of input.
const LABEL: &str = ">";

/// Draws the overlay, if there is one; `behind` is the position of the cursor in the part behind it. Returns the position of the
/// terminal's cursor.
pub(super) fn draw(
    screen: &Screen<'_>,
    layout: &Layout,
    behind: Option<Position>,
    buffer: &mut Buffer,
) -> Option<Position> {
    let foot = layout.status;
    if screen.app.dialogs.overlay.is_some() {
        // What is behind the element cannot be pressed.
        screen.regions.borrow_mut().clear();
    }
    match &screen.app.dialogs.overlay {
        Some(Overlay::Form(form)) => super::bookmark::draw(screen, form, layout, buffer),
        Some(Overlay::Palette(palette)) => {
            Some(super::palette::draw(screen, palette, foot, buffer))
        }
        Some(Overlay::Help(help)) => Some(super::help::draw(screen, help, layout, buffer)),
        Some(Overlay::Dialog(dialog)) => match &dialog.answer_method {
            AnswerMethod::Text(input) => {
                let place = match (&input.command, behind) {
                    (
                        InputCommand::Find(_)
                        | InputCommand::Filter
                        | InputCommand::Bookmarks(BookmarkInput::Filter),
                        Some(at),
                    ) => BoxPlace::AwayFrom(at.y),
                    _ => BoxPlace::Middle,
                };
                let frame = PromptBox::new(layout, place);
                Some(draw_input(screen, (dialog, input), frame, buffer))
            }
            AnswerMethod::Letter | AnswerMethod::Button(_) => {
                let frame = PromptBox::new(layout, BoxPlace::Middle);
                Some(question::draw(screen, dialog, frame, buffer))
            }
        },
        Some(Overlay::Drafts(list)) => Some(drafts::draw(screen, list, foot, buffer)),
        Some(Overlay::Info(lines)) => {
            draw_info(screen, lines, foot, buffer);
            None
        }
        Some(Overlay::Hints(hints)) => {
            let text = format!(" Open {}_   type the letters of a link", hints.typed);
            let width = u16::try_from(text::width(&text) + 3).unwrap_or(u16::MAX);
            let area = screen.foot(foot, 1, buffer);
            screen.write(buffer, area, &screen.line(text, Role::Prompt));
            let x = area.x.saturating_add(width).min(area.right());
            let right = Rect {
                x,
                width: area.right() - x,
                ..area
            };
            Hints::from_iter([Hint::key("Esc", "cancel")]).draw(screen, right, buffer);
            None
        }
        None if screen.app.continuations == Continuations::Shown => {
            super::help::draw_continuations(screen, foot, buffer);
            None
        }
        None => {
            draw_fault(screen, foot, buffer);
            None
        }
    }
}

impl Screen<'_> {
    /// Clears `height` lines at the bottom of the screen, draws a rule above them, and returns their area.
    pub(super) fn foot(&self, status: Rect, height: u16, buffer: &mut Buffer) -> Rect {
        let height = height.min(status.bottom());
        let area = Rect {
            y: status.bottom() - height,
            height,
            ..status
        };
        self.clear(buffer, area);
        if height > 1 && area.y > 0 {
            let rule = Rect {
                y: area.y - 1,
                height: 1,
                ..area
            };
            self.clear(buffer, rule);
            let line = self.glyph(Glyph::Line).repeat(usize::from(rule.width));
            self.write(buffer, rule, &self.line(line, Role::Rule));
        }
        area
    }

    /// Draws lines at the bottom of the screen, as many as there is room for.
    pub(super) fn foot_lines(&self, status: Rect, lines: &[Line<'_>], buffer: &mut Buffer) {
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let area = self.foot(status, height, buffer);
        self.write_lines(buffer, area, lines);
    }

    /// Writes lines from the top of an area on, as many as there is room for.
    pub(super) fn write_lines(&self, buffer: &mut Buffer, area: Rect, lines: &[Line<'_>]) {
        for (line, row) in lines.iter().zip(area.rows()) {
            self.write(buffer, row, line);
        }
    }

    /// Writes line `index` of an area.
    pub(super) fn write_at(&self, buffer: &mut Buffer, area: Rect, index: u16, line: &Line<'_>) {
        if let Some(row) = area.rows().nth(usize::from(index)) {
            self.write(buffer, row, line);
        }
    }

    /// Writes line `index` of a list; the chosen line is highlighted over its full width.
    pub(super) fn write_choice(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        index: u16,
        line: &Line<'_>,
        is_chosen: bool,
    ) {
        if let Some(row) = area.rows().nth(usize::from(index)) {
            self.write(buffer, row, line);
            if is_chosen {
                self.highlight(buffer, row);
            }
        }
    }

    /// Writes a label and an input on line `index`. Returns the cursor's position and the scroll offset in columns.
    pub(super) fn input(
        &self,
        (label, input, secret): (&str, &Input, bool),
        area: Rect,
        index: u16,
        buffer: &mut Buffer,
    ) -> (Position, usize) {
        let label = format!(" {label} ");
        let start = text::width(&label);
        let room = usize::from(area.width).saturating_sub(start + 1).max(1);
        let scroll = input.visual_scroll(room);
        let shown = if secret {
            "•".repeat(input.value().chars().count())
        } else {
            input.value().to_owned()
        };
        let shown = text::columns(Text::of(&shown).as_str(), scroll, room);
        let line = Line::from(vec![
            self.span(label, Role::Prompt),
            self.span(shown, Role::Input),
        ]);
        self.write_at(buffer, area, index, &line);
        let column = start + input.visual_cursor().saturating_sub(scroll);
        let x = area.x
            + u16::try_from(column)
                .unwrap_or(u16::MAX)
                .min(area.width.saturating_sub(1));
        (Position::new(x, area.y + index), scroll)
    }

    /// Shows the rest of line `index`, from a column on, as a field.
    pub(super) fn underline_field(
        &self,
        column: usize,
        area: Rect,
        index: u16,
        buffer: &mut Buffer,
    ) {
        let column = u16::try_from(column).unwrap_or(u16::MAX).min(area.width);
        let field = Rect {
            x: area.x + column,
            y: area.y + index,
            width: (area.width - column).saturating_sub(1),
            height: 1,
        };
        buffer.set_style(field.intersection(area), self.style(Role::Field));
    }

    /// The fault of a typed URL, with a caret, and the URL that would be opened instead. The URL begins at `column`, and is
    /// scrolled by some columns; where its fault is not visible, its part there is shown again.
    pub(super) fn verdict(
        &self,
        typed: &str,
        error: &ParseError,
        (column, scroll): (usize, usize),
        width: u16,
    ) -> Vec<Line<'static>> {
        let width = usize::from(width);
        let room = width.saturating_sub(column + 1);
        let visible = error.at.checked_sub(scroll).filter(|at| *at <= room);
        let mut lines = Vec::new();
        let at = match visible {
            Some(at) => column + at,
            None => {
                let room = width.saturating_sub(3).max(1);
                let ellipsis = self.glyph(Glyph::Ellipsis);
                let shown = Text::of(typed);
                let (part, at) = text::around(shown.as_str(), error.at, room, ellipsis);
                lines.push(self.line(format!(" {part}"), Role::Text));
                at + 1
            }
        };
        let sentence = error.to_string();
        let fault = |text: String| self.line(text, Role::Fault);
        if at + 2 + text::width(&sentence) < width {
            lines.push(fault(format!("{}^ {sentence}", " ".repeat(at))));
        } else {
            // There is no room beside the caret, so the sentence goes on the next line.
            if at < width {
                lines.push(fault(format!("{}^", " ".repeat(at))));
            }
            let pieces = text::wrap(&sentence, width.saturating_sub(2).max(1));
            lines.extend(pieces.into_iter().map(|piece| fault(format!(" {piece}"))));
        }
        if let Ok(url) = self
            .app
            .bookmarks
            .parse_and_fix(typed, &self.app.tabs, &self.app.cx)
        {
            lines.push(self.meaning(&url));
            lines.extend(self.departures(&url, width));
        }
        lines
    }

    /// The departures of a typed address from RFC 1738, as lines.
    fn departures(&self, url: &Url, width: usize) -> Vec<Line<'static>> {
        let beyond: Vec<&str> = url.departures().iter().map(Departure::sentence).collect();
        if beyond.is_empty() {
            return Vec::new();
        }
        let text = format!("beyond RFC 1738: {}", beyond.join("; "));
        let pieces = text::wrap(&text, width.saturating_sub(2).max(1)).into_iter();
        let dim = self.style(Role::Dim);
        pieces
            .map(|piece| Line::styled(format!(" {piece}"), dim))
            .collect()
    }

    /// The hint at the probable meaning of a typed address.
    fn hint(&self, input: &TextInput) -> Option<String> {
        let (address, app) = (input.address()?, self.app);
        let url = app.bookmarks.parse_and_fix(address, &app.tabs, &app.cx);
        Some(url.ok()?.hint()?.to_string())
    }

    /// The URL that a typed address opens, as a line.
    pub(super) fn meaning(&self, url: &Url) -> Line<'static> {
        Line::from(vec![
            self.span(" opens as ", Role::Dim),
            self.span(shown_url(url).into_owned(), Role::Notice),
        ])
    }
}

/// Draws a line of input in its box, with what stands below it. Returns the position of the terminal's cursor.
fn draw_input(
    screen: &Screen<'_>,
    (dialog, input): (&Dialog, &TextInput),
    frame: PromptBox,
    buffer: &mut Buffer,
) -> Position {
    let width = frame.width();
    let (title, question) = prompt_box::title(dialog);
    let room = usize::from(width).saturating_sub(2).max(1);
    let mut above: Vec<Line<'_>> = question
        .into_iter()
        .flat_map(|question| text::wrap(question, room))
        .map(|piece| screen.line(format!(" {piece}"), Role::Prompt))
        .collect();
    let mut below = below_input(screen, input, width);
    let chosen = input.suggestions.as_ref().and_then(|found| found.chosen);
    let first = below.len();
    let entries = input.suggestions.iter().flat_map(|found| &found.list);
    below.extend(entries.enumerate().map(|(index, entry)| {
        super::palette::drawn(screen, entry, chosen == Some(index), usize::from(width))
    }));
    let suggested = below.len() - first;
    let keys = keys(input).wrapped(room);
    // The input and the keys are more important than the rest.
    let others = frame.max_rows().saturating_sub(1 + keys.len());
    above.truncate(others.saturating_sub(below.len().min(others / 2)));
    below.truncate(others.saturating_sub(above.len()));
    let rows = above.len() + 1 + below.len() + keys.len();
    let area = frame.draw(screen, (&title, Role::Heading), rows, buffer);
    screen.write_lines(buffer, area, &above);
    let at = u16::try_from(above.len()).unwrap_or(u16::MAX);
    let (words, role) = beside_input(screen, input).unwrap_or((String::new(), Role::Dim));
    let taken = match text::width(&words) {
        0 => 0,
        width => u16::try_from(width + 2).unwrap_or(0),
    };
    let left = Rect {
        width: area.width.saturating_sub(taken).max(area.width / 2),
        ..area
    };
    let (cursor, _) = screen.input((LABEL, &input.input, input.is_secret), left, at, buffer);
    let room = Rect::new(left.right() + 1, area.y + at, taken.saturating_sub(1), 1);
    screen.write(buffer, room.intersection(area), &screen.line(words, role));
    let rows = area.rows().skip(above.len() + 1);
    for ((index, line), row) in below.iter().enumerate().zip(rows) {
        screen.write(buffer, row, line);
        let suggestion = index.checked_sub(first).filter(|entry| *entry < suggested);
        if let Some(entry) = suggestion {
            screen.press(row, Click::Choose(entry));
        }
        if chosen.is_some() && suggestion == chosen {
            screen.highlight(buffer, row);
        }
    }
    prompt_box::draw_keys(screen, keys, area, buffer);
    cursor
}

/// The lines below a line of input, without its suggestions.
fn below_input<'a>(screen: &Screen<'a>, input: &TextInput, width: u16) -> Vec<Line<'a>> {
    let dim = |text: &str| screen.line(format!(" {text}"), Role::Dim);
    let suggested = input.suggested().and_then(PaletteEntry::url);
    let mut lines = remark_or_meaning(screen, input, suggested, width);
    if let Some(hint) = screen.hint(input).filter(|_| suggested.is_none()) {
        lines.push(dim(&hint));
    }
    lines.extend(tags(screen, input, width));
    match &input.command {
        InputCommand::Open => {
            if input.input.value().is_empty() {
                lines.push(dim("URL (gopher://…, ftp://…, news:…) or host"));
            }
            // The prompt keeps its height while the user types an address.
            lines.resize(lines.len().max(2), Line::default());
        }
        InputCommand::Bookmarks(BookmarkInput::Filter) => lines.push(found(screen)),
        InputCommand::Find(_)
        | InputCommand::Filter
        | InputCommand::MarkPattern
        | InputCommand::Request(..)
        | InputCommand::Path(_)
        | InputCommand::Author(_)
        | InputCommand::RenameIdentity(_)
        | InputCommand::Bookmarks(_) => {}
    }
    lines.extend(screen.discarded());
    lines
}

/// The text at the right of a line of input: the number of the match, or of the bytes that are left.
fn beside_input(screen: &Screen<'_>, input: &TextInput) -> Option<(String, Role)> {
    match &input.command {
        InputCommand::Find(_) if screen.app.cx.notice.is_none() => {
            super::find::words(screen.app.page()?)
        }
        _ => input.hint.clone().map(|hint| (hint, Role::Dim)),
    }
}

/// The keys of a line of input.
fn keys(input: &TextInput) -> Hints {
    let mut keys = vec![Hint::key("Enter", prompt_box::verb(&input.command))];
    if input.takes_lines() {
        keys.push(Hint::key("Alt-Enter", "new line"));
        if !input.is_secret {
            keys.push(Hint::key("Alt-e", "editor"));
        }
    }
    let has_list = input.suggestions.as_ref();
    match &input.completions {
        _ if has_list.is_some_and(|found| !found.list.is_empty()) => {
            keys.push(Hint::key("Down", "choose"));
        }
        Completions::None => {}
        Completions::Tags(_) | Completions::Names(_) | Completions::Proposal(_) => {
            keys.push(Hint::key("Tab", "complete"));
        }
    }
    if let InputCommand::Bookmarks(BookmarkInput::Filter) = input.command {
        keys.push(Hint::key("Tab", "to the list"));
        keys.push(Hint::key("Esc", "clear"));
    } else {
        keys.push(Hint::key("Esc", "cancel"));
    }
    keys.into_iter().collect()
}

/// The remark of a line of input, else the meaning or the fault of the typed or suggested address.
fn remark_or_meaning(
    screen: &Screen<'_>,
    input: &TextInput,
    suggested: Option<&Url>,
    width: u16,
) -> Vec<Line<'static>> {
    let typed = input.input.value();
    let room = usize::from(width);
    if let Some(remark) = &input.remark {
        let pieces = text::wrap(remark.as_str(), room.saturating_sub(2).max(1));
        let dim = |text: &str| screen.line(format!(" {text}"), Role::Dim);
        return pieces.into_iter().map(dim).collect();
    }
    if let Some(url) = suggested {
        return vec![screen.meaning(url)];
    }
    let app = screen.app;
    let read = input
        .address()
        .map(|address| app.bookmarks.parse_typed(address, &app.tabs, &app.cx));
    match read {
        Some(Err(error)) => {
            let column = text::width(LABEL) + 2;
            let line = &input.input;
            let scroll = line.visual_scroll(room.saturating_sub(column + 1).max(1));
            screen.verdict(typed, &error, (column, scroll), width)
        }
        Some(Ok(url)) if typed.trim() != url.as_str() => vec![screen.meaning(&url)],
        Some(Ok(url)) => screen.departures(&url, room),
        None => Vec::new(),
    }
}

/// The matching tags that are in use; `None` if the input is for no tags.
fn tags(screen: &Screen<'_>, input: &TextInput, width: u16) -> Option<Line<'static>> {
    let Completions::Tags(_) = input.completions else {
        return None;
    };
    let tags: Vec<String> = input
        .tag_completions()
        .take(20)
        .map(|tag| format!("#{tag}"))
        .collect();
    let mut tags = tags.join(" ");
    if !tags.is_empty() {
        tags.insert_str(0, "Tab completes: ");
    }
    let tags = screen.shorten(&tags, usize::from(width).saturating_sub(2));
    Some(screen.line(format!(" {tags}"), Role::Tag))
}

/// The number of bookmarks found, or what can be searched for.
fn found(screen: &Screen<'_>) -> Line<'static> {
    let sidebar = &screen.app.bookmarks.sidebar;
    let dim = screen.style(Role::Dim);
    let words = match sidebar.filter() {
        None => "words, #tag, is:fault, is:dead".to_owned(),
        Some(filter) => {
            let all = sidebar.bookmarks.len() - sidebar.bookmarks.folders().count();
            let (found, all) = (text::count(filter.found.len()), text::count(all));
            format!("{found} of {all}")
        }
    };
    Line::styled(format!(" {words}"), dim)
}

fn draw_info(screen: &Screen<'_>, lines: &[(Text, Text)], status: Rect, buffer: &mut Buffer) {
    let names = lines
        .iter()
        .map(|(name, _)| name.width())
        .max()
        .unwrap_or(0);
    let width = usize::from(status.width).saturating_sub(names + 3).max(1);
    let mut rows = Vec::new();
    for (name, value) in lines {
        for (index, piece) in text::wrap(value.as_str(), width).into_iter().enumerate() {
            let name = if index == 0 { name.as_str() } else { "" };
            rows.push(Line::from(vec![
                screen.span(format!(" {name:>names$}  "), Role::Dim),
                screen.span(piece.to_owned(), Role::Text),
            ]));
        }
    }
    screen.foot_lines(status, &rows, buffer);
}

/// Draws the fault of the bookmark under the cursor, with a caret, above the status line.
fn draw_fault(screen: &Screen<'_>, status: Rect, buffer: &mut Buffer) {
    if screen.app.cx.focus != Focus::Bookmarks || screen.app.cx.notice.is_some() {
        return;
    }
    let Some(bookmark) = screen.app.bookmarks.listed().bookmark() else {
        return;
    };
    let Err(error) = bookmark.url() else { return };
    let written = bookmark.url_text();
    let written = written.as_str();
    let (masked, error) = (rfc1738::mask(written), error.masked(written));
    let mut lines = vec![screen.line(format!(" {masked}"), Role::Text)];
    let faults = screen.verdict(&masked, &error, (1, 0), status.width);
    if error.at + 2 > usize::from(status.width) {
        // The part with the fault stands for the whole.
        lines.clear();
    }
    lines.extend(faults);
    screen.foot_lines(status, &lines, buffer);
}
