//! A question at the bottom of the screen, with the letters or buttons that answer it.

use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::screen::Screen;
use super::theme::Role;
use crate::app::Dialog;
use crate::app::dialogs::dialog::AnswerMethod;

/// Draws a question with its details and its answers.
pub(super) fn draw(screen: &Screen<'_>, dialog: &Dialog, status: Rect, buffer: &mut Buffer) {
    let width = usize::from(status.width).saturating_sub(2).max(1);
    let role = if dialog.is_warning {
        Role::Fault
    } else {
        Role::Prompt
    };
    let mut rows: Vec<Line<'_>> = text::wrap(dialog.question.as_str(), width)
        .into_iter()
        .map(|piece| screen.line(format!(" {piece}"), role))
        .collect();
    let mut answers = match dialog.answer_method {
        AnswerMethod::Letter => letters(screen, dialog, width),
        AnswerMethod::Button(selected) => buttons(screen, dialog, selected, width),
        AnswerMethod::Text(_) => Vec::new(),
    };
    answers.extend(screen.discarded());
    // The user must see the whole question, as far as the screen allows.
    let pieces: Vec<&str> = dialog
        .lines
        .iter()
        .skip(dialog.top)
        .flat_map(|line| text::wrap(line.as_str(), width.saturating_sub(2).max(1)))
        .collect();
    let room = usize::from(status.bottom()).saturating_sub(rows.len() + answers.len() + 2);
    let shown = pieces.iter().take(room);
    rows.extend(shown.map(|piece| screen.line(format!("   {piece}"), Role::Text)));
    if pieces.len() > room {
        let more = format!(
            "   and {} lines more   Space shows them",
            pieces.len() - room
        );
        rows.push(screen.line(more, Role::Dim));
    }
    rows.extend(answers);
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    let area = screen.foot(status, height, buffer);
    // If there is no room for both, the answers are more important than the question.
    let hidden = rows.len().saturating_sub(usize::from(area.height));
    screen.write_lines(buffer, area, rows.get(hidden..).unwrap_or_default());
}

impl Screen<'_> {
    /// A line that says that the last key was discarded, if it was.
    pub(super) fn discarded(&self) -> Option<Line<'static>> {
        let words = " Key ignored: the question has just opened";
        self.app
            .dialogs
            .has_discarded()
            .then(|| self.line(words, Role::Dim))
    }
}

/// The letters that answer a question, with their meanings; in columns if they take more than a line.
fn letters(screen: &Screen<'_>, dialog: &Dialog, width: usize) -> Vec<Line<'static>> {
    let answers = dialog.answers.iter();
    let mut answers: Vec<(String, String)> = answers
        .map(|answer| (answer.key.to_string(), answer.label.clone()))
        .collect();
    answers.push(("Esc".to_owned(), "leaves it".to_owned()));
    let pieces = answers.into_iter().map(|(key, does)| {
        vec![
            screen.span(key, Role::Key),
            screen.span(format!(" {does}"), Role::Dim),
        ]
    });
    in_columns(pieces.collect(), width)
}

/// The buttons that answer a question, with the selected one marked, and the keys to select.
fn buttons(
    screen: &Screen<'_>,
    dialog: &Dialog,
    selected: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let buttons = dialog.buttons().into_iter().enumerate();
    let pieces = buttons.map(|(index, answer)| {
        let label = answer.map_or("leave it", |answer| &answer.label);
        let is_selected = index == selected;
        let role = if is_selected {
            Role::Cursor
        } else {
            Role::Text
        };
        let letter = answer.filter(|_| dialog.has_letters);
        let letter = letter.map_or(String::new(), |answer| format!("{} ", answer.key));
        vec![
            screen.mark(is_selected),
            screen.span(letter, Role::Key),
            screen.span(format!("[ {} ]", text::sentence_case(label, "")), role),
        ]
    });
    let mut lines = in_columns(pieces.collect(), width);
    let keys = " Tab select · Enter choose · Esc cancel";
    for piece in text::wrap(keys, width + 1) {
        lines.push(screen.line(piece.to_owned(), Role::Dim));
    }
    lines
}

/// Arranges pieces on one line, or in columns on several lines.
fn in_columns(pieces: Vec<Vec<Span<'static>>>, width: usize) -> Vec<Line<'static>> {
    let wide = |piece: &Vec<Span<'_>>| piece.iter().map(Span::width).sum::<usize>() + 3;
    let all: usize = pieces.iter().map(wide).sum();
    let widest = pieces.iter().map(wide).max().unwrap_or(0);
    let column = if all > width { widest } else { 0 };
    let mut lines = vec![Line::from(" ")];
    for piece in pieces {
        let taken = wide(&piece).max(column);
        let is_full = |line: &Line<'_>| line.width() > 1 && line.width() + taken > width + 3;
        if lines.last().is_some_and(is_full) {
            lines.push(Line::from(" "));
        }
        let pad = " ".repeat(taken.saturating_sub(wide(&piece)) + 3);
        if let Some(line) = lines.last_mut() {
            line.spans.extend(piece);
            line.push_span(pad);
        }
    }
    lines
}
