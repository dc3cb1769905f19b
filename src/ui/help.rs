//! The help overlay, and the keys that may follow a prefix key.

use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use ratatui::text::Line;

use super::key_hints::{Hint, Hints};
use super::screen::Screen;
use super::screen::on_screen;
use super::theme::Role;
use geomys_app::PendingKeys;
use geomys_app::action::Action;
use geomys_app::dialogs::help::{self, HelpLine, HelpOverlay, KEY_COLUMNS, KEY_GAP, KeyedCommand};
use geomys_app::dialogs::palette::PaletteEntry;
use geomys_app::layout::Layout;
use geomys_app::mouse::Click;

/// The width of the keys of a command in one of two columns, in columns.
const KEYS: usize = 11;

/// The width of the name of a command without a key, in columns.
const NAME: usize = 19;

/// The columns around the keys of a command, and the one between two columns of commands.
const MARGINS: usize = 4;

/// The smallest width of a column of continuations.
const MIN_COLUMN: u16 = 40;

/// The columns of a key that may follow, and of the blanks around it.
const CONTINUATION_MARGINS: u16 = 7;

/// Draws the overlay above the status line, in two columns where there is room. Returns the position of the
/// cursor: on the chosen row, or in the input while nothing matches.
pub(super) fn draw(
    screen: &Screen<'_>,
    overlay: &HelpOverlay,
    layout: &Layout,
    buffer: &mut Buffer,
) -> Position {
    let area = layout.transfers();
    screen.clear(buffer, on_screen(area));
    let columns = help::columns(area.width);
    let lines = overlay.lines(columns);
    let of_keys = if columns == 1 { KEY_COLUMNS } else { KEYS };
    let width = area.width / columns;
    let height = usize::from(area.height).max(1);
    let per_page = height * usize::from(columns);
    let is_chosen = |line: &HelpLine<'_>| line.index() == Some(overlay.chosen);
    let page = lines.iter().position(is_chosen).unwrap_or(0) / per_page;
    let shown = lines.iter().skip(page * per_page).take(per_page);
    let mut cursor = None;
    for ((x, y), line) in (0..columns)
        .flat_map(|column| (0..area.height).map(move |row| (column * width, row)))
        .zip(shown)
    {
        let row = Rect::new(area.x + x, area.y + y, width.saturating_sub(1), 1);
        screen.write(buffer, row, &drawn(screen, line, of_keys, row.width));
        if let Some(index) = line.index() {
            screen.press(row, Click::Choose(index));
        }
        if is_chosen(line) {
            screen.highlight(buffer, row);
            cursor = Some(row.as_position());
        }
    }
    if lines.is_empty() {
        screen.write(
            buffer,
            on_screen(area),
            &screen.line(" No match", Role::Dim),
        );
    }
    let pages = lines.len().div_ceil(per_page).max(1);
    let line = lines.iter().find(|line| is_chosen(line));
    let at = draw_input(
        screen,
        (overlay, line.map_or("", HelpLine::doc)),
        (page + 1, pages),
        on_screen(layout.status),
        buffer,
    );
    cursor.unwrap_or(at)
}

/// Draws the input, what the chosen command does, the position and the keys. Returns the position of the input's
/// cursor.
fn draw_input(
    screen: &Screen<'_>,
    (help, what): (&HelpOverlay, &str),
    (page, pages): (usize, usize),
    status: Rect,
    buffer: &mut Buffer,
) -> Position {
    screen.clear(buffer, status);
    let (cursor, _) = screen.input(("Help:", &help.input, false), status, 0, buffer);
    let more = (pages > 1 && help.input.value().is_empty()).then(|| Hint::key("Space", "more"));
    let keys = [Hint::key("Enter", "run"), Hint::key("Esc", "close")];
    let keys: Hints = more.into_iter().chain(keys).collect();
    let taken = u16::try_from(keys.width() + 1).unwrap_or(u16::MAX);
    let x = status.right().saturating_sub(taken).max(status.x);
    let right = Rect {
        x,
        width: status.right() - x,
        ..status
    };
    keys.draw(screen, right, buffer);
    let position = format!("{page}/{pages}");
    let room = usize::from(x.saturating_sub(cursor.x + 2));
    let what = screen.shorten(what, room.saturating_sub(text::width(&position) + 5));
    let words = format!("{what}   {position}");
    let taken = u16::try_from(text::width(&words) + 2).unwrap_or(u16::MAX);
    let left = x.saturating_sub(taken).max(cursor.x + 2).min(x);
    let middle = Rect {
        x: left,
        width: x - left,
        ..status
    };
    screen.write(buffer, middle, &screen.line(words, Role::Dim));
    cursor
}

