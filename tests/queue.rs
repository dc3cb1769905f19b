//! The transfer queue, driven without a loop, and its screen.

mod repeat;
mod retry;

use std::path::PathBuf;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{self, Environment, UserPaths};
use geomys::ui;
use geomys_app::transfers::message::{
    TransferInterruption, TransferJob, TransferOutcome, TransferQuestion,
};
use geomys_app::{App, Effect, Message, TransferEffect, TransferMessage};
use geomys_crawl::tree::{TreeProgress, TreeSummary};
use geomys_load::{LoadId, Question, Version};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::transfer::download::{
    OversizePolicy, PartialFilePolicy, SavedFile, TransferEvent,
};
use geomys_store::transfer::records::MergePolicy;
use geomys_wire::text::Text;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use rfc1738::Url;

/// A browser with bookmarks of files, the cursor on the first one, and a clock.
struct Queue {
    app: App,
    now: Duration,
    /// The started transfers and their orders.
    started: Vec<(LoadId, TransferJob)>,
    /// The dropped transfers.
    dropped: Vec<LoadId>,
    /// The last load of a page.
    page: Option<LoadId>,
    /// The URL of that load.
    opened: Option<Url>,
}

impl Queue {
    fn new(addresses: &[&str], size: (u16, u16)) -> Self {
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let mut config = config::read(&places, &Environment::default());
        config.settings.downloads = PathBuf::from("/home/bo/Downloads");
        let lines = addresses
            .iter()
            .map(|address| format!("A file <URL:{address}>\n"));
        let bookmarks = Bookmarks::parse(lines.collect::<String>().as_bytes());
        let mut app = App::new(config.keymap, config.settings, bookmarks, size);
        app.start(&[]);
        let mut queue = Self {
            app,
            now: Duration::ZERO,
            started: Vec::new(),
            dropped: Vec::new(),
            page: None,
            opened: None,
        };
        // On a narrow screen the bookmarks are a drawer, closed at the start.
        queue.press(if size.0 < 106 { "B" } else { "Tab" });
        queue
    }

    fn tell(&mut self, message: Message) {
        for effect in self.app.update(message, self.now) {
            match effect {
                Effect::Transfers(TransferEffect::Start(load, job)) => {
                    self.started.push((load, *job));
                }
                Effect::Drop(load) => self.dropped.push(load),
                Effect::Load(load, request) => {
                    self.page = Some(load);
                    self.opened = Some(request.url.clone());
                }
                Effect::Transfers(TransferEffect::Destination(directory, _, base)) => {
                    self.tell(Message::Transfers(TransferMessage::Destination(
                        directory, base,
                    )));
                }
                _ => {}
            }
        }
    }

    fn press(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            let code = match key {
                "Esc" => KeyCode::Esc,
                "Tab" => KeyCode::Tab,
                "Enter" => KeyCode::Enter,
                letter => KeyCode::Char(letter.chars().next().unwrap()),
            };
            self.tell(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        }
    }

    fn load(&self, number: usize) -> LoadId {
        self.started[number].0
    }

    /// Reports octets for a while, at a steady rate.
    fn flow(&mut self, number: usize, octets: u64, size: Option<u64>) {
        let load = self.load(number);
        for tenth in 0..=10 {
            self.tell(Message::Transfers(TransferMessage::Progress(
                load,
                TransferEvent::Octets(octets * (90 + tenth) / 100, size),
            )));
            self.now += Duration::from_millis(100);
        }
    }

    fn ends(&mut self, number: usize, result: Result<TransferOutcome, TransferInterruption>) {
        let load = self.load(number);
        self.tell(Message::Transfers(TransferMessage::Ended(load, result)));
    }

    fn drawn(&self, width: u16, height: u16) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
        let theme = config::read(&places, &Environment::default()).theme;
        terminal
            .draw(|frame| drop(ui::draw(&self.app, &theme, frame)))
            .unwrap();
        terminal.backend().buffer().clone()
    }

    fn screen(&self, width: u16, height: u16) -> String {
        let buffer = self.drawn(width, height);
        let lines = (0..height).map(|y| {
            let line: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
            format!("{}\n", line.trim_end())
        });
        lines.collect()
    }
}

const FILES: [&str; 9] = [
    "ftp://ftp.gnu.org/gnu/emacs/emacs-29.4.tar.xz",
    "ftp://ftp.gnu.org/gnu/gcc/gcc-14.2.0.tar.xz",
    "ftp://ftp.gnu.org/gnu/bash/bash-5.2.tar.gz",
    "ftp://archive.example.org/pub/",
    "ftp://slow.example.net/a%20name%20that%20goes%20on%20and%20on%20for%20ever.iso",
    "ftp://ada@home.example/diary.txt",
    "gopher://gopher.example/9/door.png",
    "ftp://old.example.com/lost.zip",
    "ftp://new.example.com/changed.bin",
];

