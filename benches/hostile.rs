//! The time of a key on hostile pages of every protocol: `cargo bench --bench hostile`.
//!
//! The time of a key includes the update of the state and of the screen; it must not exceed [`LIMIT`]. Work of other
//! threads (layout, sorting, finding) is done between the keys and not measured. The pages are those of the tests. An
//! argument selects the pages whose names contain it.

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

/// The time limit of a key.
const LIMIT: Duration = Duration::from_millis(100);

/// The columns and lines of the screen.
const SIZE: (u16, u16) = (200, 60);

/// The octets of a long part: a row shows at most 16 KiB of a line.
const LINE: usize = 60_000;

/// The rows of the filled pages: more than two screens.
const ROWS: usize = 150;

/// The links, rows or elements of the other pages.
const COUNT: usize = 10_000;

/// The time after which a page is skipped.
const PAGE_LIMIT: Duration = Duration::from_secs(5);

fn main() {
    let selected: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let is_selected = |page: &HostilePage| {
        selected.is_empty()
            || selected
                .iter()
                .any(|word| page.name.contains(word.as_str()))
    };
    let pages = special(COUNT, LINE).into_iter().chain(filled(ROWS, LINE));
    let mut slowest: Vec<(Duration, String, String)> = pages
        .filter(is_selected)
        .map(|page| {
            let name = page.name.clone();
            let (time, key) = measured(page);
            (time, name, key)
        })
        .collect();
    slowest.sort_by(|a, b| b.cmp(a));
    println!("| page | slowest key | ms | <= {} ms |", LIMIT.as_millis());
    println!("|---|---|---|---|");
    for (time, page, key) in &slowest {
        let ms = time.as_secs_f64() * 1000.0;
        let verdict = if *time <= LIMIT { "kept" } else { "missed" };
        println!("| {page} | {key} | {ms:.1} | {verdict} |");
    }
    let missed = slowest.iter().filter(|(time, ..)| *time > LIMIT).count();
    println!("\n{} pages, {missed} over the bar", slowest.len());
}

/// Returns the slowest key on a page.
fn measured(page: HostilePage) -> (Duration, String) {
    let mut victim = Victim::new(page, SIZE);
    let started = Instant::now();
    let mut slowest = (Duration::ZERO, String::new());
    let mut time = |victim: &mut Victim, name: &str, step: &dyn Fn(&mut Victim)| {
        if started.elapsed() < PAGE_LIMIT {
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
