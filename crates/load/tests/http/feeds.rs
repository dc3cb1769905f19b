//! The forms of feeds, gemlogs, phlogs and logs of the Web that are in use: each is a file in `data/feeds` with its
//! entries here.

use std::collections::BTreeSet;
use std::path::Path;

use geomys_page::document::{Document, Shape};
use geomys_testing::loading::{texts, url};
use geomys_wire::text::CharsetSetting;

use super::html::targets;

/// The files, each with its entries: day, title and URL.
const FORMS: [(&str, &[&str]); 44] = [
    ("atom-0.3.xml", &["2026-11-20 One http://h.example/1"]),
    ("atom-alternate.xml", &["- One http://h.example/1"]),
    (
        "atom-base.xml",
        &[
            "- One http://b.example/log/1",
            "- Two http://b.example/log/e/2",
        ],
    ),
    ("atom-id-is-url.xml", &["2026-11-21 One http://h.example/1"]),
    (
        "atom-markup.xml",
        &[
            "- One & two http://h.example/1",
            "- Two < three http://h.example/2",
            "- The <b> tag http://h.example/3",
        ],
    ),
    ("atom-prefixed.xml", &["2026-11-21 One http://h.example/1"]),
    ("atom-source.xml", &["2026-11-21 One http://h.example/1"]),
    ("atom-xhtml.xml", &["- One http://h.example/1"]),
    ("atom.xml", &["2026-11-20 One http://h.example/1"]),
    (
        "gemlog-behind.gmi",
        &[
            "2026-11-21 One http://h.example/1",
            "2026-11-20 Two http://h.example/2",
        ],
    ),
    (
        "gemlog-brackets.gmi",
        &["2026-11-21 One http://h.example/1"],
    ),
    (
        "gemlog-heading.gmi",
        &[
            "2026-11-21 One http://h.example/1",
            "2026-11-21 Two http://h.example/2",
            "2026-11-20 Three http://h.example/3",
        ],
    ),
    ("gemlog-slashes.gmi", &["2026-11-21 One http://h.example/1"]),
    (
        "gemlog.gmi",
        &[
            "2026-11-21 One http://h.example/1",
            "2026-11-20 Two http://h.example/2",
        ],
    ),
    (
        "html-behind.html",
        &[
            "2026-11-21 One http://h.example/1",
            "2026-11-20 Two http://h.example/2",
        ],
    ),
    (
        "html-dt.html",
        &[
            "2026-11-21 One http://h.example/1",
            "2026-11-21 Two http://h.example/2",
            "2026-11-20 Three http://h.example/3",
        ],
    ),
    (
        "html-li.html",
        &[
            "2026-11-21 One http://h.example/1",
            "2026-11-20 Two http://h.example/2",
        ],
    ),
    ("html-table.html", &["2026-11-21 One http://h.example/1"]),
    (
        "html-time-above.html",
        &["2026-11-21 One http://h.example/1"],
    ),
    ("html-time.html", &["2026-11-21 One http://h.example/1"]),
    (
        "json-1.0.json",
        &[
            "2026-11-21 One http://h.example/1",
            "- Two http://h.example/2",
        ],
    ),
    (
        "json-1.1.json",
        &[
            "- One http://h.example/1",
            "- The first words & more http://o.example/2",
        ],
    ),
    ("json-escaped.json", &["- One http://h.example/1"]),
    (
        "phlog-above.menu",
        &[
            "2026-11-21 One gopher://h.example/0/1",
            "2026-11-21 Two gopher://h.example/0/2",
        ],
    ),
    (
        "phlog-brackets.menu",
        &[
            "2026-11-21 One gopher://h.example/0/1",
            "2026-11-20 One gopher://h.example/0/2",
        ],
    ),
    (
        "phlog-compact.menu",
        &[
            "2026-11-21 One gopher://h.example/0/1",
            "2026-11-20 two.txt gopher://h.example/0/2",
        ],
    ),
    (
        "phlog-dots.menu",
        &[
            "2026-11-21 One gopher://h.example/0/1",
            "2026-11-20 Two gopher://h.example/0/2",
        ],
    ),
    (
        "phlog-name.menu",
        &[
            "2026-11-21 One gopher://h.example/0/1",
            "2026-11-20 Two gopher://h.example/0/2",
        ],
    ),
    (
        "rss-0.91.xml",
        &["- One http://h.example/1", "- Two http://h.example/2"],
    ),
    (
        "rss-1.0.xml",
        &[
            "2026-11-21 One http://h.example/1",
            "- Two http://h.example/2",
        ],
    ),
    (
        "rss-control.xml",
        &["- One http://h.example/1", "- Two http://h.example/2"],
    ),
    (
        "rss-dates.xml",
        &[
            "2026-11-21 One http://h.example/1",
            "2026-11-20 Two http://h.example/2",
            "2026-11-19 Three http://h.example/3",
            "2026-11-18 Four http://h.example/4",
        ],
    ),
    ("rss-doctype.xml", &["- One http://h.example/1"]),
    (
        "rss-empty-date.xml",
        &["- One http://h.example/1", "- Two http://h.example/2"],
    ),
    ("rss-encoded.xml", &["- One http://h.example/1"]),
    (
        "rss-fragments.xml",
        &[
            "- One http://h.example/log#1",
            "- Two http://h.example/log#2",
        ],
    ),
    (
        "rss-guid.xml",
        &[
            "- One http://h.example/same",
            "- Two http://h.example/same",
            "- Three http://h.example/3",
        ],
    ),
    (
        "rss-no-title.xml",
        &["- The first words of a note that goes on for longer than a ti… http://h.example/1"],
    ),
    ("rss-prefixed-title.xml", &["- One http://h.example/1"]),
    (
        "rss-raw-ampersand.xml",
        &[
            "- One & two http://h.example/1?a=1&b=2",
            "- Tom &unknown; x http://h.example/2",
        ],
    ),
    ("rss-source.xml", &["- One http://h.example/1"]),
    (
        "rss-title-only.xml",
        &["2026-11-20 One http://h.example/rss-title-only.xml#entry-8b12507783d5"],
    ),
    (
        "rss-tracking.xml",
        &["- One http://h.example/1?id=5&utm_source=rss&utm_medium=feed"],
    ),
    (
        "rss-unmatched.xml",
        &["- One http://h.example/1", "- Two http://h.example/2"],
    ),
];

