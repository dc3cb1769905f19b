//! A session's terminal in its pane. Only its cells are used, and nothing is drawn outside the pane.

use geomys_wire::text::Text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use vt100::Cell;

use super::screen::Screen;
use super::theme::Role;
use geomys_app::Page;
use geomys_app::view::terminal::TerminalView;

/// Draws a session. Returns the position of the terminal's cursor, if the session has the focus.
pub(super) fn draw(
    screen: &Screen<'_>,
    page: &Page,
    terminal: &TerminalView,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<Position> {
    let seen = terminal.screen();
    let (lines, columns) = seen.size();
    let plain = screen.style(Role::Text);
    let area = area.intersection(screen.area);
    if area.is_empty() {
        return None;
    }
    let (cursor_line, column) = seen.cursor_position();
    let first = terminal.first_line(area.height);
    for line in 0..area.height.min(lines.get()) {
        for column in 0..area.width.min(columns.get()) {
            let position = Position::new(area.x + column, area.y + line);
            let (Some(cell), Some(drawn)) =
                (seen.cell(first + line, column), buffer.cell_mut(position))
            else {
                continue;
            };
            if cell.is_wide_continuation() {
                // The wide letter before it covers this column too.
                drawn.set_symbol("");
                continue;
            }
            let is_cut = cell.is_wide() && column + 1 >= area.width;
            // The real terminal also receives cells that are not visible, so each cell goes through `Text`.
            let letter = Text::of(cell.contents());
            let letter = if is_cut || letter.as_str().is_empty() {
                " "
            } else {
                letter.as_str()
            };
            drawn.set_symbol(letter);
            drawn.set_style(plain.patch(style(cell, screen.theme.is_colourless())));
        }
    }
    let line = cursor_line.checked_sub(first);
    let is_here = page.state.is_in_session() && !seen.hide_cursor() && seen.scrollback() == 0;
    let line = line.filter(|line| is_here && *line < area.height && column < area.width)?;
    Some(Position::new(area.x + column, area.y + line))
}

fn style(cell: &Cell, is_colourless: bool) -> Style {
    let mut style = Style::default();
    if !is_colourless {
        style.fg = colour(cell.fgcolor());
        style.bg = colour(cell.bgcolor());
    }
    for (is_on, modifier) in [
        (cell.bold(), Modifier::BOLD),
        (cell.dim(), Modifier::DIM),
        (cell.italic(), Modifier::ITALIC),
        (cell.underline(), Modifier::UNDERLINED),
        (cell.inverse(), Modifier::REVERSED),
    ] {
        if is_on {
            style = style.add_modifier(modifier);
        }
    }
    style
}

fn colour(colour: vt100::Color) -> Option<Color> {
    match colour {
        vt100::Color::Default => None,
        vt100::Color::Idx(index) => Some(Color::Indexed(index)),
        vt100::Color::Rgb(red, green, blue) => Some(Color::Rgb(red, green, blue)),
    }
}
