//! Checks that the fuzz targets share: the laws of a document, whatever its octets are.

use geomys::document::find::{Direction, Needle, find};
use geomys::document::{Document, Row, Shape};
use geomys::text::{Charset, Text, is_harmful};
use geomys::url::Url;
use tokio::runtime::{Builder, Runtime};

/// Rows of a document that are looked at; an input is small, so that it seldom has more.
const ROWS: usize = 2_000;

/// Splits the first octet off: it chooses how the rest is read.
pub fn split(octets: &[u8]) -> (u8, &[u8]) {
    octets
        .split_first()
        .map_or((0, octets), |(first, rest)| (*first, rest))
}

/// A document of these octets, which keeps the laws of every document: it is the same however the octets arrive, no row
/// can touch a terminal, and looking at it in any way ends.
pub fn check_document(url: &str, shape: Shape, octets: &[u8], piece: usize) -> Document {
    let url = Url::accept(url).expect("the URL of a target is one");
    let mut whole = Document::new(url.clone(), shape, Charset::default());
    whole.append(octets);
    let whole = whole.finished();

    let mut pieces = Document::new(url, shape, Charset::default());
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
    if let Some(needle) = Needle::new("e") {
        let found = find(&whole, &needle, 0, Direction::Down);
        assert!(found.is_none_or(|row| row < whole.count()));
    }
    whole
}

/// No row that is shown, and nothing that a link says, holds what could touch a terminal.
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

/// A text holds no character that could act on a terminal.
pub fn check_str(text: &str) {
    assert!(!text.contains(is_harmful), "{text:?}");
}

/// A runtime for the dialogues: one thread, with the clock that their limits need.
pub fn runtime() -> Runtime {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
}

/// A connection whose other end says `octets` and nothing more, and takes whatever it is told.
pub fn connection(octets: &[u8]) -> impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin {
    tokio::io::join(std::io::Cursor::new(octets.to_vec()), tokio::io::sink())
}
