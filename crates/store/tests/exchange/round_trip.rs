//! Exports come back as they were: dates, notes, and the format by its content.

use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::exchange::{BookmarkFormat, BookmarkTree, Entry, Item, detect};
use jiff::Timestamp;
use proptest::prelude::*;

use super::any_file;

/// The formats that hold the dates of bookmarks.
const DATED: [BookmarkFormat; 5] = [
    BookmarkFormat::Html,
    BookmarkFormat::Xbel,
    BookmarkFormat::Json,
    BookmarkFormat::Csv,
    BookmarkFormat::Opml,
];

fn any_date() -> impl Strategy<Value = Option<i64>> {
    let all = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
    let usual = 0_i64..2_000_000_000;
    prop::option::weighted(0.9, prop_oneof![usual, all])
}

fn entry(number: usize, note: &str, added: Option<i64>) -> Item {
    Item::Entry(Entry {
        title: format!("Bookmark {number}"),
        url: format!("gopher://h.example/1/{number}"),
        note: note.to_owned(),
        added,
        ..Entry::default()
    })
}

fn returned(format: BookmarkFormat, tree: &BookmarkTree) -> BookmarkTree {
    let (octets, _) = format.write(tree).unwrap();
    let text = String::from_utf8_lossy(&octets);
    assert_eq!(detect(&octets), format, "{text}");
    format.read(&octets).unwrap()
}

#[test]
fn every_date_of_a_thousand_bookmarks_returns_from_each_format() {
    let span = i128::from(Timestamp::MAX.as_second()) - i128::from(Timestamp::MIN.as_second());
    let first = i128::from(Timestamp::MIN.as_second());
    let items = (0..1000_usize).map(|number| {
        let date = first + span * i128::try_from(number).unwrap() / 999;
        entry(number, "", Some(i64::try_from(date).unwrap()))
    });
    let tree = BookmarkTree {
        items: items.collect(),
        ..BookmarkTree::default()
    };
    for format in DATED {
        assert_eq!(returned(format, &tree), tree, "{format}");
    }
}

/// A text whose lines are indented, blank, or begin like a line of one of the formats.
fn any_note() -> impl Strategy<Value = String> {
    let start = prop_oneof!["[ \\t]{0,4}", Just(String::new())];
    let words = prop_oneof![
        "[ -~]{0,10}",
        Just("<URL:gopher://in.note/>".to_owned()),
        Just("[BOOKMARKS]".to_owned()),
        Just("[1]".to_owned()),
        Just("url = \"x\"".to_owned()),
        Just("title,url".to_owned()),
        Just("1a\tb\tc\t70".to_owned()),
        Just("<DT><BR><p>".to_owned()),
        Just("[a](gopher://h/)".to_owned()),
        Just("# heading".to_owned()),
        Just(".".to_owned()),
    ];
    let line = (start, words).prop_map(|(start, words)| start + &words);
    prop::collection::vec(line, 0..5).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn dates_and_notes_return_from_each_format_that_has_them(
        entries in prop::collection::vec((any_note(), any_date()), 1..20),
    ) {
        let items = entries.iter().enumerate();
        let tree = BookmarkTree {
            items: items.map(|(number, (note, added))| entry(number, note, *added)).collect(),
            ..BookmarkTree::default()
        };
        // A note is stored without blank lines around it, and without what all of its lines are indented by.
        let tree = returned(BookmarkFormat::Json, &tree);
        for format in DATED {
            prop_assert_eq!(&returned(format, &tree).items, &tree.items, "{}", format);
        }
        let file = Bookmarks::parse(tree.bookmarks().octets());
        let dates = tree.added_dates();
        let of_file = BookmarkTree::of(&file).with_dates(&dates);
        prop_assert_eq!(of_file.items, tree.items);
    }

    #[test]
    fn every_export_is_detected_as_what_it_is(file in any_file(), notes in any_note()) {
        let file = format!("{file}\nlast <URL:http://last.example/> #tag\n  {}\n", notes.replace('\n', "\n  "));
        let tree = BookmarkTree::of(&Bookmarks::parse(file.as_bytes()));
        for format in [
            BookmarkFormat::Html, BookmarkFormat::Xbel, BookmarkFormat::Json, BookmarkFormat::Csv,
            BookmarkFormat::Opml, BookmarkFormat::Text, BookmarkFormat::Gophermap,
        ] {
            let (octets, _) = format.write(&tree).unwrap();
            prop_assert_eq!(detect(&octets), format, "{}", String::from_utf8_lossy(&octets));
        }
    }

    #[test]
    fn line_ends_of_any_kind_give_the_same_bookmarks(file in any_file()) {
        let tree = BookmarkTree::of(&Bookmarks::parse(file.as_bytes()));
        for format in [BookmarkFormat::Text, BookmarkFormat::Html, BookmarkFormat::Newsboat, BookmarkFormat::Csv] {
            let (octets, _) = format.write(&tree).unwrap();
            let old = String::from_utf8(octets.clone()).unwrap().replace('\n', "\r");
            let read = |octets: &[u8]| format.read(octets).map(|tree| tree.items);
            prop_assert_eq!(read(old.as_bytes()), read(&octets), "{}", format);
        }
    }
}

#[test]
fn only_a_head_or_all_lines_decide_before_a_url_in_a_wrapper() {
    let csv = "title,url,note\nA,gopher://a/,see <URL:gopher://in.note/>\n";
    assert_eq!(detect(csv.as_bytes()), BookmarkFormat::Csv);
    let menu = "1A\t/\th.example\t70\r\ni  see <URL:gopher://in.note/>\t\tnull.host\t1\r\n";
    assert_eq!(detect(menu.as_bytes()), BookmarkFormat::Gophermap);
    for text in [
        "a, url <URL:gopher://h/>\n",
        "# a, url, b\nx <URL:gopher://h/>\n",
        "<a href> explained <URL:gopher://h/>\n",
        "[{ <URL:gopher://h/>\n",
        "x <URL:gopher://h/>\n[BOOKMARKS]\n",
    ] {
        assert_eq!(detect(text.as_bytes()), BookmarkFormat::Text, "{text}");
    }
    let json = "[{\"url\":\"gopher://h/\",\"note\":\"<URL:gopher://i/>\"}]";
    assert_eq!(detect(json.as_bytes()), BookmarkFormat::Json);
}

#[test]
fn urls_of_a_list_keep_their_last_characters() {
    let list =
        "https://h.example/a.\nhttps://h.example/b_(c)\n# Heading\ngopher://h.example/1/x!\n";
    let tree = BookmarkFormat::Text.read(list.as_bytes()).unwrap();
    let urls: Vec<&str> = tree
        .entries()
        .map(|(_, entry)| entry.url.as_str())
        .collect();
    assert_eq!(
        urls,
        [
            "https://h.example/a.",
            "https://h.example/b_(c)",
            "gopher://h.example/1/x!"
        ]
    );
    assert!(tree.losses.is_empty(), "{:?}", tree.losses);
}