fn directory() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/feeds"))
}

fn form(name: &str) -> Document {
    let shape = match name.rsplit('.').next() {
        Some("menu") => Shape::Menu,
        Some("gmi") => Shape::Gemtext,
        Some("html") => Shape::Html,
        _ => Shape::Feed,
    };
    let page = url(format!("http://h.example/{name}"));
    let mut document = Document::new(page, shape, CharsetSetting::default());
    document.append(&std::fs::read(directory().join(name)).unwrap());
    document
}

#[test]
fn each_form_in_use_has_its_entries() {
    let mut faults = Vec::new();
    for (name, expected) in FORMS {
        let entries = form(name).entries();
        let ids: BTreeSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        let lines: Vec<String> = entries
            .iter()
            .map(|entry| {
                let date = entry.date.map_or("-".to_owned(), |date| date.to_string());
                format!("{date} {} {}", entry.title, entry.url)
            })
            .collect();
        if lines != expected || ids.len() != entries.len() {
            faults.push(format!("{name}: {lines:#?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let files = std::fs::read_dir(directory()).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let tested: BTreeSet<String> = FORMS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(files.collect::<BTreeSet<_>>(), tested);
}

#[test]
fn text_of_an_entry_stands_below_the_list_under_its_link() {
    let document = form("rss-encoded.xml").finished();
    let shown = ["Log", "", "            One", "", "One", "The whole text"];
    assert_eq!(texts(&document), shown);
    let anchor = document.link(2, 0).unwrap().target.unwrap();
    assert_eq!(
        document.row_of_fragment(anchor.fragment().unwrap()),
        Some(4)
    );
    assert_eq!(
        targets(&document)[2..],
        ["One -> http://h.example/1", "text -> http://h.example/x"]
    );
    // Elements in a text, and the base of its references.
    let document = form("atom-xhtml.xml").finished();
    assert_eq!(texts(&document).last().unwrap(), "The whole text & more");
    let document = form("atom-base.xml").finished();
    let last = targets(&document).pop().unwrap();
    assert_eq!(last, "y -> http://c.example/x/y");
}

#[test]
fn feeds_of_a_page_are_offered_below_it() {
    let page = "<head><link rel='alternate' type='application/rss+xml' title='All posts' href='/rss'>\
                <link rel=\"alternate stylesheet\" href='/x'><link rel='alternate' type='application/feed+json' href='/json'>\
                </head><body><p>Words</p></body>";
    let mut document = Document::new(
        url("http://h.example/"),
        Shape::Html,
        CharsetSetting::default(),
    );
    document.append(page.as_bytes());
    let document = document.finished();
    assert_eq!(
        targets(&document),
        [
            "[feed: All posts] -> http://h.example/rss",
            "[feed] -> http://h.example/json"
        ]
    );
}
