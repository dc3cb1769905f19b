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
use super::screen::on_screen;
use super::theme::{Glyph, Role};
use super::{drafts, prompt, question};
use geomys_app::dialogs::dialog::AnswerMethod;
use geomys_app::{Continuations, Focus, Layout, Overlay};

/// Draws the overlay, if there is one; `behind` is the position of the cursor in the part behind it. Returns the
/// position of the terminal's cursor.
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
        Some(Overlay::Palette(palette)) => Some(super::palette::draw(
            screen,
            palette,
            on_screen(foot),
            buffer,
        )),
        Some(Overlay::Help(help)) => Some(super::help::draw(screen, help, layout, buffer)),
        Some(Overlay::Dialog(dialog)) => match &dialog.answer_method {
            AnswerMethod::Text(input) => Some(prompt::draw(
                screen,
                (dialog, input),
                (layout, behind),
                buffer,
            )),
            AnswerMethod::Letter | AnswerMethod::Button(_) => {
                let frame = PromptBox::new(layout, BoxPlace::Middle);
                Some(question::draw(screen, dialog, frame, buffer))
            }
        },
        Some(Overlay::Drafts(list)) => Some(drafts::draw(screen, list, on_screen(foot), buffer)),
        Some(Overlay::Info(lines)) => {
            draw_info(screen, lines, on_screen(foot), buffer);
            None
        }
        Some(Overlay::Hints(hints)) => {
            let text = format!(" Open {}_   type the letters of a link", hints.typed);
            let width = u16::try_from(text::width(&text) + 3).unwrap_or(u16::MAX);
            let area = screen.foot(on_screen(foot), 1, buffer);
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
            super::help::draw_continuations(screen, on_screen(foot), buffer);
            None
        }
        None => {
            draw_fault(screen, on_screen(foot), buffer);
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

    /// The fault of a typed URL, with a caret, and the URL that would be opened instead. The URL begins at a column,
    /// and is scrolled by some columns.
    pub(super) fn verdict(
        &self,
        typed: &str,
        error: &ParseError,
        place: (usize, usize),
        width: u16,
    ) -> Vec<Line<'static>> {
        let width = usize::from(width);
        let mut lines = self.pointed(typed, (error.at, &error.to_string()), place, width);
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

    /// The sentence about a fault in a typed text, with a caret below its column. The text begins at `column` of the
    /// screen, and is scrolled by some columns; where its fault is not visible, its part there is shown again.
    pub(super) fn pointed(
        &self,
        typed: &str,
        (fault_at, sentence): (usize, &str),
        (column, scroll): (usize, usize),
        width: usize,
    ) -> Vec<Line<'static>> {
        let room = width.saturating_sub(column + 1);
        let visible = fault_at.checked_sub(scroll).filter(|at| *at <= room);
        let mut lines = Vec::new();
        let at = match visible {
            Some(at) => column + at,
            None => {
                let room = width.saturating_sub(3).max(1);
                let ellipsis = self.glyph(Glyph::Ellipsis);
                let shown = Text::of(typed);
                let (part, at) = text::around(shown.as_str(), fault_at, room, ellipsis);
                lines.push(self.line(format!(" {part}"), Role::Text));
                at + 1
            }
        };
        let fault = |text: String| self.line(text, Role::Fault);
        if at + 2 + text::width(sentence) < width {
            lines.push(fault(format!("{}^ {sentence}", " ".repeat(at))));
        } else {
            // There is no room beside the caret, so the sentence goes on the next line.
            if at < width {
                lines.push(fault(format!("{}^", " ".repeat(at))));
            }
            let pieces = text::wrap(sentence, width.saturating_sub(2).max(1));
            lines.extend(pieces.into_iter().map(|piece| fault(format!(" {piece}"))));
        }
        lines
    }

    /// The departures of a typed address from RFC 1738, as lines.
    pub(super) fn departures(&self, url: &Url, width: usize) -> Vec<Line<'static>> {
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

    /// The URL that a typed address opens, as a line.
    pub(super) fn meaning(&self, url: &Url) -> Line<'static> {
        Line::from(vec![
            self.span(" opens as ", Role::Dim),
            self.span(shown_url(url).into_owned(), Role::Notice),
        ])
    }
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
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let area = screen.foot(status, height.saturating_add(1), buffer);
    let above = Rect {
        height: area.height.saturating_sub(1),
        ..area
    };
    screen.write_lines(buffer, above, &rows);
    let close = Hints::from_iter([Hint::key("Esc", "close")]);
    prompt_box::draw_keys(screen, vec![close], area, buffer);
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
