//! The search of stored copies: `geomys search`, run as a user would, and its page in the browser.

use std::fs;
use std::path::Path;

use geomys_page::document::Shape;
use geomys_store::files::cache::{Cache, CacheLimits, PageHeader};
use geomys_store::files::history::{Visit, VisitKind, append};
use jiff::Timestamp;
use rfc1738::{Dialect, Url};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

fn url(text: &str) -> Url {
    Dialect::Extended.parse(text).unwrap()
}

fn limits() -> CacheLimits {
    CacheLimits {
        size: 1 << 20,
        ..CacheLimits::default()
    }
}

fn store(profile: &Path, address: &str, shape: Shape, octets: &[u8]) {
    let head = PageHeader::new(url(address), shape);
    let cache = Cache::new(profile.join("cache"), limits());
    let octets = std::iter::once(octets);
    cache.store(&head, Timestamp::now(), octets).unwrap();
}

fn search(profile: &Path, arguments: &[&str]) -> (i32, String, String) {
    let config = profile.to_str().unwrap();
    let arguments = [&["--config", config, "search"], arguments].concat();
    let output = geomys(&arguments, "");
    let status = output.status.code().unwrap();
    (status, text(&output.stdout), text(&output.stderr))
}

#[test]
fn search_prints_pages_bookmarks_and_visits_without_a_server() {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path();
    store(
        path,
        "gopher://h/0/a",
        Shape::Text,
        b"The br\xc3\xa4ss\r\nlamp\x1b[31m\r\n",
    );
    store(
        path,
        "news:x@h",
        Shape::Article,
        b"Subject: Oil\r\n\r\nNo lamp.\r\n",
    );
    fs::write(
        path.join("bookmarks.txt"),
        "Lamps <URL:gopher://h/1/lamps>\n",
    )
    .unwrap();
    let visit = Visit {
        time: Timestamp::now(),
        url: "gemini://h/lamp".to_owned(),
        title: "The Lamp".to_owned(),
        kind: VisitKind::Web,
        reason: String::new(),
    };
    append(&path.join("history.jsonl"), &visit).unwrap();
    let (status, found, said) = search(path, &["lamp"]);
    assert_eq!((status, said.as_str()), (0, ""));
    let rows: Vec<Vec<&str>> = found
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let urls: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    // A title comes first, and parts of words come last.
    assert_eq!(urls[0], "gemini://h/lamp", "{found}");
    assert_eq!(urls[3], "gopher://h/1/lamps", "{found}");
    assert_eq!(rows.len(), 4, "{found}");
    assert!(!found.contains('\x1b'), "{found:?}");

    let (_, found, _) = search(path, &["--json", "\"brass lamp\""]);
    let hit: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(hit["url"], "gopher://h/0/a");
    assert_eq!(
        (&hit["line"], &hit["match"]),
        (&Value::from("The bräss"), &Value::from("near"))
    );

    let (_, found, _) = search(path, &["lamp", "in:news"]);
    assert!(found.contains("news:x@h\tOil\tNo lamp."), "{found}");
    let (_, found, _) = search(path, &["lamp", "in:news", "--", "-oil"]);
    assert_eq!(found, "");
    for (words, expected) in [
        (
            &["lamp", "oil", "OR", "brass"][..],
            &["gopher://h/0/a", "news:x@h"][..],
        ),
        (&["lamp", "title:oil"], &["news:x@h"]),
        (&["bra*"], &["gopher://h/0/a"]),
        (&["ras*"], &[]),
    ] {
        let (_, found, _) = search(path, words);
        let mut urls: Vec<&str> = found
            .lines()
            .filter_map(|line| line.split('\t').nth(1))
            .collect();
        urls.sort_unstable();
        assert_eq!(urls, expected, "{words:?}");
    }
}

