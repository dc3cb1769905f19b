//! The search of all copies beside ripgrep over the same texts, one file each: `cargo bench --bench search`.

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

#[path = "figures.rs"]
mod figures;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use geomys_page::document::Shape;
use geomys_store::files::cache::{Cache, CacheLimits, PageHeader};
use jiff::Timestamp;
use rfc1738::Dialect;

use self::figures::{beside, header, plain};

/// Runs of a command, of which the median counts.
const RUNS: usize = 5;

/// Words of the texts.
const WORDS: [&str; 24] = [
    "the", "mole", "digs", "a", "tunnel", "under", "meadow", "and", "finds", "old", "brass",
    "lamp", "that", "still", "burns", "in", "cellar", "of", "library", "where", "nobody", "reads",
    "at", "night",
];

/// A set of copies.
struct Corpus {
    name: &'static str,
    pages: usize,
    octets: usize,
    shape: Shape,
    /// The most that the time may be of that of ripgrep.
    goal: Option<f64>,
}

fn main() {
    header();
    for corpus in [
        Corpus {
            name: "256 MiB in 40,000 texts",
            pages: 40_000,
            octets: 6_700,
            shape: Shape::Text,
            goal: Some(1.5),
        },
        Corpus {
            name: "100 MB in 900 texts",
            pages: 900,
            octets: 111_000,
            shape: Shape::Text,
            goal: Some(3.0),
        },
        Corpus {
            name: "100 MB in 900 web pages",
            pages: 900,
            octets: 111_000,
            shape: Shape::Html,
            goal: Some(3.0),
        },
    ] {
        let directory = tempfile::tempdir().unwrap();
        let (profile, texts) = (
            directory.path().join("profile"),
            directory.path().join("texts"),
        );
        let stored = corpus.store(&profile, &texts);
        plain(&format!("{} stored", corpus.name), stored);
        for (kind, word) in [("a rare word", "zyzzyva"), ("a common word", "lamp")] {
            let geomys = || {
                let mut command = Command::new(env!("CARGO_BIN_EXE_geomys"));
                command.arg("--config").arg(&profile).args(["search", word]);
                command
            };
            let rg = || {
                let mut command = Command::new("rg");
                command.args(["-i", "-c", word]).arg(&texts);
                command
            };
            let what = format!("search in {}, {kind}", corpus.name);
            beside(
                &what,
                RUNS,
                &|_| geomys(),
                ("rg -i -c", &|_| rg()),
                corpus.goal,
            );
        }
    }
}

impl Corpus {
    /// Stores the pages in the cache of a profile, and their texts as files. Returns the time of the first.
    fn store(&self, profile: &Path, texts: &Path) -> Duration {
        fs::create_dir_all(texts).unwrap();
        fs::create_dir_all(profile).unwrap();
        let limits = CacheLimits {
            size: 4 << 30,
            ..CacheLimits::default()
        };
        fs::write(profile.join("settings.toml"), "[cache]\nsize = 4096\n").unwrap();
        let cache = Cache::new(profile.join("cache"), limits);
        let mut taken = Duration::ZERO;
        for number in 0..self.pages {
            let text = self.text(number);
            fs::write(texts.join(format!("{number}.txt")), &text).unwrap();
            let url = format!("http://h.example/{number}");
            let head = PageHeader::new(Dialect::Extended.parse(&url).unwrap(), self.shape);
            let page = match self.shape {
                Shape::Html => format!(
                    "<html><body><p>{}</p></body></html>",
                    text.replace('\n', "<br>\n")
                ),
                _ => text,
            };
            let start = Instant::now();
            cache
                .store(&head, Timestamp::now(), std::iter::once(page.as_bytes()))
                .unwrap();
            taken += start.elapsed();
        }
        taken
    }

    fn text(&self, number: usize) -> String {
        let mut text = String::with_capacity(self.octets);
        let mut state = number * 7919 + 1;
        while text.len() < self.octets {
            for _ in 0..10 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let word = WORDS[(state >> 33) % WORDS.len()];
                write!(text, "{word} ").unwrap();
            }
            text.push('\n');
        }
        if number % 300 == 7 {
            text.push_str("Zyzzyva\n");
        }
        text
    }
}
