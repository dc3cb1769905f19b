//! The search of copies: what is a page's text, which words match, in which order, and that nothing is changed by
//! reading.

mod operators;
mod oracle;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use geomys_page::document::find::FoldedText;
use geomys_page::document::{Document, Shape};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::records::BookmarkRecords;
use geomys_store::files::cache::{Cache, CacheLimits, PageHeader};
use geomys_store::files::history::History;
use geomys_store::search::{
    QueryFault, Rank, SearchHit, SearchQuery, SearchSummary, SearchedCopies, Titles, search, sort,
    title_hit, title_hits,
};
use geomys_wire::text::{Charset, CharsetSetting};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use rfc1738::{Dialect, Url};
use tempfile::TempDir;
use unicode_normalization::UnicodeNormalization;

fn now() -> Timestamp {
    Timestamp::from_second(1_795_000_000).unwrap()
}

fn url(text: &str) -> Url {
    Dialect::Extended.parse(text).unwrap()
}

/// A cache, and the pages saved for later beside it.
struct Copies {
    profile: TempDir,
    cache: Cache,
}

impl Copies {
    fn new() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let limits = CacheLimits {
            size: 64 << 20,
            saved: 64 << 20,
            ..CacheLimits::default()
        };
        let cache = Cache::new(profile.path().join("cache"), limits);
        Self {
            cache: cache.with_saved(profile.path().join("saved")),
            profile,
        }
    }

    fn store(&self, address: &str, shape: Shape, octets: impl AsRef<[u8]>) {
        self.store_as(&head(address, shape), 0, octets);
    }

    /// Stores a page that came `hours` before now.
    fn store_as(&self, head: &PageHeader, hours: i64, octets: impl AsRef<[u8]>) {
        let since = now() - SignedDuration::from_hours(hours);
        let octets = std::iter::once(octets.as_ref());
        self.cache.store(head, since, octets).unwrap();
    }

    fn search(&self, words: &str) -> Vec<SearchHit> {
        let query = SearchQuery::parse(words, now()).unwrap();
        let found = Mutex::new(Vec::new());
        let add = |hit| found.lock().unwrap().push(hit);
        let stop = AtomicBool::new(false);
        self.search_with(&query, Titles::default(), &stop, &add);
        let mut found = found.into_inner().unwrap();
        sort(&mut found);
        found
    }

    /// Searches the copies and titles. Pages with "unread" in their URL are unread.
    fn search_with(
        &self,
        query: &SearchQuery,
        titles: Titles,
        stop: &AtomicBool,
        add: &(dyn Fn(SearchHit) + Sync),
    ) -> SearchSummary {
        let copies = SearchedCopies {
            cache: &self.cache,
            charset: CharsetSetting::default(),
            is_unread: &|url| url.as_str().contains("unread"),
        };
        search(&copies, query, titles, stop, add)
    }

    fn urls(&self, words: &str) -> Vec<String> {
        let found = self.search(words).into_iter();
        found.map(|hit| hit.url.to_string()).collect()
    }
}

fn head(address: &str, shape: Shape) -> PageHeader {
    PageHeader::new(url(address), shape)
}

