//! A bookmark file of 100,000, and one of 20,000 beside buku: `cargo bench --bench bookmarks`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    dead_code,
    reason = "a bench prints, rounds, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "bookmarks/beside_buku.rs"]
mod beside_buku;
#[path = "figures.rs"]
mod figures;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use divan::{Bencher, bench};
use geomys::config::{self, Environment, UserPaths};
use geomys_app::{App, Message};
use geomys_store::bookmarks::exchange::{BookmarkFormat, BookmarkTree};
use geomys_store::bookmarks::{
    BookmarkEdit, Bookmarks, Change, FuzzyIndex, InsertPosition, NewBookmark, Query,
    ScannedBookmark, Store,
};
use rfc1738::Url;

use self::figures::{beside, header};

const COUNT: usize = 100_000;

/// Runs of a search, of which the median counts.
const RUNS: usize = 9;

/// The bookmark file: a folder per fifty bookmarks, a tag on each, a note on each tenth, a fault in each hundredth.
static FILE: LazyLock<String> = LazyLock::new(|| {
    let mut file = String::new();
    for number in 0..COUNT {
        if number % 1000 == 0 {
            writeln!(file, "\n# Shelf {}", number / 1000).unwrap();
        }
        if number % 50 == 0 {
            writeln!(file, "\n## Board {}", number / 50).unwrap();
        }
        let host = number * 7919 % 20_011;
        let url = match number % 10 {
            0..=4 => format!("gopher://hole{host}.example.org/1/tunnels/{number}"),
            5..=6 => format!("ftp://ftp.mole{host}.example.net/pub/{number}/;type=d"),
            7 => format!("news:comp.infosystems.n{number}"),
            8 => format!("http://www.mole{host}.example.com/a/{number}.html"),
            _ if number % 100 == 9 => format!("gopher://not_a_host{host}/"),
            _ => format!("telnet://mole@hole{host}.example.org:23/"),
        };
        writeln!(
            file,
            "Burrow number {number} of the garden <URL:{url}> #tag{}",
            number % 40
        )
        .unwrap();
        if number % 10 == 0 {
            writeln!(file, "  seen in the spring of 199{}", number % 7).unwrap();
        }
    }
    file
});

static READ: LazyLock<Bookmarks> = LazyLock::new(|| Bookmarks::parse(FILE.as_bytes()));

fn main() {
    if let Some(measured) = memory() {
        let (file, own) = measured;
        println!("a file of {file:.1} MB of {COUNT} bookmarks takes {own:.1} MB once it is read");
    }
    keystrokes();
    header();
    search();
    beside_buku::compare();
    divan::main();
}

/// Types words letter by letter into the filter and prints the time of the slowest key. Each key searches the results
/// of the previous key, as in the pane.
fn keystrokes() {
    let ready = median(|| drop(black_box(FuzzyIndex::new(&READ))));
    println!("the filter made ready, while its line opens: {ready:.1} ms");
    let searched = FuzzyIndex::new(&READ);
    for typed in [
        "burrow 4711",
        "hole pub",
        "bgdn",
        "gopher shelf 70",
        "#tag7 mole19",
        "zzz",
    ] {
        let mut slowest = (0.0, "");
        let mut before: Option<(Query, Vec<usize>)> = None;
        for end in 1..=typed.len() {
            let prefix = typed.get(..end).unwrap();
            let query = Query::new(prefix).unwrap();
            let narrowed = before.as_ref().filter(|(before, _)| query.narrows(before));
            let among = narrowed.map(|(_, found)| found.as_slice());
            let mut found = Vec::new();
            let time = median(|| found = searched.find(&query, among, &|_, _| false));
            if time > slowest.0 {
                slowest = (time, prefix);
            }
            before = Some((query, found));
        }
        let (time, prefix) = slowest;
        println!("“{typed}” in the filter: {time:.1} ms at the slowest key, “{prefix}”");
    }
}

/// Returns the median of nine runs, in milliseconds.
fn median(mut run: impl FnMut()) -> f64 {
    let mut times = [0.0; 9];
    for time in &mut times {
        let start = Instant::now();
        run();
        *time = start.elapsed().as_secs_f64() * 1e3;
    }
    times.sort_by(f64::total_cmp);
    times[4]
}

