//! The list of stored drafts at the bottom of the screen.

use geomys_store::files::draft::State;
use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::key_hints::{Hint, Hints};
use super::screen::Screen;
use super::theme::Role;
use geomys_app::compose::message::Drafts;
use geomys_app::mouse::Click;

/// The highest number of visible drafts.
const ROWS: usize = 10;

/// The width of a subject in columns.
const SUBJECT: usize = 30;

/// The width of a state and the gap behind it.
const STATE: usize = 11;

/// The state of a draft in a word; nothing for one that waits for its author.
fn word(state: State) -> &'static str {
    match state {
        State::Unsent => "",
        State::Queued => "waiting",
        State::Sending => "sending",
        State::Unknown => "uncertain",
        State::Refused => "refused",
    }
}

/// Draws the drafts, one line each, and below them the reason why the selected one was rejected, and the key hints.
/// Returns the position of the terminal's cursor.
pub(super) fn draw(
    screen: &Screen<'_>,
    drafts: &Drafts,
    status: Rect,
    buffer: &mut Buffer,
) -> Position {
    let width = usize::from(status.width).saturating_sub(2).max(1);
    let selected = drafts.items.get(drafts.chosen);
    let why_role = match selected.map(|draft| draft.state) {
        Some(State::Queued) => Role::Dim,
        Some(State::Unsent | State::Sending | State::Unknown | State::Refused) | None => {
            Role::Fault
        }
    };
    let why = selected
        .and_then(|draft| draft.refusal.as_deref())
        .unwrap_or_default();
    let why: Vec<String> = why
        .lines()
        .flat_map(|line| {
            let line = Text::of(line);
            let pieces = text::wrap(line.as_str(), width).into_iter();
            pieces.map(str::to_owned).collect::<Vec<_>>()
        })
        .take(4)
        .collect();
    let rows = drafts.items.len().min(ROWS);
    let height = u16::try_from(rows + why.len() + 1).unwrap_or(u16::MAX);
    let area = screen.foot(status, height, buffer);
    let rows = rows.min(usize::from(area.height).saturating_sub(why.len() + 1));
    let first = drafts.chosen.saturating_sub(rows.saturating_sub(1));
    let mut cursor = area.as_position();
    let has_states = drafts
        .items
        .iter()
        .any(|draft| !word(draft.state).is_empty());
    let states = if has_states { STATE } else { 0 };
    let seen = drafts.items.iter().enumerate().skip(first).take(rows);
    for ((index, draft), row) in seen.zip(0..) {
        let chosen = index == drafts.chosen;
        let subject = Text::of(&draft.subject);
        let subject = if subject.is_blank() {
            "(no subject)"
        } else {
            subject.as_str()
        };
        let subject = text::columns(subject, 0, SUBJECT);
        let blanks = " ".repeat(SUBJECT.saturating_sub(text::width(&subject)));
        let line = Line::from(vec![
            screen.mark(chosen),
            screen.span(format!(" {:<16}  ", draft.when), Role::Dim),
            screen.span(format!("{subject}{blanks}"), Role::Text),
            screen.span(format!("  {:<states$}", word(draft.state)), Role::Notice),
            screen.span(Text::of(&draft.to).to_string(), Role::Dim),
        ]);
        screen.write_choice(buffer, area, row, &line, chosen);
        if let Some(row) = area.rows().nth(usize::from(row)) {
            screen.press(row, Click::Choose(index));
            if chosen {
                cursor = row.as_position();
            }
        }
    }
    let mut row = u16::try_from(rows).unwrap_or(u16::MAX);
    for line in why {
        let line = screen.line(format!("  {line}"), why_role);
        screen.write_at(buffer, area, row, &line);
        row = row.saturating_add(1);
    }
    let count = match drafts.items.len() {
        1 => "1 draft".to_owned(),
        count => format!("{} drafts", text::count(count)),
    };
    let line = screen.line(format!(" {count}"), Role::Prompt);
    let width = u16::try_from(line.width() + 3).unwrap_or(u16::MAX);
    screen.write_at(buffer, area, row, &line);
    let keys = [
        ("Enter", "resume"),
        ("S", "send all"),
        ("X", "delete"),
        ("Esc", "close"),
    ];
    let keys: Hints = keys
        .into_iter()
        .map(|(key, label)| Hint::key(key, label))
        .collect();
    if let Some(row) = area.rows().nth(usize::from(row)) {
        let x = row.x.saturating_add(width).min(row.right());
        let right = Rect {
            x,
            width: row.right() - x,
            ..row
        };
        keys.draw(screen, right, buffer);
    }
    cursor
}
