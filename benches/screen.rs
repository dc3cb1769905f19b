//! Response times on a real pseudo-terminal with the real binary: `cargo bench --bench screen`.
//!
//! A time ends when the terminal has received the octets that show the result. Other clients on PATH, and curl, are
//! measured in the same run, so that the ratios are valid on any machine; the absolute times are those of this machine.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    dead_code,
    reason = "a bench prints, reads PATH, rounds, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "figures.rs"]
mod figures;
#[path = "screen/gopher.rs"]
mod gopher;
#[path = "screen/screen.rs"]
mod pseudo;

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use geomys_demo::Demo;

use self::figures::{curl, header, median, ms, ratio, row, under, verdict};
use self::gopher::Gopher;
use self::pseudo::{Memory, Screen, Stroke};

/// The deadline of every step.
const DEADLINE: Duration = Duration::from_mins(1);

/// The rows of the short menu for launches, and of the long menu.
const SHORT: usize = 50;
const LONG: usize = 1_000_000;

/// The time limit of a frame after a key.
const FRAME: Duration = Duration::from_millis(50);

/// The time limit of the first rows after the first packet.
const FIRST: Duration = Duration::from_millis(15);

/// The number of runs of the long menu, and of curl.
const RUNS: usize = 5;

/// The number of launches of each program.
const LAUNCHES: usize = 15;

/// The time in which an idle Geomys must not wake up.
const IDLE: Duration = Duration::from_secs(2);

const GEOMYS: &str = env!("CARGO_BIN_EXE_geomys");

/// Clients that accept a URL and show a menu.
const OTHERS: [&str; 4] = ["phetch", "sacc", "bombadillo", "lynx"];

fn main() {
    let profile = tempfile::tempdir().unwrap();
    // Each launch opens one page: the tabs of the launch before are not restored.
    std::fs::write(profile.path().join("settings.toml"), "session = \"new\"\n").unwrap();
    let bench = Bench {
        home: profile.path().to_owned(),
        gopher: Gopher::start(),
    };
    header();
    bench.launch();
    bench.schemes();
    bench.long_menu();
}

/// The schemes of the demo whose first pages are compared, each with a word of its page.
const SCHEMES: [(&str, &str); 6] = [
    ("gopher", "U N D E R L O A M"),
    ("finger", "botta"),
    ("http", "The town has a page now"),
    ("gemini", "Ottaline Speck"),
    ("spartan", "pencil on a string"),
    ("nex", "slips of paper"),
];

struct Bench {
    home: PathBuf,
    gopher: Gopher,
}

/// The results of one run over the long menu.
struct Run {
    first: Duration,
    whole: Duration,
    memory: Memory,
    strokes: Vec<(&'static str, Stroke)>,
    wakes: usize,
}

impl Bench {
    /// Measures the time from launch to the first row of a short menu.
    fn launch(&self) {
        let (_, url) = self.gopher.menu(SHORT);
        // Alternately, so that a change of the load affects all programs; the first round warms the caches.
        let mut programs: Vec<(&str, PathBuf)> = vec![("geomys", GEOMYS.into())];
        programs.extend(
            OTHERS
                .iter()
                .filter_map(|name| Some((*name, on_path(name)?))),
        );
        let mut times = vec![Vec::new(); programs.len()];
        for round in 0..=LAUNCHES {
            for ((_, program), times) in programs.iter().zip(&mut times) {
                let mut screen = self.start(program, &url);
                let shown = screen.wait_for_octets("Row 1 of the menu");
                if round > 0 {
                    times.push(shown - screen.started);
                }
            }
        }
        let mut medians = times.into_iter().map(median);
        let ours = medians.next().unwrap();
        for ((name, _), theirs) in programs.iter().skip(1).zip(medians) {
            let goal = matches!(*name, "phetch" | "sacc").then_some(1.3);
            row(
                "launch to the first row of 50 items",
                ours,
                &format!("{name} {}", ms(theirs)),
                Some((ratio(ours, theirs), goal)),
            );
        }
    }

