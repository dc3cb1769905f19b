//! A session's terminal in its pane. Nothing but cells is taken of it, and nothing is drawn outside.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use vt100::Cell;

use super::Screen;
use super::theme::Role;
use crate::app::page::Page;
use crate::app::session::Session;
use crate::text::Text;

/// Draws a session; gives the place of the terminal's cursor, where the session has the keys.
pub(super) fn draw(
    screen: &Screen<'_>,
    page: &Page,
    session: &Session,
    place: Rect,
    buffer: &mut Buffer,
) -> Option<Position> {
    let seen = session.screen();
    let (lines, columns) = seen.size();
    let plain = screen.style(Role::Text);
    let place = place.intersection(screen.area);
    for line in 0..place.height.min(lines.get()) {
        for column in 0..place.width.min(columns.get()) {
            let position = Position::new(place.x + column, place.y + line);
            let (Some(cell), Some(drawn)) = (seen.cell(line, column), buffer.cell_mut(position))
            else {
                continue;
            };
            if cell.is_wide_continuation() {
                // The letter before it has this column too.
                drawn.set_symbol("");
                continue;
            }
            let is_cut = cell.is_wide() && column + 1 >= place.width;
            // A terminal keeps what it does not show, too: it goes through the one door that text has.
            let letter = Text::of(cell.contents());
            let letter = if is_cut || letter.as_str().is_empty() {
                " "
            } else {
                letter.as_str()
            };
            drawn.set_symbol(letter);
            drawn.set_style(plain.patch(style(cell, screen.theme.is_colourless)));
        }
    }
    let (line, column) = seen.cursor_position();
    let is_here = page.state.is_held() && !seen.hide_cursor() && seen.scrollback() == 0;
    (is_here && line < place.height && column < place.width)
        .then(|| Position::new(place.x + column, place.y + line))
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
