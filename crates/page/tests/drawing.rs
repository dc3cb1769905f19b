//! Drawings with SAUCE records (SAUCE 00.5): the record is no text.

use geomys_page::document::{Document, Shape};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

/// The rows of a text that arrives in parts of this size.
fn rows(octets: &[u8], part: usize) -> Vec<String> {
    let url = Url::parse("gopher://h.example/0/art.ans").unwrap();
    let mut document = Document::new(url, Shape::Text, CharsetSetting::default());
    octets.chunks(part).for_each(|part| document.append(part));
    let document = document.finished();
    let rows = (0..document.count()).map(|row| document.row(row).unwrap().text());
    rows.collect()
}

/// A SAUCE record with these comments before it, whose size has an octet that ends a line.
fn sauce(comments: &[&str]) -> Vec<u8> {
    let mut record = b"SAUCE00A drawing".to_vec();
    record.resize(128, 0);
    record[90] = b'\n';
    record[104] = u8::try_from(comments.len()).unwrap();
    let lines = comments.iter().map(|comment| format!("{comment:64}"));
    let lines: String = lines.collect();
    let comments = match lines.as_str() {
        "" => String::new(),
        lines => format!("COMNT{lines}"),
    };
    [comments.as_bytes(), &record].concat()
}

#[test]
fn record_behind_a_text_is_not_shown() {
    let records = [
        sauce(&[]),
        sauce(&["By Ada"]),
        sauce(&["first", "second", "third"]),
    ];
    for record in records {
        for (end, part) in [("\x1a", 4096), ("\r\n\x1a", 7), ("", 1), ("\r\n", 99)] {
            let octets = [b"one\r\ntwo", end.as_bytes(), &record].concat();
            assert_eq!(rows(&octets, part), ["one", "two"], "{end:?}");
        }
    }
    assert_eq!(rows(&sauce(&[]), 50), Vec::<String>::new());
}

#[test]
fn words_of_a_record_inside_a_text_stay() {
    let octets = b"a SAUCE00 record\nCOMNT\nend\n";
    assert_eq!(rows(octets, 9), ["a SAUCE00 record", "COMNT", "end"]);
    let short = [b"text\n\x1a".as_slice(), &sauce(&[])[..100]].concat();
    assert!(rows(&short, 9).concat().contains("SAUCE00"));
}