    /// Measures the time from launch to the first page of the demo in several schemes, beside Gopher.
    fn schemes(&self) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let demo = runtime.block_on(Demo::start()).unwrap();
        let urls = demo.urls();
        let url = |scheme: &str| {
            let mut urls = urls.iter();
            urls.find(|url| url.starts_with(&format!("{scheme}://")))
                .unwrap()
        };
        let mut times = vec![Vec::new(); SCHEMES.len()];
        for round in 0..=LAUNCHES {
            for ((scheme, word), times) in SCHEMES.iter().zip(&mut times) {
                let mut screen = self.start(Path::new(GEOMYS), url(scheme));
                let shown = screen.wait(|text| text.contains(word));
                if round > 0 {
                    times.push(shown - screen.started);
                }
            }
        }
        let mut medians = times.into_iter().map(median);
        let gopher = medians.next().unwrap();
        for ((scheme, _), time) in SCHEMES.iter().skip(1).zip(medians) {
            row(
                &format!("launch to the first page by {scheme}"),
                time,
                &format!("gopher {}", ms(gopher)),
                Some((ratio(time, gopher), None)),
            );
        }
    }

    /// Measures a menu of a million rows: arriving, whole, scrolled, idle.
    fn long_menu(&self) {
        let (octets, url) = self.gopher.menu(LONG);
        let curl = curl(&url);
        let runs: Vec<Run> = (0..RUNS).map(|_| self.long_run(&url)).collect();
        let first = median(runs.iter().map(|run| run.first).collect());
        let whole = median(runs.iter().map(|run| run.whole).collect());
        under("1,000,000 rows: first packet to first rows", first, FIRST);
        row(
            "1,000,000 rows: whole",
            whole,
            &format!("curl {}", ms(curl)),
            Some((ratio(whole, curl), Some(3.0))),
        );
        for (index, (name, _)) in runs[0].strokes.iter().enumerate() {
            let strokes = || runs.iter().map(|run| run.strokes[index].1);
            let worst = strokes().map(|stroke| stroke.frame).max().unwrap();
            let effect = strokes().map(|stroke| stroke.effect).max().unwrap();
            let goal = verdict(worst <= FRAME);
            println!(
                "| {name}: worst of {RUNS} | next frame {} | its effect {} | | ≤ 50 ms | {goal} |",
                ms(worst),
                ms(effect)
            );
        }
        let memories = || runs.iter().map(|run| run.memory);
        let most = Memory {
            peak: memories().map(|memory| memory.peak).max().unwrap(),
            data: memories().map(|memory| memory.data).max().unwrap(),
        };
        print_memory("geomys", most, octets);
        let wakes = runs.iter().map(|run| run.wakes).max().unwrap();
        println!(
            "| wake-ups in 2 s of rest | {wakes} | | | 0 | {} |",
            verdict(wakes == 0)
        );
        for name in OTHERS.iter().filter(|name| **name != "lynx") {
            let Some(program) = on_path(name) else {
                continue;
            };
            self.gopher.forget();
            let mut screen = self.start(&program, &url);
            let began = self.gopher.began();
            let theirs = screen.wait(has_first_row) - began;
            screen.settle(Duration::from_millis(300));
            row(
                "1,000,000 rows: first packet to first rows",
                first,
                &format!("{name} {}", ms(theirs)),
                Some((ratio(first, theirs), None)),
            );
            print_memory(name, screen.memory(), octets);
        }
    }