fn saved(path: &str, octets: u64) -> TransferOutcome {
    TransferOutcome::File(SavedFile {
        path: PathBuf::from(path),
        octets,
        end: geomys_wire::net::TransferEnd::Confirmed,
        media_type: None,
        version: geomys_load::Version::default(),
    })
}

/// Nine transfers, each in a state of its own.
fn busy(size: (u16, u16)) -> Queue {
    let mut queue = Queue::new(&FILES, size);
    for (number, address) in FILES.iter().enumerate() {
        queue.press("d");
        if address.ends_with('/') {
            queue.press("Enter");
        }
        if number + 1 < FILES.len() {
            queue.press("j");
        }
    }
    // The third one waits, as two of its host run.
    assert_eq!(queue.started.len(), 8);
    queue.flow(0, 34_000_000, Some(52_000_000));
    queue.flow(1, 80_000_000, Some(92_000_000));
    let walk = TreeProgress {
        done: 120,
        found: 340,
        octets: 7_000_000,
        name: Text::of("README"),
        retry: None,
        line: None,
        size: 40_000_000,
        existing: 0,
    };
    queue.tell(Message::Transfers(TransferMessage::DirectoryProgress(
        queue.load(2),
        walk,
    )));
    queue.flow(3, 640_000_000, Some(4_700_000_000));
    let died = "slow.example.net:20012 sent nothing within 30 s".to_owned();
    queue.tell(Message::Transfers(TransferMessage::Progress(
        queue.load(3),
        TransferEvent::Retry(Duration::from_millis(3400), died),
    )));
    queue.ends(5, Ok(saved("/home/bo/Downloads/door.png", 13_370)));
    let lost = "not saved: old.example.com:21 has no lost.zip, or refuses access";
    queue.ends(6, Err(TransferInterruption::Failed(lost.to_owned())));
    queue.press("D j j j j j p");
    queue
}

#[test]
fn every_transfer_state_has_its_row() {
    let mut queue = busy((80, 24));
    let (was, is) = (
        Version {
            size: Some(900),
            modified: Some("20260101000000".to_owned()),
            tag: None,
        },
        Version {
            size: Some(1200),
            modified: Some("20261101000000".to_owned()),
            tag: None,
        },
    );
    insta::assert_snapshot!("transfers", queue.screen(80, 24));
    queue.press("j j");
    insta::assert_snapshot!("transfers-failed", queue.screen(80, 24));
    queue.press("k k k");
    insta::assert_snapshot!("transfers-again", queue.screen(80, 24));
    let changed = Question::Changed { was, is };
    queue.ends(
        7,
        Err(TransferInterruption::Question(TransferQuestion::Load(
            changed,
        ))),
    );
    queue.press("D");
    insta::assert_snapshot!("transfers-question", queue.screen(80, 24));
    queue.press("D");
    insta::assert_snapshot!("transfers-asking", queue.screen(80, 24));
    queue.press("Enter");
    insta::assert_snapshot!("transfers-changed", queue.screen(80, 24));
    queue.press("Tab Enter");
    let Some((_, TransferJob::File(order))) = queue.started.last() else {
        panic!("it was not started again");
    };
    assert_eq!(order.partial, PartialFilePolicy::Restart);
    queue.press("q");
    insta::assert_snapshot!("transfers-closed", queue.screen(80, 24));
    queue.press("q");
    insta::assert_snapshot!("transfers-quit", queue.screen(80, 24));
}

#[test]
fn wide_screen_shows_long_names() {
    let queue = busy((120, 40));
    insta::assert_snapshot!("transfers-wide", queue.screen(120, 40));
}

#[test]
fn bar_of_a_transfer_fills_its_row() {
    let mut bars = Vec::new();
    for width in [100, 120, 160] {
        let mut queue = Queue::new(&["ftp://h.example/a.iso"], (width, 24));
        queue.press("d");
        queue.flow(0, 34_000_000, Some(52_000_000));
        queue.press("D");
        let screen = queue.screen(width, 24);
        let row = screen.lines().find(|line| line.contains("a.iso")).unwrap();
        assert_eq!(row.chars().count(), usize::from(width) - 1, "{row}");
        bars.push(row.chars().filter(|sign| matches!(sign, '█' | '░')).count());
    }
    // Each column of the screen is one more of the bar.
    let wider: Vec<usize> = bars.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(wider, [20, 40], "{bars:?}");
}

