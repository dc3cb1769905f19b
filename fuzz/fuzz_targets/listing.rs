//! Octets as a directory listing of FTP, in every supported format and in the guessed one.

#![no_main]

use geomys_fuzz::{check_document, split};
use geomys_page::document::Shape;
use geomys_page::document::{ListOrder, ListingPlace, SortColumn};
use geomys_wire::protocol::ftp::listing::{Day, Format, Guess, Line};

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let today = Day::new(2026, 11, 22).expect("a day");
    let format = Format::ALL.get(usize::from(how & 15)).copied();

    let mut guess = Guess::default();
    let lines: Vec<&[u8]> = octets.split(|&octet| octet == b'\n').collect();
    for line in &lines {
        guess.add(line);
        let format = format.unwrap_or(Format::Unix);
        if let Line::Entry(entry) = format.line(line, today) {
            assert!(entry.name.len() <= line.len(), "{entry:?}");
        }
    }
    guess.format();

    let shape = Shape::Listing {
        format,
        today,
        place: ListingPlace::Server,
    };
    let piece = usize::from(how >> 4) * 11 + 1;
    let document = check_document("ftp://h.example/a/;type=d", shape, octets, piece);
    for column in [
        SortColumn::Name,
        SortColumn::Size,
        SortColumn::Date,
        SortColumn::Kind,
    ] {
        let sorted = document.clone().sorted(ListOrder::new(column));
        assert_eq!(sorted.count(), document.count(), "{column:?}");
    }
});