/// Compares `geomys bookmarks list` with buku for some words, both from the start to the last line.
fn search() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path();
    std::fs::write(home.join("bookmarks.txt"), FILE.as_bytes()).unwrap();
    fill_buku(home);
    for words in [&["4711"][..], &["burrow", "shelf", "mole19"], &["telnet"]] {
        let geomys = |_| {
            let mut geomys = Command::new(env!("CARGO_BIN_EXE_geomys"));
            geomys.arg("--config").arg(home);
            geomys.args(["bookmarks", "list"]).args(words);
            geomys
        };
        let what = format!("bookmarks list {} of {COUNT}", words.join(" "));
        // By default buku searches whole words.
        for (name, way) in [
            ("buku --deep --sall", &["--deep", "--sall"][..]),
            ("buku --sall", &["--sall"]),
        ] {
            let buku = |_| {
                let mut buku = Command::new("buku");
                buku.args(["--nostdin", "--np", "--nc", "--format", "10"]);
                buku.args(way).args(words).env("XDG_DATA_HOME", home);
                buku
            };
            beside(&what, RUNS, &geomys, (name, &buku), None);
        }
    }
}

/// Stores the same bookmarks in a database of buku, if it is installed.
fn fill_buku(home: &Path) {
    const FILL: &str = "\
import json, os, sqlite3, sys
os.mkdir(sys.argv[1] + '/buku')
base = sqlite3.connect(sys.argv[1] + '/buku/bookmarks.db')
base.execute('CREATE TABLE bookmarks (id integer PRIMARY KEY, URL text NOT NULL UNIQUE, metadata text default \\'\\', '
             'tags text default \\',\\', desc text default \\'\\', flags integer default 0)')
for one in json.load(sys.stdin):
    tags = ',' + ','.join(one['tags'] + ['/'.join(one['folder'])]) + ','
    row = (one['url'], one['title'], tags, one['note'])
    base.execute('INSERT INTO bookmarks (URL, metadata, tags, desc) VALUES (?, ?, ?, ?)', row)
base.commit()
";
    if Command::new("buku").arg("--version").output().is_err() {
        return;
    }
    let (octets, _) = BookmarkFormat::Json
        .write(&BookmarkTree::of(&READ))
        .unwrap();
    let mut python = Command::new("python3")
        .args(["-c", FILL])
        .arg(home)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(&octets).unwrap();
    assert!(python.wait().unwrap().success(), "the database of buku");
}

/// Returns the size of the file and the increase of peak memory when it is read, in megabytes.
fn memory() -> Option<(f64, f64)> {
    let size = FILE.len() as f64 / 1e6;
    let path = std::env::temp_dir().join(format!("geomys-bench-{}", std::process::id()));
    std::fs::write(&path, FILE.as_bytes()).ok()?;
    let before = highest()?;
    let read = Store::new(&path, "").load().ok()?;
    let change = edit(&read);
    black_box(read.apply(&change));
    let after = highest()?;
    drop(read);
    std::fs::remove_file(path).ok()?;
    Some((size, after - before))
}

fn highest() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1000.0)
}

fn edit(file: &Bookmarks) -> Change {
    let edit = BookmarkEdit {
        title: Some("Another title".to_owned()),
        ..BookmarkEdit::default()
    };
    file.editing(&[(file.len() / 2 + 1, edit)])
}

#[bench]
fn read_and_check(bencher: Bencher<'_, '_>) {
    bencher
        .with_inputs(|| FILE.clone().into_bytes())
        .bench_values(Bookmarks::of);
}

/// Scans the file as `geomys bookmarks list` does, without reading and writing.
#[bench(args = ["4711", "burrow shelf mole19", "telnet", "zzz"])]
fn sweep_for(bencher: Bencher<'_, '_>, words: &str) {
    let query = Query::complete(words).unwrap();
    let take = |passed: &ScannedBookmark<'_>, lines: &mut Vec<usize>| lines.push(passed.line);
    bencher.bench(|| query.scan(FILE.as_bytes(), &|_, _| false, take));
}

#[bench]
fn read_again_with_one_line_changed(bencher: Bencher<'_, '_>) {
    let now = FILE.replacen("Burrow number 50000", "Another", 1);
    bencher.bench(|| READ.reread(now.as_bytes()));
}

