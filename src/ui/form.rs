//! A form in a pane: labels on the left, fields on the right, two buttons below.

use std::ops::Range;

use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use tui_input::Input;

use super::screen::Screen;
use super::theme::Role;
use geomys_app::mouse::Click;
use geomys_app::view::form::{Entry, FormView, Secret, Value};

/// The minimum width of a field in columns, if the pane has room, so that text fits beside it; and the maximum.
const FIELD: (usize, usize) = (16, 48);

/// The minimum height of a multi-line field.
const LINES: usize = 3;

/// The lines of a form, before they are cut to the height of the pane.
struct FormLines<'a> {
    screen: &'a Screen<'a>,
    lines: Vec<Line<'static>>,
    /// The fields and buttons that can be clicked: line, columns, index, and the line in the field.
    clickable: Vec<(usize, Range<usize>, Click)>,
    /// The lines of the focused entry.
    here: (usize, usize),
    /// Line and column of the terminal's cursor.
    cursor: Option<(usize, usize)>,
    /// The widths of labels, of a field, and of the pane, in columns.
    label: usize,
    field: usize,
    width: usize,
    has_hints: bool,
}

/// Draws a form, and in the last row of its area, which is kept for it, the error of an answer: so no field moves.
/// Returns the position of the terminal's cursor, if a field has the focus.
pub(super) fn draw(
    screen: &Screen<'_>,
    form: &FormView,
    area: Rect,
    focused: bool,
    buffer: &mut Buffer,
) -> Option<Position> {
    let width = usize::from(area.width);
    let prompts = form.entries.iter();
    let prompts = prompts.filter(|entry| !matches!(entry.value, Value::Note));
    let label = prompts.map(|entry| entry.prompt.width()).max().unwrap_or(0);
    let label = label.min(width * 2 / 5);
    let room = width.saturating_sub(label + 4).max(1);
    let hints = form.entries.iter().map(|entry| entry.hint.width() + 2);
    let left = room.saturating_sub(hints.max().unwrap_or(0));
    let has_hints = left >= FIELD.0;
    let mut form_lines = FormLines {
        screen,
        lines: Vec::new(),
        clickable: Vec::new(),
        here: (0, 0),
        cursor: None,
        label,
        field: if has_hints { left } else { room }.min(FIELD.1),
        width,
        has_hints,
    };
    let title = screen.shorten(form.title.as_str().trim(), width.saturating_sub(2));
    form_lines
        .lines
        .push(screen.line(format!(" {title}"), Role::Heading));
    form_lines.lines.push(Line::default());
    for (number, entry) in form.entries.iter().enumerate() {
        let here = focused && number == form.at;
        let start = form_lines.lines.len();
        form_lines.entry(entry, here);
        if !matches!(entry.value, Value::Note) {
            let rows = (start..form_lines.lines.len()).zip(0..);
            let rows = rows.map(|(line, row)| (line, 0..width, Click::Field(number, row)));
            form_lines.clickable.extend(rows);
        }
        if number == form.at {
            form_lines.here = (start, form_lines.lines.len());
        }
    }
    form_lines.lines.push(Line::default());
    let start = form_lines.lines.len();
    form_lines.buttons(form, focused);
    if form.at >= form.send_button() {
        form_lines.here = (start, form_lines.lines.len());
    }
    let [above, fault] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    if let Some((field, why)) = &form.fault {
        let entry = form.entries.get(*field);
        let name = entry.map_or("", |entry| entry.prompt.as_str().trim());
        let words = match name.trim_end_matches(':') {
            "" => why.to_string(),
            name => format!("{name}: {why}"),
        };
        let words = screen.shorten(&words, width.saturating_sub(2));
        let line = screen.line(format!(" {words}"), Role::Fault);
        screen.write(buffer, fault, &line);
    }
    form_lines.write(above, buffer)
}

