//! The operators of a search by what is stored with a text: author, subject, date of publication, labels of links; and
//! words over the ends of rows.

use geomys_page::document::Shape;
use geomys_store::files::cache::PageHeader;
use geomys_store::search::{Rank, SearchQuery, title_hit};
use jiff::{SignedDuration, Timestamp};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::{Copies, head, now, url};

fn article(copies: &Copies, name: &str, hours: i64, head_lines: &str) {
    let group = if name == "3" { "unread" } else { "read" };
    let head = head(
        &format!("nntp://h.example/a.{group}/{name}"),
        Shape::Article,
    );
    let octets = format!("{head_lines}Subject: Old lamps\r\n\r\nA lamp.\r\n");
    copies.store_as(&head, hours, octets);
}

fn names(copies: &Copies, words: &str) -> Vec<String> {
    let urls = copies.urls(words).into_iter();
    let name = |url: String| url.rsplit('/').next().unwrap_or_default().to_owned();
    urls.map(name).collect()
}

#[test]
fn author_subject_and_mark_select_articles() {
    let copies = Copies::new();
    article(
        &copies,
        "1",
        1,
        "From: =?utf-8?q?J=C3=B8rgen?= <jo@h.example>\r\n",
    );
    article(&copies, "2", 2, "From: ada@other.example (Ada Quill)\r\n");
    article(&copies, "3", 3, "");
    copies.store(
        "gopher://h.example/0/4",
        Shape::Text,
        "From: Jorgen\r\nA lamp",
    );
    for (query, expected) in [
        ("lamp from:jorgen", &["1"][..]),
        ("lamp from:J\u{f8}rgen", &["1"]),
        ("lamp from:j\u{f6}rgen", &[]),
        ("lamp from:jo@h", &["1"]),
        ("lamp from:\"ada quill\"", &["2"]),
        ("lamp from:ada from:jo", &["1", "2"]),
        ("lamp -from:ada", &["1", "3", "4"]),
        ("lamp subject:lamps", &["1", "2", "3"]),
        ("lamp is:unread", &["3"]),
        ("lamp -is:unread from:ada", &["2"]),
    ] {
        let mut found = names(&copies, query);
        found.sort();
        assert_eq!(found, expected, "{query}");
    }
    let error = SearchQuery::parse("lamp is:red", now()).unwrap_err();
    assert_eq!(error.to_string(), "\"is:\" takes unread, not \"red\"");
    assert_eq!(error.at, 8..11);
}

#[test]
fn subject_is_that_of_the_article_whatever_led_there() {
    let copies = Copies::new();
    let named = PageHeader {
        title: Some("<x@h.example>".to_owned()),
        ..head("news:x@h.example", Shape::Article)
    };
    copies.store_as(&named, 1, "Subject: Oil\r\n\r\nA lamp.\r\n");
    let found = copies.search("lamp subject:oil");
    assert_eq!(found[0].title, "Oil");
    let titled = PageHeader {
        title: Some("Oil".to_owned()),
        ..head("gopher://h.example/0/a", Shape::Text)
    };
    copies.store_as(&titled, 2, "A lamp");
    assert_eq!(copies.search("lamp subject:oil").len(), 2);
}

#[test]
fn date_of_publication_orders_and_selects() {
    let copies = Copies::new();
    // It came last, and was written first.
    article(&copies, "1", 1, "Date: Fri, 06 Nov 1998 10:00:00 +0000\r\n");
    article(&copies, "2", 30, "Date: 7 Nov 2026 10:00\r\n");
    // A date in the future is that of the copy.
    article(
        &copies,
        "3",
        20,
        "Date: Fri, 06 Nov 2099 10:00:00 +0000\r\n",
    );
    article(&copies, "4", 10, "Date: yesterday\r\n");
    assert_eq!(names(&copies, "lamp"), ["4", "3", "2", "1"]);
    assert_eq!(names(&copies, "lamp until:1998"), ["1"]);
    assert_eq!(names(&copies, "lamp since:2d"), ["4", "3"]);
    let found = copies.search("lamp until:1998");
    let date: Timestamp = "1998-11-06T10:00:00Z".parse().unwrap();
    assert_eq!(found[0].date, Some(date));
}

#[test]
fn date_of_an_entry_stays_when_its_page_is_stored_again() {
    let copies = Copies::new();
    let published = now() - SignedDuration::from_hours(24 * 900);
    let entry = PageHeader {
        published: Some(published),
        ..head("gemini://h.example/post", Shape::Gemtext)
    };
    copies.store_as(&entry, 5, "A lamp");
    copies.store_as(
        &head("gemini://h.example/post", Shape::Gemtext),
        1,
        "One lamp",
    );
    assert_eq!(copies.search("one lamp")[0].date, Some(published));
}

#[test]
fn copy_judges_the_conditions_of_a_title() {
    let copies = Copies::new();
    article(
        &copies,
        "1",
        1,
        "From: Ada <a@h.example>\r\nDate: Fri, 06 Nov 1998 10:00:00 +0000\r\n",
    );
    let found = |words: &str| {
        let query = SearchQuery::parse(words, now()).unwrap();
        let address = url("nntp://h.example/a.read/1");
        let titles = title_hit(&query, &address, "My bookmark", Some(now()));
        let found = Mutex::new(Vec::new());
        let add = |hit: geomys_store::search::SearchHit| found.lock().unwrap().push(hit.date);
        let titles = titles.into_iter().collect();
        copies.search_with(&query, titles, &AtomicBool::new(false), &add);
        found.into_inner().unwrap().len()
    };
    for (words, count) in [
        ("bookmark", 1),
        ("bookmark from:ada", 1),
        ("bookmark from:bob", 0),
        ("bookmark -from:ada", 0),
        ("bookmark until:1999", 1),
        ("bookmark since:2d", 0),
        ("bookmark subject:old", 1),
        ("bookmark is:unread", 0),
    ] {
        assert_eq!(found(words), count, "{words}");
    }
}

