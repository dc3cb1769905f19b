//! Tests of the states of watched pages.

use geomys_page::document::{PageEntry, identity};
use geomys_wire::net::TransferEnd;
use proptest::prelude::*;
use rfc1738::Dialect;

use geomys_load::check::PageContent;
use geomys_load::{KnownCopy, Version};
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::watch::*;
use geomys_wire::net::Fingerprint;
use jiff::Timestamp;
use rfc1738::Url;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + hour * 3600).unwrap()
}

fn url(number: usize) -> Url {
    Dialect::Extended
        .parse(&format!("gopher://example.org/1/{number}"))
        .unwrap()
}

fn content(octets: &[u8]) -> PageContent {
    PageContent {
        fingerprint: Fingerprint::of(octets),
        entries: Vec::new(),
        octets: octets.len() as u64,
        end: TransferEnd::Confirmed,
        copy: KnownCopy::none(url(1)),
    }
}

fn fetched(page: Option<&str>, hour: i64) -> WatchEvent {
    let content = page.map(|page| content(page.as_bytes()));
    WatchEvent::Fetched(UrlKey::of(&url(1)), content, at(hour))
}

#[test]
fn what_has_changed_is_new_until_it_is_opened() {
    let mut watched = WatchedPages::default();
    assert!(watched.is_due(&url(1), at(0)));
    assert!(!watched.note(&fetched(Some("a"), 0)));
    assert!(!watched.is_due(&url(1), at(19)) && watched.is_due(&url(1), at(20)));
    assert!(!watched.note(&fetched(Some("a"), 24)));
    // A failure is no change, and is not repeated before a day has passed.
    assert!(!watched.note(&fetched(None, 48)));
    assert!(!watched.is_due(&url(1), at(50)));
    assert!(!watched.is_new(&url(1)));
    assert!(watched.note(&fetched(Some("b"), 72)));
    assert!(watched.is_new(&url(1)));
    assert_eq!(watched.matches("is:new", &url(1)), Some(true));
    assert_eq!(watched.matches("is:dead", &url(1)), None);
    // The URL stays new, though it has not changed since.
    assert!(!watched.note(&fetched(Some("b"), 96)));
    assert!(watched.is_new(&url(1)));
    watched.note(&WatchEvent::Opened(UrlKey::of(&url(1)), None));
    assert!(!watched.is_new(&url(1)));
    assert_eq!(watched.of(&url(1)).unwrap().changed, Some(at(72)));
}

/// The number of new entries of all pages.
fn new_entries(watched: &WatchedPages) -> usize {
    let entries = watched.entries().into_iter();
    entries.filter(|(_, entry)| entry.is_new).count()
}

#[test]
fn opened_entry_or_page_has_nothing_new() {
    let post = |number| PageEntry {
        id: identity(None, Some(&url(number)), ""),
        date: Some(jiff::civil::date(2026, 11, 20)),
        updated: None,
        title: String::new(),
        url: url(number),
        has_text: false,
    };
    let fetch = |page: &[u8], posts: &[usize]| {
        let entries = posts.iter().map(|&number| post(number)).collect();
        let content = PageContent {
            entries,
            ..content(page)
        };
        WatchEvent::Fetched(UrlKey::of(&url(1)), Some(content), at(0))
    };
    let mut watched = WatchedPages::default();
    watched.note(&fetch(b"a", &[2]));
    assert_eq!(new_entries(&watched), 0);
    assert!(watched.note(&fetch(b"b", &[2, 3, 4])));
    assert_eq!(WatchedPages::parse(&watched.to_octets()), watched);
    let all = watched.clone();
    let open = |watched: &mut WatchedPages, number| {
        let opening = watched.opening(&url(number));
        let is_unread = opening.is_some();
        opening.map(|event| watched.note(&event));
        (is_unread, new_entries(watched), watched.is_new(&url(1)))
    };
    assert_eq!(open(&mut watched, 2), (false, 2, true));
    assert_eq!(open(&mut watched, 3), (true, 1, true));
    assert_eq!(open(&mut watched, 3), (false, 1, true));
    // The last entry ends the mark of the page.
    assert_eq!(open(&mut watched, 4), (true, 0, false));
    watched = all.clone();
    assert_eq!(open(&mut watched, 1), (true, 0, false));
    // The text of an entry on the page is not the page, whatever its fragment.
    watched = all;
    let read = |watched: &mut WatchedPages, fragment: &str| {
        let opening = watched.opening(&url(1).with_fragment(fragment));
        opening.map(|event| watched.note(&event));
        (new_entries(watched), watched.is_new(&url(1)))
    };
    let anchor = |number| PageEntry::anchor(&post(number).id);
    assert_eq!(read(&mut watched, &anchor(3)), (1, true));
    assert_eq!(read(&mut watched, &anchor(3)), (1, true));
    assert_eq!(read(&mut watched, &anchor(4)), (0, false));
}

#[test]
fn confirmed_address_is_due_and_keeps_what_was_seen() {
    let mut watched = WatchedPages::default();
    let confirmed = WatchEvent::Confirmed(UrlKey::of(&url(1)), at(5));
    assert!(!watched.is_confirmed(&url(1)));
    assert!(!watched.note(&confirmed));
    assert!(watched.is_confirmed(&url(1)) && watched.is_due(&url(1), at(5)));
    assert!(!watched.is_new(&url(1)));
    assert_eq!(WatchedPages::parse(&watched.to_octets()), watched);
    assert!(!watched.note(&fetched(Some("a"), 6)));
    let state = watched.clone();
    watched.note(&confirmed);
    assert_eq!(watched, state);
}

