//! Gemtext as a document.

use geomys_page::document::{Document, Fold, Kind, Shape};
use geomys_testing::loading::texts;
use geomys_wire::text::{Charset, CharsetSetting};
use proptest::prelude::*;
use rfc1738::Url;

fn document(octets: &[u8]) -> Document {
    let url = Url::parse("gemini://h.example/a/").unwrap();
    let mut document = Document::new(url, Shape::Gemtext, CharsetSetting::default());
    document.append(octets);
    document
}

const PAGE: &str = "# Title\n\
    Words.\n\
    * An item\n\
    >  Said\n\
    => b A page\n\
    =>\tgopher://h.example/1/c\n\
    =>\n\
    ```A picture\n\
    # inside\n\
    => inside\n\
    ```\n\
    ## Second\n\
    => http://h.example/ The Web\n\
    => http://h:99999999/ bad";

#[test]
fn each_line_is_a_row_of_its_kind() {
    let document = document(PAGE.as_bytes());
    let row = |number| document.row(number).unwrap();
    let rows: Vec<(Kind, String)> = (0..document.count())
        .map(|number| (row(number).kind, row(number).text()))
        .collect();
    let expected = [
        (Kind::Heading(1), "Title"),
        (Kind::Plain, "Words."),
        (Kind::Plain, "* An item"),
        (Kind::Quote(1), "> Said"),
        (Kind::Text, "A page"),
        (Kind::Menu, "gopher://h.example/1/c"),
        (Kind::Plain, "=>"),
        (Kind::Remark(Fold::Open), "A picture"),
        (Kind::Preformatted, "# inside"),
        (Kind::Preformatted, "=> inside"),
        (Kind::Plain, ""),
        (Kind::Heading(2), "Second"),
        (Kind::Web, "The Web"),
        (Kind::Malformed, "bad"),
    ];
    let expected = expected.map(|(kind, text)| (kind, text.to_owned()));
    assert_eq!(rows, expected);
    assert_eq!((row(2).hang, row(3).hang), (2, 2));
    let numbers: Vec<_> = (0..document.count())
        .filter_map(|at| row(at).number)
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_eq!(document.highest_link_number(), 4);
    let at = |number| document.row_of_link(number);
    assert_eq!([at(1), at(2), at(3), at(4)], [4, 5, 12, 13].map(Some));
    assert_eq!(at(5), None);
    let target = document.link(4, 0).unwrap().target.unwrap();
    assert_eq!(target.as_str(), "gemini://h.example/a/b");
    assert_eq!(document.title().unwrap().as_str(), "Title");
}

#[test]
fn first_heading_with_words_is_the_title() {
    for (page, title) in [
        ("Text\n## Second level\n# First\n", Some("Second level")),
        ("##\n###Third\n", Some("Third")),
        ("```\n# code\n```\n", None),
        ("#", None),
    ] {
        let title_of = document(page.as_bytes())
            .title()
            .map(|title| title.to_string());
        assert_eq!(title_of.as_deref(), title);
    }
}

#[test]
fn outline_lists_the_headings() {
    let mut document = document(PAGE.as_bytes());
    let outline = |document: &Document| -> Vec<(usize, usize, String)> {
        let entries = document.outline().into_iter();
        entries
            .map(|entry| (entry.row, entry.level, entry.text.to_string()))
            .collect()
    };
    let entries = [(0, 1, "Title".to_owned()), (11, 2, "Second".to_owned())];
    assert_eq!(outline(&document), entries);
    assert!(document.toggle_remark(7));
    let entries = [(0, 1, "Title".to_owned()), (9, 2, "Second".to_owned())];
    assert_eq!(outline(&document), entries);
}

#[test]
fn preformatted_block_folds_and_opens_again() {
    let mut document = document(PAGE.as_bytes());
    let open = texts(&document);
    assert!(!document.toggle_remark(6));
    assert!(!document.toggle_remark(10), "a closing toggle");
    assert!(document.toggle_remark(7));
    let folded = texts(&document);
    assert_eq!(folded.len(), open.len() - 2);
    assert!(!folded.iter().any(|row| row.contains("inside")));
    assert_eq!(document.row(7).unwrap().kind, Kind::Remark(Fold::Closed));
    assert_eq!(document.row_of_link(3), Some(10));
    document.append(b"\nMore\n```\nlast");
    assert_eq!(texts(&document).last().unwrap(), "last");
    assert!(document.toggle_remark(7));
    assert_eq!(texts(&document).len(), open.len() + 3);
}

#[test]
fn art_in_a_block_has_its_charset_and_colours() {
    let octets = b"```\n\xdb\xdb \x1b[31mred\x1b[0m\n```\n";
    let url = Url::parse("gemini://h.example/a/").unwrap();
    let mut document = Document::new(url, Shape::Gemtext, CharsetSetting::Detected);
    document.declare(Some(Charset::CP437));
    document.append(octets);
    let document = document.finished();
    let row = document.row(1).unwrap();
    assert_eq!(row.text(), "\u{2588}\u{2588} red");
    assert_eq!(row.spans[0].sgr_styles.len(), 1);
}

proptest! {
    #[test]
    fn rows_are_the_same_whatever_pieces_the_page_comes_in(
        lines in proptest::collection::vec("(=> ?|#{1,4} ?|```|\\* |>)?[a-z ]{0,6}", 0..20),
        cuts in proptest::collection::vec(0..200_usize, 0..8),
    ) {
        let text = lines.join("\n");
        let whole = document(text.as_bytes());
        let mut pieces = document(b"");
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.push(text.len());
        cuts.sort_unstable();
        let mut at = 0;
        for cut in cuts {
            pieces.append(&text.as_bytes()[at..cut]);
            at = cut;
        }
        prop_assert_eq!(pieces.count(), whole.count());
        for row in 0..whole.count() {
            prop_assert_eq!(pieces.row(row), whole.row(row));
        }
        prop_assert_eq!(pieces.outline(), whole.outline());
        for number in 1..=whole.highest_link_number() {
            let row = whole.row_of_link(number).unwrap();
            prop_assert_eq!(pieces.row_of_link(number), Some(row));
            prop_assert_eq!(whole.row(row).unwrap().number, Some(number));
        }
    }

    #[test]
    fn any_octets_are_rows(octets in proptest::collection::vec(any::<u8>(), 0..400)) {
        let mut document = document(&octets);
        for row in (0..document.count()).rev() {
            let shown = document.row(row).unwrap();
            prop_assert!(!shown.text().contains(char::is_control));
            document.links(row);
            document.toggle_remark(row);
        }
        document.outline();
    }
}

#[test]
fn all_blocks_fold_to_their_alt_texts_and_unfold() {
    let url = Url::parse("gemini://h.example/").unwrap();
    let mut document = Document::new(url, Shape::Gemtext, CharsetSetting::Detected);
    document.append(b"a\n```first\nb\nc\n```\nd\n```\ne\n```\nf\n");
    let before = texts(&document);
    assert_eq!(
        document.toggle_blocks(3),
        Some(1),
        "a hidden row becomes its block"
    );
    assert_eq!(
        texts(&document),
        ["a", "first", "", "d", "preformatted", "", "f"]
    );
    assert_eq!(document.toggle_blocks(3), Some(5));
    assert_eq!(texts(&document), before);
    let mut text = Document::new(
        Url::parse("gemini://h.example/").unwrap(),
        Shape::Gemtext,
        CharsetSetting::Detected,
    );
    text.append(b"a\n");
    assert_eq!(text.toggle_blocks(0), None);
}