#[test]
fn text_of_every_kind_of_page_is_searched_as_it_is_shown() {
    let copies = Copies::new();
    let base64 = "VGhlIGzDpG1wIGlzIGxpdCBpbiB0aGUgY8OpbGxhci4=";
    let article = |rest: &str| format!("From: a@h.example\r\nSubject: A lamp\r\n{rest}");
    for (address, shape, octets) in [
        ("gopher://h/0/a", Shape::Text, b"A word: cell\xc3\xa0r\r\n".to_vec()),
        ("gopher://h/0/b", Shape::Text, "Un c\u{e9}llar".chars().map(|one| one as u8).collect()),
        ("gopher://h/1/c", Shape::Menu, b"0The cellar\t/x\th\t70\r\n".to_vec()),
        ("gemini://h/d", Shape::Gemtext, b"# Home\n=> /x the cellar\n".to_vec()),
        ("http://h/e", Shape::Html, b"<p>The c<b>ell</b>ar</p>".to_vec()),
        ("http://h/f", Shape::Html, b"<p>The c&eacute;ll&#97;r</p>".to_vec()),
        (
            "news:g@h",
            Shape::Article,
            article("Content-Transfer-Encoding: quoted-printable\r\n\r\nthe ce=\r\nllar\r\n").into(),
        ),
        (
            "news:h@h",
            Shape::Article,
            article(&format!(
                "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n{base64}\r\n"
            ))
            .into(),
        ),
        (
            "news:i@h",
            Shape::Article,
            b"From: a@h\r\nSubject: =?utf-8?q?C=C3=A9llar?=\r\n\r\nx\r\n".to_vec(),
        ),
        ("gopher://h/0/none", Shape::Text, b"A c.e.l.l.a.r\r\n".to_vec()),
        ("gopher://h/1/selector", Shape::Menu, b"0Nothing\t/cellar\th\t70\r\n".to_vec()),
        ("http://h/tag", Shape::Html, b"<p class=cellar>None</p>".to_vec()),
    ] {
        copies.store(address, shape, octets);
    }
    let mut found = copies.urls("CELLAR");
    found.sort();
    assert_eq!(
        found,
        [
            "gemini://h/d",
            "gopher://h/0/a",
            "gopher://h/0/b",
            "gopher://h/1/c",
            "http://h/e",
            "http://h/f",
            "news:g@h",
            "news:h@h",
            "news:i@h",
        ]
    );
}

#[test]
fn declared_charset_decodes_a_page_before_it_is_searched() {
    let copies = Copies::new();
    let koi8 = PageHeader {
        charset: Charset::named("koi8-r"),
        ..head("gopher://h/0/a", Shape::Text)
    };
    copies.store_as(&koi8, 0, b"\xf0\xcf\xc7\xd2\xc5\xc2");
    assert_eq!(copies.urls("погреб"), ["gopher://h/0/a"]);
    copies.store("gopher://h/0/b", Shape::Text, b"\xff\xfec\0e\0l\0l\0a\0r\0");
    assert_eq!(copies.urls("cellar"), ["gopher://h/0/b"]);
}

#[test]
fn word_with_a_mark_matches_only_with_it() {
    let copies = Copies::new();
    copies.store("gopher://h/0/a", Shape::Text, "Ein Bär");
    copies.store("gopher://h/0/b", Shape::Text, "Ein Ba\u{308}r");
    copies.store("gopher://h/0/c", Shape::Text, "A bar");
    let mut found = copies.urls("bar");
    found.sort();
    assert_eq!(
        found,
        ["gopher://h/0/a", "gopher://h/0/b", "gopher://h/0/c"]
    );
    let mut found = copies.urls("bär");
    found.sort();
    assert_eq!(found, ["gopher://h/0/a", "gopher://h/0/b"]);
}

#[test]
fn phrases_cross_lines_and_minus_leaves_out() {
    let copies = Copies::new();
    copies.store(
        "gopher://h/0/a",
        Shape::Text,
        "The brass\r\n  lamp is lit.\r\n",
    );
    copies.store("gopher://h/0/b", Shape::Text, "The lamp is brass.\r\n");
    assert_eq!(copies.urls("\"brass lamp\""), ["gopher://h/0/a"]);
    assert_eq!(copies.urls("lamp -lit"), ["gopher://h/0/b"]);
    assert_eq!(copies.urls("lamp -\"lamp is brass\""), ["gopher://h/0/a"]);
    assert_eq!(copies.urls("brass lamp nothing"), [""; 0]);
}

