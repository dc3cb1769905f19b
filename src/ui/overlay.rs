//! What stands over the page: a line of input, a form, the palette, what a link is, a question.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use tui_input::Input;

use super::theme::{Glyph, Role};
use super::{Screen, drafts, question};
use crate::app::layout::Layout;
use crate::app::palette::Palette;
use crate::app::prompt::{Prompt, Wants};
use crate::app::{App, Focus, Overlay};
use crate::text::{self, Text};
use crate::url::{Departure, ParseError, Url};

/// Draws what stands over the page, if anything does; gives the place of the terminal's cursor.
pub(super) fn draw(screen: &Screen<'_>, layout: &Layout, buffer: &mut Buffer) -> Option<Position> {
    let foot = layout.status;
    match &screen.app.overlay {
        Some(Overlay::Prompt(prompt)) => Some(draw_prompt(screen, prompt, foot, buffer)),
        Some(Overlay::Form(form)) => super::bookmark::draw(screen, form, foot, buffer),
        Some(Overlay::Palette(palette)) => Some(draw_palette(screen, palette, foot, buffer)),
        Some(Overlay::Choice(choice)) => {
            question::draw(screen, choice, foot, buffer);
            None
        }
        Some(Overlay::Drafts(list)) => {
            drafts::draw(screen, list, foot, buffer);
            None
        }
        Some(Overlay::Info(lines)) => {
            draw_info(screen, lines, foot, buffer);
            None
        }
        Some(Overlay::ConfirmQuit) => {
            let place = screen.foot(foot, 1, buffer);
            let text = quit(screen.app);
            screen.write(
                buffer,
                place,
                &Line::styled(text, screen.style(Role::Prompt)),
            );
            None
        }
        Some(Overlay::Hints(hints)) => {
            let place = screen.foot(foot, 1, buffer);
            let text = format!(" Open {}_   the letters of a link; Esc leaves", hints.typed);
            screen.write(
                buffer,
                place,
                &Line::styled(text, screen.style(Role::Prompt)),
            );
            None
        }
        None => {
            draw_fault(screen, foot, buffer);
            None
        }
    }
}

impl Screen<'_> {
    /// Blanks `height` lines at the foot of the screen, a rule above them, and gives their place.
    pub(super) fn foot(&self, status: Rect, height: u16, buffer: &mut Buffer) -> Rect {
        let height = height.min(status.bottom());
        let place = Rect {
            y: status.bottom() - height,
            height,
            ..status
        };
        self.clear(buffer, place);
        if height > 1 && place.y > 0 {
            let rule = Rect {
                y: place.y - 1,
                height: 1,
                ..place
            };
            self.clear(buffer, rule);
            let line = self.glyph(Glyph::Line).repeat(usize::from(rule.width));
            self.write(buffer, rule, &Line::styled(line, self.style(Role::Rule)));
        }
        place
    }

    /// Writes line `index` of a place.
    pub(super) fn write_at(&self, buffer: &mut Buffer, place: Rect, index: u16, line: &Line<'_>) {
        if index < place.height {
            self.write(
                buffer,
                Rect {
                    y: place.y + index,
                    height: 1,
                    ..place
                },
                line,
            );
        }
    }

    /// Writes a label and an input on line `index`; gives the cursor's place and the columns scrolled.
    pub(super) fn input(
        &self,
        (label, input, secret): (&str, &Input, bool),
        place: Rect,
        index: u16,
        buffer: &mut Buffer,
    ) -> (Position, usize) {
        let label = format!(" {label} ");
        let start = text::width(&label);
        let room = usize::from(place.width).saturating_sub(start + 1).max(1);
        let scroll = input.visual_scroll(room);
        let shown = if secret {
            "•".repeat(input.value().chars().count())
        } else {
            input.value().to_owned()
        };
        let shown = text::columns(Text::of(&shown).as_str(), scroll, room);
        let line = Line::from(vec![
            Span::styled(label, self.style(Role::Prompt)),
            Span::styled(shown, self.style(Role::Input)),
        ]);
        self.write_at(buffer, place, index, &line);
        let column = start + input.visual_cursor().saturating_sub(scroll);
        let x = place.x
            + u16::try_from(column)
                .unwrap_or(u16::MAX)
                .min(place.width.saturating_sub(1));
        (Position::new(x, place.y + index), scroll)
    }

    /// The fault of a typed URL, pointed at, and what would be opened instead; `column` is where the URL begins.
    pub(super) fn verdict(
        &self,
        typed: &str,
        error: &ParseError,
        column: usize,
        width: u16,
    ) -> Vec<Line<'static>> {
        let width = usize::from(width);
        let at = column.saturating_add(error.at);
        let sentence = error.to_string();
        let fault = |text: String| Line::styled(text, self.style(Role::Fault));
        let mut lines = Vec::new();
        if at + 2 + text::width(&sentence) < width {
            lines.push(fault(format!("{}^ {sentence}", " ".repeat(at))));
        } else {
            // No room beside the caret: the sentence stands below it.
            if at < width {
                lines.push(fault(format!("{}^", " ".repeat(at))));
            }
            let pieces = text::wrap(&sentence, width.saturating_sub(2).max(1));
            lines.extend(pieces.into_iter().map(|piece| fault(format!(" {piece}"))));
        }
        if let Some(url) = self.app.forgiven(typed) {
            lines.push(self.meaning(&url));
            lines.extend(self.departures(&url, width));
        }
        lines
    }

    /// How a typed address departs from RFC 1738.
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

    /// What a typed address will be opened as.
    pub(super) fn meaning(&self, url: &Url) -> Line<'static> {
        Line::from(vec![
            Span::styled(" opens as ", self.style(Role::Dim)),
            Span::styled(url.masked().into_owned(), self.style(Role::Notice)),
        ])
    }
}