impl FormLines<'_> {
    fn style(&self, role: Role) -> Style {
        self.screen.style(role)
    }

    /// Writes the lines that fit, including those of the focused entry.
    fn write(self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        let height = usize::from(area.height).max(1);
        let mut top = self.here.1.saturating_sub(height).min(self.here.0);
        if self.here.1 <= height {
            top = 0;
        }
        let shown = self.lines.iter().skip(top).take(height);
        for (line, row) in shown.zip(area.rows()) {
            self.screen.write(buffer, row, line);
        }
        for (line, columns, click) in &self.clickable {
            let row = line.checked_sub(top).and_then(|line| area.rows().nth(line));
            let columns = u16::try_from(columns.start)
                .ok()
                .zip(u16::try_from(columns.end).ok());
            if let (Some(row), Some((start, end))) = (row, columns) {
                let x = row.x.saturating_add(start);
                let width = end.saturating_sub(start);
                self.screen
                    .press(Rect { x, width, ..row }.intersection(row), *click);
            }
        }
        self.hidden(top, "above", area.rows().next(), buffer);
        let below = self.lines.len().saturating_sub(top + height);
        self.hidden(below, "below", area.rows().next_back(), buffer);
        let (line, column) = self.cursor?;
        let y = u16::try_from(line.checked_sub(top).filter(|line| *line < height)?).ok()?;
        let x = u16::try_from(column)
            .ok()?
            .min(area.width.saturating_sub(1));
        Some(Position::new(area.x + x, area.y + y))
    }

    /// Tells at the right end of a row how many lines are hidden on that side.
    fn hidden(&self, lines: usize, side: &str, row: Option<Rect>, buffer: &mut Buffer) {
        let Some(row) = row.filter(|_| lines > 0) else {
            return;
        };
        let words = format!(" {} more {side} ", text::count(lines));
        let width = u16::try_from(words.len()).unwrap_or(0).min(row.width);
        let x = row.right() - width;
        let row = Rect { x, width, ..row };
        self.screen.clear(buffer, row);
        self.screen
            .write(buffer, row, &self.screen.line(words, Role::Dim));
    }

    fn entry(&mut self, entry: &Entry, here: bool) {
        if let Value::Note = entry.value {
            let style = self.style(Role::Dim);
            let width = self.width.saturating_sub(2).max(1);
            for piece in text::wrap(entry.prompt.as_str(), width) {
                self.lines.push(Line::styled(format!(" {piece}"), style));
            }
            return;
        }
        let labels = text::wrap(entry.prompt.as_str(), self.label.max(1));
        let start = self.label + 3;
        let first = self.lines.len();
        let answers = self.answers(entry, here, start, first);
        let rows = labels.len().max(answers.len());
        let mut answers = answers.into_iter();
        for row in 0..rows {
            let label = labels.get(row).copied().unwrap_or_default().trim_end();
            let pad = self.label.saturating_sub(text::width(label)) + 2;
            let role = if here { Role::Prompt } else { Role::Text };
            let mut line = if here && row == 0 {
                Line::from(self.screen.mark(true))
            } else {
                Line::from(" ")
            };
            line.push_span(self.screen.span(label.to_owned(), role));
            line.push_span(" ".repeat(pad));
            line.spans.extend(answers.next().unwrap_or_default());
            self.lines.push(line);
        }
    }

    /// The lines of a field that begins at column `start`; its first line will be line `first`.
    fn answers(
        &mut self,
        entry: &Entry,
        here: bool,
        start: usize,
        first: usize,
    ) -> Vec<Vec<Span<'static>>> {
        let room = self.width.saturating_sub(start + 1).max(1);
        let field = self.field;
        let hint = self
            .has_hints
            .then(|| self.screen.span(format!("  {}", entry.hint), Role::Dim));
        match &entry.value {
            Value::Note => Vec::new(),
            Value::Line(input) | Value::Receipt(input) | Value::File(input) => {
                let mut spans = vec![self.field(input, false, here, (start, first), field)];
                spans.extend(hint);
                vec![spans]
            }
            Value::Secret(Secret(input)) => {
                vec![vec![self.field(input, true, here, (start, first), field)]]
            }
            Value::Lines(lines, at) => {
                let blank = Input::default();
                (0..lines.len().max(LINES))
                    .map(|number| {
                        let input = lines.get(number).unwrap_or(&blank);
                        let here = here && number == *at;
                        vec![self.field(input, false, here, (start, first + number), room)]
                    })
                    .collect()
            }
            Value::Select(is_on) => {
                let mark = if *is_on { "[x] yes" } else { "[ ] no" };
                self.here_at(here, first, start + 1);
                vec![vec![self.screen.span(mark, Role::Input)]]
            }
            Value::Choose(choices, chosen) => {
                self.here_at(here, first + chosen, start + 1);
                let choices = choices.iter().enumerate();
                choices
                    .map(|(number, choice)| {
                        let (mark, role) = if number == *chosen {
                            ("(•)", Role::Input)
                        } else {
                            ("( )", Role::Dim)
                        };
                        let words = format!("{mark} {choice}");
                        let words = self.screen.shorten(&words, room);
                        vec![self.screen.span(words, role)]
                    })
                    .collect()
            }
        }
    }

    fn here_at(&mut self, here: bool, line: usize, column: usize) {
        if here {
            self.cursor = Some((line, column));
        }
    }

    /// A one-line field with its cursor.
    fn field(
        &mut self,
        input: &Input,
        secret: bool,
        here: bool,
        (start, line): (usize, usize),
        room: usize,
    ) -> Span<'static> {
        let scroll = input.visual_scroll(room.saturating_sub(1).max(1));
        let shown = if secret {
            "•".repeat(input.value().chars().count())
        } else {
            Text::of(input.value()).to_string()
        };
        let shown = text::columns(&shown, scroll, room);
        let pad = " ".repeat(room.saturating_sub(text::width(&shown)));
        let column = start + input.visual_cursor().saturating_sub(scroll);
        self.here_at(here, line, column);
        self.screen.span(format!("{shown}{pad}"), Role::Field)
    }

    fn buttons(&mut self, form: &FormView, focused: bool) {
        let mut line = Line::from(" ".repeat(self.label + 3));
        let buttons = [
            (form.send_button(), "[ Send ]"),
            (form.leave_button(), "[ Leave ]"),
        ];
        for (number, label) in buttons {
            let role = if focused && number == form.at {
                Role::TabShown
            } else {
                Role::Text
            };
            let start = line.width();
            line.push_span(self.screen.span(label, role));
            let columns = start..line.width();
            let at = (self.lines.len(), columns, Click::Field(number, 0));
            self.clickable.push(at);
            if focused && number == form.at {
                self.here_at(true, self.lines.len(), start);
            }
            line.push_span("  ");
        }
        if form.reading.is_some() {
            line.push_span(self.screen.span("reading the file", Role::Dim));
        }
        self.lines.push(line);
    }
}
