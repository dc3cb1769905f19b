//! The picture of the README: a screen of the demo as SVG, in its colours. `packaging/picture` draws it.

use std::fmt::Write;

use geomys_demo::Demo;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use crate::colours::fixed;
use crate::support::screen::Browser;

/// The picture, from the root of the project.
pub const PICTURE: &str = "assets/screen.svg";

const SIZE: (u16, u16) = (110, 32);

/// The size of a cell and the distance of the baseline from its top, in pixels.
const CELL: (f64, f64, f64) = (8.4, 18.0, 13.5);

/// The colours of the terminal: text, background, and the colours 1 to 6.
const TEXT: [u8; 3] = [0xd4, 0xd9, 0xe1];
const BACKGROUND: [u8; 3] = [0x1d, 0x21, 0x29];
const OWN: [[u8; 3]; 6] = [
    [0xe0, 0x6c, 0x75],
    [0x98, 0xc3, 0x79],
    [0xe5, 0xc0, 0x7b],
    [0x61, 0xaf, 0xef],
    [0xc6, 0x78, 0xdd],
    [0x56, 0xb6, 0xc2],
];

#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the picture; packaging/picture runs it"]
async fn write_picture() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .settings("background = \"dark\"\n")
        .demo(&demo)
        .size(SIZE)
        .start();
    session.wait("Geomys").await;
    session.press("o");
    session.type_in(&format!("gopher://{}/", demo.addresses.gopher));
    session.press("Enter");
    session.wait("town below a meadow").await;
    session.wait("Odd doors").await;
    session.settle().await;
    let mut cells = session.grid();
    hide_ports(&mut cells, SIZE.0.into());
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(PICTURE);
    std::fs::write(path, svg(&cells, SIZE.0.into())).unwrap();
}

/// Replaces the authorities of the demo, which differ in each run, by a name of equal length.
fn hide_ports(cells: &mut [Cell], columns: usize) {
    for row in cells.chunks_mut(columns) {
        let text: String = row
            .iter()
            .map(|cell| cell.symbol().chars().next().unwrap_or(' '))
            .collect();
        for (from, to) in [
            ("127.0.0.1:", "underloam.local"),
            ("plain :", "       plain"),
        ] {
            let Some(at) = text.find(from) else { continue };
            let column = text[..at].chars().count();
            let digits = text[at + from.len()..]
                .chars()
                .take_while(char::is_ascii_digit)
                .count();
            if digits == 0 {
                continue;
            }
            for (cell, letter) in row[column..].iter_mut().zip(to.chars()) {
                cell.set_char(letter);
            }
        }
    }
}

/// Returns the screen as SVG: one text for each run of cells of one style.
#[expect(clippy::cast_precision_loss, reason = "a screen has few cells")]
fn svg(cells: &[Cell], columns: usize) -> String {
    let (width, height, baseline) = CELL;
    let lines = cells.len() / columns;
    let (w, h) = (width * columns as f64, height * lines as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w:.1} {h:.1}\" font-size=\"14\" \
         font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{}\"/>\n",
        hex(BACKGROUND)
    );
    for (line, row) in cells.chunks(columns).enumerate() {
        let mut at = 0;
        while at < row.len() {
            let style = row[at].style();
            let run = row[at..]
                .iter()
                .take_while(|cell| cell.style() == style)
                .count();
            let text: String = row[at..at + run].iter().map(Cell::symbol).collect();
            let (x, y) = (width * at as f64, height * line as f64);
            let is_reversed = style.add_modifier.contains(Modifier::REVERSED);
            let (mut ink, mut ground) = (colour(style.fg, TEXT), colour(style.bg, BACKGROUND));
            if is_reversed {
                std::mem::swap(&mut ink, &mut ground);
            }
            if ground != BACKGROUND {
                let length = width * run as f64;
                let ground = hex(ground);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{height}\" fill=\"{ground}\"/>"
                );
            }
            let shown = text.trim_end();
            let blanks = shown.chars().take_while(|letter| *letter == ' ').count();
            let shown = shown.trim_start();
            if !shown.is_empty() {
                let x = x + width * blanks as f64;
                let y = y + baseline;
                let length = width * shown.chars().count() as f64;
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
    }
    svg.push_str("</svg>\n");
    svg
}

fn colour(colour: Option<Color>, default: [u8; 3]) -> [u8; 3] {
    match colour {
        None | Some(Color::Reset) => default,
        Some(Color::Rgb(r, g, b)) => [r, g, b],
        Some(Color::Indexed(index @ 16..)) => fixed(index),
        Some(Color::Indexed(index @ 1..=6)) => OWN[usize::from(index) - 1],
        Some(Color::Red) => OWN[0],
        Some(Color::Green) => OWN[1],
        Some(Color::Yellow) => OWN[2],
        Some(Color::Blue) => OWN[3],
        Some(Color::Magenta) => OWN[4],
        Some(Color::Cyan) => OWN[5],
        Some(other) => panic!("the default theme does not use {other:?}"),
    }
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[test]
fn picture_has_the_text_and_colours_of_its_cells() {
    let mut cells = vec![Cell::default(); 8];
    for (cell, letter) in cells.iter_mut().zip("ab <c".chars()) {
        cell.set_char(letter);
    }
    cells[0].set_fg(Color::Indexed(196));
    cells[3].modifier = Modifier::REVERSED | Modifier::BOLD;
    let picture = svg(&cells, 4);
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
fn ports_of_the_demo_are_hidden_without_moving_cells() {
    let line = "x://127.0.0.1:43210/ y  plain :43210";
    let mut cells: Vec<Cell> = line
        .chars()
        .map(|letter| {
            let mut cell = Cell::default();
            cell.set_char(letter);
            cell
        })
        .collect();
    let columns = cells.len();
    hide_ports(&mut cells, columns);
    let shown: String = cells.iter().map(Cell::symbol).collect();
    assert_eq!(shown, "x://underloam.local/ y         plain");
}