#[test]
fn conditions_are_of_scheme_host_and_time() {
    let copies = Copies::new();
    for (address, shape, hours) in [
        ("gopher://a.example/0/x", Shape::Text, 1),
        ("gemini://b.a.example/x", Shape::Gemtext, 30),
        ("news:x@nota.example", Shape::Article, 400),
        ("https://c.example/x", Shape::Text, 2),
    ] {
        copies.store_as(&head(address, shape), hours, "Subject: x\r\n\r\nlamp");
    }
    assert_eq!(copies.urls("lamp in:news"), ["news:x@nota.example"]);
    assert_eq!(copies.urls("in:web lamp"), ["https://c.example/x"]);
    assert_eq!(
        copies.urls("lamp host:A.example since:12h"),
        ["gopher://a.example/0/x"]
    );
    assert_eq!(
        copies.urls("lamp host:a.example"),
        ["gopher://a.example/0/x", "gemini://b.a.example/x"]
    );
    assert_eq!(copies.urls("lamp since:2w").len(), 3);
    assert_eq!(copies.urls("lamp url:C.example/X"), ["https://c.example/x"]);
    assert_eq!(copies.urls("lamp -url:example/").len(), 1);
    assert_eq!(copies.urls("lamp url:gopher url:b.a").len(), 2);
    assert_eq!(
        copies.urls("lamp -in:web -host:a.example"),
        ["news:x@nota.example"]
    );
    assert_eq!(copies.urls("lamp in:news in:gemini").len(), 2);
    assert_eq!(copies.urls("lamp -in:news -in:gemini").len(), 2);
    assert_eq!(copies.urls("lamp -since:2w"), ["news:x@nota.example"]);
}

#[test]
fn error_of_a_query_has_its_place() {
    for (query, fault, pointed) in [
        (
            "lamp in:gohper",
            QueryFault::Kind("gohper".to_owned()),
            "gohper",
        ),
        ("-IN: lamp", QueryFault::Kind(String::new()), ""),
        ("host: x", QueryFault::Host, ""),
        (
            "Bär -since:soon x",
            QueryFault::Period("since".to_owned(), "soon".to_owned()),
            "soon",
        ),
        (
            "Bär until:2026-13 x",
            QueryFault::Period("until".to_owned(), "2026-13".to_owned()),
            "2026-13",
        ),
        (
            "lamp hots:h x",
            QueryFault::Condition("hots".to_owned()),
            "hots:h",
        ),
        ("-x in:news", QueryFault::NoWord, ""),
        ("", QueryFault::NoWord, ""),
    ] {
        let error = SearchQuery::parse(query, now()).unwrap_err();
        assert_eq!(error.fault, fault, "{query}");
        assert_eq!(&query[error.at.clone()], pointed, "{query}");
    }
    let query = "b\u{e4}r hots:h";
    let error = SearchQuery::parse(query, now()).unwrap_err();
    let carets = error.caret(query);
    assert!(
        carets.starts_with("    ^^^^^^ unknown \"hots:\""),
        "{carets}"
    );
    // What only looks like a condition is text.
    for query in [
        "std::env",
        "https://h/",
        "news:x@h",
        "re: lamp",
        "12:30",
        "\"hots:h\"",
        "C:x",
    ] {
        assert!(SearchQuery::parse(query, now()).is_ok(), "{query}");
    }
}

#[test]
fn titles_come_first_then_near_words_then_newer_pages() {
    let copies = Copies::new();
    let titled = PageHeader {
        title: Some("The brass lamp".to_owned()),
        ..head("gemini://h/title", Shape::Gemtext)
    };
    copies.store_as(&titled, 50, "A lamp, and\n\nfar away some brass");
    let far = "A lamp.\r\n\r\nBrass.\r\n";
    copies.store_as(&head("gopher://h/0/far", Shape::Text), 0, far);
    let near = "First.\r\n\r\nA lamp\r\nof brass, a LAMP.\r\n";
    copies.store_as(&head("gopher://h/0/old", Shape::Text), 9, near);
    copies.store_as(&head("gopher://h/0/new", Shape::Text), 1, near);
    let hits = copies.search("brass lamp");
    let urls: Vec<&str> = hits.iter().map(|hit| hit.url.as_str()).collect();
    assert_eq!(
        urls,
        [
            "gemini://h/title",
            "gopher://h/0/new",
            "gopher://h/0/old",
            "gopher://h/0/far"
        ]
    );
    let hit = &hits[1];
    assert_eq!(
        (hit.line.as_str(), hit.count, hit.rank),
        ("A lamp", 3, Rank::Near)
    );
}

