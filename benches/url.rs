//! The speed of parsing URLs: `cargo bench --bench url`.
//!
//! A million URLs of all ten schemes, the same in each run, are parsed by Geomys and by three crates for RFC 3986 and
//! web URLs. Each crate validates the text and splits it into parts.

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
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use rfc1738::{Parts, Url};
use tempfile::NamedTempFile;

use self::figures::{header, median, ms, plain, ratio, row};

const COUNT: usize = 1_000_000;

/// Runs over all URLs, of which the median counts.
const RUNS: usize = 9;

/// The URLs, one per line.
static FILE: LazyLock<String> = LazyLock::new(|| {
    let mut file = String::new();
    let mut dice = Dice(1738);
    for _ in 0..COUNT {
        write_url(&mut file, &mut dice);
        file.push('\n');
    }
    file
});

static URLS: LazyLock<Vec<&'static str>> = LazyLock::new(|| FILE.lines().collect());

/// A pseudo-random generator with the same numbers in each run (a xorshift of 64 bits).
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let at = self.throw(words.len() as u64);
        words.get(usize::try_from(at).unwrap()).unwrap()
    }
}

/// Writes one URL, in the proportions of a link list of the time: half of them gopher and ftp.
fn write_url(file: &mut String, dice: &mut Dice) {
    let number = dice.throw(100_000);
    let host = host(dice);
    let path = path(dice);
    match dice.throw(20) {
        0..=2 => write!(file, "gopher://{host}/1/{path}"),
        3 => write!(file, "gopher://{host}:7070/0/{path}/{number}.txt"),
        4 => write!(file, "gopher://{host}/7/{path}%09tide%20tables"),
        5 => write!(file, "gopher://{host}/"),
        6..=8 => write!(file, "ftp://{host}/{path}/{number}.tar.gz;type=i"),
        9 => write!(file, "ftp://guest:mole{number}@{host}/%2F{path}/;type=d"),
        10 => write!(file, "ftp://{host}/"),
        11..=12 => write!(file, "http://{host}/~{number}/{path}.html").map(|()| {
            // RFC 1738 does not allow a tilde: it is encoded.
            let at = file.rfind('~').unwrap();
            file.replace_range(at..=at, "%7E");
        }),
        13 => write!(file, "http://{host}:8080/{path}?q={number}&lang=en"),
        14 => write!(file, "news:{number}.1994@{host}"),
        15 => write!(file, "news:comp.infosystems.{}", dice.one_of(WORDS)),
        16 => write!(file, "nntp://{host}/comp.infosystems.gopher/{number}"),
        17 => write!(file, "telnet://guest@{host}:23/"),
        18 => write!(file, "mailto:mole{number}@{host}"),
        _ => match dice.throw(3) {
            0 => write!(file, "wais://{host}/{}?{number}", dice.one_of(WORDS)),
            1 => write!(file, "file:///{path}/{number}"),
            _ => write!(file, "prospero://{host}//{path};key={number}"),
        },
    }
    .unwrap();
}

const WORDS: &[&str] = &[
    "pub", "docs", "rfc", "gopher", "archive", "library", "weather", "maps", "README", "incoming",
    "mirrors", "x11", "recipes", "usenet", "faq", "software",
];

fn host(dice: &mut Dice) -> String {
    let name = dice.one_of(WORDS).to_ascii_lowercase();
    match dice.throw(8) {
        0 => format!("10.{}.{}.7", dice.throw(256), dice.throw(256)),
        1 => format!("{name}.example"),
        2..=4 => format!("gopher.{name}{}.example.org", dice.throw(100)),
        _ => format!("ftp.{name}-{}.cs.example.edu", dice.throw(100)),
    }
}

fn path(dice: &mut Dice) -> String {
    let mut path = dice.one_of(WORDS).to_owned();
    for _ in 0..dice.throw(4) {
        path.push('/');
        path.push_str(dice.one_of(WORDS));
    }
    path
}

fn main() {
    // All crates must accept all URLs: otherwise the work would differ.
    for url in &*URLS {
        assert!(Parts::parse(url).is_ok(), "{url}");
        assert!(url::Url::parse(url).is_ok(), "{url}");
        assert!(fluent_uri::Uri::parse(*url).is_ok(), "{url}");
        assert!(iri_string::types::UriStr::new(url).is_ok(), "{url}");
    }
    header();
    let parts = each(|url| Parts::parse(url).is_ok());
    let what = format!("{COUNT} URLs checked and taken apart");
    let others = [
        (
            "fluent-uri",
            each(|url| fluent_uri::Uri::parse(url).is_ok()),
        ),
        (
            "iri-string",
            each(|url| iri_string::types::UriStr::new(url).is_ok()),
        ),
    ];
    for (name, time) in others {
        let beside = format!("{name}: {}", ms(time));
        row(&what, parts, &beside, Some((ratio(parts, time), None)));
    }
    let (stored, other) = (each(Url::parse), each(url::Url::parse));
    let beside = format!("url: {}", ms(other));
    row(
        "… and stored",
        stored,
        &beside,
        Some((ratio(stored, other), None)),
    );
    plain("… by `geomys url --json`, between two `cat`", json());
}

/// Measures `geomys url --json` between two pipes, as in a script.
fn json() -> Duration {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(FILE.as_bytes()).unwrap();
    let since = Instant::now();
    let status = Command::new("sh")
        .args(["-c", "cat \"$1\" | \"$0\" url --json | cat > /dev/null"])
        .args([Path::new(env!("CARGO_BIN_EXE_geomys")), file.path()])
        .status();
    assert!(status.unwrap().success());
    since.elapsed()
}

/// Returns the median time in which all URLs are parsed.
fn each<T>(mut parse: impl FnMut(&'static str) -> T) -> Duration {
    let times = (0..RUNS).map(|_| {
        let since = Instant::now();
        for url in &*URLS {
            black_box(parse(black_box(url)));
        }
        since.elapsed()
    });
    median(times.collect())
}