    fn long_run(&self, url: &str) -> Run {
        self.gopher.forget();
        let mut screen = self.start(Path::new(GEOMYS), url);
        let began = self.gopher.began();
        let first = screen.wait(has_first_row) - began;
        let whole = screen.wait(is_whole) - began;
        let mut strokes = vec![
            self.keys_while_it_arrives(url),
            (
                "G",
                screen.press_when_idle("G", |text| text.contains("Row 1000000 of")),
            ),
            ("g g", screen.press_when_idle("gg", has_first_row)),
            (
                "Space",
                screen.press_when_idle(" ", |text| !has_first_row(text)),
            ),
            ("b", screen.press_when_idle("b", has_first_row)),
            ("j", screen.press_when_idle("j", |text| points_at(text, 2))),
            ("k", screen.press_when_idle("k", |text| points_at(text, 1))),
            (
                "/",
                screen.press_when_idle("/", |text| text.contains("─ Find ─")),
            ),
        ];
        screen.press_when_idle("row 999990 of", |text| text.contains("row 999990 of"));
        let found = |text: &str| text.contains("Row 999990 of");
        strokes.push((
            "Enter: find at the end",
            screen.press_when_idle("\r", found),
        ));
        // The session is stored half a second after the last change.
        screen.settle(Duration::from_millis(1500));
        let before = screen.sleeps();
        std::thread::sleep(IDLE);
        let wakes = screen.sleeps() - before;
        let memory = screen.memory();
        Run {
            first,
            whole,
            memory,
            strokes,
            wakes,
        }
    }

    /// Presses `j` repeatedly until the menu is whole; returns the slowest key.
    fn keys_while_it_arrives(&self, url: &str) -> (&'static str, Stroke) {
        let mut screen = self.start(Path::new(GEOMYS), url);
        screen.wait(has_first_row);
        let mut worst = Stroke {
            frame: Duration::ZERO,
            effect: Duration::ZERO,
        };
        let mut row = 1;
        let mut whole = false;
        while !whole {
            row += 1;
            let seen = std::cell::Cell::new(false);
            let stroke = screen.press("j", |text| {
                seen.set(is_whole(text));
                points_at(text, row)
            });
            whole = seen.get();
            worst.frame = worst.frame.max(stroke.effect);
            worst.effect = worst.effect.max(stroke.effect);
        }
        ("j while it arrives", worst)
    }

    fn start(&self, program: &Path, url: &str) -> Screen {
        let home = self.home.as_os_str();
        let arguments: &[&OsStr] = if program == Path::new(GEOMYS) {
            &["--config".as_ref(), home, url.as_ref()]
        } else {
            &[url.as_ref()]
        };
        Screen::start(program, arguments, &self.home)
    }
}

fn has_first_row(text: &str) -> bool {
    text.contains("Row 1 of the menu")
}

/// Returns true if the position is in a list of all rows: rows that still arrive are counted without it.
fn is_whole(text: &str) -> bool {
    status(text).contains("/1,000,000 ")
}

/// Returns true if the URL of the link under the cursor, at the end of the first line, is that of a row.
fn points_at(text: &str, row: usize) -> bool {
    let address = text.lines().next().unwrap_or_default();
    address.trim_end().ends_with(&format!("/row/{row}"))
}

/// Returns the last line of the screen.
fn status(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|directory| directory.join(name))
        .find(|file| file.is_file())
}

/// Prints the memory of a program beside the octets of the menu.
fn print_memory(name: &str, memory: Memory, octets: usize) {
    let data_limit = octets * 11 / 10;
    for (what, size, limit) in [
        ("memory at its peak", memory.peak, data_limit + 40_000_000),
        ("… without the program file", memory.data, data_limit),
    ] {
        let millions = |octets: usize| format!("{:.0} MB", octets as f64 / 1e6);
        let (goal, result) = if name == "geomys" {
            (format!("≤ {}", millions(limit)), verdict(size <= limit))
        } else {
            (String::new(), "")
        };
        println!(
            "| 1,000,000 rows: {what}, {name} | {} | {} of octets | {:.2} | {goal} | {result} |",
            millions(size),
            millions(octets),
            size as f64 / octets as f64
        );
    }
}