#[bench]
fn change_one(bencher: Bencher<'_, '_>) {
    bencher.bench(|| READ.apply(&edit(&READ)));
}

/// Saves as the browser does, with the previous state in the history; in memory if possible, so that no disk is needed.
#[bench]
fn save_one_without_the_disk(bencher: Bencher<'_, '_>) {
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    let directory = directory.unwrap();
    let path = directory.path().join("bookmarks.txt");
    std::fs::write(&path, FILE.as_bytes()).unwrap();
    let store = Store::new(&path, "").with_history(directory.path().join("states"));
    let mut current = READ.clone();
    let mut number = 0;
    bencher.bench_local(|| {
        number += 1;
        let edit = BookmarkEdit {
            title: Some(format!("Title {number}")),
            ..BookmarkEdit::default()
        };
        let change = current.editing(&[(current.len() / 2 + 1, edit)]);
        current = store.save(&current, &change).unwrap().bookmarks;
    });
}

#[bench]
fn move_a_thousand(bencher: Bencher<'_, '_>) {
    let items: Vec<usize> = (0..COUNT).step_by(100).collect();
    bencher.bench(|| READ.apply(&READ.moving(&items, &InsertPosition::Top).unwrap()));
}

#[bench]
fn remove_half(bencher: Bencher<'_, '_>) {
    let items: Vec<usize> = READ
        .bookmarks()
        .map(|bookmark| bookmark.index)
        .step_by(2)
        .collect();
    bencher.bench(|| READ.apply(&READ.removing(&items)));
}

#[bench]
fn add_one(bencher: Bencher<'_, '_>) {
    let draft = NewBookmark {
        title: "New".to_owned(),
        url: Url::parse("gopher://hole/").unwrap(),
        tags: Vec::new(),
        notes: Vec::new(),
    };
    let place = InsertPosition::Path(vec!["Shelf 70".to_owned(), "Board 1420".to_owned()]);
    bencher.bench(|| READ.apply(&READ.adding(std::slice::from_ref(&draft), &place)));
}

#[bench]
fn is_same_resource(bencher: Bencher<'_, '_>) {
    let url = Url::parse("GOPHER://hole7919.example.org:70/1/tunnels/1").unwrap();
    bencher.bench(|| READ.same_as(&url));
}

#[bench]
fn doubles(bencher: Bencher<'_, '_>) {
    bencher.bench(|| READ.doubles());
}

/// One keystroke in the filter, over all bookmarks: the word is in every title, in few, scattered in all, in few, in
/// the URLs, or nowhere; two words; a tag.
#[bench(args = ["b", "burrow", "4711", "bgdn", "xq", "mole19", "hole pub", "zzz", "gopher burrow", "shelf 70", "#tag7"])]
fn filter(bencher: Bencher<'_, '_>, typed: &str) {
    let searched = FuzzyIndex::new(&READ);
    let query = Query::new(typed).unwrap();
    bencher.bench(|| searched.find(&query, None, &|_, _| false));
}

/// The preparation before the first keystroke.
#[bench]
fn filter_made_ready(bencher: Bencher<'_, '_>) {
    bencher.bench(|| FuzzyIndex::new(&READ));
}

/// A key in the pane, and the next frame: down, to the end, fold and unfold, mark all, move by one.
#[bench(args = ["j", "G", " ", "V", "J"])]
fn key_and_frame(bencher: Bencher<'_, '_>, key: &str) {
    let nowhere = UserPaths::new(Some("/nonexistent".into())).unwrap();
    let config = config::read(&nowhere, &Environment::default());
    let theme = config.theme;
    let mut app = App::new(config.keymap, config.settings, READ.clone(), (80, 24));
    app.start(&[]);
    let screen = ratatui::backend::TestBackend::new(80, 24);
    let mut screen = ratatui::Terminal::new(screen).unwrap();
    let letter = key.chars().next().unwrap();
    let key = KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
    bencher.bench_local(|| {
        black_box(app.update(Message::Key(key), Duration::ZERO));
        screen
            .draw(|frame| drop(geomys::ui::draw(&app, &theme, frame)))
            .unwrap();
    });
}
