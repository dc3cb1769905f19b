//! The palette above the status line: headings, names with descriptions, and keys on the right.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::screen::Screen;
use super::theme::Role;
use crate::app::dialogs::palette::{Palette, PaletteEntry, PaletteTarget};
use crate::text;

/// The width of names, in columns.
const NAME: usize = 19;

/// Draws the palette. Returns the position of the terminal's cursor.
pub(super) fn draw(
    screen: &Screen<'_>,
    palette: &Palette,
    status: Rect,
    buffer: &mut Buffer,
) -> Position {
    // A heading begins each group.
    let mut rows: Vec<Result<usize, &str>> = Vec::new();
    let mut group = "";
    for (index, entry) in palette.matches().iter().enumerate() {
        if entry.group != group {
            group = entry.group;
            rows.push(Err(group));
        }
        rows.push(Ok(index));
    }
    let height = u16::try_from(rows.len())
        .unwrap_or(u16::MAX)
        .clamp(1, status.y / 2 + 1);
    let area = screen.foot(status, height + 1, buffer);
    let shown = usize::from(area.height.saturating_sub(1));
    let chosen = rows
        .iter()
        .position(|row| *row == Ok(palette.chosen))
        .unwrap_or(0);
    let first = (chosen + 1).saturating_sub(shown);
    let width = usize::from(area.width);
    for (row, line) in rows.iter().skip(first).take(shown).zip(0..) {
        match row {
            Err(group) => {
                let heading = screen.line(format!(" {group}"), Role::Heading);
                screen.write_at(buffer, area, line, &heading);
            }
            Ok(index) => {
                let is_chosen = *index == palette.chosen;
                if let Some(entry) = palette.matches().get(*index) {
                    let drawn = drawn(screen, entry, is_chosen, width);
                    screen.write_choice(buffer, area, line, &drawn, is_chosen);
                }
            }
        }
    }
    if rows.is_empty() {
        let line = screen.line("  No match", Role::Dim);
        screen.write_at(buffer, area, 0, &line);
    }
    let last = area.height.saturating_sub(1);
    screen
        .input((":", &palette.input, false), area, last, buffer)
        .0
}

/// An entry, `width` columns wide; a command that does not work now is dim, with the reason in place of its keys.
pub(super) fn drawn(
    screen: &Screen<'_>,
    entry: &PaletteEntry,
    is_chosen: bool,
    width: usize,
) -> Line<'static> {
    let right = match entry.only {
        Some(place) => format!("only {}", place.to_lowercase()),
        None => entry.keys.clone(),
    };
    let right = screen.shorten(&right, width / 3);
    let room = width.saturating_sub(text::width(&right) + 5);
    let name = screen.shorten(&entry.name, room);
    let name = if entry.doc.is_empty() {
        name
    } else {
        format!("{name:<NAME$}")
    };
    let doc = screen.shorten(&entry.doc, room.saturating_sub(text::width(&name) + 2));
    let gap = room.saturating_sub(text::width(&name) + 2 + text::width(&doc)) + 1;
    let of_name = match entry.only {
        Some(_) => Role::Dim,
        None => Role::Text,
    };
    // The URL of a bookmark or a visited page is not a key.
    let of_key = match (entry.only, &entry.target) {
        (Some(_), _) | (None, PaletteTarget::Page(..)) => Role::Dim,
        (None, PaletteTarget::Action(_) | PaletteTarget::Theme(_) | PaletteTarget::Row(_)) => {
            Role::Key
        }
    };
    Line::from(vec![
        screen.mark(is_chosen),
        screen.span(format!(" {name}  "), of_name),
        screen.span(doc, Role::Dim),
        screen.span(" ".repeat(gap), Role::Text),
        screen.span(right, of_key),
    ])
}
