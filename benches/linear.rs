//! The law that work is linear in what a server sent: `cargo bench --profile release --bench linear [WORD]...`.
//!
//! Every parser reads every hostile shape once, and twice as much of it. The CPU time of the process may grow by
//! [`MAX_RATIO`] at most; the size grows until the time can be measured. The CPU time does not depend on other
//! programs, and caches and pages of memory make it jump now and then, so that a pair is measured again before it
//! fails. An argument selects the parsers or shapes whose names contain it, and `every=6 from=2` each sixth pair from
//! the second one on. Exits with status 1 where the law is broken.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "a bench prints, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "../tests/support/hostile.rs"]
mod hostile;
#[path = "linear/parsers.rs"]
mod parsers;
#[path = "linear/shapes.rs"]
mod shapes;

use std::process::ExitCode;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use self::parsers::Parser;
use self::shapes::Shape;

/// The most by which the time may grow when the input becomes twice as long.
const MAX_RATIO: f64 = 2.2;

/// The size of the first measured input, in octets.
const MIN_BYTES: usize = 64 * 1024;

/// The size beyond which no input grows, in octets.
const MAX_BYTES: usize = 1024 * 1024;

/// A time that can be measured.
const MEASURABLE: Duration = Duration::from_millis(4);

/// The number of measurements before a ratio counts as one.
const ATTEMPTS: usize = 5;

/// The time for an octet, in nanoseconds, below which a parser is fast enough, whatever its ratio: caches and new pages
/// of memory make it jump.
const FAST: u128 = 10;

/// The number of further sizes at which the time must grow too fast as well.
const CONFIRMATIONS: usize = 4;

/// The time after which a parser is too slow for one input, whatever its ratio.
const MAX_TIME: Duration = Duration::from_secs(10);

/// The result of one parser with one shape.
struct Measured {
    name: String,
    bytes: usize,
    time: Duration,
    ratio: f64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let number_of = |name: &str| -> Option<usize> {
        let mut values = arguments.iter().filter_map(|word| word.strip_prefix(name));
        values.next().map(|value| value.parse().expect("a number"))
    };
    let step = number_of("every=").unwrap_or(1).max(1);
    let first = number_of("from=").unwrap_or(step);
    let is_word = |word: &&String| !word.starts_with("every=") && !word.starts_with("from=");
    let words: Vec<&String> = arguments.iter().filter(is_word).collect();
    let mut number = 0;
    let mut slow = Vec::new();
    let mut pairs = 0;
    for parser in parsers::all() {
        for shape in shapes::of(parser.syntaxes) {
            let name = format!("{}: {}", parser.name, shape.name);
            if !words.is_empty() && !words.iter().any(|word| name.contains(word.as_str())) {
                continue;
            }
            number += 1;
            if number % step != first % step {
                continue;
            }
            pairs += 1;
            let measured = measure(&parser, &shape, name);
            if measured.ratio > MAX_RATIO || measured.time > MAX_TIME {
                print(&measured);
                slow.push(measured);
            }
        }
    }
    println!(
        "{pairs} pairs of a parser and a shape, {} not linear",
        slow.len()
    );
    if slow.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn print(measured: &Measured) {
    println!(
        "{}: {} kB take {:.1} ms, {:.2} times as long as half of them",
        measured.name,
        measured.bytes / 1024,
        measured.time.as_secs_f64() * 1000.0,
        measured.ratio
    );
}

/// Measures one parser with one shape.
fn measure(parser: &Parser, shape: &Shape, name: String) -> Measured {
    let mut bytes = MIN_BYTES;
    let mut confirmed = 0;
    let mut before = time(parser, shape, bytes);
    loop {
        bytes *= 2;
        let mut now = time(parser, shape, bytes);
        let mut ratio = now.as_secs_f64() / before.as_secs_f64().max(1e-9);
        let is_last = confirmed > 0 || now >= MEASURABLE || bytes >= MAX_BYTES;
        if is_last && now >= MEASURABLE / 4 {
            // The shortest of some times is the one that nothing disturbed.
            for _ in 0..ATTEMPTS {
                if ratio <= MAX_RATIO || now > MAX_TIME {
                    break;
                }
                before = before.min(time(parser, shape, bytes / 2));
                now = now.min(time(parser, shape, bytes));
                ratio = now.as_secs_f64() / before.as_secs_f64().max(1e-9);
            }
        }
        // A jump at one size is that of a cache; a time that is not linear grows too fast at the next sizes, too.
        if is_last && ratio > MAX_RATIO && confirmed < CONFIRMATIONS && now < MAX_TIME {
            (confirmed, before) = (confirmed + 1, now);
            continue;
        }
        if is_last {
            // What cannot be measured at the largest size is fast enough.
            let is_fast = now.as_nanos() < FAST * bytes as u128;
            let ratio = if is_fast { 1.0 } else { ratio };
            return Measured {
                name,
                bytes,
                time: now,
                ratio,
            };
        }
        before = now;
    }
}

/// The CPU time of this process for one parse.
fn time(parser: &Parser, shape: &Shape, bytes: usize) -> Duration {
    let octets = shape.octets(parser.head, bytes);
    let start = cpu_time();
    (parser.parse)(&octets);
    cpu_time().saturating_sub(start)
}

/// The CPU time of all threads of this process so far.
fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        now.tv_sec.try_into().unwrap_or(0),
        now.tv_nsec.try_into().unwrap_or(0),
    )
}