#[test]
fn whole_words_come_before_parts_of_words() {
    let copies = Copies::new();
    let titled = |title: &str| PageHeader {
        title: Some(title.to_owned()),
        ..head(&format!("gopher://h/0/{}", title.len()), Shape::Text)
    };
    copies.store_as(&titled("Lampshades"), 0, "Nothing else\r\n");
    copies.store_as(&titled("Shops of the town"), 5, "A lamp.\r\n");
    copies.store_as(&titled("The lamp of old"), 9, "Nothing else\r\n");
    let found = ["gopher://h/0/15", "gopher://h/0/17", "gopher://h/0/10"];
    assert_eq!(copies.urls("lamp"), found);
    // The start of a word is a word where it was asked for, and scripts without blanks have no parts of words.
    let found = ["gopher://h/0/10", "gopher://h/0/15", "gopher://h/0/17"];
    assert_eq!(copies.urls("lamp*"), found);
    copies.store("gopher://h/0/ja", Shape::Text, "日本語の文書です\r\n");
    assert!(!copies.search("文書")[0].is_part);
}

#[test]
fn alternatives_starts_of_words_and_titles_are_found() {
    let copies = Copies::new();
    copies.store("gopher://h/0/a", Shape::Text, "brass and oil\r\n");
    copies.store("gopher://h/0/b", Shape::Text, "iron and oil\r\n");
    let titled = PageHeader {
        title: Some("Old Brass".to_owned()),
        ..head("gopher://h/0/c", Shape::Text)
    };
    copies.store_as(&titled, 2, "boil the iron, embrass nobody\r\n");
    for (query, expected) in [
        ("brass OR iron", &["c", "a", "b"][..]),
        ("oil brass OR iron", &["a", "b", "c"]),
        ("oil brass OR \"iron and\" -emb", &["a", "b"]),
        ("oil*", &["a", "b"]),
        ("bra* OR oil* iron", &["b", "c"]),
        ("iron -bra*", &["b"]),
        ("iron title:bras", &["c"]),
        ("oil -title:old", &["a", "b"]),
        ("\"oil*\"", &[]),
    ] {
        let found = copies.urls(query);
        let mut found: Vec<&str> = found
            .iter()
            .filter_map(|url| url.rsplit('/').next())
            .collect();
        let mut expected = expected.to_vec();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "{query}");
    }
    for (query, at, fault) in [
        ("OR lamp", 0..2, "\"OR\" stands between two words"),
        ("lamp OR", 5..7, "\"OR\" stands between two words"),
        ("lamp OR -oil", 5..7, "\"OR\" stands between two words"),
        ("lamp OR host:h", 5..7, "\"OR\" stands between two words"),
        ("lamp OR OR oil", 8..10, "\"OR\" stands between two words"),
        (
            "lamp added>1y",
            5..13,
            "no comparison such as \"added>1y\" here; quote it as text",
        ),
    ] {
        let error = SearchQuery::parse(query, now()).unwrap_err();
        assert_eq!(
            (error.at.clone(), error.to_string().as_str()),
            (at, fault),
            "{query}"
        );
    }
    assert!(SearchQuery::parse("lamp \"OR\" a>b *", now()).is_ok());
}

