//! Large groups and long lists of groups, in the real binary on a real pseudo-terminal: `cargo bench --bench news`.
//!
//! The times from launch until the newest article is on the screen, and until the threads of the articles that a group
//! opens with are; and the memory compared with that of an empty group. A list of a hundred thousand groups from its
//! server, and from the cache with changes. From the demo server, whose overviews are computed in this process on the
//! same cores.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    dead_code,
    reason = "a bench prints, rounds, may stop at the first thing that is not as it should be, and shares files"
)]

#[path = "figures.rs"]
mod figures;
#[path = "screen/screen.rs"]
mod pseudo;

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use geomys_demo::Demo;

use self::figures::{header, median, plain, under};
use self::pseudo::Screen;

/// The deadline of every step.
const DEADLINE: Duration = Duration::from_mins(1);

const RUNS: usize = 5;

/// The limits for the newest article and for the threads after launch, which includes the connection.
const NEWEST: Duration = Duration::from_millis(50);
const THREADED: Duration = Duration::from_millis(300);

/// The number of articles that a group without read ones opens with.
const FIRST_ARTICLES: usize = 2000;

const GEOMYS: &str = env!("CARGO_BIN_EXE_geomys");

/// A group of the demo.
struct Group {
    articles: usize,
    /// The date of the newest article, as shown.
    newest: &'static str,
}

const GROUPS: [Group; 2] = [
    Group {
        articles: 100_000,
        newest: "1994-03-14",
    },
    Group {
        articles: 1_000_000,
        newest: "1996-01-23",
    },
];

/// The number of groups of a long list, and the rows with the other groups.
const GROUPS_LISTED: u64 = 100_000;
const TOWN: &str = "/100,006";

/// The time limit of a frame after a key.
const FRAME: Duration = Duration::from_millis(50);

/// The results of one run.
struct Run {
    newest: Duration,
    threaded: Duration,
    peak: usize,
}

fn main() {
    header();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let demo = runtime.block_on(Demo::start()).unwrap();
    let bare = bare(demo.addresses.news);
    for group in GROUPS {
        group.measure(demo.addresses.news, bare);
    }
    drop(demo);
    let demo = runtime.block_on(Demo::crowded(GROUPS_LISTED)).unwrap();
    lists(demo.addresses.news);
}

/// Measures the list of all groups, first without and then with the cache.
fn lists(news: SocketAddr) {
    let (mut first, mut whole, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    let (mut cached, mut changed) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let home = home();
        let (home, server) = (home.path(), news.to_string());
        let launch = || {
            let arguments = [
                "--config".as_ref(),
                home.as_os_str(),
                "--server".as_ref(),
                server.as_ref(),
                "news:*".as_ref(),
            ];
            Screen::start(Path::new(GEOMYS), &arguments, home)
        };
        let is_first = |text: &str| text.contains("crowd.hill0.chamber0");
        let is_whole = |text: &str| {
            let status = status(text);
            status.contains(TOWN) && !status.contains('…')
        };
        let mut screen = launch();
        first.push(screen.wait(is_first) - screen.started);
        let seen = std::cell::Cell::new(false);
        for row in 1.. {
            let target = match row {
                ..6 => String::new(),
                row => format!("chamber{}", row - 6),
            };
            let stroke = screen.press("j", |text| {
                seen.set(seen.get() || is_whole(text));
                // The URL of the group under the cursor ends the first line.
                let address = text.lines().next().unwrap_or_default();
                address.trim_end().ends_with(&target)
            });
            keys.push(stroke.effect);
            if seen.get() {
                break;
            }
        }
        whole.push(screen.wait(is_whole) - screen.started);
        while std::fs::read_dir(home.join("cache")).map_or(0, Iterator::count) == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        screen.settle(Duration::from_millis(300));
        drop(screen);
        let mut screen = launch();
        cached.push(screen.wait(is_first) - screen.started);
        let is_new = |text: &str| is_whole(text) && !text.contains("kept 20");
        changed.push(screen.wait(is_new) - screen.started);
    }
    plain("100,000 groups: launch to the first", median(first));
    plain("100,000 groups: launch to all of them", median(whole));
    let worst = keys.into_iter().max().unwrap_or_default();
    under(
        "100,000 groups: j while they arrive, at worst",
        worst,
        FRAME,
    );
    plain(
        "100,000 groups, cached: launch to the first",
        median(cached),
    );
    plain(
        "100,000 groups, cached: launch to all, and what has changed",
        median(changed),
    );
}

/// Returns the memory of an empty group.
fn bare(news: SocketAddr) -> usize {
    let url = format!("nntp://{news}/geomys.demo.empty");
    let home = home();
    let mut screen = start(&url, home.path());
    screen.wait(|text| text.contains("No articles here yet"));
    screen.memory().peak
}

impl Group {
    fn measure(&self, news: SocketAddr, bare: usize) {
        let url = format!("nntp://{news}/geomys.demo.big.{}", self.articles);
        let runs: Vec<Run> = (0..RUNS).map(|_| self.run(&url)).collect();
        let each = |time: fn(&Run) -> Duration| median(runs.iter().map(time).collect());
        let count = geomys_wire::text::count(self.articles);
        under(
            &format!("{count} articles: launch to the newest"),
            each(|run| run.newest),
            NEWEST,
        );
        under(
            &format!("{count} articles: launch to the threads of the newest 2,000"),
            each(|run| run.threaded),
            THREADED,
        );
        let peak = runs.iter().map(|run| run.peak).max().unwrap();
        let millions = |octets: usize| octets as f64 / 1e6;
        println!(
            "| {count} articles: memory at its peak | {:.0} MB | {:.0} MB for an empty group | {:.2} | | |",
            millions(peak),
            millions(bare),
            peak as f64 / bare as f64,
        );
    }

    fn run(&self, url: &str) -> Run {
        let older = geomys_wire::text::count(self.articles - FIRST_ARTICLES);
        let home = home();
        let mut screen = start(url, home.path());
        let newest = screen.wait(|text| text.contains(self.newest));
        let threaded = screen.wait(|text| status(text).contains(&format!("{older} older")));
        Run {
            newest: newest - screen.started,
            threaded: threaded - screen.started,
            peak: screen.memory().peak,
        }
    }
}

/// Returns a directory of a user without tabs to be restored.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("settings.toml"), "session = \"new\"\n").unwrap();
    home
}

fn start(url: &str, home: &Path) -> Screen {
    let arguments = ["--config".as_ref(), home.as_os_str(), url.as_ref()];
    Screen::start(Path::new(GEOMYS), &arguments, home)
}

/// Returns the last line of the screen.
fn status(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}
