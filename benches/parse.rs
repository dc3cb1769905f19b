//! The speed of parsing octets into rows: `cargo bench --bench parse`.

#![allow(
    clippy::unwrap_used,
    reason = "a bench may stop at the first thing that is not as it should be"
)]

use std::fmt::Write;
use std::hint::black_box;
use std::sync::LazyLock;

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, bench};
use geomys_page::document::find::{Direction, FindStart, SearchText, find_match};
use geomys_page::document::raw::LineBuffer;
use geomys_page::document::{Document, Shape};
use geomys_wire::protocol::ftp::listing::{Day, Format};
use geomys_wire::text::CharsetSetting;
use rfc1738::{Dialect, Url};

/// The octets that a socket gives at once.
const PIECE: usize = 64 * 1024;

/// A menu of a million rows.
static MENU: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut menu = String::new();
    for row in 1..=1_000_000 {
        write!(
            menu,
            "0Row {row} of the menu\t/row/{row}\t127.0.0.1\t7070\r\n"
        )
        .unwrap();
    }
    menu.into_bytes()
});

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    let url = Url::parse("gopher://127.0.0.1:7070/1/menu").unwrap();
    let mut document = Document::new(url, Shape::Menu, CharsetSetting::default());
    MENU.chunks(PIECE).for_each(|piece| document.append(piece));
    document
});

const TODAY: Day = Day {
    year: 1994,
    month: 12,
    day: 1,
};

fn main() {
    divan::main();
}

#[bench(sample_count = 20)]
fn octets_appended(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::of_slice(&*MENU)).bench(|| {
        let mut raw = LineBuffer::default();
        MENU.chunks(PIECE).for_each(|piece| raw.append(piece));
        raw
    });
}

#[bench(sample_count = 20)]
fn menu_appended(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::of_slice(&*MENU)).bench(|| {
        let url = Url::parse("gopher://127.0.0.1:7070/1/menu").unwrap();
        let mut document = Document::new(url, Shape::Menu, CharsetSetting::default());
        MENU.chunks(PIECE).for_each(|piece| document.append(piece));
        document
    });
}

/// The charset detection of a complete page of 64 KiB in KOI8-R.
#[bench]
fn charset_detected(bencher: Bencher<'_, '_>) {
    let (line, _, _) = encoding_rs::KOI8_R.encode("Сегодня дождь, а завтра будет солнце\n");
    let url = Url::parse("gopher://127.0.0.1:7070/0/text").unwrap();
    let mut document = Document::new(url, Shape::Text, CharsetSetting::Detected);
    document.append(&line.repeat(64 * 1024 / line.len()));
    bencher
        .with_inputs(|| document.clone())
        .bench_values(Document::finished);
}

/// A page of gemtext of 10 MB, with headings, links, lists, quotations and preformatted text.
#[bench(sample_count = 20)]
fn gemtext_rows_made(bencher: Bencher<'_, '_>) {
    const PART: &str = "# A heading\n=> gemini://h.example/page A link\n* An item\n> A quotation\n\
                        ```\n preformatted  text\n```\nA paragraph that is a little longer than the other lines.\n";
    let page = PART.repeat(10_000_000 / PART.len());
    let url = Dialect::Extended.parse("gemini://h.example/").unwrap();
    bencher
        .counter(BytesCount::of_slice(page.as_bytes()))
        .bench(|| {
            let mut document =
                Document::new(url.clone(), Shape::Gemtext, CharsetSetting::default());
            page.as_bytes()
                .chunks(PIECE)
                .for_each(|piece| document.append(piece));
            let document = document.finished();
            for row in 0..document.count() {
                black_box(document.row(row));
            }
        });
}

#[bench(sample_count = 20)]
fn menu_rows_made(bencher: Bencher<'_, '_>) {
    const ROWS: usize = 100_000;
    bencher.counter(ItemsCount::new(ROWS)).bench(|| {
        for row in 0..ROWS {
            black_box(DOCUMENT.row(row));
        }
    });
}

#[bench(sample_count = 20)]
fn a_million_rows_searched(bencher: Bencher<'_, '_>) {
    let needle = SearchText::new("nowhere to be found").unwrap();
    bencher
        .counter(ItemsCount::new(DOCUMENT.count()))
        .bench(|| find_match(&DOCUMENT, &needle, FindStart::Row(0), Direction::Down));
}

/// The worst case of find: every row contains a long prefix of the words.
#[bench(sample_count = 20)]
fn a_million_rows_searched_for_what_all_nearly_hold(bencher: Bencher<'_, '_>) {
    let needle = SearchText::new("row 1000000 of").unwrap();
    bencher
        .counter(ItemsCount::new(DOCUMENT.count()))
        .bench(|| find_match(&DOCUMENT, &needle, FindStart::Row(0), Direction::Down));
}

#[bench(sample_count = 20, args = [Format::Unix, Format::Facts])]
fn listing_lines_read(bencher: Bencher<'_, '_>, format: Format) {
    let lines: Vec<String> = (0..100_000).map(|number| line(format, number)).collect();
    bencher.counter(ItemsCount::new(lines.len())).bench(|| {
        for line in &lines {
            black_box(format.line(line.as_bytes(), TODAY));
        }
    });
}

fn line(format: Format, number: usize) -> String {
    if format == Format::Unix {
        format!("-rw-r--r--   1 ftp      ftp      {number:>9} Sep 30  1994 entry-{number:06}.txt")
    } else {
        format!("type=file;size={number};modify=19940930120000;perm=r; entry-{number:06}.txt")
    }
}

#[bench(sample_count = 100)]
fn urls_parsed(bencher: Bencher<'_, '_>) {
    const URLS: [&str; 12] = [
        "ftp://ftp.example.org/pub/rfc/rfc1738.txt;type=a",
        "ftp://ada:lovelace@archive.example.org:2121/%2Fetc/motd",
        "http://www.example.org:8080/a/b?c",
        "gopher://gopher.example.org/",
        "gopher://gopher.example.org:7070/7/search%09three%20words",
        "mailto:ada@example.org",
        "news:comp.infosystems.gopher",
        "news:1994.12.01.1738@example.org",
        "nntp://news.example.org/comp.infosystems.gopher/1738",
        "telnet://guest:guest@library.example.org:23/",
        "wais://wais.example.org/directory-of-servers?tide",
        "prospero://host.example.org:1525//pros/name;key=value",
    ];
    bencher.counter(ItemsCount::new(URLS.len())).bench(|| {
        for url in URLS {
            black_box(Url::parse(black_box(url)).unwrap());
        }
    });
}
