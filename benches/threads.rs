//! The speed and the memory of threading the articles of a group: `cargo bench --bench threads`. The threads are
//! generated: of a few articles and of thousands, with replies to older and newer articles, some to missing ones, some
//! by subject only.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a bench may stop at the first thing that is not as it should be, and prints figures"
)]

use std::env;
use std::fmt::Write;
use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use geomys_page::document::find::FilterQuery;
use geomys_page::document::score::ScoreRules;
use geomys_page::document::{
    Arrangement, ArticleNumbers, ArticleVisibility, Document, Fold, ListOrder, ReadRows, Shape,
    SortColumn, ThreadFolds,
};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

/// The number of runs, of which the best counts: the machine may be busy.
const RUNS: usize = 5;

/// The octets that a socket gives at once.
const PIECE: usize = 64 * 1024;

const COUNTS: [u64; 2] = [100_000, 1_000_000];

const FORESTS: [(&str, Parent); 3] = [
    ("threads of eight", of_eight),
    ("threads of any size", of_any_size),
    ("one chain", chain),
];

/// Measures each group in a process of its own: the memory that another one has freed would be used again.
fn main() {
    let mut arguments = env::args().skip(1).map(|argument| argument.parse::<u64>());
    if let (Some(Ok(count)), Some(Ok(forest))) = (arguments.next(), arguments.next()) {
        let forest = usize::try_from(forest).unwrap();
        let (name, parent) = FORESTS[forest];
        return measure(count, name, parent);
    }
    for count in COUNTS {
        for forest in 0..FORESTS.len() {
            let mut group = Command::new(env::current_exe().unwrap());
            group.args([count.to_string(), forest.to_string()]);
            assert!(group.status().unwrap().success());
        }
    }
}

/// A function that returns the parent of an article, both numbered from the oldest.
type Parent = fn(u64) -> Option<u64>;

fn of_eight(article: u64) -> Option<u64> {
    (!article.is_multiple_of(8)).then(|| article - 1 - mixed(article) % (article % 8))
}

/// Half of all articles begin a thread; the others reply to one of the last thousand.
fn of_any_size(article: u64) -> Option<u64> {
    let chance = mixed(article);
    (chance % 2 == 1 && article > 1000).then(|| article - 1 - (chance >> 8) % 1000)
}

fn chain(article: u64) -> Option<u64> {
    article.checked_sub(1)
}

/// Returns a pseudo-random number.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^= mixed >> 31;
    mixed = mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 29)
}

/// Returns the overview of a group, the newest article first. References contain the last three ancestors of an
/// article.
fn group(count: u64, parent: Parent) -> Document {
    let url = Url::parse("nntp://news.example.org/a.b").unwrap();
    let mut document = Document::new(url, Shape::Group, CharsetSetting::default());
    let mut octets = String::new();
    for article in (0..count).rev() {
        let mut above = parent(article);
        let mut references = Vec::new();
        while let Some(answered) = above.filter(|_| references.len() < 3) {
            references.push(format!(
                "<{answered}.{}@example.org>",
                mixed(answered) % 9999
            ));
            above = parent(answered);
        }
        references.reverse();
        let mark = if references.is_empty() { "" } else { "Re: " };
        let (author, day) = (mixed(article) % 5000, 1 + article % 28);
        write!(
            octets,
            "{}\t{mark}A remark on {}\tAuthor {author} <a{author}@example.org>\tThu, {day} Nov 2026 21:04:00 +0000\t\
             <{article}.{}@example.org>\t{}\t2000\t40\r\n",
            article + 1,
            article / 8,
            mixed(article) % 9999,
            references.join(" "),
        )
        .unwrap();
        if octets.len() > PIECE {
            document.append(octets.as_bytes());
            octets.clear();
        }
    }
    document.append(octets.as_bytes());
    document
}

fn measure(count: u64, forest: &str, parent: Parent) {
    let document = group(count, parent);
    println!(
        "{count} articles, {forest}, {:.0} octets of overview each",
        document.raw().len() as f64 / count as f64
    );
    let row = |what: &str, took: Duration| {
        println!("  {what:<32} {:>7.1} ms", took.as_secs_f64() * 1e3);
    };
    let before = memory("VmRSS");
    // Resets the peak (proc_pid_clear_refs(5)).
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let whole = document.clone().finished();
    assert_eq!(whole.count(), usize::try_from(count).unwrap());
    for (when, now) in [("afterwards", "VmRSS"), ("at the most", "VmHWM")] {
        let more = memory(now).saturating_sub(before) as f64 / count as f64;
        println!(
            "  {:<32} {more:>7.1} octets an article",
            format!("memory {when}")
        );
    }
    row("threaded", best(|| document.clone().finished()));
    for column in [SortColumn::Date, SortColumn::Author, SortColumn::Subject] {
        let took = best(|| whole.clone().sorted(ListOrder::new(column)));
        row(&format!("sorted by {}", column.name()), took);
    }
    let mut read = ArticleNumbers::default();
    (0..2000).for_each(|range| read.insert(range * 40, range * 40 + 20));
    let read = Arc::new(read);
    row(
        "unread counted",
        best(|| {
            let mut marked = whole.clone();
            marked.set_read(Arc::clone(&read));
            marked.unread()
        }),
    );
    let arranged = |change: fn(&mut Arrangement)| {
        let mut marked = whole.clone();
        marked.set_read(Arc::clone(&read));
        let mut arrangement = marked.arrangement();
        change(&mut arrangement);
        best(|| marked.clone().arranged(arrangement.clone()))
    };
    row(
        "all threads folded",
        arranged(|arrangement| {
            arrangement.visibility = ArticleVisibility {
                folds: ThreadFolds::all(Fold::Closed),
                ..ArticleVisibility::default()
            };
        }),
    );
    row(
        "only unread",
        arranged(|arrangement| arrangement.visibility.read = ReadRows::LeftOut),
    );
    row(
        "filtered",
        arranged(|arrangement| arrangement.filter = FilterQuery::new("author 77")),
    );
    let (rules, faults) =
        ScoreRules::parse("-9999 From: a77@\n+10 Subject: remark on 7*5\n-1 Lines: > 100\n");
    assert!(faults.is_empty());
    let mut scored = whole.clone();
    scored.set_rules(Arc::new(rules));
    let arrangement = scored.arrangement();
    row(
        "scored by three rules",
        best(|| scored.clone().arranged(arrangement.clone())),
    );
    row(
        "next unread",
        best(|| {
            let mut marked = whole.clone();
            marked.set_read(Arc::new(ArticleNumbers::range(1, count - 1)));
            marked.unread_from(Some(0)).next()
        }),
    );
}

/// Returns a figure of the memory of this process, in octets.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kib = line.split_whitespace().nth(1).unwrap();
    kib.parse::<u64>().unwrap() * 1024
}

fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let run = |_| {
        let start = Instant::now();
        let made = std::hint::black_box(work());
        let took = start.elapsed();
        drop(made);
        took
    };
    (0..RUNS).map(run).min().unwrap()
}