#[test]
fn kept_pages_are_searched_alone_or_left_out() {
    let copies = Copies::new();
    copies.store("gopher://h/0/a", Shape::Text, "a lamp");
    let kept = copies.cache.saved().unwrap();
    let octets = std::iter::once(b"a lamp".as_slice());
    kept.store(&head("gopher://h/0/b", Shape::Text), now(), octets)
        .unwrap();
    let mut all = copies.urls("lamp");
    all.sort_unstable();
    assert_eq!(all, ["gopher://h/0/a", "gopher://h/0/b"]);
    assert_eq!(copies.urls("lamp in:kept"), ["gopher://h/0/b"]);
    assert_eq!(
        copies.urls("lamp IN:kept in:gopher in:web"),
        ["gopher://h/0/b"]
    );
    assert_eq!(copies.urls("lamp -in:kept"), ["gopher://h/0/a"]);
    assert_eq!(copies.urls("lamp in:kept in:web").len(), 0);
    let error = SearchQuery::parse("lamp OR in:kept oil", now()).unwrap_err();
    assert_eq!(error.at, 5..7);
}

#[test]
fn words_of_the_title_count_as_words_of_the_page() {
    let copies = Copies::new();
    let page = b"<title>The brass works</title><p>A lamp</p>";
    copies.store("http://h/a", Shape::Html, page);
    let named = PageHeader {
        title: Some("Br\u{e4}ss".to_owned()),
        ..head("gopher://h/0/b", Shape::Text)
    };
    copies.store_as(&named, 1, "One lamp\r\n");
    assert_eq!(copies.urls("brass lamp"), ["http://h/a", "gopher://h/0/b"]);
    assert_eq!(copies.urls("br\u{e4}ss lamp"), ["gopher://h/0/b"]);
    let hits = copies.search("brass");
    assert!(hits.iter().all(|hit| hit.rank == Rank::Title), "{hits:?}");
}

#[test]
fn titles_of_bookmarks_and_visits_are_searched() {
    let copies = Copies::new();
    let query = SearchQuery::parse("smorrebrod since:2d", now()).unwrap();
    let hits = |title, date| {
        let hit = title_hit(&query, &url("gopher://h/"), title, date);
        let found = Mutex::new(Vec::new());
        let add = |hit: SearchHit| found.lock().unwrap().push(hit.rank);
        let titles = hit.into_iter().collect();
        copies.search_with(&query, titles, &AtomicBool::new(false), &add);
        found.into_inner().unwrap()
    };
    let hour_ago = Some(now() - SignedDuration::from_hours(1));
    assert_eq!(hits("Smørrebrød", hour_ago), [Rank::Title]);
    assert_eq!(hits("Bread", hour_ago), []);
    assert_eq!(hits("Smørrebrød", None), []);
}

#[test]
fn excluded_word_counts_in_titles_and_in_the_page_of_a_title() {
    let copies = Copies::new();
    copies.store("gopher://h/0/oil", Shape::Text, "a lamp with oil in it");
    copies.store("gopher://h/0/dry", Shape::Text, "a dry lamp");
    let query = SearchQuery::parse("lamp -oil", now()).unwrap();
    let text = b"Brass lamp <URL:gopher://h/0/oil>\nOil <URL:gopher://h/0/dry>\nLamp <URL:gopher://h/0/none>\n";
    let (dates, visits) = (BookmarkRecords::default(), History::default());
    let titles = title_hits(&query, &Bookmarks::parse(text), &dates, &visits);
    let found = Mutex::new(Vec::new());
    let add = |hit: SearchHit| found.lock().unwrap().push(hit.key.to_string());
    let stop = AtomicBool::new(false);
    copies.search_with(&query, titles, &stop, &add);
    assert_eq!(found.into_inner().unwrap(), ["gopher://h/0/none"]);
}