#[test]
fn a_clock_that_was_set_back_makes_urls_due() {
    let mut watched = WatchedPages::default();
    watched.note(&fetched(Some("a"), 10_000));
    assert!(watched.is_due(&url(1), at(0)));
}

#[test]
fn two_of_us_lose_nothing_of_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("watched.jsonl");
    save(&path, &[fetched(Some("a"), 0)], at(0)).unwrap();
    let other = WatchEvent::Fetched(UrlKey::of(&url(2)), None, at(0));
    let both = save(&path, &[other], at(0)).unwrap();
    assert_eq!(load(&path).unwrap(), both);
    assert!(both.of(&url(1)).is_some() && both.of(&url(2)).is_some());
}

#[test]
fn clock_ahead_forgets_no_watched_page() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("watched.jsonl");
    let key = |number| UrlKey::of(&url(number));
    let fetched = |number, day: i64| WatchEvent::Fetched(key(number), None, at(24 * day));
    let stored = |events: &[WatchEvent], day: i64| {
        let watched = save(&path, events, at(24 * day)).unwrap();
        let is_stored = |number: &usize| watched.of(&url(*number)).is_some();
        (1..=4).filter(is_stored).collect::<Vec<_>>()
    };
    assert_eq!(
        stored(&[fetched(1, 0), fetched(2, 0), fetched(3, 0)], 0),
        [1, 2, 3]
    );
    assert_eq!(stored(&[fetched(4, 5000)], 5000), [1, 2, 3, 4]);
    // The clock is right again, and the page of that day due.
    assert_eq!(stored(&[], 1), [1, 2, 3, 4]);
    assert!(load(&path).unwrap().is_due(&url(4), at(24)));
    for day in [5001, 5002] {
        assert_eq!(stored(&[fetched(4, day)], day), [1, 2, 3, 4]);
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        events in proptest::collection::vec((0..9_usize, 0..4_u8, 0_i64..900), 0..60),
    ) {
        let mut watched = WatchedPages::default();
        for (number, page, hour) in events {
            let key = UrlKey::of(&url(number));
            let content = (page < 3).then(|| content(&[page]));
            watched.note(&WatchEvent::Fetched(key, content, at(hour)));
        }
        prop_assert_eq!(WatchedPages::parse(&watched.to_octets()), watched);
    }

    #[test]
    fn damaged_lines_cost_no_other_line_anything(
        octets in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut watched = WatchedPages::default();
        watched.note(&fetched(Some("a"), 0));
        let file = [octets, b"\n".to_vec(), watched.to_octets()].concat();
        prop_assert!(WatchedPages::parse(&file).of(&url(1)).is_some());
    }
}

proptest! {
    #[test]
    fn what_is_missing_after_an_unconfirmed_end_is_no_change(
        page in "[a-z]{2,40}",
        cut in 0..40_usize,
        other in "[A-Z]{2,40}",
    ) {
        let fetched = |page: &str, end, hour| {
            let content = PageContent {
                end,
                ..content(page.as_bytes())
            };
            WatchEvent::Fetched(UrlKey::of(&url(1)), Some(content), at(hour))
        };
        let mut watched = WatchedPages::default();
        watched.note(&fetched(&page, TransferEnd::Confirmed, 0));
        let part: String = page.chars().take(cut % page.len()).collect();
        prop_assert!(!watched.note(&fetched(&part, TransferEnd::Unconfirmed, 24)));
        prop_assert!(!watched.note(&fetched(&page, TransferEnd::Unconfirmed, 48)));
        prop_assert!(!watched.is_new(&url(1)));
        // What is there is believed, and so is a confirmed end.
        let longer = format!("{page}{other}");
        prop_assert!(watched.note(&fetched(&longer, TransferEnd::Unconfirmed, 72)));
        prop_assert!(watched.note(&fetched(&page, TransferEnd::Confirmed, 96)));
        prop_assert_eq!(WatchedPages::parse(&watched.to_octets()), watched);
    }
}

#[test]
fn version_of_a_watched_page_is_kept_until_another_one_comes() {
    let copy = |tag: Option<&str>, modified: Option<&str>| KnownCopy {
        version: Version {
            size: Some(7),
            modified: modified.map(str::to_owned),
            tag: tag.map(Into::into),
        },
        charset: geomys_wire::text::Charset::named("koi8-r"),
        ..KnownCopy::none(url(2))
    };
    let fetch = |page: &[u8], copy: KnownCopy, end| {
        let content = PageContent {
            copy,
            end,
            ..content(page)
        };
        WatchEvent::Fetched(UrlKey::of(&url(1)), Some(content), at(0))
    };
    let mut watched = WatchedPages::default();
    for (copy, is_kept) in [
        (copy(Some("W/\"a\""), None), true),
        (copy(None, Some("19941106084937")), true),
        (copy(None, None), false),
    ] {
        watched.note(&fetch(b"a", copy.clone(), TransferEnd::Confirmed));
        let kept = watched.known_copy(&url(1));
        assert_eq!(kept.as_deref(), is_kept.then_some(&copy));
        assert_eq!(WatchedPages::parse(&watched.to_octets()), watched);
        // The page is as it was, or did not come.
        let same = WatchEvent::fetched(&UrlKey::of(&url(1)), Ok(None), at(9)).unwrap();
        assert!(!watched.note(&same));
        assert_eq!(watched.known_copy(&url(1)), kept);
        assert!(!watched.is_due(&url(1), at(10)));
    }
    let cut = fetch(
        b"longer",
        copy(Some("\"b\""), None),
        TransferEnd::Unconfirmed,
    );
    assert!(watched.note(&cut));
    assert!(watched.known_copy(&url(1)).is_none(), "it may be a part");
}
