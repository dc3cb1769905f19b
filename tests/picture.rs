//! The pictures of the README: screens of the demo as SVG, in their colours, one of them moving. `packaging/picture`
//! draws them.

use geomys::ui::svg::{DARK, Frame, LIGHT, Palette, svg};
use geomys_demo::Demo;
use geomys_testing::archive::{Archive, Node, ServerBehavior};
use geomys_testing::tarred;
use ratatui::buffer::Cell;

use crate::support::screen::{Browser, Session};

/// The directory of the pictures, from the root of the project.
pub const DIRECTORY: &str = "assets/pictures";

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

    let texts: Vec<(String, Vec<u8>)> = [
        "README",
        "drum.img",
        "letters/first.txt",
        "letters/second.txt",
        "map.txt",
    ]
    .into_iter()
    .map(|name| {
        (
            format!("underloam-1994/{name}"),
            vec![b'x'; 700 * name.len()],
        )
    })
    .collect();
    let files: Vec<(&str, &[u8])> = texts
        .iter()
        .map(|(name, octets)| (name.as_str(), octets.as_slice()))
        .collect();
    let listing = b"-rw-r--r-- 1 f f 40960 Mar 14 1994 underloam-1994.tar\r\n";
    let nodes = [
        ("/", Node::Directory(listing.to_vec())),
        ("/underloam-1994.tar", Node::File(tarred(&files))),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let session = browser(&demo, "light", (80, 16));
    session.wait("Geomys").await;
    let member = archive.url("/underloam-1994.tar#underloam-1994/");
    open(&session, &member, "drum.img").await;
    session.press("j");
    session.settle().await;
    store("archive", &still(&session, 80), 80, &LIGHT);

    let session = browser(&demo, "dark", (64, 24));
    session.wait("Geomys").await;
    let door = format!("gopher://{}/I/gallery/door.png", demo.addresses.gopher);
    open(&session, &door, "%").await;
    store("picture", &still(&session, 64), 64, &DARK);

    let session = browser(&demo, "dark", (80, 20));
    session.wait("Geomys").await;
    open(&session, &menu, "town below a meadow").await;
    session.press("o");
    session.type_in("gopher://tilde.example/1/~ada");
    session.wait_in_prompt("must be").await;
    store("fault", &still(&session, 80), 80, &DARK);

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
        session
            .wait_until(words, |screen| screen.contains(words))
            .await;
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
        session
            .wait_until(words, |screen| screen.contains(words))
            .await;
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

/// Replaces the authorities of the demo, which differ in each run, by a name of equal length.
fn hide_ports(cells: &mut [Cell], columns: usize) {
    for row in cells.chunks_mut(columns) {
        for (from, to) in [
            ("127.0.0.1:", "underloam.local"),
            ("plain :", "       plain"),
        ] {
            while let Some((column, letters)) = port_in(row, from).map(|at| (at, to.chars())) {
                for (cell, letter) in row[column..].iter_mut().zip(letters) {
                    cell.set_char(letter);
                }
            }
        }
    }
}

/// The column of the first of these words with a number behind it.
fn port_in(row: &[Cell], words: &str) -> Option<usize> {
    let letter = |cell: &Cell| cell.symbol().chars().next().unwrap_or(' ');
    let text: Vec<char> = row.iter().map(letter).collect();
    let words: Vec<char> = words.chars().collect();
    let mut columns = 0..text.len();
    columns.find(|&at| {
        let rest = text[at..].strip_prefix(words.as_slice());
        rest.is_some_and(|rest| rest.first().is_some_and(char::is_ascii_digit))
    })
}

#[test]
fn ports_of_the_demo_are_hidden_without_moving_cells() {
    let line = "x://127.0.0.1:43210/ y  plain :43210 → 127.0.0.1:43210/0";
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
    assert_eq!(
        shown,
        "x://underloam.local/ y         plain → underloam.local/0"
    );
}
