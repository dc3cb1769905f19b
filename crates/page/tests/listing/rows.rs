//! The rows of a listing: their order, their columns, their links.

use geomys_page::document::{
    DirectoryPlacement, Document, Kind as Sort, ListOrder, ListingPlace, Shape, SortColumn,
};
use geomys_testing::loading::{find_below, texts, url};
use geomys_wire::protocol::ftp::listing::{Day, Entry, Format, Line};
use geomys_wire::text::CharsetSetting;

use super::{TODAY, page};

#[test]
fn names_of_any_octets_are_parsed() {
    for (format, line) in [
        (
            Format::Unix,
            b"-rw-r--r-- 1 a b 3 Mar 14 1994 caf\xe9\x1b\xff".as_slice(),
        ),
        (Format::Dos, b"10-11-26  03:15PM  7 caf\xe9\x1b\xff"),
        (Format::Facts, b"type=file; caf\xe9\x1b\xff"),
        (Format::Eplf, b"+r,\tcaf\xe9\x1b\xff"),
        (Format::Names, b"caf\xe9\x1b\xff"),
    ] {
        let Line::Entry(entry) = format.line(line, TODAY) else {
            panic!("{format:?}");
        };
        assert_eq!(entry.name, b"caf\xe9\x1b\xff");
    }
}

#[test]
fn missing_year_around_new_year_is_the_nearest() {
    let year = |line: &'static str, month, day| {
        let today = Day {
            year: 2026,
            month,
            day,
        };
        match Format::Unix.line(line.as_bytes(), today) {
            Line::Entry(Entry {
                date: Some(date), ..
            }) => date.day.year,
            other => panic!("{other:?}"),
        }
    };
    let first = "-rw-r--r-- 1 a b 3 Jan  1 00:10 x";
    let last = "-rw-r--r-- 1 a b 3 Dec 31 23:50 x";
    assert_eq!((year(first, 12, 31), year(last, 12, 31)), (2027, 2026));
    assert_eq!((year(first, 1, 1), year(last, 1, 1)), (2026, 2025));
}

const FEW: &[u8] = b"total 4\r\n\
    -rw-r--r-- 1 a b 30 Mar 14 1994 b.txt\r\n\
    surprise\r\n\
    drwxr-xr-x 2 a b 40 Mar 15 1994 Z\r\n\
    -rw-r--r-- 1 a b 10 Mar 16 1994 A.zip\r\n\
    drwxr-xr-x 2 a b 40 Mar 13 1994 y\r\n\
    -rw-r--r-- 1 a b 20 Mar 17 09:15 c.txt\r\n\
    -rw-r--r-- 1 a b 2000000 Mar 12 1994 B.txt";

#[test]
fn rows_appear_while_loading_and_are_sorted_at_the_end() {
    let arriving = page("ftp://h.example/pub", FEW, None);
    assert_eq!(arriving.order(), None);
    assert!(arriving.needs_finish());
    assert_eq!(
        texts(&arriving),
        [
            "..", "b.txt", "surprise", "Z", "A.zip", "y", "c.txt", "B.txt"
        ]
    );
    let document = arriving.clone().finished();
    assert_eq!(document.order(), Some(ListOrder::new(SortColumn::Name)));
    let sorted = |order| texts(&document.clone().sorted(order)).join(" ");
    assert_eq!(
        texts(&document).join(" "),
        ".. y Z A.zip B.txt b.txt c.txt surprise"
    );
    let by = |column, reverse| {
        sorted(ListOrder {
            column,
            reverse,
            directories: DirectoryPlacement::First,
        })
    };
    assert_eq!(
        by(SortColumn::Name, true),
        ".. Z y c.txt b.txt B.txt A.zip surprise"
    );
    assert_eq!(
        by(SortColumn::Size, false),
        ".. y Z A.zip c.txt b.txt B.txt surprise"
    );
    assert_eq!(
        by(SortColumn::Size, true),
        ".. y Z B.txt b.txt c.txt A.zip surprise"
    );
    assert_eq!(
        by(SortColumn::Date, true),
        ".. Z y c.txt A.zip b.txt B.txt surprise"
    );
    assert_eq!(
        by(SortColumn::Kind, false),
        ".. y Z A.zip B.txt b.txt c.txt surprise"
    );
    for row in 0..arriving.count() {
        let moved = arriving.moved_to(row, &document).unwrap();
        assert_eq!(arriving.row(row), document.row(moved));
    }
    let last = document.row(7).unwrap();
    assert_eq!(last.kind, Sort::Malformed);
    assert!(!document.is_link(7) && document.links(7).is_empty());
    assert!(document.row(8).is_none() && !document.is_link(8) && document.links(8).is_empty());
    assert!(arriving.row(8).is_none() && !arriving.is_link(8));
}

#[test]
fn columns_are_aligned() {
    let document = page("ftp://h.example/", FEW, None).finished();
    let asides: Vec<String> = (0..6)
        .map(|row| document.row(row).unwrap().aside.unwrap().to_string())
        .collect();
    assert_eq!(
        asides,
        [
            "        –  1994-03-13      ",
            "        –  1994-03-15      ",
            "     10 B  1994-03-16      ",
            "   2.0 MB  1994-03-12      ",
            "     30 B  1994-03-14      ",
            "     20 B  2026-03-17 09:15",
        ]
    );
}