#[test]
fn full_bar_of_the_chosen_row_is_not_reversed() {
    let mut queue = Queue::new(&["ftp://h.example/a.iso"], (80, 24));
    queue.press("d D");
    queue.ends(0, Ok(saved("/home/bo/Downloads/a.iso", 1000)));
    let buffer = queue.drawn(80, 24);
    let row: Vec<_> = (0..80).map(|x| &buffer[(x, 1)]).collect();
    let is_reversed = |sign: &str| {
        let mut cells = row.iter().filter(|cell| cell.symbol() == sign);
        cells.any(|cell| cell.modifier.contains(Modifier::REVERSED))
    };
    assert!(is_reversed("i") && !is_reversed("█"));
    assert!(queue.screen(80, 24).contains("███  100%"));
}

#[test]
fn transfers_fit_a_small_screen() {
    let queue = busy((40, 12));
    insta::assert_snapshot!("transfers-small", queue.screen(40, 12));
}

#[test]
fn at_most_two_transfers_per_host_and_eight_in_all() {
    let addresses: Vec<String> = (0..12)
        .map(|number| format!("ftp://host{}.example/{number}", number / 3))
        .chain((0..8).map(|number| format!("ftp://other{number}.example/x")))
        .collect();
    let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    let mut queue = Queue::new(&addresses, (80, 24));
    for _ in &addresses {
        queue.press("d j");
    }
    let names = |queue: &Queue| -> Vec<String> {
        let name = |(_, job): &(LoadId, TransferJob)| match job {
            TransferJob::File(order) => order.request.url.to_string(),
            TransferJob::Directory(order) => order.request.url.to_string(),
        };
        queue.started.iter().map(name).collect()
    };
    let first: Vec<String> = [0, 1, 3, 4, 6, 7, 9, 10]
        .map(|at: usize| addresses[at].to_owned())
        .to_vec();
    assert_eq!(names(&queue), first);
    // One ends: the next of its host starts, as it waits longest.
    queue.ends(0, Ok(saved("/tmp/0", 1)));
    assert_eq!(names(&queue).last().unwrap(), addresses[2]);
    assert_eq!(queue.started.len(), 9);
    // All are stopped; nothing starts.
    queue.press("D g p");
    assert_eq!(queue.dropped.len(), 8);
    assert_eq!(queue.started.len(), 9);
    queue.press("g p");
    assert_eq!(queue.started.len(), 17);
}

#[test]
fn transfers_are_reordered_paused_and_removed() {
    let mut queue = Queue::new(&FILES[..3], (80, 24));
    queue.press("d j d j d D");
    assert_eq!(queue.started.len(), 2);
    // The last one moves to the top, and starts as soon as a slot is free.
    queue.press("G K K");
    let names = |queue: &Queue| -> Vec<String> {
        let items = queue.app.transfers.queue.items().iter();
        items.map(|item| item.name.to_string()).collect()
    };
    assert_eq!(
        names(&queue),
        ["bash-5.2.tar.gz", "emacs-29.4.tar.xz", "gcc-14.2.0.tar.xz"]
    );
    queue.press("j p");
    assert_eq!(queue.dropped, [queue.load(0)]);
    assert_eq!(queue.started.len(), 3);
    queue.press("X");
    assert_eq!(names(&queue), ["bash-5.2.tar.gz", "gcc-14.2.0.tar.xz"]);
    assert_eq!(queue.dropped.len(), 1, "it did not run");
    queue.press(": e r a s e - t r a n s f e r Enter");
    queue.press("n");
    assert_eq!(names(&queue).len(), 2);
    queue.press(": e r a s e - t r a n s f e r Enter");
    queue.press("y");
    assert_eq!(names(&queue), ["bash-5.2.tar.gz"]);
    queue.ends(2, Err(TransferInterruption::Failed("it failed".to_owned())));
    queue.press("r");
    assert_eq!(queue.started.len(), 4);
    queue.ends(3, Ok(saved("/tmp/bash", 1)));
    queue.press("g x");
    assert!(names(&queue).is_empty());
    // Nothing runs: no question is asked.
    queue.press("q q");
    assert!(queue.app.cx.should_exit);
}

#[test]
fn transfer_that_is_a_directory_asks_to_fetch_all() {
    let mut queue = Queue::new(&["ftp://h.example/pub"], (80, 24));
    queue.press("d");
    queue.ends(
        0,
        Err(TransferInterruption::Question(TransferQuestion::Directory)),
    );
    queue.press("D Enter");
    assert!(
        queue
            .screen(80, 24)
            .contains("pub is a directory. Download all of it?")
    );
    queue.press("Tab Enter");
    assert!(queue.screen(80, 24).contains("Save directory as"));
    queue.press("Enter");
    let Some((_, TransferJob::Directory(order))) = queue.started.last() else {
        panic!("it was not started again");
    };
    let path = order.into.clone();
    assert_eq!(path, PathBuf::from("/home/bo/Downloads/pub"));
    let summary = TreeSummary {
        files: 2,
        directories: 1,
        octets: 12,
        failures: 1,
        failed: vec![(Text::of("ftp://h.example/pub/x"), "it is gone".to_owned())],
        ..TreeSummary::default()
    };
    queue.ends(1, Ok(TransferOutcome::Directory(path.clone(), summary)));
    let screen = queue.screen(80, 24);
    assert!(
        screen.contains("1 failed, done") && screen.contains("it is gone"),
        "{screen}"
    );
}

