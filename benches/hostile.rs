//! What a key costs on hostile pages of every protocol: `cargo bench --bench hostile`.
//!
//! A key is what the state and the screen make of it; no key takes longer than [`BAR`]. What runs on other threads
//! (laying out, sorting, finding) is carried out between the keys and told apart. The pages are those of the tests. An
//! argument that is a part of a page's name measures those pages alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "a bench prints, rounds, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "../tests/support/hostile.rs"]
mod hostile;

use std::time::{Duration, Instant};

use self::hostile::{HostilePage, KEYS, Victim, filled, special};

/// A key, at the latest.
const BAR: Duration = Duration::from_millis(100);

/// Columns and lines of the screen.
const SIZE: (u16, u16) = (200, 60);

/// Octets of a long part: a row shows no more than 16 KiB of a line.
const LINE: usize = 60_000;

/// Rows of the filled pages: more than two screens.
const ROWS: usize = 150;

/// Links, rows or elements of the others.
const COUNT: usize = 10_000;

/// After this much a page is given up.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let is_wanted = |page: &HostilePage| {
        wanted.is_empty() || wanted.iter().any(|word| page.name.contains(word.as_str()))
    };
    let pages = special(COUNT, LINE).into_iter().chain(filled(ROWS, LINE));
    let mut slowest: Vec<(Duration, String, String)> = pages
        .filter(is_wanted)
        .map(|page| {
            let name = page.name.clone();
            let (time, key) = measured(page);
            (time, name, key)
        })
        .collect();
    slowest.sort_by(|a, b| b.cmp(a));
    println!("| page | slowest key | ms | <= {} ms |", BAR.as_millis());
    println!("|---|---|---|---|");
    for (time, page, key) in &slowest {
        let ms = time.as_secs_f64() * 1000.0;
        let verdict = if *time <= BAR { "kept" } else { "missed" };
        println!("| {page} | {key} | {ms:.1} | {verdict} |");
    }
    let missed = slowest.iter().filter(|(time, ..)| *time > BAR).count();
    println!("\n{} pages, {missed} over the bar", slowest.len());
}

/// The slowest key on a page.
fn measured(page: HostilePage) -> (Duration, String) {
    let mut victim = Victim::new(page, SIZE);
    let begun = Instant::now();
    let mut slowest = (Duration::ZERO, String::new());
    let mut time = |victim: &mut Victim, name: &str, step: &dyn Fn(&mut Victim)| {
        if begun.elapsed() < PATIENCE {
            let start = Instant::now();
            step(victim);
            let taken = start.elapsed();
            if taken > slowest.0 {
                slowest = (taken, name.to_owned());
            }
        }
    };
    time(&mut victim, "first frame", &Victim::draw);
    for key in KEYS {
        time(&mut victim, key, &|victim| victim.press(key));
        victim.settle();
    }
    time(&mut victim, "resize", &|victim| {
        victim.resize(SIZE.0 / 2, SIZE.1);
    });
    time(&mut victim, "j", &|victim| victim.press("j"));
    slowest
}