#[test]
fn search_without_hits_or_with_a_mistake_says_so() {
    let profile = tempfile::tempdir().unwrap();
    store(profile.path(), "gopher://h/0/a", Shape::Text, b"lamp");
    let (status, found, said) = search(profile.path(), &["brass"]);
    assert_eq!((status, found.as_str()), (0, ""));
    assert_eq!(said, "geomys: nothing found; pages searched: 1\n");
    for (words, sentence) in [
        (
            "in:gohper",
            "\"in:\" takes kept, news, web or a scheme, not \"gohper\"",
        ),
        (
            "since:soon",
            "\"since:\" takes 2w, 3d, 1y, 2019, 2026-11 or 2026-11-02, not \"soon\"",
        ),
        ("host:h", "a search needs a word"),
        ("hots:h", "unknown \"hots:\""),
        ("lamp OR", "\"OR\" stands between two words"),
        ("lamp dead>1y", "no comparison such as \"dead>1y\" here"),
    ] {
        let (status, _, said) = search(profile.path(), &[words]);
        assert_eq!(status, 2, "{words}");
        assert!(said.contains(sentence), "{said}");
    }
    let (_, _, said) = search(profile.path(), &["lamp", "in:gohper"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[1], "  lamp in:gohper");
    assert!(
        lines[2].starts_with("          ^^^^^^ \"in:\" takes"),
        "{said}"
    );
}

#[test]
fn unread_is_what_the_marks_say() {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path();
    for (number, head) in [(7, "From: Ada <a@h>\r\n"), (8, "From: Bo <b@h>\r\n")] {
        let address = format!("nntp://h.invalid/a.b/{number}");
        let octets = format!("{head}Subject: Oil\r\nDate: 7 Nov 1998 10:00\r\n\r\nA lamp.\r\n");
        store(path, &address, Shape::Article, octets.as_bytes());
    }
    for name in ["new", "old", "other"] {
        store(
            path,
            &format!("gopher://h.invalid/0/{name}"),
            Shape::Text,
            b"A lamp",
        );
    }
    fs::create_dir(path.join("newsrc")).unwrap();
    fs::write(path.join("newsrc/h.invalid_119"), "a.b: 1-7\n").unwrap();
    let bookmark = "Log <URL:gopher://h.invalid/1/log> #follow\n";
    fs::write(path.join("bookmarks.txt"), bookmark).unwrap();
    let entry = |name: &str, is_new: bool| {
        format!(
            "{{\"url\":\"gopher://h.invalid/0/{name}\",\"date\":\"2026-11-01\",\"title\":\"n\",\
             \"seen\":\"2026-11-02T00:00:00Z\",\"new\":{is_new}}}"
        )
    };
    let entries = [entry("new", true), entry("old", false)].join(",");
    let watched = format!(
        "{{\"url\":\"gopher://h.invalid/1/log\",\"at\":\"2026-11-20T00:00:00Z\",\"new\":true,\"entries\":[{entries}]}}\n"
    );
    fs::write(path.join("watched.jsonl"), watched).unwrap();
    let found = |words: &[&str]| {
        let (_, found, said) = search(path, words);
        let urls = found.lines().filter_map(|line| line.split('\t').nth(1));
        let mut urls: Vec<String> = urls.map(str::to_owned).collect();
        urls.sort_unstable();
        (urls, said)
    };
    let (urls, said) = found(&["lamp", "is:unread"]);
    assert_eq!(
        urls,
        ["gopher://h.invalid/0/new", "nntp://h.invalid/a.b/8"],
        "{said}"
    );
    let (urls, _) = found(&["lamp", "is:unread", "from:bo", "until:1998"]);
    assert_eq!(urls, ["nntp://h.invalid/a.b/8"]);
    assert_eq!(found(&["lamp", "--", "-is:unread"]).0.len(), 3);
    // What cannot be read is not taken for read.
    fs::remove_file(path.join("newsrc/h.invalid_119")).unwrap();
    fs::create_dir(path.join("newsrc/h.invalid_119")).unwrap();
    let (urls, said) = found(&["lamp", "is:unread"]);
    assert_eq!(urls.len(), 0);
    assert!(said.contains("the read marks cannot be read"), "{said}");
}

/// A profile with pages of several schemes in its cache, and a bookmark.
fn stored_pages() -> TempDir {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path();
    let text = format!(
        "Top\r\n\r\n{}Below a brass\r\nlamp.\r\n",
        "line\r\n\r\n".repeat(40)
    );
    store(
        path,
        "gopher://h.invalid/0/far",
        Shape::Text,
        text.as_bytes(),
    );
    store(
        path,
        "news:x@h.invalid",
        Shape::Article,
        b"Subject: Oil\r\nFrom: a@h.invalid\r\n\r\nNo l\xc3\xa2mp.\r\n\r\n\r\nMade of brass\r\n",
    );
    store(
        path,
        "http://h.invalid/lamps",
        Shape::Html,
        b"<title>All brass lamps</title><p>They are <b>of br</b>ass, each lamp.</p>",
    );
    let bookmark = "Brass lamps <URL:gemini://h.invalid/brass>\n";
    fs::write(path.join("bookmarks.txt"), bookmark).unwrap();
    profile
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_with_the_words_are_listed_and_open_at_the_hit_without_a_server() {
    let session = Browser::in_profile(stored_pages()).size((100, 24)).start();
    session.press("g /");
    session.wait("Search all stored pages").await;
    session.wait("in:news in:web").await;
    session.type_in("brass lamp");
    session.press("Enter");
    session.wait("4 found; stored pages searched: 3").await;
    // Titles come first, then the words in one paragraph, then the rest, and at the end parts of words.
    let screen = session.screen();
    let at = |words: &str| {
        screen
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {screen}"))
    };
    assert!(at("All brass lamps") < at("Below a brass"), "{screen}");
    assert!(at("Below a brass") < at("Oil"), "{screen}");
    assert!(at("Oil") < at("Brass lamps"), "{screen}");
    assert!(
        at("They are of brass, each lamp") < at("Below a brass"),
        "{screen}"
    );
    // The position counts pages, not rows.
    session.wait("1/4 25%").await;
    let matched = session.style_of("brass, each");
    assert_ne!(session.style_of("They are"), matched);

    // The text opens at the phrase, with the words marked, though its host does not exist.
    session.press("j");
    session.wait("2/4 50%").await;
    session.press("Enter");
    session.wait("the search found this copy").await;
    session.wait("Below a brass").await;
    assert_ne!(session.style_of("lamp."), session.style_of("Below a"));
    session.press("n");
    session.wait("2 of 2").await;
    // Reload asks the server.
    session.press("r");
    session.wait("host not found: h.invalid").await;
    session.press("h");
    session.wait("4 found").await;
    session.wait("gopher://h.invalid/0/far").await;
    session.press("j Enter");
    session.wait("Made of brass").await;
    session.press("h");
    // The same search again, and another one.
    session.press("g / Up");
    session.wait("brass lamp").await;
    session.press("Ctrl-U");
    session.type_in("lamp -brass");
    session.press("Enter");
    session.wait("Nothing found in 3 stored pages").await;
    session.wait("when they are shown, kept,").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_search_keeps_what_it_has_found() {
    let profile = tempfile::tempdir().unwrap();
    let bookmark = "Brass lamps <URL:gemini://h.invalid/brass>\n";
    fs::write(profile.path().join("bookmarks.txt"), bookmark).unwrap();
    // The texts of long pages are made by the first search, which takes longer than any test waits.
    let text = "<p>A brass lamp, and <b>its</b> oil.\r\n".repeat(40_000);
    let cache = Cache::new(
        profile.path().join("cache"),
        CacheLimits {
            size: 1 << 30,
            ..CacheLimits::default()
        },
    );
    for number in 0..80 {
        let address = format!("gopher://h.invalid/h/{number}");
        let head = PageHeader::new(url(&address), Shape::Html);
        let octets = std::iter::once(text.as_bytes());
        cache.store(&head, Timestamp::now(), octets).unwrap();
    }
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.press("g /");
    session.wait("Search all stored pages").await;
    session.type_in("brass lamp");
    session.press("Enter");
    // The title is there before the pages are read.
    let is_there = |screen: &str| screen.contains("Brass lamps");
    session.wait_until("the title", is_there).await;
    session.press("Esc");
    session.wait("stopped").await;
    let screen = session.screen();
    assert!(screen.contains("Brass lamps"), "{screen}");
    assert!(!screen.contains("stored pages searched"), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistake_in_a_query_is_told_at_the_prompt_and_for_an_address() {
    let session = Browser::in_profile(stored_pages()).start();
    session.press("g /");
    session.wait("Search all stored pages").await;
    session.type_in("lamp in:gohper");
    session.press("Enter");
    session
        .wait("takes kept, news, web or a scheme, not \"gohper\"")
        .await;
    let screen = session.screen();
    let column = |line: &str, part: &str| line.find(part).map(|at| line[..at].chars().count());
    let typed = screen.lines().find_map(|line| column(line, "gohper"));
    let caret = screen.lines().find_map(|line| column(line, "^ "));
    assert!(caret.is_some() && caret == typed, "{screen}");
    session.press("Esc");
    session.wait_until_absent("Search all stored pages").await;
    session.press("o");
    session.type_in("geomys:search?since:soon%20lamp");
    session.press("Enter");
    session
        .wait("takes 2w, 3d, 1y, 2019, 2026-11 or 2026-11-02")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_is_restored_and_leaves_no_trace_of_a_private_tab() {
    let session = Browser::in_profile(stored_pages()).size((100, 24)).start();
    session.press("g /");
    session.wait("Search all stored pages").await;
    session.type_in("brass");
    session.press("Enter");
    session.wait("4 found").await;
    session.press("j j");
    session.wait("gopher://h.invalid/0/far").await;
    session.press("g P");
    session.press("g /");
    session.wait("Search all stored pages").await;
    session.type_in("lamp -zebra");
    session.press("Enter");
    session.wait("4 found").await;
    session.press("Ctrl-W");
    session.press("q");
    let profile = session.end().await.profile;
    let mut directories = vec![profile.path().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap().flatten() {
            if entry.path().is_dir() {
                directories.push(entry.path());
                continue;
            }
            let octets = fs::read(entry.path()).unwrap();
            let octets = String::from_utf8_lossy(&octets);
            assert!(!octets.contains("zebra"), "{}", entry.path().display());
        }
    }
    let history = fs::read_to_string(profile.path().join("history.jsonl"));
    assert!(!history.unwrap_or_default().contains("geomys:search"));

    let session = Browser::in_profile(profile)
        .size((100, 24))
        .restoring()
        .start();
    session.wait("4 found").await;
    session.wait("gopher://h.invalid/0/far").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_titles_and_lines_stay_in_their_rows() {
    let profile = tempfile::tempdir().unwrap();
    let head = PageHeader {
        title: Some("One\tlamp\u{1}\u{1b}[31m\u{202e}x".to_owned()),
        ..PageHeader::new(url("gopher://h.invalid/0/a"), Shape::Text)
    };
    let cache = Cache::new(profile.path().join("cache"), limits());
    let page: &[u8] = b"0\t1\t\tgopher://evil.invalid/\tlamp\x01\x02\x1b]0;x\x07\n\tlamp\n";
    let octets = std::iter::once(page);
    cache.store(&head, Timestamp::now(), octets).unwrap();
    let session = Browser::in_profile(profile).start();
    session.press("g /");
    session.wait("Search all stored pages").await;
    session.type_in("lamp");
    session.press("Enter");
    session.wait("1 found").await;
    session.press("j");
    session.press("k");
    session.wait("gopher://h.invalid/0/a").await;
}
