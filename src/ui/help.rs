//! The help overlay, and the keys that may follow a prefix key.

use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::screen::Screen;
use super::theme::Role;
use crate::app::PendingKeys;
use crate::app::dialogs::help::{HelpLine, HelpOverlay};
use crate::app::layout::Layout;

/// The width of the keys of a command, in columns.
const KEYS: usize = 10;

/// The smallest width of a column of commands.
const MIN_COLUMN: u16 = 36;

/// Draws the overlay above the status line, in two columns if there is room. Returns the position of the cursor.
pub(super) fn draw(
    screen: &Screen<'_>,
    help: &HelpOverlay,
    layout: &Layout,
    buffer: &mut Buffer,
) -> Position {
    let area = layout.transfers();
    screen.clear(buffer, area);
    let lines = help.lines();
    let columns = (area.width / MIN_COLUMN).clamp(1, 2);
    let width = area.width / columns;
    let height = usize::from(area.height).max(1);
    let on_screen = height * usize::from(columns);
    let is_chosen =
        |line: &HelpLine<'_>| matches!(line, HelpLine::Command(index, _) if *index == help.chosen);
    let first = lines.iter().position(is_chosen).unwrap_or(0) / on_screen * on_screen;
    let shown = lines.iter().skip(first).take(on_screen);
    for ((x, y), line) in (0..columns)
        .flat_map(|column| (0..area.height).map(move |row| (column * width, row)))
        .zip(shown)
    {
        let row = Rect::new(area.x + x, area.y + y, width.saturating_sub(1), 1);
        screen.write(buffer, row, &drawn(screen, line, row.width));
        if is_chosen(line) {
            screen.highlight(buffer, row);
        }
    }
    if lines.is_empty() {
        screen.write(buffer, area, &screen.line(" No match", Role::Dim));
    }
    let status = layout.status;
    screen.clear(buffer, status);
    let (cursor, _) = screen.input(("Help:", &help.input, false), status, 0, buffer);
    let what = help.command().map_or("", |command| command.action.doc());
    let hints = format!("{what}   Enter run  Esc close ");
    let room = status.width.saturating_sub(20);
    let hints = screen.shorten(&hints, usize::from(room));
    let taken = u16::try_from(text::width(&hints)).unwrap_or(room);
    let right = Rect {
        x: status.right().saturating_sub(taken),
        width: taken,
        ..status
    };
    screen.write(buffer, right, &screen.line(hints, Role::Dim));
    cursor
}

/// A line of the overlay, `width` columns wide.
fn drawn(screen: &Screen<'_>, line: &HelpLine<'_>, width: u16) -> Line<'static> {
    match line {
        HelpLine::Blank => Line::default(),
        HelpLine::Heading(heading) => screen.line(format!(" {heading}"), Role::Heading),
        HelpLine::Command(_, command) => {
            let mut keys = String::new();
            for key in &command.keys {
                let is_short = text::width(&keys) + text::width(key) < KEYS;
                if !keys.is_empty() && is_short {
                    keys.push(' ');
                }
                if keys.is_empty() || is_short {
                    keys.push_str(key);
                }
            }
            let room = usize::from(width).saturating_sub(KEYS + 3);
            let doc = screen.shorten(command.action.doc(), room);
            Line::from(vec![
                screen.span(format!(" {keys:<KEYS$}  "), Role::Key),
                screen.span(doc, Role::Text),
            ])
        }
    }
}

/// Draws the keys that may follow the typed ones, in columns above the status line.
pub(super) fn draw_continuations(screen: &Screen<'_>, status: Rect, buffer: &mut Buffer) {
    let app = screen.app;
    let PendingKeys::Sequence(typed) = &app.pending_keys else {
        return;
    };
    let continuations = app
        .cx
        .keymap
        .continuations(&app.tabs.contexts(&app.cx), typed);
    let columns = (status.width / MIN_COLUMN).max(1);
    let width = status.width / columns;
    let count = u16::try_from(continuations.len()).unwrap_or(u16::MAX);
    let above = Rect {
        y: status.y.saturating_sub(1),
        ..status
    };
    let area = screen.foot(above, count.div_ceil(columns), buffer);
    let cells =
        (0..columns).flat_map(|column| (0..area.height).map(move |row| (column * width, row)));
    for ((x, y), (keys, action)) in cells.zip(continuations) {
        let row = Rect::new(area.x + x, area.y + y, width.saturating_sub(1), 1);
        let room = usize::from(row.width).saturating_sub(7);
        let line = Line::from(vec![
            screen.span(format!(" {keys:<4} "), Role::Key),
            screen.span(screen.shorten(action.doc(), room), Role::Text),
        ]);
        screen.write(buffer, row, &line);
    }
}