#[test]
fn directory_with_foreign_files_asks_before_saving() {
    let mut queue = Queue::new(&["ftp://h.example/pub/"], (80, 24));
    queue.press("d");
    assert!(queue.screen(80, 24).contains("Save directory as"));
    assert!(queue.started.is_empty());
    queue.press("Enter");
    let into = PathBuf::from("/home/bo/Downloads/pub");
    queue.ends(
        0,
        Err(TransferInterruption::Question(TransferQuestion::Foreign(
            into.clone(),
        ))),
    );
    queue.press("D");
    assert!(queue.screen(80, 24).contains("merge?"));
    queue.press("Enter");
    let screen = queue.screen(80, 24);
    assert!(screen.contains("contains other files"), "{screen}");
    // The first button cancels, the second prompts for another directory.
    queue.press("Tab Enter");
    assert!(queue.screen(80, 24).contains("Save directory as"));
    queue.press("Esc Enter Tab Tab Enter");
    let Some((_, TransferJob::Directory(order))) = queue.started.last() else {
        panic!("it was not started again");
    };
    assert_eq!((&order.into, order.merge), (&into, MergePolicy::Allow));
    assert_eq!(queue.started.len(), 2);
}

#[test]
fn download_past_its_announced_size_waits_for_an_answer() {
    let mut queue = Queue::new(&["ftp://h.example/a.iso"], (80, 24));
    queue.press("d");
    queue.flow(0, 5000, Some(5000));
    queue.ends(
        0,
        Err(TransferInterruption::Question(TransferQuestion::Oversize(
            5000,
        ))),
    );
    assert_eq!(queue.started.len(), 1);
    queue.press("D Enter");
    let screen = queue.screen(80, 24);
    assert!(
        screen.contains("a.iso is larger than announced. Download the rest?"),
        "{screen}"
    );
    queue.press("Tab Enter");
    let Some((_, TransferJob::File(order))) = queue.started.last() else {
        panic!("it was not started again");
    };
    assert_eq!(order.oversize, OversizePolicy::Fetch);
}

#[test]
fn transfers_show_only_keys_that_do_something() {
    let mut queue = busy((80, 24));
    let mut hints = Vec::new();
    queue.press("g g");
    for _ in 0..FILES.len() {
        let screen = queue.screen(80, 24);
        let status = screen.lines().last().unwrap_or_default();
        let (hint, _) = status.split_once("D close").unwrap();
        // The number of transfers and the position of the cursor begin with a digit.
        let mut parts = hint.split("  ").map(str::trim);
        let key = parts.find(|part| !part.is_empty() && !part.starts_with(char::is_numeric));
        hints.push(key.unwrap().to_owned());
        queue.press("j");
    }
    assert_eq!(
        hints,
        [
            "p pause",
            "p pause",
            "p pause",
            "p pause",
            "p pause",
            "p resume",
            "Enter open file",
            "r retry",
            "p pause"
        ]
    );
}

#[test]
fn enter_opens_a_finished_file() {
    let mut queue = Queue::new(&["ftp://h.example/pub/a%20b.txt"], (80, 24));
    queue.press("d D");
    queue.ends(0, Ok(saved("/home/bo/Downloads/a b.txt", 13)));
    queue.press("Enter");
    assert_eq!(
        queue.opened.map(|url| url.to_string()).as_deref(),
        Some("file:///home/bo/Downloads/a%20b.txt")
    );
}

#[test]
fn every_failure_of_a_directory_is_listed() {
    let mut queue = Queue::new(&["ftp://h.example/pub/"], (80, 24));
    queue.press("d Enter D");
    let failed = |number: usize| {
        let name = Text::of(&format!("ftp://h.example/pub/{number}"));
        (name, "it is gone".to_owned())
    };
    let summary = TreeSummary {
        directories: 1,
        failures: 16,
        failed: (1..=16).map(failed).collect(),
        ..TreeSummary::default()
    };
    let path = PathBuf::from("/home/bo/Downloads/pub");
    queue.ends(0, Ok(TransferOutcome::Directory(path, summary)));
    let screen = queue.screen(80, 24);
    assert!(screen.contains("Enter list failures"), "{screen}");
    queue.press("Enter");
    let screen = queue.screen(80, 24);
    for number in 1..=16 {
        let line = format!("ftp://h.example/pub/{number}[{number}]: it is gone");
        assert!(screen.contains(&line), "{screen}");
    }
}
