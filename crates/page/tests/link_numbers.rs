//! The numbers of links in texts and Web pages, and the headings of menus.

use geomys_page::document::{Document, Kind, Shape};
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;
use rfc1738::Url;

fn document(shape: Shape, octets: &[u8]) -> Document {
    let mut document = Document::new(
        Url::parse("gopher://h.example/0/text").unwrap(),
        shape,
        CharsetSetting::default(),
    );
    document.append(octets);
    document.finished()
}

/// The numbers beside the rows.
fn numbers(document: &Document) -> Vec<Option<usize>> {
    let rows = (0..document.count()).map(|row| document.row(row).unwrap());
    rows.map(|row| row.number).collect()
}

#[test]
fn links_of_a_text_are_numbered_beside_their_first_row() {
    let text = b"See http://a.example/ and http://b.example/\nno link\n<URL:http://c.example/one/\n  two> \
                 http://d.example/\n";
    let document = document(Shape::Text, text);
    assert_eq!(numbers(&document), [Some(1), None, Some(3), Some(4)]);
    assert_eq!(document.highest_link_number(), 4);
    for (number, url) in [
        (1, "http://a.example/"),
        (2, "http://b.example/"),
        (3, "http://c.example/one/two"),
        (4, "http://d.example/"),
    ] {
        let (row, index) = document.numbered_link(number).unwrap();
        let link = document.link(row, index).unwrap();
        assert_eq!(link.target.unwrap().as_str(), url, "{number}");
    }
    assert_eq!(document.numbered_link(5), None);
    // A number is no part of the text.
    assert_eq!(document.row(1).unwrap().text(), "no link");
}

#[test]
fn links_of_every_row_of_a_long_text_are_numbered() {
    let text = "No link here.\n".repeat(9999) + "See http://a.example/\n";
    let text = text.repeat(2);
    let url = Url::parse("gopher://h.example/0/text").unwrap();
    let mut arriving = Document::new(url, Shape::Text, CharsetSetting::default());
    for part in text.as_bytes().chunks(50_000) {
        arriving.append(part);
    }
    assert_eq!(arriving.row(19_999).unwrap().number, Some(2));
    // All at once: the rest is numbered when it is finished.
    let finished = document(Shape::Text, text.as_bytes());
    assert_eq!(finished.row(9999).unwrap().number, Some(1));
    assert_eq!(finished.row(19_999).unwrap().number, Some(2));
    assert_eq!(finished.numbered_link(2), Some((19_999, 0)));
    let mut arrived = document(Shape::Text, b"");
    arrived.append(text.as_bytes());
    assert!(arrived.needs_finish());
    assert!(!finished.needs_finish());
    let rows = "<p><a href=\"/a\">a link</a></p>\n".repeat(10_000);
    let page = document(Shape::Html, rows.as_bytes());
    assert_eq!(page.highest_link_number(), 10_000);
}

proptest! {
    #[test]
    fn numbers_are_those_of_all_links_however_the_text_arrives(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "a b", "\n", "http://a.example/", "<URL:http://c.example/one/\n  two>", "<URL:\ngopher://h/>", ":", "é",
            ]),
            0..30,
        ),
        piece in 1_usize..20,
    ) {
        let text = words.concat();
        let url = Url::parse("gopher://h.example/0/text").unwrap();
        let mut arrived = Document::new(url, Shape::Text, CharsetSetting::default());
        for part in text.as_bytes().chunks(piece) {
            arrived.append(part);
        }
        // A text whose charset is settled is not finished.
        let arrived = if arrived.needs_finish() { arrived.finished() } else { arrived };
        let mut begun = 0;
        for row in 0..arrived.count() {
            let links = arrived.link_count(row) - usize::from(arrived.continues_link(row));
            let expected = (links > 0).then_some(begun + 1);
            prop_assert_eq!(arrived.row(row).unwrap().number, expected, "row {} of {:?}", row, text);
            begun += links;
        }
        prop_assert_eq!(arrived.highest_link_number(), begun);
    }
}

#[test]
fn document_for_output_has_neither_numbers_nor_lengths() {
    let text = b"See http://a.example/ and\nmore of it, which is long\n";
    let url = Url::parse("gopher://h.example/0/text").unwrap();
    let shown = document(Shape::Text, text);
    assert!(shown.highest_link_number() == 1 && shown.hard_wrapped_columns() > 0);
    let mut printed = Document::new(url, Shape::Text, CharsetSetting::default()).for_output();
    printed.append(text);
    let printed = printed.finished();
    assert_eq!(
        (
            printed.highest_link_number(),
            printed.hard_wrapped_columns()
        ),
        (0, 0)
    );
    assert_eq!(printed.row(0).unwrap().text(), shown.row(0).unwrap().text());
    assert_eq!(printed.links(0), shown.links(0));
}

#[test]
fn links_of_a_web_page_are_numbered_and_its_headings_have_levels() {
    let page = b"<h1>One</h1><p><a href=/a>a</a> <a href=/b>b</a></p><h3>Three</h3><p><a href=/c>c</a></p>";
    let document = document(Shape::Html, page);
    let numbers: Vec<usize> = numbers(&document).into_iter().flatten().collect();
    assert_eq!(numbers, [1, 3]);
    let kinds = (0..document.count()).map(|row| document.row(row).unwrap().kind);
    let headings: Vec<Kind> = kinds
        .filter(|kind| matches!(kind, Kind::Heading(_)))
        .collect();
    assert_eq!(headings, [Kind::Heading(1), Kind::Heading(3)]);
}

#[test]
fn names_of_keys_are_spans_of_their_own() {
    let document = document(
        Shape::Html,
        b"<p>Press <kbd>g T</kbd> or <kbd>:set</kbd> now</p>",
    );
    let row = document.row(0).unwrap();
    let keys = row.spans.iter().filter(|span| span.is_key);
    let keys: Vec<&str> = keys.map(|span| span.text.as_str()).collect();
    assert_eq!(keys, ["g T", ":set"]);
    assert_eq!(row.text(), "Press g T or :set now");
}

#[test]
fn title_rows_of_a_menu_are_headings_and_url_rows_have_the_kind_of_their_scheme() {
    let menu = b"iOne\tTITLE\tnull.host\t1\r\niTwo\tSUBTITLE\tnull.host\t1\r\niText\t\tnull.host\t1\r\n\
                 hFiles\tURL:ftp://h.example/pub/\th.example\t70\r\nhPage\tURL:http://h.example/\th.example\t70\r\n";
    let document = document(Shape::Menu, menu);
    let kinds = (0..document.count()).map(|row| document.row(row).unwrap().kind);
    let expected = [
        Kind::Heading(1),
        Kind::Heading(2),
        Kind::Plain,
        Kind::Menu,
        Kind::Web,
    ];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
}