/// Returns the keys of a command that fit into their columns, at least one.
fn keys(command: &KeyedCommand, columns: usize) -> String {
    let mut keys = String::new();
    for key in &command.keys {
        let is_short = text::width(&keys) + text::width(key) + KEY_GAP.len() <= columns;
        if !keys.is_empty() && is_short {
            keys.push_str(KEY_GAP);
        }
        if keys.is_empty() || is_short {
            keys.push_str(key);
        }
    }
    keys
}

/// A line of the overlay, `width` columns wide, with `key_columns` for the keys.
fn drawn(
    screen: &Screen<'_>,
    line: &HelpLine<'_>,
    key_columns: usize,
    width: u16,
) -> Line<'static> {
    match line {
        HelpLine::Blank => Line::default(),
        HelpLine::Heading(heading) => screen.line(format!(" {heading}"), Role::Heading),
        HelpLine::Place(place) => {
            let style = screen.style(Role::Dim).add_modifier(Modifier::BOLD);
            Line::styled(format!(" {place}"), style)
        }
        HelpLine::Count(_, place, count) => {
            let end = if *count == 1 { "" } else { "s" };
            let words = format!(" {place}: {count} key{end}");
            screen.line(screen.shorten(&words, usize::from(width)), Role::Dim)
        }
        HelpLine::Command(_, command) => {
            let (of_keys, of_doc) = match command.only {
                Some(_) => (Role::Dim, Role::Dim),
                None => (Role::Key, Role::Text),
            };
            let keys = format!("{:<key_columns$}", keys(command, key_columns));
            let room = usize::from(width).saturating_sub(text::width(&keys) + MARGINS - 1);
            let doc = screen.shorten(command.doc, room);
            Line::from(vec![
                screen.span(format!(" {keys}  "), of_keys),
                screen.span(doc, of_doc),
            ])
        }
        HelpLine::Other(_, entry) => drawn_other(screen, entry, usize::from(width)),
    }
}

/// A command without a key, a topic or a setting, `width` columns wide.
fn drawn_other(screen: &Screen<'_>, entry: &PaletteEntry, width: usize) -> Line<'static> {
    let name = format!("{:<NAME$}", entry.name);
    let room = width.saturating_sub(text::width(&name) + MARGINS - 1);
    Line::from(vec![
        screen.span(format!(" {name}  "), Role::Text),
        screen.span(screen.shorten(&entry.doc, room), Role::Dim),
    ])
}

/// Draws the keys that may follow the typed ones, by the contexts that they are bound in, in columns above the status
/// line.
pub(super) fn draw_continuations(screen: &Screen<'_>, status: Rect, buffer: &mut Buffer) {
    let app = screen.app;
    let PendingKeys::Sequence(typed) = &app.pending_keys else {
        return;
    };
    let contexts = app.tabs.contexts(&app.cx);
    let groups = app.cx.keymap.continuations(&contexts, typed);
    let lines = groups.iter().flat_map(|(context, keys)| {
        let heading = (groups.len() > 1).then_some(Continuation::Heading(context.heading()));
        let keys = keys.iter();
        heading
            .into_iter()
            .chain(keys.map(|(key, action)| Continuation::Key(key, *action)))
    });
    let lines: Vec<Continuation<'_>> = lines.collect();
    let columns = (status.width / MIN_COLUMN).max(1);
    let width = status.width / columns;
    let above = Rect {
        y: status.y.saturating_sub(1),
        ..status
    };
    let count = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let mut height = count.div_ceil(columns).max(1);
    // A heading stands above its first key.
    while lines
        .chunks(usize::from(height))
        .any(|column| matches!(column.last(), Some(Continuation::Heading(_))))
    {
        height += 1;
    }
    let area = screen.foot(above, height, buffer);
    let cells =
        (0..columns).flat_map(|column| (0..area.height).map(move |row| (column * width, row)));
    for ((x, y), line) in cells.zip(lines) {
        let row = Rect::new(area.x + x, area.y + y, width.saturating_sub(1), 1);
        let line = match line {
            Continuation::Heading(heading) => screen.line(format!(" {heading}"), Role::Heading),
            Continuation::Key(keys, action) => {
                screen.press(row, Click::Act(action));
                let room = usize::from(row.width.saturating_sub(CONTINUATION_MARGINS - 1));
                Line::from(vec![
                    screen.span(format!(" {keys:<4} "), Role::Key),
                    screen.span(screen.shorten(action.doc(), room), Role::Text),
                ])
            }
        };
        screen.write(buffer, row, &line);
    }
}

/// A line of the keys that may follow.
enum Continuation<'a> {
    Heading(&'static str),
    Key(&'a str, Action),
}
