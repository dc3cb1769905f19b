//! `geomys search`, run as a user would.

use std::path::Path;

use geomys_page::document::Shape;
use geomys_store::files::cache::{Cache, CacheLimits, PageHeader};
use geomys_store::files::history::{Visit, VisitKind, append};
use jiff::Timestamp;
use rfc1738::{Dialect, Url};
use serde_json::Value;

use crate::support::command::{geomys, text};

fn url(text: &str) -> Url {
    Dialect::Extended.parse(text).unwrap()
}

fn store(profile: &Path, address: &str, shape: Shape, octets: &[u8]) {
    let limits = CacheLimits {
        size: 1 << 20,
        ..CacheLimits::default()
    };
    let head = PageHeader::new(url(address), shape);
    let cache = Cache::new(profile.join("cache"), limits);
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
    std::fs::write(
        path.join("bookmarks.txt"),
        "Lamps <URL:gopher://h/1/lamps>\n",
    )
    .unwrap();
    let visit = Visit {
        time: Timestamp::now(),
        url: "gemini://h/lamp".to_owned(),
        title: "The Lamp".to_owned(),
        kind: VisitKind::Web,
    };
    append(&path.join("history.jsonl"), &visit).unwrap();
    let (status, found, said) = search(path, &["lamp"]);
    assert_eq!((status, said.as_str()), (0, ""));
    let rows: Vec<Vec<&str>> = found
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    let urls: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    assert_eq!(
        urls[..2],
        ["gemini://h/lamp", "gopher://h/1/lamps"],
        "{found}"
    );
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
            "\"in:\" takes news, web or a scheme, not \"gohper\"",
        ),
        (
            "since:soon",
            "\"since:\" takes 2w, 3d, 12h or 2026-11-02, not \"soon\"",
        ),
        ("host:h", "a search needs a word"),
    ] {
        let (status, _, said) = search(profile.path(), &[words]);
        assert_eq!(status, 2, "{words}");
        assert!(said.contains(sentence), "{said}");
    }
}