#[test]
fn labels_of_links_come_before_other_text() {
    let copies = Copies::new();
    let page = "<p>A brass <a href=/x>old  lamp</a></p><p>oil</p>";
    copies.store_as(&head("http://h.example/label", Shape::Html), 9, page);
    copies.store_as(
        &head("http://h.example/text", Shape::Html),
        1,
        "<p>An old lamp of brass, oil</p>",
    );
    let menu = "iOld brass\t\th\t70\r\n1The old lamp\t/x\th\t70\r\n";
    copies.store_as(&head("gopher://h.example/1/menu", Shape::Menu), 5, menu);
    let links = "Text\n=> /x The old lamp, <and> more\n";
    copies.store_as(&head("gemini://h.example/links", Shape::Gemtext), 7, links);
    // The URL in a text is no label.
    let text = "http://h.example/old/lamp old lamp";
    copies.store_as(&head("gopher://h.example/0/url", Shape::Text), 2, text);
    assert_eq!(
        names(&copies, "old lamp"),
        ["menu", "links", "label", "text", "url"]
    );
    let hits = copies.search("\"old lamp\"");
    let ranks: Vec<Rank> = hits.iter().map(|hit| hit.rank).collect();
    assert_eq!(
        ranks,
        [Rank::Link, Rank::Link, Rank::Link, Rank::Near, Rank::Near]
    );
    assert_eq!(hits[0].line, "The old lamp");
    // Words in a label and beside it are no words of the label.
    assert_eq!(names(&copies, "brass old"), ["text", "menu", "label"]);
    assert_eq!(copies.search("brass old")[1].rank, Rank::Near);
}

#[test]
fn label_far_below_is_found() {
    let copies = Copies::new();
    let rows = "iOne more row\t\th\t70\r\n".repeat(30_000);
    let menu = format!("iA lamp\t\th\t70\r\n{rows}1La\u{308}st lamp\t/x\th\t70\r\n");
    copies.store("gopher://h.example/1/menu", Shape::Menu, menu);
    let hits = copies.search("last lamp");
    assert_eq!(
        (hits[0].rank, hits[0].line.as_str()),
        (Rank::Link, "La\u{308}st lamp")
    );
}

#[test]
fn phrases_cross_hyphens_and_row_ends() {
    let copies = Copies::new();
    for (name, text) in [
        ("blank", "a Pierre Robin b"),
        ("hyphen", "a Pierre-Robin b"),
        ("row", "a pierre\r\nrobin b"),
        ("both", "a Pierre-\r\nRobin b"),
        ("joined", "a Pierrerobin b"),
        ("far", "a Pierre - Robin b, Pierre, Robin"),
    ] {
        copies.store(&format!("gopher://h.example/0/{name}"), Shape::Text, text);
    }
    // A soft hyphen in ISO 8859-1, and one in a page of the Web.
    let text: &[u8] = b"a \xe9t\xe9 pierre\xad\r\nrobin b";
    copies.store("gopher://h.example/0/soft", Shape::Text, text);
    copies.store("http://h.example/shy", Shape::Html, "<p>pierre&shy;robin");
    let sorted = |words: &str| {
        let mut found = names(&copies, words);
        found.sort();
        found
    };
    let two = ["blank", "both", "hyphen", "row", "soft"];
    for words in [
        "pierre-robin",
        "\"Pierre Robin\"",
        "\"pierre-robin b\" OR \"pierre robin\"",
    ] {
        assert_eq!(sorted(words), two, "{words}");
    }
    assert_eq!(sorted("pierrerobin"), ["both", "joined", "shy", "soft"]);
    assert_eq!(sorted("pierrer"), ["both", "joined", "shy", "soft"]);
    assert_eq!(sorted("robin -pierre-robin"), ["far", "joined", "shy"]);
    assert_eq!(sorted("pierre-"), sorted("pierre"));
}

#[test]
fn rows_of_east_asia_go_on_without_a_blank() {
    let copies = Copies::new();
    copies.store(
        "gopher://h.example/0/row",
        Shape::Text,
        "これは日本\r\n語の文書です\r\n",
    );
    copies.store(
        "gopher://h.example/0/paragraph",
        Shape::Text,
        "日本\r\n\r\n語です\r\n",
    );
    assert_eq!(names(&copies, "日本語"), ["row"]);
}

#[test]
fn word_over_the_end_of_a_piece_is_found_once() {
    for gap in 0..12 {
        let copies = Copies::new();
        // Rows of 80 octets up to the end of the piece, which is at 256 KiB with the header of the text.
        let row = format!("{}\n", "x".repeat(79));
        let filler = row.repeat((262_144 - 240) / 80);
        let text = format!(
            "{filler}{}\nun caf\u{e9} old-\nlamp noir\n{}",
            "y".repeat(gap * 18),
            row.repeat(20)
        );
        copies.store("gopher://h.example/0/a", Shape::Text, text);
        for (words, count) in [
            ("\"caf\u{e9} old lamp noir\"", 1),
            ("oldlamp", 1),
            ("\"old lamp\"", 1),
            ("\"caf\u{e8} old\"", 0),
        ] {
            let hits = copies.search(words);
            let counted: usize = hits.iter().map(|hit| hit.count).sum();
            assert_eq!(counted, count, "{words} {gap}");
        }
    }
}