#[test]
fn links_resolve_beside_the_listing_url() {
    let octets = b"drwxr-xr-x 2 a b 40 Mar 13 1994 a/b;c\n\
        -rw-r--r-- 1 a b 40 Mar 13 1994 50% #1?.txt\n\
        lrwxrwxrwx 1 a b 40 Mar 13 1994 l\xe9 -> /x\n";
    for (address, head) in [
        ("ftp://me@h.example:2121", "ftp://me@h.example:2121/"),
        ("ftp://h.example/;type=d", "ftp://h.example/"),
        ("ftp://h.example/pub;type=d", "ftp://h.example/pub/"),
        ("ftp://h.example/pub/", "ftp://h.example/pub/"),
        ("ftp://h.example/%2F;type=d", "ftp://h.example/%2F/"),
        ("ftp://h.example//", "ftp://h.example//"),
    ] {
        let document = page(address, octets, None);
        let links: Vec<String> = (0..document.count())
            .flat_map(|row| document.links(row))
            .filter(|link| link.label.as_str() != "..")
            .map(|link| link.target.unwrap().to_string())
            .collect();
        let expected = ["a%2Fb%3Bc;type=d", "50%25%20%231?.txt", "l%E9"];
        assert_eq!(links, expected.map(|name| format!("{head}{name}")));
    }
}

#[test]
fn find_matches_shown_row_text() {
    use geomys_page::document::find::SearchText;
    let octets = b"total 1\nlrwxrwxrwx 1 a b 40 Mar 13 1994 link -> there\n-rw-r--r-- 1 a b 4 Mar 13 1994 x\n";
    let document = page("ftp://h.example/", octets, None).finished();
    let at = |words: &str| {
        let needle = SearchText::new(words).unwrap();
        find_below(&document, &needle, 0)
    };
    assert_eq!(at("k → t"), Some(0));
    assert_eq!(at("x"), Some(1));
    assert_eq!(at("rwx"), None);
}

#[test]
fn hundred_thousand_entries_sort_fast() {
    use std::fmt::Write as _;
    let mut octets = String::new();
    for number in 0..100_000 {
        let scattered = (number * 7919) % 100_000;
        writeln!(octets, "-rw-r--r--   1 ftp      ftp           {scattered:>6} Sep 30  1994 entry-{scattered:06}.txt\r").unwrap();
    }
    let shape = Shape::Listing {
        format: None,
        today: TODAY,
        place: ListingPlace::Server,
    };
    let mut document = Document::new(url("ftp://h.example/"), shape, CharsetSetting::default());
    for piece in octets.as_bytes().chunks(65536) {
        document.append(piece);
    }
    let document = document.finished();
    let document = document.sorted(ListOrder::new(SortColumn::Size));
    assert_eq!(document.count(), 100_000);
    assert_eq!(document.row(0).unwrap().text(), "entry-099999.txt");
}

/// The names of the entries of a listing, by their links.
fn names(lines: &[u8]) -> Vec<String> {
    let page = page("ftp://example.org/", lines, None).finished();
    let links = (0..page.count()).filter_map(|row| page.links(row).into_iter().next());
    links
        .filter_map(|link| link.target.ok())
        .map(|target| target.as_str().replace("ftp://example.org/", ""))
        .filter(|name| !name.is_empty() && name != "/")
        .collect()
}

const PADDED_YEARS: &[u8] = b"total 5\r\n\
    drwxr-xr-x   2 root     system          512 Mar 14 1994  .\r\n\
    -rw-r--r--   1 root     system            5 Mar 14 1994  a\r\n\
    -rw-r--r--   1 root     system            5 Nov 20 10:00 b\r\n\
    -rw-r--r--   1 root     system            5 Mar 14 1994   c\r\n";

#[test]
fn year_padded_by_a_blank_is_told_by_the_whole_listing() {
    assert_eq!(names(PADDED_YEARS), ["%20c", "a", "b"]);
    // Years alone.
    let years: Vec<u8> = PADDED_YEARS
        .split_inclusive(|&octet| octet == b'\n')
        .filter(|line| !line.windows(5).any(|part| part == b"10:00"))
        .flatten()
        .copied()
        .collect();
    assert_eq!(names(&years), ["%20c", "a"]);
}

#[test]
fn name_with_its_own_blank_keeps_it() {
    let plain = b"-rw-r--r-- 1 root system 5 Mar 14 1994 d\r\n".as_slice();
    for lines in [
        [PADDED_YEARS, plain].concat(),
        [plain, PADDED_YEARS].concat(),
    ] {
        assert_eq!(names(&lines), ["%20.;type=d", "%20%20c", "%20a", "b", "d"]);
    }
    let times = b"-rw-r--r-- 1 root system 5 Nov 20 10:00  e\r\n\
        -rw-r--r-- 1 root system 5 Mar 14 1994  f\r\n";
    assert_eq!(names(times), ["%20e", "%20f"]);
}
