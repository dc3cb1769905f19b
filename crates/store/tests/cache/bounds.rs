//! The bounds of the cache: they hold after every step, for all processes together.

use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use geomys_store::files::cache::{Cache, CacheLimits};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::{files, head, keep, limits, pages, read, url};

const SIZE: u64 = 20_000;

/// A step of a process that uses the cache.
#[derive(Clone, Debug)]
enum Step {
    /// Stores a page of this length.
    Store(usize, usize),
    Read(usize),
    /// Another process takes the place of the first.
    Restart,
    /// The user removes a file.
    Remove(usize),
    /// A process is killed between the two: the sum is written, and no page.
    Kill(usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    let lengths = prop_oneof![0..3000_usize, 15_000..25_000_usize];
    prop_oneof![
        6 => (0..12_usize, lengths).prop_map(|(page, length)| Step::Store(page, length)),
        2 => (0..12_usize).prop_map(Step::Read),
        1 => Just(Step::Restart),
        1 => (0..12_usize).prop_map(Step::Remove),
        1 => (0..12_usize).prop_map(Step::Kill),
    ]
}

/// The size of all pages with their texts, in octets.
fn used(directory: &Path) -> u64 {
    let size = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
    let pages = pages(directory);
    let sizes = pages
        .iter()
        .map(|path| size(path) + size(&path.with_extension("text")));
    sizes.sum()
}

fn address(page: usize) -> String {
    format!("gopher://example.org/0/{page}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pages_of_two_processes_never_exceed_the_size(
        steps in proptest::collection::vec((0..2_usize, any_step()), 1..60),
    ) {
        let profile = tempfile::tempdir().unwrap();
        let directory = profile.path().join("cache");
        fs::create_dir(&directory).unwrap();
        let cache = || Cache::new(directory.clone(), limits(SIZE));
        let mut processes = [cache(), cache()];
        for (process, step) in steps {
            match step {
                Step::Store(page, length) => {
                    let octets = vec![b'x'; length];
                    keep(&processes[process], &head(&address(page)), &octets);
                    let stored = read(&processes[process], &address(page));
                    // Only a page that alone is too large is missing.
                    prop_assert!(stored.is_some_and(|(_, stored)| stored == octets) || length > 19_000);
                }
                Step::Read(page) => drop(read(&processes[process], &address(page))),
                Step::Restart => processes[process] = cache(),
                Step::Remove(page) => {
                    let files = files(&directory);
                    if !files.is_empty() {
                        fs::remove_file(&files[page % files.len()]).unwrap();
                    }
                }
                Step::Kill(sum) => {
                    let sum = used(&directory) + sum as u64 * 1000;
                    fs::write(directory.join("size"), format!("{sum:020}\n")).unwrap();
                }
            }
            let used = used(&directory);
            prop_assert!(used <= SIZE, "{used}");
        }
    }
}

#[test]
fn pages_of_many_writers_at_once_never_exceed_the_size() {
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().join("cache");
    fs::create_dir(&directory).unwrap();
    thread::scope(|scope| {
        for writer in 0..4 {
            let cache = Cache::new(directory.clone(), limits(SIZE));
            let directory = &directory;
            scope.spawn(move || {
                for page in 0..50 {
                    let octets = vec![b'x'; 1000 + 100 * page];
                    keep(&cache, &head(&address(10 * writer + page)), &octets);
                    // No page comes or goes while the sum is locked.
                    let sum = fs::File::open(directory.join("size")).unwrap();
                    sum.lock().unwrap();
                    assert!(used(directory) <= SIZE);
                }
            });
        }
    });
    assert!(used(&directory) > 0);
}

#[test]
fn pages_are_removed_by_an_age_that_was_set_and_by_no_other() {
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().join("cache");
    // A page is stored by a new process, which counts the files.
    let store = |page: usize, days: i64| {
        let age = (days > 0).then(|| SignedDuration::from_hours(24 * days));
        let cache = Cache::new(
            directory.clone(),
            CacheLimits {
                age,
                // Room for all pages: none leaves for another one.
                ..limits(2 * SIZE)
            },
        );
        keep(&cache, &head(&address(page)), &[b'x'; 1000]);
        let stored = |page: &usize| cache.has(&url(&address(*page)));
        (0..20).filter(stored).collect::<Vec<_>>()
    };
    let set_age = |hours: i64| {
        let used_at = Timestamp::now() - SignedDuration::from_hours(hours);
        for path in pages(&directory) {
            let file = fs::File::open(path).unwrap();
            file.set_modified(used_at.into()).unwrap();
        }
    };
    for page in 0..6 {
        store(page, 0);
    }
    set_age(4000 * 24);
    assert_eq!(store(6, 0), [0, 1, 2, 3, 4, 5, 6]);
    // The clock was ahead: its pages do not count as used in the future.
    set_age(-400 * 24);
    store(7, 90);
    let is_past = |path: &std::path::PathBuf| {
        fs::metadata(path).unwrap().modified().unwrap() <= std::time::SystemTime::now()
    };
    assert!(pages(&directory).iter().all(is_past));
    set_age(8 * 24);
    assert_eq!(store(8, 9), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    set_age(8 * 24);
    assert_eq!(store(9, 7), [9]);
    assert_eq!(pages(&directory).len(), 1);
    assert!(!directory.join("old").exists());
}

#[test]
fn large_page_is_stored_for_news_alone() {
    let profile = tempfile::tempdir().unwrap();
    let cache = Cache::new(
        profile.path().join("cache"),
        CacheLimits {
            page: 10_000,
            ..limits(100_000)
        },
    );
    for (address, length, is_stored) in [
        ("gopher://example.org/0/small", 5000, true),
        ("gopher://example.org/0/large", 20_000, false),
        ("nntp://example.org/a.group", 20_000, true),
    ] {
        keep(&cache, &head(address), &vec![b'x'; length]);
        assert_eq!(read(&cache, address).is_some(), is_stored, "{address}");
    }
}

#[test]
fn old_page_reads_as_missing_and_is_removed() {
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().join("cache");
    let limits = CacheLimits {
        age: Some(SignedDuration::from_hours(24)),
        ..limits(100_000)
    };
    let cache = Cache::new(directory.clone(), limits);
    let now = Timestamp::now();
    let store = |address: &str, hours| {
        let since = now - SignedDuration::from_hours(hours);
        let octets = std::iter::once(b"hello".as_slice());
        cache.store(&head(address), since, octets).unwrap();
        cache.page(&url(address)).is_some()
    };
    assert!(store("gopher://example.org/0/new", 23));
    assert!(!store("gopher://example.org/0/old", 25));
    for path in files(&directory) {
        let file = fs::File::open(path).unwrap();
        let before = file.metadata().unwrap().modified().unwrap();
        file.set_modified(before - Duration::from_hours(30))
            .unwrap();
    }
    // The next process removes them.
    let next = Cache::new(directory.clone(), limits);
    keep(&next, &head("gopher://example.org/0/next"), b"hello");
    assert_eq!(pages(&directory).len(), 1);
}
