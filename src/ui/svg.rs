//! A screen as a picture in SVG, in its colours; or several, one after the other, as a moving picture.

use std::collections::BTreeMap;
use std::fmt::Write;

use geomys_page::document::picture::Rgb;
use geomys_wire::text;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::theme::colours::Background;
use super::theme::depth::{rgb_of_sixteen, rgb_of_table};

/// The size of a cell and the distance of the baseline from its top, in pixels.
const CELL: (f64, f64, f64) = (8.4, 18.0, 13.5);

/// The colours of a terminal: text, background, and the colours 1 to 6.
#[derive(Debug)]
pub struct Palette {
    text: Rgb,
    background: Rgb,
    own: [Rgb; 6],
}

/// A dark terminal.
pub const DARK: Palette = Palette {
    text: [0xd4, 0xd9, 0xe1],
    background: [0x1d, 0x21, 0x29],
    own: [
        [0xe0, 0x6c, 0x75],
        [0x98, 0xc3, 0x79],
        [0xe5, 0xc0, 0x7b],
        [0x61, 0xaf, 0xef],
        [0xc6, 0x78, 0xdd],
        [0x56, 0xb6, 0xc2],
    ],
};

/// A light terminal.
pub const LIGHT: Palette = Palette {
    text: [0x2b, 0x2f, 0x36],
    background: [0xfb, 0xfa, 0xf6],
    own: [
        [0xb4, 0x2a, 0x2f],
        [0x3f, 0x72, 0x2c],
        [0x8a, 0x62, 0x0a],
        [0x1f, 0x5a, 0xa8],
        [0x8a, 0x3a, 0xa0],
        [0x10, 0x6f, 0x7c],
    ],
};

/// A screen, and how long it is shown in a moving picture.
#[derive(Debug)]
pub struct Frame {
    /// The cells, row by row.
    pub cells: Vec<Cell>,
    /// The time, in seconds.
    pub seconds: f64,
}

/// A row of a screen as it is drawn, and the frames that have it.
type DrawnRow = BTreeMap<(usize, String), Vec<usize>>;

impl Palette {
    /// The colours of a terminal with this background.
    pub fn of(background: Option<Background>) -> &'static Self {
        match background {
            Some(Background::Light) => &LIGHT,
            Some(Background::Dark) | None => &DARK,
        }
    }
}

/// Returns frames of this many columns as SVG: each row is drawn once, and shown while a frame has it.
#[expect(clippy::cast_precision_loss, reason = "a screen has few cells")]
pub fn svg(frames: &[Frame], columns: usize, palette: &Palette) -> String {
    let (width, height, _) = CELL;
    let columns = columns.max(1);
    let lines = frames
        .first()
        .map_or(0, |frame| frame.cells.len() / columns);
    let (w, h) = (width * columns as f64, height * lines as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.1} {h:.1}\" font-size=\"14\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n",
        hex(palette.background)
    );
    let mut rows = DrawnRow::new();
    for (number, frame) in frames.iter().enumerate() {
        for (line, row) in frame.cells.chunks(columns).enumerate() {
            let drawn = drawn_row(row, line, palette);
            rows.entry((line, drawn)).or_default().push(number);
        }
    }
    let mut classes: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for ((_, drawn), shown) in &rows {
        if drawn.is_empty() {
            continue;
        }
        if shown.len() == frames.len() {
            svg.push_str(drawn);
            continue;
        }
        let next = classes.len();
        let class = *classes.entry(shown.clone()).or_insert(next);
        let _ = writeln!(svg, "<g class=\"f{class}\">\n{drawn}</g>");
    }
    svg.push_str(&timeline(&classes, frames));
    svg.push_str("</svg>\n");
    svg
}

/// The style sheet that shows each class of rows in its frames, again and again.
fn timeline(classes: &BTreeMap<Vec<usize>, usize>, frames: &[Frame]) -> String {
    let whole: f64 = frames.iter().map(|frame| frame.seconds).sum();
    let mut sheet = String::new();
    for (shown, class) in classes {
        let (mut at, mut steps) = (0.0, String::new());
        for (number, frame) in frames.iter().enumerate() {
            let visibility = if shown.contains(&number) {
                "visible"
            } else {
                "hidden"
            };
            let percent = 100.0 * at / whole;
            let _ = write!(steps, "{percent:.2}%{{visibility:{visibility}}}");
            at += frame.seconds;
        }
        let _ = writeln!(
            sheet,
            "@keyframes k{class}{{{steps}}}.f{class}{{animation:k{class} {whole:.1}s infinite step-end}}"
        );
    }
    if sheet.is_empty() {
        sheet
    } else {
        format!("<style>\n{sheet}</style>\n")
    }
}