#[test]
fn stop_ends_the_search_and_each_page_is_found_once() {
    let copies = Copies::new();
    for number in 0..200 {
        copies.store(&format!("gopher://h/0/{number}"), Shape::Text, "a lamp");
    }
    let query = SearchQuery::parse("lamp", now()).unwrap();
    let (stop, found) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let title = title_hit(&query, &url("gopher://h/0/7#x"), "The lamp", None);
    let add = |hit: SearchHit| {
        let mut found = found.lock().unwrap();
        found.push(hit);
        stop.store(found.len() > 50, Ordering::Relaxed);
    };
    copies.search_with(&query, title.into_iter().collect(), &stop, &add);
    let found = found.into_inner().unwrap();
    // Each thread ends with the page that it is reading.
    assert!((51..100).contains(&found.len()), "{}", found.len());
    let first = &found[0];
    assert_eq!(
        (first.title.as_str(), first.line.as_str()),
        ("The lamp", "a lamp")
    );
    let of_seven = found
        .iter()
        .filter(|hit| hit.key.as_str() == "gopher://h/0/7");
    assert_eq!(of_seven.count(), 1);
}

#[test]
fn titles_are_found_before_any_page_is_read() {
    let copies = Copies::new();
    for number in 0..20 {
        copies.store(&format!("gopher://h/0/{number}"), Shape::Text, "a lamp");
    }
    let query = SearchQuery::parse("lamp", now()).unwrap();
    let titles = ["gemini://h/a", "gemini://h/b"]
        .map(|address| title_hit(&query, &url(address), "The lamp", None).unwrap());
    let found = Mutex::new(Vec::new());
    let add = |hit: SearchHit| {
        // A page that was read already would be found all the same.
        let directory = std::fs::read_dir(copies.profile.path().join("cache")).unwrap();
        for entry in directory.flatten() {
            std::fs::remove_file(entry.path()).unwrap();
        }
        found.lock().unwrap().push(hit.url.to_string());
    };
    let stop = AtomicBool::new(false);
    let summary = copies.search_with(&query, titles.into_iter().collect(), &stop, &add);
    let found = found.into_inner().unwrap();
    assert_eq!(found, ["gemini://h/a", "gemini://h/b"]);
    assert_eq!(summary.copies, 0);
}

#[test]
fn phrase_in_two_rows_is_marked_in_both() {
    let query = SearchQuery::parse("\"brass lamp of old\"", now()).unwrap();
    let marked = |text: &'static str| {
        let ranges = query.wanted.ranges(text).into_iter();
        ranges.map(|range| &text[range]).collect::<Vec<_>>()
    };
    assert_eq!(marked("It was a Brass Lamp"), ["Brass Lamp"]);
    assert_eq!(marked("  of old, and brass was cheap"), ["of old"]);
    assert!(marked("embrass").is_empty() && marked("of older").is_empty());
}

#[test]
fn marks_are_the_places_of_the_words() {
    let query = SearchQuery::parse("lodz \"ss a\" od", now()).unwrap();
    let text = "Łódź: Straß A";
    let marks = query.wanted.ranges(text);
    let words: Vec<&str> = marks.iter().map(|mark| &text[mark.clone()]).collect();
    assert_eq!(words, ["Łódź", "ß A"]);
}

