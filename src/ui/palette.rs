//! The palette above the status line: headings, names with descriptions, and keys on the right.

use geomys_wire::text::{self, Text};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::key_hints::{Hint, Hints};
use super::screen::Screen;
use super::theme::Glyph;
use super::theme::Role;
use geomys_app::dialogs::palette::{Palette, PaletteEntry, PaletteTarget};
use geomys_app::mouse::Click;

/// The heading of what the typed text does not name.
const ELSEWHERE: &str = "Also found in descriptions, settings, bookmarks, history";

/// The width of names, in columns.
const NAME: usize = 19;

/// A row of the palette.
enum Row<'a> {
    /// The heading of a group.
    Heading(&'static str),
    /// A sentence about what Enter does not do.
    Remark(String),
    /// The rule above what the typed text does not name.
    Rule,
    /// An entry with its index among the matches.
    Entry(usize, &'a PaletteEntry),
}

/// Returns the rows of the palette: what the text names, and below a heading where else it is found, in groups.
fn rows(palette: &Palette) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let typed = palette.input.value().trim();
    if palette.named() == 0 {
        let typed = Text::of(typed);
        rows.push(Row::Remark(format!("No command \"{typed}\"")));
    } else if palette.entry().is_none() && !palette.is_empty() {
        rows.push(Row::Remark(
            "This deletes or sends: type its full name, or press Down".to_owned(),
        ));
    }
    let mut group = "";
    for (index, entry) in palette.matches().iter().enumerate() {
        let is_named = index < palette.named();
        if index == palette.named() {
            rows.push(Row::Rule);
        }
        if entry.group != group && (!is_named || palette.is_empty()) {
            group = entry.group;
            rows.push(Row::Heading(group));
        }
        rows.push(Row::Entry(index, entry));
    }
    rows
}

/// Draws the palette. Returns the position of the terminal's cursor.
pub(super) fn draw(
    screen: &Screen<'_>,
    palette: &Palette,
    status: Rect,
    buffer: &mut Buffer,
) -> Position {
    let rows = rows(palette);
    let height = u16::try_from(rows.len())
        .unwrap_or(u16::MAX)
        .clamp(1, status.y / 2 + 1);
    let area = screen.foot(status, height + 1, buffer);
    let shown = usize::from(area.height.saturating_sub(1));
    let is_chosen =
        |row: &Row<'_>| matches!(row, Row::Entry(index, _) if Some(*index) == palette.chosen);
    let chosen = rows.iter().position(is_chosen).unwrap_or(0);
    let first = (chosen + 1).saturating_sub(shown);
    let width = usize::from(area.width);
    let mut cursor = None;
    for (row, line) in rows.iter().skip(first).take(shown).zip(0..) {
        match row {
            Row::Heading(group) => {
                let heading = screen.line(format!(" {group}"), Role::Heading);
                screen.write_at(buffer, area, line, &heading);
            }
            Row::Remark(remark) => {
                let remark = screen.shorten(remark, width.saturating_sub(3));
                let remark = screen.line(format!("  {remark}"), Role::Dim);
                screen.write_at(buffer, area, line, &remark);
            }
            Row::Rule => {
                let dash = screen.glyph(Glyph::Line);
                let words = format!("{dash} {ELSEWHERE} ");
                let rest = width.saturating_sub(text::width(&words));
                let rule = format!("{words}{}", dash.repeat(rest));
                let rule = screen.line(screen.shorten(&rule, width), Role::Dim);
                screen.write_at(buffer, area, line, &rule);
            }
            Row::Entry(index, entry) => {
                let is_chosen = is_chosen(row);
                let drawn = drawn(screen, entry, is_chosen, width);
                screen.write_choice(buffer, area, line, &drawn, is_chosen);
                if let Some(row) = area.rows().nth(usize::from(line)) {
                    screen.press(row, Click::Choose(*index));
                    if is_chosen {
                        cursor = Some(row.as_position());
                    }
                }
            }
        }
    }
    let last = area.height.saturating_sub(1);
    let (at, _) = screen.input((":", &palette.input, false), area, last, buffer);
    draw_keys(screen, at, area, buffer);
    cursor.unwrap_or(at)
}

/// Draws the keys at the right of the input, if there is room behind its cursor.
fn draw_keys(screen: &Screen<'_>, cursor: Position, area: Rect, buffer: &mut Buffer) {
    let keys = [
        Hint::key("Down", "choose"),
        Hint::key("Enter", "run"),
        Hint::key("Esc", "close"),
    ];
    let keys = Hints::from_iter(keys);
    let width = u16::try_from(keys.width()).unwrap_or(u16::MAX);
    let x = area.right().saturating_sub(width.saturating_add(1));
    if x > cursor.x + 1 {
        keys.draw(screen, Rect::new(x, cursor.y, width, 1), buffer);
    }
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
    let own = text::width(&entry.name).max(NAME) + text::width(&entry.doc) + 8;
    let right = screen.shorten(&right, (width / 3).max(width.saturating_sub(own)));
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
        (None, _) => Role::Key,
    };
    Line::from(vec![
        screen.mark(is_chosen),
        screen.span(format!(" {name}  "), of_name),
        screen.span(doc, Role::Dim),
        screen.span(" ".repeat(gap), Role::Text),
        screen.span(right, of_key),
    ])
}
