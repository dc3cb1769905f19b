//! The question whether a certificate is good, at the foot of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Screen;
use super::theme::Role;
use crate::app::certificate::Judgement;
use crate::text::{self, Text};

pub(super) fn draw(screen: &Screen<'_>, judgement: &Judgement, status: Rect, buffer: &mut Buffer) {
    let width = usize::from(status.width).saturating_sub(2).max(1);
    let mut lines = Vec::new();
    let first = match judgement.doubt.known {
        None => Role::Heading,
        Some(_) => Role::Fault,
    };
    for (index, sentence) in judgement.doubt.sentences().iter().enumerate() {
        let role = if index == 0 { first } else { Role::Text };
        let sentence = Text::of(sentence);
        let pieces = text::wrap(sentence.as_str(), width).into_iter();
        lines.extend(
            pieces.map(|piece| Line::styled(format!(" {}", piece.trim_end()), screen.style(role))),
        );
    }
    lines.extend(answers(screen, judgement, width));
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let place = screen.foot(status, height, buffer);
    // On a small screen the answers and the fingerprints, which stand last, are worth more than the words before them.
    let hidden = lines.len().saturating_sub(usize::from(place.height));
    for (line, index) in lines.iter().skip(hidden).zip(0..) {
        screen.write_at(buffer, place, index, line);
    }
}

/// The keys, each with what it means: on one line, or on a line each where one is too short.
fn answers(screen: &Screen<'_>, judgement: &Judgement, width: usize) -> Vec<Line<'static>> {
    let (always, once) = judgement.doubt.letters();
    let refuse = match judgement.doubt.known {
        None => "no",
        Some(_) => "no, the safe answer",
    };
    let answers = [
        (always, "trust it from now on"),
        (once, "until Geomys ends"),
        ('n', refuse),
    ];
    let lines: Vec<Line<'static>> = answers
        .into_iter()
        .map(|(key, words)| {
            Line::from(vec![
                Span::styled(format!(" {key}"), screen.style(Role::Key)),
                Span::styled(format!(" {words}  "), screen.style(Role::Prompt)),
            ])
        })
        .collect();
    if lines.iter().map(Line::width).sum::<usize>() > width {
        return lines;
    }
    vec![Line::from(
        lines
            .into_iter()
            .flat_map(|line| line.spans)
            .collect::<Vec<_>>(),
    )]
}
