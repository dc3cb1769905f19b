//! Overlays: an input line, a form, the command palette, link details, a question.

use geomys_wire::net::shown_url;
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use rfc1738::{Departure, ParseError, Url};
use tui_input::Input;

use super::screen::Screen;
use super::theme::{Glyph, Role};
use super::{drafts, question};
use crate::app::dialogs::dialog::AnswerMethod;
use crate::app::dialogs::palette::PaletteEntry;
use crate::app::dialogs::text_input::{BookmarkInput, Completions, InputCommand, TextInput};
use crate::app::{Continuations, Focus, Layout, Overlay};

/// Draws the overlay, if there is one. Returns the position of the terminal's cursor.
pub(super) fn draw(screen: &Screen<'_>, layout: &Layout, buffer: &mut Buffer) -> Option<Position> {
    let foot = layout.status;
    match &screen.app.dialogs.overlay {
        Some(Overlay::Form(form)) => super::bookmark::draw(screen, form, foot, buffer),
        Some(Overlay::Palette(palette)) => {
            Some(super::palette::draw(screen, palette, foot, buffer))
        }
        Some(Overlay::Help(help)) => Some(super::help::draw(screen, help, layout, buffer)),
        Some(Overlay::Dialog(dialog)) => match &dialog.answer_method {
            AnswerMethod::Text(input) => {
                let label = dialog.question.as_str();
                Some(draw_input(screen, (label, input), foot, buffer))
            }
            AnswerMethod::Letter | AnswerMethod::Button(_) => {
                question::draw(screen, dialog, foot, buffer);
                None
            }
        },
        Some(Overlay::Drafts(list)) => {
            drafts::draw(screen, list, foot, buffer);
            None
        }
        Some(Overlay::Info(lines)) => {
            draw_info(screen, lines, foot, buffer);
            None
        }
        Some(Overlay::Hints(hints)) => {
            let text = format!(
                " Open {}_   type the letters of a link   Esc cancel",
                hints.typed
            );
            screen.foot_lines(foot, &[screen.line(text, Role::Prompt)], buffer);
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

/// Draws a line of input after its label, with what stands below it. Returns the position of the terminal's cursor.
fn draw_input(
    screen: &Screen<'_>,
    (label, input): (&str, &TextInput),
    status: Rect,
    buffer: &mut Buffer,
) -> Position {
    let dim = |text: &str| screen.line(format!(" {text}"), Role::Dim);
    let suggested = input.suggested().and_then(PaletteEntry::url);
    let mut lines = remark_or_meaning(screen, (label, input), suggested, status.width);
    if let Some(hint) = screen.hint(input).filter(|_| suggested.is_none()) {
        lines.push(dim(&hint));
    }
    lines.extend(tags(screen, input, status.width));
    lines.extend(input.hint.as_deref().map(dim));
    let mut find = None;
    match &input.command {
        InputCommand::Open => {
            if input.input.value().is_empty() {
                lines.push(dim("URL (gopher://…, ftp://…, news:…) or host"));
            }
            // The prompt keeps its height while the user types an address.
            lines.resize(lines.len().max(2), Line::default());
        }
        InputCommand::Find(_) => find = screen.app.page().and_then(super::find::words),
        InputCommand::Bookmarks(BookmarkInput::Filter) => lines.push(found(screen)),
        InputCommand::Filter
        | InputCommand::MarkPattern
        | InputCommand::Request(..)
        | InputCommand::Path(_)
        | InputCommand::Author(_)
        | InputCommand::RenameIdentity(_)
        | InputCommand::Bookmarks(_) => {}
    }
    lines.extend(screen.discarded());
    let first = lines.len();
    let width = usize::from(status.width);
    let chosen = input.suggestions.as_ref().and_then(|found| found.chosen);
    let entries = input.suggestions.iter().flat_map(|found| &found.list);
    lines.extend(
        entries.enumerate().map(|(index, entry)| {
            super::palette::drawn(screen, entry, chosen == Some(index), width)
        }),
    );
    let height = u16::try_from(lines.len() + 1).unwrap_or(u16::MAX);
    let area = screen.foot(status, height, buffer);
    let (cursor, _) = screen.input((label, &input.input, input.is_secret), area, 0, buffer);
    if let Some((words, role)) = find {
        let width = u16::try_from(text::width(&words) + 1).unwrap_or(0);
        let x = area.right().saturating_sub(width).max(cursor.x + 2);
        let room = Rect {
            x,
            width,
            height: 1,
            ..area
        };
        screen.write(buffer, room, &screen.line(words, role));
    }
    let chosen = chosen.map(|chosen| first + chosen);
    for (index, (line, row)) in lines.iter().zip(area.rows().skip(1)).enumerate() {
        screen.write(buffer, row, line);
        if chosen == Some(index) {
            screen.highlight(buffer, row);
        }
    }
    cursor
}

/// The remark of a line of input, else the meaning or the fault of the typed or suggested address.
fn remark_or_meaning(
    screen: &Screen<'_>,
    (label, input): (&str, &TextInput),
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
            let column = text::width(label) + 2;
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

/// The number of bookmarks found, and the keys of the search prompt.
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
    Line::styled(
        format!(" {words}   Enter opens   Tab to the list   Esc clears"),
        dim,
    )
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
