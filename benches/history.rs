//! A history of 100,000 visits: `cargo bench --bench history`.

#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    clippy::panic,
    reason = "a bench prints, rounds, and may stop at the first thing that is not as it should be"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{self, Environment, UserPaths};
use geomys_app::library::message::LibraryMessage;
use geomys_app::library::visits;
use geomys_app::requester::Arrival;
use geomys_app::{App, Effect, Message, Work, WorkResult};
use geomys_page::document::Zone;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::history;
use jiff::Timestamp;
use rfc1738::Dialect;

const COUNT: i64 = 100_000;

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("history.jsonl");
    let now = Timestamp::now();
    let mut lines = String::new();
    for number in 0..COUNT {
        let second = now.as_second() - (COUNT - number) * 200;
        let time = Timestamp::from_second(second).unwrap();
        let host = number * 7919 % 2003;
        writeln!(
            lines,
            r#"{{"time":"{time}","url":"gopher://hole{host}.example.org/1/tunnels/{}","title":"Burrow number {number} of the garden","kind":"menu"}}"#,
            number % 20_011
        )
        .unwrap();
    }
    std::fs::write(&file, &lines).unwrap();
    let settings = history::HistorySettings::default();
    let load = || history::load(&file, &settings, now).unwrap();
    let start = Instant::now();
    let loaded = load();
    let (time, memory) = (start.elapsed(), loaded.memory() as f64 / 1024.0 / 1024.0);
    let size = lines.len() as f64 / 1e6;
    println!(
        "{COUNT} visits ({size:.1} MB): read in {}, {memory:.1} MiB in memory",
        ms(time)
    );
    let paths = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let config = config::read(&paths, &Environment::default());
    let bookmarks = Bookmarks::parse(b"");
    let mut app = App::new(config.keymap, config.settings, bookmarks, (120, 40)).with_history();
    app.start(&[]);
    let start = Instant::now();
    update(
        &mut app,
        Message::Library(LibraryMessage::Read(Ok(loaded.clone()))),
    );
    println!("the home page with them: {}", ms(start.elapsed()));
    suggest(&mut app);
    let start = Instant::now();
    let page = Dialect::Extended.parse("geomys:history").unwrap();
    let document = visits::document(page, &loaded, &Zone::system()).finished();
    println!("the page of visits made: {}", ms(start.elapsed()));
    // The focus moves from the bookmarks to the page.
    press(&mut app, KeyCode::Char('H'));
    let listed = LibraryMessage::Listed(Arrival::Append, Ok((loaded, document)));
    update(&mut app, Message::Library(listed));
    filter(&mut app);
}

/// Types words into the prompt for a URL, and prints the time of the slowest key.
fn suggest(app: &mut App) {
    for words in ["burrow 4711", "hole12", "garden soup"] {
        press(app, KeyCode::Char('o'));
        let mut times: Vec<Duration> = Vec::new();
        for letter in words.chars() {
            let start = Instant::now();
            press(app, KeyCode::Char(letter));
            times.push(start.elapsed());
        }
        let first = times.first().copied().unwrap();
        let slowest = times.into_iter().skip(1).max().unwrap();
        let (first, slowest) = (ms(first), ms(slowest));
        println!(
            "“{words}” in the prompt for a URL: first key {first}, slowest of the others {slowest}"
        );
        press(app, KeyCode::Esc);
    }
}

/// Types words into the filter of the page of visits, and prints the time of the slowest result, which a task makes.
fn filter(app: &mut App) {
    for words in ["burrow", "hole12 4711", "zzz"] {
        press(app, KeyCode::Char('&'));
        let (mut slowest_key, mut slowest) = (Duration::ZERO, Duration::ZERO);
        for letter in words.chars() {
            let start = Instant::now();
            let effects = press(app, KeyCode::Char(letter));
            slowest_key = slowest_key.max(start.elapsed());
            for effect in effects {
                if let Effect::Work(work, Work::Arrange(document, arrangement)) = effect {
                    let start = Instant::now();
                    let arranged = document.arranged(arrangement);
                    slowest = slowest.max(start.elapsed());
                    update(app, Message::Worked(work, WorkResult::Finished(arranged)));
                }
            }
        }
        assert!(slowest > Duration::ZERO, "the filter was not run");
        let (key, result) = (ms(slowest_key), ms(slowest));
        println!(
            "“{words}” in the filter of the visits: slowest key {key}, slowest result {result}"
        );
        press(app, KeyCode::Esc);
    }
}

fn press(app: &mut App, code: KeyCode) -> Vec<Effect> {
    update(app, Message::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn update(app: &mut App, message: Message) -> Vec<Effect> {
    app.update(message, Duration::from_secs(1))
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
