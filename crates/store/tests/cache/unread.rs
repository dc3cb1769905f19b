//! Law of the pages that a sync has brought: none is lost before it was read, and one that was read takes no room from
//! others.

use std::collections::HashMap;

use geomys_store::files::cache::{StoreOutcome, lacks_room};
use rfc1738::Url;

use super::*;

/// Number of pages.
const PAGES: u8 = 5;

#[derive(Clone, Debug)]
enum Step {
    /// A sync brings a page of this length.
    Sync(u8, usize),
    /// The copy is shown.
    Show(u8),
    /// The mark of a page goes, and its copy is not shown: it was caught up.
    CatchUp(u8),
    /// The browser fetches a page of this length, and shows it.
    Load(u8, usize),
    /// A sync compares a page with its copy.
    Compare(u8),
    /// All that is in the cache looks older by so many days.
    Wait(u64),
    /// Another process goes on.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let length = prop_oneof![0..300_usize, 1000..2600_usize];
    prop_oneof![
        (0..PAGES, length.clone()).prop_map(|(page, length)| Step::Sync(page, length)),
        (0..PAGES).prop_map(Step::Show),
        (0..PAGES).prop_map(Step::CatchUp),
        (0..PAGES, length).prop_map(|(page, length)| Step::Load(page, length)),
        (0..PAGES).prop_map(Step::Compare),
        (1..60_u64).prop_map(Step::Wait),
        Just(Step::Restart),
    ]
}

fn address(page: u8) -> String {
    format!("gopher://h.example/0/{page}")
}

fn content(cache: &Cache, page: u8) -> Option<Vec<u8>> {
    let mut copy = cache.unused_page(&url(&address(page)))?;
    let mut all = Vec::new();
    while let Some(octets) = copy.octets().unwrap() {
        all.extend(octets);
    }
    Some(all)
}

fn make_older(directory: &Path, days: u64) {
    for path in files(directory).iter().filter(|path| path.is_file()) {
        let file = fs::File::open(path).unwrap();
        let before = file.metadata().unwrap().modified().unwrap();
        let is_set = file.set_modified(before - Duration::from_hours(24 * days));
        is_set.unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn synced_page_is_there_until_it_was_shown(
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let profile = tempfile::tempdir().unwrap();
        let open = || {
            let limits = CacheLimits {
                synced: 6000,
                age: Some(jiff::SignedDuration::from_hours(24 * 90)),
                ..limits(4000)
            };
            let cache = Cache::new(profile.path().join("cache"), limits);
            cache.with_synced(profile.path().join("synced"))
        };
        let mut cache = open();
        let mut unread: HashMap<u8, Vec<u8>> = HashMap::new();
        for (number, step) in steps.into_iter().enumerate() {
            let fill = u8::try_from(number).unwrap();
            match step {
                Step::Sync(page, length) => {
                    let octets = vec![fill; length];
                    let pieces = octets.chunks(700);
                    let store = || {
                        let (head, now) = (head(&address(page)), Timestamp::now());
                        cache.store_synced(&head, now, pieces.clone())
                    };
                    let is_unread = |one: &Url| unread.keys().any(|page| url(&address(*page)) == *one);
                    let mut stored = store();
                    if stored.as_ref().is_err_and(lacks_room) {
                        let length = u64::try_from(length).unwrap();
                        cache.release(length, &|url, _| is_unread(url)).unwrap();
                        stored = store();
                    }
                    match stored {
                        Ok(stored) => {
                            prop_assert_eq!(stored, StoreOutcome::Stored);
                            unread.insert(page, octets);
                        }
                        Err(error) => {
                            prop_assert!(lacks_room(&error), "{}", error);
                            // What was read is no reason.
                            let synced = cache.synced().unwrap().urls();
                            let used = synced.iter().filter(|url| !is_unread(url)).count();
                            prop_assert_eq!(used, 0, "{:?}", synced);
                        }
                    }
                }
                Step::Show(page) => {
                    let shown = cache.page(&url(&address(page)));
                    cache.mark_shown(&url(&address(page))).unwrap();
                    prop_assert!(shown.is_some() || !unread.contains_key(&page));
                    if unread.remove(&page).is_some() {
                        prop_assert!(content(&cache, page).is_some(), "it is a page of the cache");
                    }
                }
                Step::CatchUp(page) => drop(unread.remove(&page)),
                Step::Load(page, length) => {
                    let octets = vec![fill; length];
                    let now = Timestamp::now();
                    cache.store(&head(&address(page)), now, octets.chunks(700)).unwrap();
                    unread.remove(&page);
                }
                Step::Compare(page) => drop(content(&cache, page)),
                Step::Wait(days) => {
                    for name in ["cache", "synced", "cache/former"] {
                        let directory = profile.path().join(name);
                        if directory.exists() {
                            make_older(&directory, days);
                        }
                    }
                }
                Step::Restart => cache = open(),
            }
            for (page, octets) in &unread {
                let copy = content(&cache, *page);
                prop_assert_eq!(copy.as_ref(), Some(octets), "page {}", page);
            }
        }
    }
}