fn draw_prompt(
    screen: &Screen<'_>,
    prompt: &Prompt,
    status: Rect,
    buffer: &mut Buffer,
) -> Position {
    let label = prompt.label();
    let column = text::width(&label) + 2;
    let typed = prompt.input.value();
    let dim = |text: &str| Line::styled(format!(" {text}"), screen.style(Role::Dim));
    let read = prompt.address().map(|address| screen.app.typed(address));
    let mut lines = match (&prompt.remark, read) {
        (Some(remark), _) => {
            let width = usize::from(status.width).saturating_sub(2).max(1);
            let pieces = text::wrap(remark.as_str(), width);
            pieces.into_iter().map(dim).collect()
        }
        (None, Some(Err(error))) => screen.verdict(typed, &error, column, status.width),
        (None, Some(Ok(url))) if typed.trim() != url.as_str() => vec![screen.meaning(&url)],
        (None, Some(Ok(url))) => screen.departures(&url, usize::from(status.width)),
        (None, None) => Vec::new(),
    };
    match &prompt.wants {
        Wants::Bookmarks => lines.push(found(screen)),
        Wants::Tags(_, items, _) => lines.extend(tags(screen, prompt, items.len(), status.width)),
        _ => {}
    }
    if matches!(prompt.wants, Wants::Url | Wants::Edited) {
        if typed.is_empty() {
            lines.push(dim(
                "an address: gopher://…  ftp://…  news:…  nntp://…  or a host",
            ));
        }
        // The prompt keeps its height while an address is typed.
        lines.resize(lines.len().max(2), Line::default());
    }
    lines.extend(screen.discarded());
    let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let place = screen.foot(status, height, buffer);
    let (cursor, _) = screen.input(
        (&label, &prompt.input, prompt.is_secret()),
        place,
        0,
        buffer,
    );
    for (line, index) in lines.iter().zip(1..) {
        screen.write_at(buffer, place, index, line);
    }
    cursor
}

