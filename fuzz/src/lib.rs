//! Checks shared by the fuzz targets: the invariants of a document for any octets, and the time that an input may take.

use std::time::Duration;

use geomys_page::document::find::{Direction, FindStart, SearchText, find_match};
use geomys_page::document::{Document, Row, Shape};
use geomys_wire::text::{CharsetSetting, Text, is_harmful};
use rfc1738::Dialect;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Runtime};

/// The number of rows of a document that are checked; a small input seldom has more.
const ROWS: usize = 2_000;

/// The CPU time that an input may take. A key of the browser waits no longer for a page, and the largest input is a small page.
const MAX_CPU_TIME: Duration = Duration::from_millis(100);

/// Defines the target of libFuzzer: it fails for an input that takes too much CPU time.
#[macro_export]
macro_rules! target {
    (|$input:ident: $type:ty| $body:block) => {
        libfuzzer_sys::fuzz_target!(|$input: $type| {
            $crate::check_time(|| $body);
        });
    };
}

/// Does the work for an input, and checks its CPU time: that of this thread, whatever else the machine does. Work that took too
/// long is done once more, as the first input also makes the tables that all share.
pub fn check_time(work: impl Fn()) {
    let times = || {
        let start = cpu_time();
        work();
        cpu_time().saturating_sub(start)
    };
    if times() > MAX_CPU_TIME {
        let time = times();
        assert!(time <= MAX_CPU_TIME, "the input takes {time:?} of CPU time");
    }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.try_into().expect("a time since the thread began")
}

/// Splits off the first octet, which selects how the rest is parsed.
pub fn split(octets: &[u8]) -> (u8, &[u8]) {
    octets
        .split_first()
        .map_or((0, octets), |(first, rest)| (*first, rest))
}

/// Checks a document of these octets: it does not depend on how the octets arrive, no row contains control characters, and
/// every operation ends.
pub fn check_document(url: &str, shape: Shape, octets: &[u8], piece: usize) -> Document {
    let url = Dialect::Extended
        .parse(url)
        .expect("the URL of a target is one");
    let mut whole = Document::new(url.clone(), shape, CharsetSetting::default());
    whole.append(octets);
    let whole = whole.finished();

    let mut pieces = Document::new(url, shape, CharsetSetting::default());
    for piece in octets.chunks(piece.max(octets.len() / 16).max(1)) {
        pieces.append(piece);
        check_rows(&pieces, 3);
    }
    let pieces = pieces.finished();

    assert_eq!(pieces.count(), whole.count(), "the same number of rows");
    for number in 0..whole.count().min(ROWS) {
        assert_eq!(pieces.row(number), whole.row(number), "row {number}");
    }
    check_rows(&whole, ROWS);
    check_rows(&whole.source_view(), ROWS);
    if let Some(needle) = SearchText::new("e") {
        let found = find_match(&whole, &needle, FindStart::Row(0), Direction::Down);
        assert!(found.is_none_or(|found| found.row < whole.count()));
    }
    whole
}

/// Checks that rows and links contain no characters that act on a terminal.
fn check_rows(document: &Document, most: usize) {
    for number in 0..document.count().min(most) {
        let row = document
            .row(number)
            .expect("a row that is counted is there");
        check_row(&row);
        let links = document.links(number);
        assert_eq!(!links.is_empty(), document.is_link(number), "row {number}");
        for link in &links {
            check_text(&link.label);
            if let Err(error) = &link.target {
                check_str(&error.to_string());
            }
        }
    }
    if let Some(title) = document.title() {
        check_text(&title);
    }
}

fn check_row(row: &Row) {
    check_str(&row.text());
    for text in row.lead.iter().chain(&row.aside) {
        check_text(text);
    }
    for width in [1, 40, 80] {
        row.hang_in(width);
    }
}

fn check_text(text: &Text) {
    check_str(text.as_str());
}

/// Checks that a text contains no character that acts on a terminal.
pub fn check_str(text: &str) {
    assert!(!text.contains(is_harmful), "{text:?}");
}

/// Creates a runtime for the dialogues: one thread, with the clock for their timeouts.
pub fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
}

/// Creates a connection whose server sends `octets` and nothing more, and accepts any data.
pub fn connection(octets: &[u8]) -> impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin {
    tokio::io::join(std::io::Cursor::new(octets.to_vec()), tokio::io::sink())
}
