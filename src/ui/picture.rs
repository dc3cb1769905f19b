//! A picture in a pane: half-blocks in colour; without colours, blocks or letters by brightness. The loop shows its
//! pixels over them in a terminal with graphics.

use std::sync::Arc;

use geomys_page::document::picture::{Protocol, RenderedPicture, Rgb};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

use super::screen::Screen;
use geomys_app::Page;
use geomys_app::view::View;
use geomys_app::view::picture::PictureView;

/// Two dots, one above the other.
const HALF_BLOCK: &str = "▀";

/// The letters for the brightness of a cell in ASCII, the darkest first.
const LETTERS: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// The thresholds of an ordered dither, for rows and columns of dots.
const THRESHOLDS: [[u32; 4]; 4] = [
    [8, 136, 40, 168],
    [200, 72, 232, 104],
    [56, 184, 24, 152],
    [248, 120, 216, 88],
];

/// Draws the picture of a page, if it is rendered, in the middle of its area.
pub(super) fn draw(screen: &Screen<'_>, view: &PictureView, area: Rect, buffer: &mut Buffer) {
    let Some((request, rendered)) = view.shown() else {
        return;
    };
    let cell = request.cell();
    let area = cells_of(cell, rendered, area);
    for (row, y) in area.rows().map(|row| row.y).enumerate() {
        for (column, x) in (area.left()..area.right()).enumerate() {
            // The dots at a quarter and three quarters of the height of a cell.
            let (across, top) = (column * cell.0 + cell.0 / 2, row * cell.1);
            let upper = dot(rendered, across, top + cell.1 / 4);
            let lower = dot(rendered, across, top + 3 * cell.1 / 4);
            let upper = upper.or_else(|| dot(rendered, column * cell.0, top));
            if let (Some(cell), Some(upper)) = (buffer.cell_mut(Position { x, y }), upper) {
                draw_cell(screen, cell, (column, row), upper, lower);
            }
        }
    }
}

/// Returns the cells of a rendered picture: in the middle of its area, at its top.
fn cells_of(cell: (usize, usize), rendered: &RenderedPicture, area: Rect) -> Rect {
    let rows = rendered.dots.len().div_ceil(rendered.width.max(1));
    let count = |dots: usize, size: usize| u16::try_from(dots.div_ceil(size)).unwrap_or(u16::MAX);
    let width = count(rendered.width, cell.0).min(area.width);
    Rect {
        x: area.x + (area.width - width) / 2,
        width,
        height: count(rows, cell.1).min(area.height),
        ..area
    }
}

/// A picture on the screen whose pixels the terminal can show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPicture {
    /// The cell at its top left.
    pub position: Position,
    /// The protocol of its sequence.
    pub protocol: Protocol,
    /// The escape sequence that shows it at the cursor.
    pub sequence: Arc<str>,
}

/// Blanks the cells of a picture whose pixels can be shown, if nothing was drawn over them, and returns its place.
pub(super) fn place(page: &Page, area: Rect, buffer: &mut Buffer) -> Option<PlacedPicture> {
    let View::Picture(view) = &page.view else {
        return None;
    };
    let (request, rendered) = view.shown()?;
    let sequence = Arc::clone(rendered.sequence.as_ref()?);
    let area = cells_of(request.cell(), rendered, area);
    let is_half_block = |position| {
        let cell = buffer.cell(position);
        cell.is_some_and(|cell: &Cell| cell.symbol() == HALF_BLOCK)
    };
    if !area.positions().all(is_half_block) {
        return None;
    }
    for position in area.positions() {
        if let Some(cell) = buffer.cell_mut(position) {
            cell.reset();
        }
    }
    Some(PlacedPicture {
        position: area.as_position(),
        protocol: request.graphics?.protocol,
        sequence,
    })
}

fn dot(rendered: &RenderedPicture, column: usize, row: usize) -> Option<Rgb> {
    rendered.dots.get(row * rendered.width + column).copied()
}

/// Draws two dots, one above the other; a picture may end between them.
fn draw_cell(
    screen: &Screen<'_>,
    cell: &mut Cell,
    (column, row): (usize, usize),
    upper: Rgb,
    lower: Option<Rgb>,
) {
    let theme = screen.theme;
    if theme.is_ascii {
        let light = brightness(lower.map_or(upper, |lower| middle(upper, lower)));
        let index = light as usize * (LETTERS.len() - 1) / 255;
        cell.set_char(LETTERS.get(index).copied().unwrap_or(' '));
    } else if theme.is_colourless() {
        let is_light = |dot: Rgb, row: usize| {
            let threshold = THRESHOLDS.get(row % 4).and_then(|row| row.get(column % 4));
            brightness(dot) > threshold.copied().unwrap_or(128)
        };
        let upper = is_light(upper, 2 * row);
        let lower = lower.is_some_and(|lower| is_light(lower, 2 * row + 1));
        cell.set_char(match (upper, lower) {
            (true, true) => '█',
            (true, false) => '▀',
            (false, true) => '▄',
            (false, false) => ' ',
        });
    } else {
        cell.set_symbol(HALF_BLOCK).set_fg(theme.dot(upper));
        if let Some(lower) = lower {
            cell.set_bg(theme.dot(lower));
        }
    }
}

/// The brightness of a dot, from 0 to 255 (ITU-R BT.601).
fn brightness([red, green, blue]: Rgb) -> u32 {
    (299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue)) / 1000
}

fn middle([r1, g1, b1]: Rgb, [r2, g2, b2]: Rgb) -> Rgb {
    [r1.midpoint(r2), g1.midpoint(g2), b1.midpoint(b2)]
}
