//! The speed of listings: `cargo bench --bench listing`. It prints megabytes per second for each format, compared with
//! finding the lines only, and the times to sort 100,000 entries and to filter a million rows.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a bench may stop at the first thing that is not as it should be, and prints figures"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use geomys_page::document::find::FilterQuery;
use geomys_page::document::{Arrangement, Document, ListOrder, ListingPlace, Shape, SortColumn};
use geomys_wire::protocol::ftp::listing::{Day, Format, Line};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

const ENTRIES: usize = 100_000;

/// The number of runs, of which the best counts: the machine may be busy.
const RUNS: usize = 15;

/// The octets that a socket gives at once.
const PIECE: usize = 64 * 1024;

const TODAY: Day = Day {
    year: 2026,
    month: 11,
    day: 20,
};

/// A function that writes the entry with a number.
type Entry = fn(usize) -> String;

fn main() {
    println!("reading lines, {ENTRIES} of each form");
    let forms: [(&str, Format, Entry); 8] = [
        ("unix", Format::Unix, unix),
        ("unix, German", Format::Unix, german),
        ("facts", Format::Facts, facts),
        ("dos", Format::Dos, dos),
        ("eplf", Format::Eplf, eplf),
        ("vms", Format::Vms, vms),
        ("os400", Format::Os400, os400),
        ("names", Format::Names, |number| {
            format!("entry-{number:06}.txt")
        }),
    ];
    for (name, format, line) in forms {
        let octets = listing(line);
        let lines = best(|| lines(&octets).map(<[u8]>::len).sum::<usize>());
        let read = best(|| {
            let is_entry = |line: &[u8]| matches!(format.line(line, TODAY), Line::Entry(_));
            let entries = lines_of(&octets, is_entry);
            assert_eq!(entries, ENTRIES);
            entries
        });
        println!(
            "{name:<14} {:>6.0} MB/s   {:>4.0} ns a line   {:>4.1} times as long as memchr",
            octets.len() as f64 / read.as_secs_f64() / 1e6,
            read.as_secs_f64() * 1e9 / ENTRIES as f64,
            read.as_secs_f64() / lines.as_secs_f64(),
        );
    }
    println!("\nshowing them");
    for (name, line) in [("unix", unix as Entry), ("facts", facts)] {
        let octets = listing(line);
        let document = appended(&octets);
        let row = |what: &str, took: Duration| {
            println!("{name:<6} {what:<28} {:>6.1} ms", took.as_secs_f64() * 1e3);
        };
        row("as they arrive", best(|| appended(&octets)));
        row(
            "parsed and sorted by name",
            best(|| document.clone().finished()),
        );
        row("all of it", best(|| appended(&octets).finished()));
        let whole = document.finished();
        for (what, column) in [
            ("sorted by size", SortColumn::Size),
            ("sorted by date", SortColumn::Date),
            ("sorted by kind", SortColumn::Kind),
        ] {
            row(what, best(|| whole.clone().sorted(ListOrder::new(column))));
        }
        let filter = |words: &str| Arrangement {
            filter: FilterQuery::new(words),
            ..whole.arrangement()
        };
        let arrangement = filter("99");
        row(
            "filtered",
            best(|| whole.clone().arranged(arrangement.clone())),
        );
        let narrow = whole.clone().arranged(filter("9"));
        row(
            "filtered further",
            best(|| narrow.clone().arranged(arrangement.clone())),
        );
    }
    million();
}

/// Filters a menu of a million rows, as words are typed.
fn million() {
    let url = Url::parse("gopher://127.0.0.1:7070/1/menu").unwrap();
    let mut menu = Document::new(url, Shape::Menu, CharsetSetting::default());
    for row in 0..1_000_000 {
        menu.append(format!("0Row {row} of the menu\t/row/{row}\t127.0.0.1\t7070\r\n").as_bytes());
    }
    println!("\na menu of a million rows");
    for words in ["9", "99", "row 9999", "menu", "nowhere"] {
        let arrangement = Arrangement {
            filter: FilterQuery::new(words),
            ..Arrangement::default()
        };
        let took = best(|| menu.clone().arranged(arrangement.clone()));
        let shown = menu.clone().arranged(arrangement).count();
        println!(
            "filtered by {words:<10} {shown:>8} rows {:>6.0} ms",
            took.as_secs_f64() * 1e3
        );
    }
    let took = best(|| menu.clone());
    println!(
        "a clone for the task  {:>18.0} µs",
        took.as_secs_f64() * 1e6
    );
}

fn listing(line: Entry) -> Vec<u8> {
    (0..ENTRIES)
        .map(|number| line(number * 7919 % ENTRIES) + "\r\n")
        .collect::<String>()
        .into_bytes()
}

fn unix(number: usize) -> String {
    format!("-rw-r--r--   1 ftp      ftp      {number:>9} Sep 30  1994 entry-{number:06}.txt")
}

fn german(number: usize) -> String {
    format!("-rw-r--r--   1 ftp      ftp      {number:>9} Mär 30 18:45 entry-{number:06}.txt")
}

fn facts(number: usize) -> String {
    format!("type=file;size={number};modify=19940930120000;perm=r; entry-{number:06}.txt")
}

fn dos(number: usize) -> String {
    format!("10-11-26  03:15PM       {number:>14} entry-{number:06}.txt")
}

fn eplf(number: usize) -> String {
    format!("+i8388621.48594,m825718503,r,s{number},\tentry-{number:06}.txt")
}

fn vms(number: usize) -> String {
    format!("ENTRY-{number:06}.TXT;1    2/3      19-NOV-2026 10:23:45  [ANON]  (RWED,RWED,RE,RE)")
}

fn os400(number: usize) -> String {
    format!("QPGMR      {number:>9} 11/19/26 10:11:12 *STMF      entry-{number:06}.txt")
}

fn lines(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', octets).map(move |end| {
        let line = octets.get(start..end).unwrap_or_default();
        start = end + 1;
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

fn lines_of(octets: &[u8], predicate: impl Fn(&[u8]) -> bool) -> usize {
    lines(octets).filter(|line| predicate(line)).count()
}

fn appended(octets: &[u8]) -> Document {
    let url = Url::parse("ftp://127.0.0.1:2121/big;type=d").unwrap();
    let shape = Shape::Listing {
        format: None,
        today: TODAY,
        place: ListingPlace::Server,
    };
    let mut document = Document::new(url, shape, CharsetSetting::default());
    octets
        .chunks(PIECE)
        .for_each(|piece| document.append(piece));
    document
}

fn best<T>(work: impl Fn() -> T) -> Duration {
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        let made = black_box(work());
        let took = start.elapsed();
        drop(made);
        took
    });
    times.min().unwrap()
}
