//! All that compares URLs agrees on which spellings are one link, and which links are one page.

use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::dates::LastVisits;
use geomys_store::bookmarks::exchange::{BookmarkTree, Entry, Item as TreeItem};
use geomys_store::bookmarks::records::BookmarkRecords;
use geomys_store::files::history::{self, HistorySettings, Visit, VisitKind};
use geomys_wire::net::page_url;
use jiff::Timestamp;
use proptest::collection::vec;
use proptest::prelude::*;
use rfc1738::{Dialect, parse_or_repair};

use super::*;

/// Spellings of the parts of a URL that change nothing, by part.
const SCHEMES: [&[&str]; 5] = [
    &["http", "HTTP"],
    &["https", "Https"],
    &["gopher", "GOPHER"],
    &["gemini", "gEmini"],
    &["ftp", "Ftp"],
];
const HOSTS: [&[&str]; 3] = [
    &["h.example", "H.Example"],
    &[
        "münchen.example",
        "xn--mnchen-3ya.example",
        "XN--MNCHEN-3YA.example",
        "MÜNCHEN.example",
    ],
    &["192.0.2.1"],
];
const PIECES: [&[&str]; 8] = [
    &["a", "%61"],
    &["~", "%7E", "%7e"],
    &[" ", "%20"],
    &["|", "%7c", "%7C"],
    &["é", "%C3%A9", "%c3%a9"],
    &["%2F", "%2f"],
    &["/"],
    &["0"],
];

/// Two spellings of one link: a scheme, a host, a path, and a fragment, each written in one of its ways.
fn spellings() -> impl Strategy<Value = [String; 2]> {
    let ways = || vec(any::<prop::sample::Index>(), 16);
    let parts = (
        0..SCHEMES.len(),
        0..HOSTS.len(),
        vec(0..PIECES.len(), 0..6),
        any::<bool>(),
    );
    (parts, ways(), ways()).prop_map(|((scheme, host, pieces, is_part), one, other)| {
        [one, other].map(|ways| {
            let mut ways = ways.iter();
            let mut way = |of: &[&str]| of[ways.next().unwrap().index(of.len())].to_owned();
            let port = [80, 443, 70, 1965, 21][scheme];
            let colon = format!(":{port}");
            let zeros = format!(":0{port}");
            let mut text = way(SCHEMES[scheme]) + "://" + &way(HOSTS[host]);
            text += &way(&["", &colon, &zeros]);
            // An item type is no part of a selector.
            text += if scheme == 2 { "/0x" } else { "/x" };
            for &piece in &pieces {
                text += &way(PIECES[piece]);
            }
            // A blank at the end is no part of a URL.
            let ends: &[&str] = match scheme {
                4 => &["z/", "z;type=d", "z;TYPE=D", "z/;type=d"],
                _ => &["z"],
            };
            text += &way(ends);
            text + if is_part { "#part" } else { "" }
        })
    })
}

fn visits(url: &str) -> LastVisits {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("history.jsonl");
    let url = Dialect::Extended.parse(url).unwrap();
    let visit = Visit::new(Timestamp::UNIX_EPOCH, &url, "", VisitKind::Menu);
    history::append(&path, &visit).unwrap();
    let settings = HistorySettings::default();
    LastVisits::of(&history::load(&path, &settings, Timestamp::now()).unwrap())
}

fn added(url: &str) -> BookmarkRecords {
    let entry = Entry {
        url: url.to_owned(),
        added: Some(0),
        ..Entry::default()
    };
    let tree = BookmarkTree {
        items: vec![TreeItem::Entry(entry)],
        ..BookmarkTree::default()
    };
    tree.added_dates()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn spellings_of_one_link_are_equal_everywhere([one, other] in spellings()) {
        let file = Bookmarks::parse(format!("<URL:{one}>\n<URL:{other}>\n").as_bytes());
        let [opened, shown] = [&one, &other].map(|text| parse_or_repair(text).unwrap());
        // Bookmarks: the star, a second addition, `is:duplicate`, merge and removal.
        prop_assert_eq!(file.same_as(&opened), [0, 1]);
        prop_assert_eq!(file.same_as(&shown), [0, 1]);
        prop_assert_eq!(file.doubles(), [[0, 1]]);
        // An import of what is there.
        let list = Bookmarks::parse(format!("<URL:{other}>\n").as_bytes());
        let mut tree = BookmarkTree::of(&list);
        tree.remove_existing(&Bookmarks::parse(format!("<URL:{one}>\n").as_bytes()));
        prop_assert_eq!(tree.entries().count(), 0);
        // Dates of additions, checks, visits and copies.
        let dates = added(&one);
        prop_assert!(dates.added_written(&other).is_some());
        prop_assert!(dates.added(&shown).is_some());
        prop_assert_eq!(UrlKey::of(&opened), UrlKey::of(&shown));
        prop_assert!(visits(opened.as_str()).time(shown.as_str()).is_some());
        prop_assert_eq!(page_url(&opened), page_url(&shown));
    }

    #[test]
    fn fragment_makes_another_link_of_one_page([one, _] in spellings()) {
        let page = one.trim_end_matches("#part");
        let [page, part] = [page.to_owned(), format!("{page}#other")];
        let file = Bookmarks::parse(format!("<URL:{page}>\n<URL:{part}>\n").as_bytes());
        let [opened, shown] = [&page, &part].map(|text| parse_or_repair(text).unwrap());
        prop_assert_eq!(file.same_as(&opened), [0]);
        prop_assert!(file.doubles().is_empty());
        prop_assert_eq!(UrlKey::of(&opened), UrlKey::of(&shown));
        prop_assert!(visits(opened.as_str()).time(shown.as_str()).is_some());
        prop_assert_eq!(page_url(&opened), page_url(&shown));
    }
}

#[test]
fn fault_without_a_repair_is_compared_as_text() {
    let file = Bookmarks::parse(
        b"<URL:http://bad~host/>\n<URL:http://bad~host/>\n<URL:http://bad~host>\n",
    );
    assert_eq!(file.doubles(), [[0, 1]]);
}
