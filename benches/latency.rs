//! A session of 10,000 keys over the pages of the demo: `cargo bench --bench latency`.
//!
//! No turn of the loop between two looks for a key may take [`LIMIT`] of the CPU time of its thread. The time on the
//! clock is printed, too. The keys are the same in each run; an argument `seed=N` chooses others, `keys=N` their
//! number, and `limit=N` another limit, for a build without optimization.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    dead_code,
    reason = "a bench prints, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "screen/screen.rs"]
mod pseudo;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use geomys_demo::Demo;
use geomys_demo::world::BIG_GROUP;

use self::pseudo::Screen;

/// The deadline of every step.
const DEADLINE: Duration = Duration::from_mins(1);

/// The most CPU time of a turn, in milliseconds.
const LIMIT: usize = 50;

/// The number of keys, and of those between two looks at the screen.
const COUNT: usize = 10_000;
const BURST: usize = 20;

/// What a person presses, more often what stands here more often. None of it ends the program or starts another.
const KEYS: [&str; 52] = [
    "j",
    "j",
    "j",
    "k",
    "k",
    " ",
    " ",
    "b",
    "G",
    "gg",
    "J",
    "J",
    "K",
    "\r",
    "\r",
    "\r",
    "h",
    "h",
    "l",
    "\t",
    "\t",
    "n",
    "N",
    "w",
    "i",
    "\x1b",
    "\x1b",
    ".",
    "m",
    "f",
    "1",
    "2",
    "z",
    ">",
    "<",
    "L",
    "a",
    "\x1b",
    "~",
    "?",
    "/mole\r",
    "&re\r",
    ":follow\r",
    "o\x1b",
    ",s",
    "gL",
    "gH",
    "t",
    "d",
    "y",
    "Z",
    "B",
];

fn main() -> ExitCode {
    let number = |name: &str, otherwise: usize| {
        let mut words = std::env::args();
        let value = words.find_map(|word| word.strip_prefix(name)?.parse().ok());
        value.unwrap_or(otherwise)
    };
    let (count, mut state) = (number("keys=", COUNT), number("seed=", 1738) as u64);
    let limit = number("limit=", LIMIT);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let demo = runtime.block_on(Demo::start()).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (home, log) = (directory.path(), directory.path().join("log"));
    let at = &demo.addresses;
    let urls = [
        format!("gopher://{}/", at.gopher),
        format!("ftp://{}/big/100000/", at.ftp),
        format!("nntp://{}/{BIG_GROUP}", at.news),
        format!("http://{}/", at.web),
        format!("gemini://{}/", at.gemini),
    ];
    let [config, option, log_file] = ["--config".as_ref(), "--log".as_ref(), log.as_os_str()];
    let arguments = [config, home.as_os_str(), option, log_file];
    let urls = urls.iter().map(AsRef::as_ref);
    let arguments: Vec<_> = arguments.into_iter().chain(urls).collect();
    let geomys = Path::new(env!("CARGO_BIN_EXE_geomys"));
    let mut screen = Screen::start(geomys, &arguments, home);
    screen.wait(|text| text.contains("U N D E R L O A M"));
    for _ in 0..count.div_ceil(BURST) {
        let mut keys = String::new();
        for _ in 0..BURST {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            keys.push_str(KEYS[(state >> 33) as usize % KEYS.len()]);
        }
        // A tab is closed now and then, and what asks is left.
        keys.push_str("\x1b\x1b");
        screen.press(&keys, |_| true);
    }
    screen.settle(Duration::from_millis(500));
    drop(screen);
    judge(&fs::read_to_string(log).unwrap(), count, limit)
}

/// Prints the slow turns of a session, and returns whether one was slower than the limit.
fn judge(log: &str, count: usize, limit: usize) -> ExitCode {
    let cpu = |line: &&str| {
        let (_, behind) = line.split_once("CPU ").unwrap();
        behind.split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    let slow: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("slow turn: "))
        .collect();
    let too_slow: Vec<_> = slow.iter().filter(|line| cpu(line) >= limit).collect();
    for line in &too_slow {
        println!("{line}");
    }
    println!(
        "{count} keys: {} turns of {LIMIT} ms and more on the clock, {} of {limit} ms of CPU time",
        slow.len(),
        too_slow.len()
    );
    if too_slow.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
