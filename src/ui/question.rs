//! A question at the foot of the screen, and the letters that answer it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Screen;
use super::theme::Role;
use crate::app::choice::{Choice, Of};
use crate::text;

/// A question, what it is about, and the letters that answer it.
pub(super) fn draw(screen: &Screen<'_>, choice: &Choice, status: Rect, buffer: &mut Buffer) {
    let width = usize::from(status.width).saturating_sub(2).max(1);
    let mut rows: Vec<Line<'_>> = text::wrap(choice.question.as_str(), width)
        .into_iter()
        .map(|piece| Line::styled(format!(" {piece}"), screen.style(Role::Prompt)))
        .collect();
    // Who is to agree sees all of it, as far as the screen goes.
    let pieces: Vec<&str> = choice
        .lines
        .iter()
        .skip(choice.top())
        .flat_map(|line| text::wrap(line.as_str(), width.saturating_sub(2).max(1)))
        .collect();
    let room = usize::from(status.bottom()).saturating_sub(rows.len() + 4);
    let shown = pieces.iter().take(room);
    rows.extend(shown.map(|piece| Line::styled(format!("   {piece}"), screen.style(Role::Text))));
    if pieces.len() > room {
        let scrolls = if matches!(choice.of, Of::Draft(_) | Of::Repair(..)) {
            "   Space shows them"
        } else {
            ""
        };
        let more = format!("   and {} lines more{scrolls}", pieces.len() - room);
        rows.push(Line::styled(more, screen.style(Role::Dim)));
    }
    rows.extend(answers(screen, choice, width));
    let place = screen.foot(
        status,
        u16::try_from(rows.len()).unwrap_or(u16::MAX),
        buffer,
    );
    for (row, index) in rows.iter().zip(0..) {
        screen.write_at(buffer, place, index, row);
    }
}

/// The letters that answer a question, and what each does: in columns where they take more than a line.
fn answers(screen: &Screen<'_>, choice: &Choice, width: usize) -> Vec<Line<'static>> {
    let answers = choice.answers.iter();
    let mut answers: Vec<(String, String)> = answers
        .map(|(letter, does)| (letter.to_string(), does.clone()))
        .collect();
    answers.push(("Esc".to_owned(), "leaves it".to_owned()));
    let wide = |(key, does): &(String, String)| text::width(key) + text::width(does) + 4;
    let all: usize = answers.iter().map(wide).sum();
    let widest = answers.iter().map(wide).max().unwrap_or(0);
    let column = if all > width { widest } else { 0 };
    let mut lines = vec![Line::from(" ")];
    for answer in &answers {
        let taken = wide(answer).max(column);
        if lines
            .last()
            .is_some_and(|line| line.width() > 1 && line.width() + taken > width + 3)
        {
            lines.push(Line::from(" "));
        }
        let pad = " ".repeat(taken.saturating_sub(wide(answer)) + 3);
        if let Some(line) = lines.last_mut() {
            let (key, does) = answer;
            line.push_span(Span::styled(key.clone(), screen.style(Role::Key)));
            line.push_span(Span::styled(
                format!(" {does}{pad}"),
                screen.style(Role::Dim),
            ));
        }
    }
    lines
}