#[test]
fn reading_changes_no_time_and_saved_pages_are_searched_too() {
    let copies = Copies::new();
    copies.store("gopher://h/0/a", Shape::Text, "a lamp");
    let saved = copies.cache.saved().unwrap();
    let lamp = std::iter::once(b"one more lamp".as_slice());
    saved
        .store(&head("gopher://h/0/later", Shape::Text), now(), lamp)
        .unwrap();
    let directory = copies.profile.path().join("cache");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for entry in std::fs::read_dir(&directory).unwrap() {
        let file = std::fs::File::open(entry.unwrap().path()).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    let mut found = copies.urls("lamp");
    found.sort();
    assert_eq!(found, ["gopher://h/0/a", "gopher://h/0/later"]);
    for entry in std::fs::read_dir(&directory).unwrap() {
        assert_eq!(
            entry.unwrap().metadata().unwrap().modified().unwrap(),
            long_ago
        );
    }
}

#[test]
fn phrase_with_marks_is_found_across_rows() {
    let copies = Copies::new();
    let page = "<p>caf\u{e9}<br>noir</p>";
    copies.store("http://h/a", Shape::Html, page);
    copies.store("http://h/b", Shape::Text, "un caf\u{e9}\nnoir\n");
    copies.store("http://h/c", Shape::Text, "un cafe\nnoir\n");
    let mut found = copies.urls("\"caf\u{e9} noir\"");
    found.sort();
    assert_eq!(found, ["http://h/a", "http://h/b"]);
}

#[test]
fn charset_of_a_long_page_is_that_of_what_tells_one() {
    let copies = Copies::new();
    let style = "p { margin: 0 }\n".repeat(20_000);
    let head = format!("<html><head><style>{style}</style></head><body>");
    let charset = Charset::named("windows-1251").unwrap();
    let text = charset.encode("\u{44d}\u{442}\u{43e} \u{43b}\u{430}\u{43c}\u{43f}\u{430} ");
    let page = [head.as_bytes(), b"<p>", &text.repeat(40), b"</p>"].concat();
    copies.store("http://h/a", Shape::Html, page);
    assert_eq!(copies.urls("\u{43b}\u{430}\u{43c}\u{43f}\u{430}").len(), 1);
}

#[test]
fn damaged_and_foreign_files_are_skipped() {
    let copies = Copies::new();
    copies.store("gopher://h/0/a", Shape::Text, "a lamp");
    let directory = copies.profile.path().join("cache");
    std::fs::write(directory.join("lamp"), "a lamp").unwrap();
    std::fs::write(directory.join("0".repeat(64)), "a lamp").unwrap();
    std::fs::write(directory.join("1".repeat(64)), "").unwrap();
    assert_eq!(copies.urls("lamp"), ["gopher://h/0/a"]);
}

proptest! {
    #[test]
    fn word_of_a_text_is_found_in_every_kind_of_page(
        before in "[a-zé \n]{0,40}",
        word in "[a-zø]{3,8}",
        behind in "[ \n][a-z \n]{0,40}",
        shape in prop::sample::select(vec![Shape::Text, Shape::Gemtext, Shape::Html]),
    ) {
        let copies = Copies::new();
        copies.store("http://h/a", shape, format!("{before} {word}{behind}"));
        prop_assert_eq!(copies.urls(&word).len(), 1);
        let plain = word.replace('ø', "o").to_uppercase();
        prop_assert_eq!(copies.urls(&plain).len(), 1);
        let query = format!("{plain} -{plain}");
        prop_assert_eq!(copies.urls(&query).len(), 0);
    }
}

/// Octets of which pages are made, in which rows differ from what was sent.
const PIECES: [&[u8]; 20] = [
    b"fo",
    b"o ",
    b"ba",
    b"r ",
    b" ",
    b"\r\n",
    b"\n\n",
    b"\xe9",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"\x0c",
    b"\x01",
    b"\x1b[31m",
    b"\t",
    b"<p>",
    b"<b>fo</b>",
    b"&eacute;",
    b"<!-- fo -->",
    b"# ba",
    b"<title>fo</title>",
];

/// Words of the queries; a phrase is one.
const WORDS: [&str; 8] = ["fo", "o", "bar", "e", "\u{e9}", "fo ba", "r fo", "<p>"];

/// Words, some of which are parts of others.
const TERMS: [&str; 8] = [
    "lamp",
    "lampshade",
    "amp",
    "oil",
    "boil",
    "шар",
    "шарф",
    "ошар",
];

/// What a search finds by the rows of a page: whether it has all words, all of them in one paragraph, and how often.
fn expected(document: &Document, title: &str, words: &[&str]) -> (bool, bool, usize) {
    let rows = (0..document.count()).filter_map(|row| document.row(row));
    let rows: Vec<String> = rows
        .map(|row| row.text().split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let paragraphs = rows.split(String::is_empty);
    let paragraphs = paragraphs.map(|rows| rows.join(" "));
    let mut paragraphs: Vec<String> = paragraphs.filter(|rows| !rows.is_empty()).collect();
    let text = paragraphs.join(" ");
    paragraphs.push(title.to_owned());
    let folded = |text: &str| String::from_utf8(FoldedText::of(text, false).octets().to_vec());
    let folded = |text: &str| folded(text).unwrap();
    let count = |text: &str, word: &str| match word {
        "\u{e9}" => text.to_lowercase().nfc().filter(|one| *one == 'é').count(),
        _ => folded(text).matches(&folded(word)).count(),
    };
    let counts = words.iter().map(|word| {
        let texts = [text.as_str(), title];
        texts.map(|text| count(text, word)).iter().sum::<usize>()
    });
    let counts: Vec<usize> = counts.collect();
    let is_near = |text: &String| words.iter().all(|word| count(text, word) > 0);
    let has_all = counts.iter().all(|&count| count > 0);
    (has_all, paragraphs.iter().any(is_near), counts.iter().sum())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn search_finds_what_the_rows_say(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24),
        // The pieces of a long text meet in the words.
        filler in prop_oneof![8 => Just(0), 1 => 250_000_usize..262_200],
        shape in prop::sample::select(vec![Shape::Text, Shape::Gemtext, Shape::Html, Shape::Menu]),
        words in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..3),
    ) {
        let copies = Copies::new();
        let row = |at: usize| if at % 80 == 79 { b'\n' } else { b'x' };
        let filler: Vec<u8> = (0..filler).map(row).collect();
        let octets = [filler, pieces.concat()].concat();
        copies.store("http://h/a", shape, &octets);
        let mut document = Document::new(url("http://h/a"), shape, CharsetSetting::default()).for_output();
        document.append(&octets);
        let document = document.finished();
        let title = document.title().map(|title| title.to_string()).unwrap_or_default();
        let query: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let found = copies.search(&query.join(" "));
        let (has_all, is_near, count) = expected(&document, &title, &words);
        prop_assert_eq!(found.len(), usize::from(has_all), "{:?}", octets.escape_ascii().to_string());
        if let [hit] = found.as_slice() {
            prop_assert_eq!(hit.count, count);
            prop_assert_eq!(hit.rank <= Rank::Near, is_near);
        }
    }

    #[test]
    fn alternatives_and_starts_of_words_are_found_where_the_text_has_them(
        pages in prop::collection::vec(prop::collection::vec(prop::sample::select(&TERMS[..]), 1..6), 1..12),
        separator in prop::sample::select(vec![" ", "\r\n", ", "]),
        groups in prop::collection::vec(
            prop::collection::vec((prop::sample::select(&TERMS[..]), any::<bool>()), 1..3),
            1..3,
        ),
    ) {
        let copies = Copies::new();
        for (number, words) in pages.iter().enumerate() {
            copies.store(&format!("gopher://h/0/{number}"), Shape::Text, words.join(separator));
        }
        let has = |words: &[&str], (term, is_start): &(&str, bool)| words.iter().any(|word| {
            if *is_start { word.starts_with(term) } else { word.contains(term) }
        });
        let expected = pages.iter().enumerate().filter(|(_, words)| {
            groups.iter().all(|group| group.iter().any(|term| has(words, term)))
        });
        let mut expected: Vec<String> = expected.map(|(number, _)| format!("gopher://h/0/{number}")).collect();
        let groups: Vec<String> = groups.iter().map(|group| {
            let terms = group.iter().map(|(term, is_start)| format!("{term}{}", if *is_start { "*" } else { "" }));
            terms.collect::<Vec<_>>().join(" OR ")
        }).collect();
        let mut found = copies.urls(&groups.join(" "));
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected, "{:?}", groups);
    }
}
