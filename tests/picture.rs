//! The pictures of the README: screens of the demo as SVG, in their colours, one of them moving. `packaging/picture`
//! draws them.

use std::collections::BTreeMap;
use std::fmt::Write;

use geomys_demo::Demo;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::colours::fixed;
use crate::support::screen::{Browser, Session};

/// The directory of the pictures, from the root of the project.
pub const DIRECTORY: &str = "assets/pictures";

/// The size of a cell and the distance of the baseline from its top, in pixels.
const CELL: (f64, f64, f64) = (8.4, 18.0, 13.5);

/// The colours of a terminal: text, background, and the colours 1 to 6.
struct Palette {
    text: [u8; 3],
    background: [u8; 3],
    own: [[u8; 3]; 6],
}

const DARK: Palette = Palette {
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

const LIGHT: Palette = Palette {
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
struct Frame {
    cells: Vec<Cell>,
    seconds: f64,
}

fn browser(demo: &Demo, background: &str, size: (u16, u16)) -> Session {
    let settings = format!("background = \"{background}\"\n");
    Browser::new()
        .settings(settings)
        .demo(demo)
        .size(size)
        .start()
}

async fn open(session: &Session, url: &str, words: &str) {
    session.press("o");
    session.type_in(url);
    session.press("Enter");
    session.wait(words).await;
    session.settle().await;
}

/// Returns the screen without the ports of the demo.
fn screen(session: &Session, columns: u16) -> Vec<Cell> {
    let mut cells = session.grid();
    hide_ports(&mut cells, columns.into());
    cells
}

fn store(name: &str, frames: &[Frame], columns: u16, palette: &Palette) {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(DIRECTORY);
    std::fs::create_dir_all(&directory).unwrap();
    let picture = svg(frames, columns.into(), palette);
    std::fs::write(directory.join(name).with_extension("svg"), picture).unwrap();
}

fn still(session: &Session, columns: u16) -> [Frame; 1] {
    let cells = screen(session, columns);
    [Frame {
        cells,
        seconds: 0.0,
    }]
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "writes the pictures; packaging/picture runs it"]
async fn write_pictures() {
    let demo = Demo::start().await.unwrap();
    let session = browser(&demo, "dark", (110, 32));
    session.wait("Geomys").await;
    let menu = format!("gopher://{}/", demo.addresses.gopher);
    open(&session, &menu, "town below a meadow").await;
    session.wait("Odd doors").await;
    store("menu", &still(&session, 110), 110, &DARK);

    let session = browser(&demo, "dark", (120, 34));
    open(&session, "news:underloam.infosystems.gopher", "The dot").await;
    session.press("G k Enter");
    session.wait("So it is a cloakroom ticket").await;
    session.settle().await;
    store("thread", &still(&session, 120), 120, &DARK);

    let atlas = endless().await;
    let session = browser(&demo, "light", (110, 22));
    session.press("o");
    session.type_in(&format!("http://{atlas}/atlas-of-the-tunnels.tar.gz"));
    session.press("Enter");
    session.wait("Save as").await;
    session.press("Enter");
    session.wait_until_absent("Save as").await;
    let software = format!("ftp://{}/pub/software/;type=d", demo.addresses.ftp);
    open(&session, &software, "drum.img").await;
    session.wait("66 % of").await;
    session.press("G k k");
    session.settle().await;
    store("listing", &still(&session, 110), 110, &LIGHT);

    store("session", &a_session(&demo).await, 80, &DARK);
}

/// The screens of a first session: open, follow, back, find, bookmark, and what help there is.
async fn a_session(demo: &Demo) -> Vec<Frame> {
    let session = browser(demo, "dark", (80, 24));
    let mut frames = Vec::new();
    let mut show = |seconds| {
        let cells = screen(&session, 80);
        frames.push(Frame { cells, seconds });
    };
    session.wait("Geomys").await;
    session.settle().await;
    show(2.0);
    session.press("o");
    let host = format!("{}/", demo.addresses.gopher);
    for (typed, words) in [
        ("", "Open"),
        ("gopher://", "gopher://"),
        (&host, "127.0.0.1"),
    ] {
        session.type_in(typed);
        session.wait(words).await;
        show(0.7);
    }
    session.press("Enter");
    session.wait("town below a meadow").await;
    session.settle().await;
    show(2.0);
    for _ in 0..2 {
        session.press("j");
        session.settle().await;
        show(0.4);
    }
    session.press("k k Enter");
    session.wait("a town of pocket gophers").await;
    session.settle().await;
    show(2.4);
    session.press("/");
    for (letters, words) in [("br", "> br"), ("ass", "> brass")] {
        session.type_in(letters);
        session.wait(words).await;
        show(0.9);
    }
    session.press("Enter a");
    session.wait("New bookmark").await;
    show(2.2);
    session.press("Enter");
    session.wait_until_absent("New bookmark").await;
    session.press("B");
    session.settle().await;
    show(2.2);
    session.press("Esc ?");
    session.wait("Help").await;
    show(2.6);
    session.press("Esc h");
    session.wait("town below a meadow").await;
    session.settle().await;
    show(1.7);
    frames
}

/// Starts a server whose file of 15 MB stops after two thirds, and returns its address.
async fn endless() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = stream.read(&mut [0; 4096]).await;
                let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\nContent-Length: 15000000\r\n\r\n";
                let _ = stream.write_all(head).await;
                let _ = stream.write_all(&vec![7; 9_970_000]).await;
                let _ = stream.read(&mut [0]).await;
            });
        }
    });
    address
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

/// A row of a screen as it is drawn, and the frames that have it.
type DrawnRow = BTreeMap<(usize, String), Vec<usize>>;

/// Returns the frames as SVG: each row is drawn once, and shown while a frame has it.
#[expect(clippy::cast_precision_loss, reason = "a screen has few cells")]
fn svg(frames: &[Frame], columns: usize, palette: &Palette) -> String {
    let (width, height, _) = CELL;
    let lines = frames[0].cells.len() / columns;
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
    while at < row.len() {
        let style = row[at].style();
        let run = row[at..]
            .iter()
            .take_while(|cell| cell.style() == style)
            .count();
        let text: String = row[at..at + run].iter().map(Cell::symbol).collect();
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
    svg
}

fn colour(colour: Option<Color>, default: [u8; 3], palette: &Palette) -> [u8; 3] {
    match colour {
        None | Some(Color::Reset) => default,
        Some(Color::Rgb(r, g, b)) => [r, g, b],
        Some(Color::Indexed(index @ 16..)) => fixed(index),
        Some(Color::Indexed(index @ 1..=6)) => palette.own[usize::from(index) - 1],
        Some(Color::Red) => palette.own[0],
        Some(Color::Green) => palette.own[1],
        Some(Color::Yellow) => palette.own[2],
        Some(Color::Blue) => palette.own[3],
        Some(Color::Magenta) => palette.own[4],
        Some(Color::Cyan) => palette.own[5],
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
    assert!(
        picture.contains(
            "0.00%{visibility:hidden}20.00%{visibility:visible}80.00%{visibility:hidden}"
        )
    );
    assert!(picture.contains("5.0s infinite step-end"));
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