/// Draws a row: one text for each run of cells of one style.
#[expect(clippy::cast_precision_loss, reason = "a screen has few cells")]
fn drawn_row(row: &[Cell], line: usize, palette: &Palette) -> String {
    let (width, height, baseline) = CELL;
    let mut svg = String::new();
    let mut at = 0;
    for cells in row.chunk_by(|one, next| one.style() == next.style()) {
        let run = cells.len();
        let style = cells.first().map(Cell::style).unwrap_or_default();
        let symbols: String = cells.iter().map(Cell::symbol).collect();
        let (x, y) = (width * at as f64, height * line as f64);
        let is_reversed = style.add_modifier.contains(Modifier::REVERSED);
        let mut ink = colour(style.fg, palette.text, palette);
        let mut ground = colour(style.bg, palette.background, palette);
        if is_reversed {
            std::mem::swap(&mut ink, &mut ground);
        }
        if ground != palette.background {
            let length = width * run as f64;
            let ground = hex(ground);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{height}\" fill=\"{ground}\"/>"
            );
        }
        let shown = symbols.trim_end();
        let blanks = shown.chars().take_while(|letter| *letter == ' ').count();
        let shown = shown.trim_start();
        if !shown.is_empty() {
            let x = x + width * blanks as f64;
            let y = y + baseline;
            let length = width * text::width(shown) as f64;
            let mut style_of_text = String::new();
            for (modifier, attribute) in [
                (Modifier::BOLD, " font-weight=\"bold\""),
                (Modifier::DIM, " opacity=\"0.7\""),
                (Modifier::ITALIC, " font-style=\"italic\""),
                (Modifier::UNDERLINED, " text-decoration=\"underline\""),
            ] {
                if style.add_modifier.contains(modifier) {
                    style_of_text.push_str(attribute);
                }
            }
            let (ink, shown) = (hex(ink), escaped(shown));
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\" \
                 xml:space=\"preserve\" fill=\"{ink}\"{style_of_text}>{shown}</text>"
            );
        }
        at += run;
    }
    svg
}

fn colour(colour: Option<Color>, default: Rgb, palette: &Palette) -> Rgb {
    let [red, green, yellow, blue, magenta, cyan] = palette.own;
    match colour {
        None | Some(Color::Reset) => default,
        Some(Color::Rgb(r, g, b)) => [r, g, b],
        Some(Color::Red | Color::Indexed(1)) => red,
        Some(Color::Green | Color::Indexed(2)) => green,
        Some(Color::Yellow | Color::Indexed(3)) => yellow,
        Some(Color::Blue | Color::Indexed(4)) => blue,
        Some(Color::Magenta | Color::Indexed(5)) => magenta,
        Some(Color::Cyan | Color::Indexed(6)) => cyan,
        Some(Color::Indexed(index)) => rgb_of_table(index).unwrap_or(default),
        Some(other) => rgb_of_sixteen(other).unwrap_or(default),
    }
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(shown: &str) -> String {
    shown
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picture_has_the_text_and_colours_of_its_cells() {
        let mut cells = vec![Cell::default(); 8];
        for (cell, letter) in cells.iter_mut().zip("ab <c".chars()) {
            cell.set_char(letter);
        }
        cells[0].set_fg(Color::Indexed(196));
        cells[3].modifier = Modifier::REVERSED | Modifier::BOLD;
        let frame = Frame {
            cells,
            seconds: 1.0,
        };
        let picture = svg(&[frame], 4, &DARK);
        for part in [
            ">a</text>",
            "fill=\"#ff0000\"",
            "x=\"8.4\" y=\"13.5\" textLength=\"8.4\"",
            ">b</text>",
            "<rect x=\"25.2\" y=\"0.0\" width=\"8.4\" height=\"18\" fill=\"#d4d9e1\"/>",
            "font-weight=\"bold\">&lt;</text>",
            "y=\"31.5\"",
        ] {
            assert!(picture.contains(part), "{part}: {picture}");
        }
    }

    #[test]
    fn row_of_a_moving_picture_is_drawn_once_and_shown_in_its_frames() {
        let frame = |letters: &str, seconds| Frame {
            cells: letters
                .chars()
                .map(|letter| {
                    let mut cell = Cell::default();
                    cell.set_char(letter);
                    cell
                })
                .collect(),
            seconds,
        };
        let frames = [frame("aabb", 1.0), frame("aacc", 3.0), frame("aabb", 1.0)];
        let picture = svg(&frames, 2, &LIGHT);
        for (text, count) in [(">aa<", 1), (">bb<", 1), (">cc<", 1), ("<g class", 2)] {
            assert_eq!(picture.matches(text).count(), count, "{text}: {picture}");
        }
        assert!(picture.contains(
            "0.00%{visibility:hidden}20.00%{visibility:visible}80.00%{visibility:hidden}"
        ));
        assert!(picture.contains("5.0s infinite step-end"));
    }
}