/// The tags in use that may be meant, and what happens to those of several bookmarks.
fn tags(screen: &Screen<'_>, prompt: &Prompt, count: usize, width: u16) -> Vec<Line<'static>> {
    let known: Vec<String> = prompt
        .tags_meant()
        .take(20)
        .map(|tag| format!("#{tag}"))
        .collect();
    let mut known = known.join(" ");
    if !known.is_empty() {
        known.insert_str(0, "Tab completes: ");
    }
    let known = text::shorten(
        &known,
        usize::from(width).saturating_sub(2),
        screen.glyph(Glyph::Ellipsis),
    );
    let mut lines = vec![Line::styled(format!(" {known}"), screen.style(Role::Tag))];
    if count > 1 {
        let words = format!(
            " for {} bookmarks: a word is added, -word is taken away",
            text::count(count)
        );
        lines.push(Line::styled(words, screen.style(Role::Dim)));
    }
    lines
}

/// How much is found in the bookmarks, and the keys of that prompt.
fn found(screen: &Screen<'_>) -> Line<'static> {
    let sidebar = &screen.app.sidebar;
    let dim = screen.style(Role::Dim);
    let words = match sidebar.filter() {
        None => "words, #tag, is:fault, is:gone".to_owned(),
        Some(filter) => {
            let all = sidebar.bookmarks.len() - sidebar.bookmarks.folders().count();
            let (found, all) = (text::count(filter.found.len()), text::count(all));
            format!("{found} of {all}")
        }
    };
    Line::styled(
        format!(" {words}   Enter opens   Tab to the list   Esc clears"),
        dim,
    )
}

fn draw_palette(
    screen: &Screen<'_>,
    palette: &Palette,
    status: Rect,
    buffer: &mut Buffer,
) -> Position {
    let actions = palette.actions();
    let rows = u16::try_from(actions.len())
        .unwrap_or(u16::MAX)
        .clamp(1, 12);
    let place = screen.foot(status, rows + 1, buffer);
    let rows = usize::from(place.height.saturating_sub(1));
    let first = palette.chosen.saturating_sub(rows.saturating_sub(1));
    for (index, action) in actions.iter().enumerate().skip(first).take(rows) {
        let chosen = index == palette.chosen;
        let mark = if chosen {
            screen.glyph(Glyph::Cursor)
        } else {
            " "
        };
        let keys = screen.app.keymap.keys_of(*action).join(" ");
        let role = if chosen { Role::Cursor } else { Role::Text };
        let line = Line::from(vec![
            Span::styled(mark.to_owned(), screen.style(Role::Mark)),
            Span::styled(format!(" {:<18}", action.name()), screen.style(role)),
            Span::styled(format!("{keys:<20} "), screen.style(Role::Key)),
            Span::styled(action.doc(), screen.style(Role::Dim)),
        ]);
        let row = u16::try_from(index - first).unwrap_or(u16::MAX);
        screen.write_at(buffer, place, row, &line);
    }
    if actions.is_empty() {
        let line = Line::styled("  no action is called that", screen.style(Role::Dim));
        screen.write_at(buffer, place, 0, &line);
    }
    let last = place.height.saturating_sub(1);
    screen
        .input((":", &palette.input, false), place, last, buffer)
        .0
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
                Span::styled(format!(" {name:>names$}  "), screen.style(Role::Dim)),
                Span::styled(piece.to_owned(), screen.style(Role::Text)),
            ]));
        }
    }
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let place = screen.foot(status, height, buffer);
    for (row, index) in rows.iter().zip(0..) {
        screen.write_at(buffer, place, index, row);
    }
}

/// Quit, though something is on its way?
fn quit(app: &App) -> String {
    let running = app.transfers.running().count();
    if app.is_sending() {
        return " It is being sent. Quit? The draft stays; it may have been taken. y n".to_owned();
    }
    match (running, app.downloads.len()) {
        (0, _) => " A file is being saved. Quit and leave it unfinished? y n".to_owned(),
        (1, _) => " A transfer is running. Quit? It can be gone on with. y n".to_owned(),
        (many, _) => format!(" {many} transfers are running. Quit? They can be gone on with. y n"),
    }
}

/// The fault of the bookmark under the cursor, pointed at, above the status line.
fn draw_fault(screen: &Screen<'_>, status: Rect, buffer: &mut Buffer) {
    if screen.app.focus != Focus::Bookmarks || screen.app.notice.is_some() {
        return;
    }
    let Some(bookmark) = screen.app.sidebar.bookmark() else {
        return;
    };
    let Err(error) = bookmark.url() else { return };
    let written = bookmark.written();
    let written = written.as_str();
    let lines = screen.verdict(written, &error.masked(written), 1, status.width);
    let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let place = screen.foot(status, height, buffer);
    let masked = crate::url::mask(written);
    let line = Line::styled(format!(" {masked}"), screen.style(Role::Text));
    screen.write_at(buffer, place, 0, &line);
    for (line, index) in lines.iter().zip(1..) {
        screen.write_at(buffer, place, index, line);
    }
}
