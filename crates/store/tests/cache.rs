//! Cached pages: a stored page reads back, a damaged one is missing, the size limit holds; and how they are read when
//! the server is unreachable.

mod bounds;
mod unread;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use geomys_load::{ServerDate, Version};
use geomys_page::document::{ArticleNumbers, ListingPlace, Shape};
use geomys_store::files::cache::{Cache, CacheLimits, PageHeader, lacks_room};
use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::ftp::listing::{Day, Format};
use geomys_wire::text::Charset;
use jiff::Timestamp;
use proptest::prelude::*;
use rfc1738::{Dialect, Url};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

fn url(text: &str) -> Url {
    Dialect::Extended.parse(text).unwrap()
}

fn head(address: &str) -> PageHeader {
    PageHeader::new(url(address), Shape::Article)
}

fn limits(size: u64) -> CacheLimits {
    CacheLimits {
        size,
        ..CacheLimits::default()
    }
}

fn cache(size: u64) -> (TempDir, Cache) {
    let profile = tempfile::tempdir().unwrap();
    let cache = Cache::new(profile.path().join("cache"), limits(size));
    (profile, cache)
}

fn keep(cache: &Cache, head: &PageHeader, octets: &[u8]) {
    let since = Timestamp::from_second(1_795_000_000).unwrap();
    cache.store(head, since, octets.chunks(7000)).unwrap();
}

fn read(cache: &Cache, address: &str) -> Option<(PageHeader, Vec<u8>)> {
    let mut page = cache.page(&url(address))?;
    assert_eq!(page.since, Timestamp::from_second(1_795_000_000).unwrap());
    let mut all = Vec::new();
    while let Some(octets) = page.octets().unwrap() {
        assert!(!octets.is_empty());
        all.extend(octets);
    }
    Some((page.head, all))
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn listing(format: Option<Format>) -> Shape {
    let today = Day {
        year: 2026,
        month: 11,
        day: 23,
    };
    Shape::Listing {
        format,
        today,
        place: ListingPlace::Server,
    }
}

/// The files of pages.
fn pages(directory: &Path) -> Vec<PathBuf> {
    let mut files = files(directory);
    files.retain(|path| path.file_name().unwrap().len() == 64);
    files
}

fn any_head() -> impl Strategy<Value = PageHeader> {
    let shapes = [
        Shape::Menu,
        Shape::Attributes,
        Shape::People,
        Shape::Text,
        Shape::Groups,
        Shape::Group,
        Shape::Article,
        Shape::Hits,
        Shape::Html,
        Shape::Json,
        Shape::Feed,
        listing(None),
        listing(Some(Format::Facts)),
        listing(Some(Format::Names)),
    ];
    (
        "[a-z]{1,8}",
        proptest::sample::select(shapes.to_vec()),
        proptest::option::of("[^\r\n]{0,20}"),
        any::<Option<u64>>(),
        any::<bool>(),
    )
        .prop_map(|(name, shape, title, highest, is_elsewhere)| PageHeader {
            url: url(&format!("news://news.example/{name}")),
            shape,
            charset: is_elsewhere.then_some(Charset::CP437),
            languages: is_elsewhere.then(|| "en,fr".to_owned()),
            refresh: is_elsewhere.then(|| "5; url=/next".into()),
            offset: is_elsewhere.then_some(-300),
            title,
            published: highest.and_then(|second| {
                Timestamp::from_second(i64::try_from(second % 4_000_000_000).ok()?).ok()
            }),
            highest,
            covered: highest.map_or_else(ArticleNumbers::default, |highest| {
                ArticleNumbers::range(7, highest)
            }),
            list_date: is_elsewhere.then(|| ServerDate::parse(b"20261120203000").unwrap()),
            whole: is_elsewhere.then(|| Timestamp::from_second(1_794_000_000).unwrap()),
            end: if is_elsewhere {
                TransferEnd::Unconfirmed
            } else {
                TransferEnd::Confirmed
            },
            real: is_elsewhere.then(|| url(&format!("news:{name}"))),
            version: Version {
                size: highest,
                modified: is_elsewhere.then(|| "19941106084937".to_owned()),
                tag: highest.map(|number| format!("W/\"{number} =\"").into()),
            },
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cached_page_reads_back_octet_for_octet(
        head in any_head(),
        before in proptest::collection::vec(any::<u8>(), 0..100),
        octets in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..300),
            (0..700_000_usize).prop_map(|length| b"\n\nurl x\r\n".iter().copied().cycle().take(length).collect()),
        ],
    ) {
        let (_profile, cache) = cache(MIB);
        prop_assert!(read(&cache, head.url.as_str()).is_none());
        keep(&cache, &head, &before);
        keep(&cache, &head, &octets);
        let is_kept = head.end.is_unconfirmed() && octets.len() < before.len();
        let expected = if is_kept { before } else { octets };
        prop_assert_eq!(read(&cache, head.url.as_str()), Some((head, expected)));
        prop_assert!(read(&cache, "news:another").is_none());
    }

    #[test]
    fn damaged_file_reads_as_missing(
        octets in proptest::collection::vec(any::<u8>(), 0..300),
        at in any::<proptest::sample::Index>(),
        with in any::<u8>(),
        cut in any::<Option<proptest::sample::Index>>(),
    ) {
        let (profile, cache) = cache(MIB);
        keep(&cache, &head("news:a@b"), &octets);
        let path = pages(&profile.path().join("cache")).remove(0);
        let mut written = fs::read(&path).unwrap();
        match cut {
            Some(cut) => written.truncate(cut.index(written.len())),
            None => {
                let at = at.index(written.len());
                prop_assume!(written[at] != with);
                written[at] = with;
            }
        }
        fs::write(&path, written).unwrap();
        prop_assert!(read(&cache, "news:a@b").is_none());
        keep(&cache, &head("news:a@b"), &octets);
        prop_assert_eq!(read(&cache, "news:a@b").unwrap().1, octets);
    }
}

#[test]
fn page_of_another_address_reads_as_missing() {
    let (profile, cache) = cache(MIB);
    let directory = profile.path().join("cache");
    keep(&cache, &head("news:a@b"), b"hello");
    let first = pages(&directory).remove(0);
    keep(&cache, &head("news:c@d"), b"good-bye");
    let second = pages(&directory)
        .into_iter()
        .find(|path| *path != first)
        .unwrap();
    fs::copy(&first, &second).unwrap();
    assert!(read(&cache, "news:c@d").is_none());
    assert_eq!(read(&cache, "news:a@b").unwrap().1, b"hello");
}

#[test]
fn files_are_private_to_their_owner() {
    let (profile, cache) = cache(MIB);
    let directory = profile.path().join("cache");
    keep(&cache, &head("news:a@b"), b"hello");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&directory), 0o700);
    let modes: Vec<u32> = files(&directory).iter().map(|path| mode(path)).collect();
    // A page, its text, and the size of all pages.
    assert_eq!(modes, vec![0o600; 3]);
}

#[test]
fn file_of_a_killed_writer_is_removed_at_the_next_write() {
    let (profile, cache) = cache(MIB);
    let directory = profile.path().join("cache");
    fs::create_dir(&directory).unwrap();
    let (abandoned, in_use) = (directory.join("new-a"), directory.join("new-b"));
    fs::write(&abandoned, "half").unwrap();
    fs::write(&in_use, "half").unwrap();
    // Another process that still writes holds a lock.
    let other = fs::File::open(&in_use).unwrap();
    other.lock().unwrap();
    keep(&cache, &head("news:a@b"), b"hello");
    assert!(!abandoned.exists() && in_use.exists());
}

#[test]
fn pipe_in_the_cache_reads_as_missing() {
    let (profile, cache) = cache(MIB);
    keep(&cache, &head("news:a@b"), b"hello");
    let path = pages(&profile.path().join("cache")).remove(0);
    fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    assert!(read(&cache, "news:a@b").is_none());
}

#[test]
fn least_recently_read_page_is_evicted_first() {
    let (profile, cache) = cache(200_000);
    let directory = profile.path().join("cache");
    let address = |number: usize| format!("news:{number}@x");
    for number in 0..9 {
        keep(&cache, &head(&address(number)), &vec![b'x'; 10_000]);
        // An hour passes between two of them.
        for path in files(&directory) {
            let file = fs::File::open(path).unwrap();
            let before = file.metadata().unwrap().modified().unwrap();
            file.set_modified(before - Duration::from_hours(1)).unwrap();
        }
    }
    fs::write(directory.join("README"), vec![b'x'; 1_000_000]).unwrap();
    fs::write(directory.join("new-gone"), b"left").unwrap();
    fs::write(directory.join("new-now"), b"being written").unwrap();
    let writing = fs::File::open(directory.join("new-now")).unwrap();
    writing.lock().unwrap();
    // Reading the oldest one makes it the newest.
    assert!(read(&cache, &address(0)).is_some());
    keep(&cache, &head(&address(9)), &vec![b'y'; 30_000]);
    let remaining: Vec<usize> = (0..10)
        .filter(|&number| cache.page(&url(&address(number))).is_some())
        .collect();
    assert_eq!(remaining, [0, 5, 6, 7, 8, 9]);
    let all = pages(&directory);
    let texts = all.iter().map(|path| path.with_extension("text"));
    let sizes = all
        .iter()
        .cloned()
        .chain(texts)
        .map(|path| fs::metadata(path).unwrap().len());
    let used: u64 = sizes.sum();
    assert!(used <= 200_000, "{used}");
    // Other files stay, except the temporary file of a killed process.
    assert!(directory.join("README").exists());
    assert!(directory.join("new-now").exists());
    assert!(!directory.join("new-gone").exists());
}

#[test]
fn page_larger_than_cache_is_not_stored_and_evicts_nothing() {
    let (profile, cache) = cache(20_000);
    keep(&cache, &head("news:a@b"), b"hello");
    keep(&cache, &head("news:c@d"), &vec![b'x'; 20_000]);
    assert!(read(&cache, "news:c@d").is_none());
    assert!(read(&cache, "news:a@b").is_some());
    assert_eq!(pages(&profile.path().join("cache")).len(), 1);
    let none = Cache::new(profile.path().join("none"), limits(0));
    keep(&none, &head("news:a@b"), b"hello");
    assert!(!profile.path().join("none").exists());
}

fn ends() -> impl Strategy<Value = TransferEnd> {
    use TransferEnd::{Confirmed, Unconfirmed, Undotted};
    prop::sample::select(vec![Confirmed, Unconfirmed, Undotted])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn unconfirmed_page_never_replaces_a_longer_copy(
        copies in prop::collection::vec((0..20_000_usize, ends()), 1..6),
    ) {
        let (_profile, cache) = cache(MIB);
        let mut stored: Option<(usize, TransferEnd)> = None;
        for (length, end) in copies {
            let head = PageHeader {
                end,
                ..head("news:x@y")
            };
            keep(&cache, &head, &vec![b'x'; length]);
            let is_kept = stored.is_some_and(|(before, whole)| {
                let may_be_cut = match end {
                    TransferEnd::Undotted => whole == TransferEnd::Confirmed,
                    end => end == TransferEnd::Unconfirmed,
                };
                may_be_cut && length < before
            });
            stored = stored.filter(|_| is_kept).or(Some((length, end)));
            let (head, octets) = read(&cache, "news:x@y").unwrap();
            prop_assert_eq!(Some((octets.len(), head.end)), stored);
        }
    }
}

#[test]
fn confirmed_copy_has_the_time_of_the_confirmation_and_is_not_written_again() {
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        saved: MIB,
        synced: MIB,
        ..limits(MIB)
    };
    let cache = Cache::new(profile.path().join("cache"), limits)
        .with_saved(profile.path().join("saved"))
        .with_synced(profile.path().join("synced"));
    let address = "http://h.example/a";
    let time = |second| Timestamp::from_second(second).unwrap();
    let (came, confirmed) = (time(1_795_000_000), time(1_796_000_000));
    let since = || cache.unused_page(&url(address)).unwrap().since;
    let state = |directory: &str| {
        let pages = pages(&profile.path().join(directory)).into_iter();
        let files = pages.map(|path| fs::metadata(path).unwrap());
        let states = files.map(|file| (file.ino(), file.len(), file.mtime(), file.mtime_nsec()));
        states.collect::<Vec<_>>()
    };
    cache.confirm(&url(address), confirmed).unwrap();
    assert!(cache.unused_page(&url(address)).is_none());
    let octets = || std::iter::once(&b"text"[..]);
    cache.store_synced(&head(address), came, octets()).unwrap();
    let before = state("synced");
    cache.confirm(&url(address), confirmed).unwrap();
    assert_eq!((since(), state("synced")), (confirmed, before));
    assert_eq!(cache.header(&url(address)).unwrap().1, confirmed);
    // Who shows the page moves it with its time.
    cache.mark_shown(&url(address)).unwrap();
    assert_eq!((since(), state("synced").len()), (confirmed, 0));
    // An earlier time changes nothing, and a page that comes again has its own.
    cache.confirm(&url(address), came).unwrap();
    cache
        .store(&head(address), time(1_797_000_000), octets())
        .unwrap();
    assert_eq!(since(), time(1_797_000_000));
    cache.confirm(&url(address), time(1_798_000_000)).unwrap();
    cache.remove(&url(address)).unwrap();
    let left = fs::read_dir(profile.path().join("cache")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["size"]);
    cache
        .saved()
        .unwrap()
        .store(&head(address), came, octets())
        .unwrap();
    cache.confirm(&url(address), confirmed).unwrap();
    assert_eq!(since(), confirmed);
}

#[test]
fn synced_page_stays_until_it_is_shown() {
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        synced: 3000,
        ..limits(2500)
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = cache.with_synced(profile.path().join("synced"));
    let synced = cache.synced().unwrap();
    let (one, two) = ("gopher://h.example/0/1", "gopher://h.example/0/2");
    keep(synced, &head(one), &[b'x'; 1000]);
    keep(synced, &head(two), &[b'x'; 1000]);
    let since = Timestamp::from_second(1_795_000_000).unwrap();
    let third = [b'x'; 1000];
    let full = synced.store(&head("gopher://h.example/0/3"), since, third.chunks(7000));
    assert_eq!(full.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    for number in 4..9 {
        keep(
            &cache,
            &head(&format!("gopher://h.example/0/{number}")),
            &third,
        );
    }
    assert_eq!(
        read(&cache, one).unwrap().1.len(),
        1000,
        "the cache evicts others"
    );
    assert!(cache.has(&url(two)) && cache.urls().contains(&url(two)));
    cache.mark_shown(&url(one)).unwrap();
    assert!(!synced.has(&url(one)));
    assert_eq!(read(&cache, one).unwrap().1.len(), 1000);
    // One that is shown again is not another copy.
    keep(&cache, &head(two), b"new");
    assert!(!synced.has(&url(two)));
    assert_eq!(read(&cache, two).unwrap().1, b"new");
    cache.remove(&url(two)).unwrap();
    assert!(!cache.has(&url(two)));
}

#[test]
fn page_that_the_user_keeps_is_never_removed_to_make_room() {
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        saved: 3000,
        ..limits(2500)
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = cache.with_saved(profile.path().join("later"));
    let saved = cache.saved().unwrap();
    let page = [b'x'; 1000];
    let address = |number: usize| format!("gopher://h.example/0/{number}");
    for number in [1, 2] {
        keep(saved, &head(&address(number)), &page);
    }
    for number in 3..6 {
        let stored = saved.store(&head(&address(number)), Timestamp::now(), page.chunks(7000));
        assert!(lacks_room(&stored.unwrap_err()));
    }
    assert!(read(saved, &address(1)).is_some() && read(saved, &address(2)).is_some());
    saved.remove(&url(&address(1))).unwrap();
    keep(saved, &head(&address(3)), &page);
    assert!(read(saved, &address(3)).is_some());
}

#[test]
fn page_that_was_read_leaves_for_the_cache_when_room_is_needed() {
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        synced: 4000,
        ..limits(2500)
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = cache.with_synced(profile.path().join("synced"));
    let synced = cache.synced().unwrap();
    let address = |number: usize| format!("gopher://h.example/0/{number}");
    for number in [1, 2] {
        keep(synced, &head(&address(number)), &[b'x'; 1000]);
    }
    // All is unread.
    assert!(!cache.release(1000, &|_, _| true).unwrap());
    let one = url(&address(1));
    assert!(cache.release(1000, &|url, _| *url != one).unwrap());
    assert!(!synced.has(&one) && synced.has(&url(&address(2))));
    assert_eq!(read(&cache, &address(1)).unwrap().1.len(), 1000);
    // There is room: nothing leaves.
    assert!(!cache.release(1000, &|_, _| false).unwrap());
    // One for which the cache has no room is removed.
    keep(synced, &head(&address(3)), &[b'x'; 2400]);
    let large = url(&address(3));
    assert!(cache.release(1000, &|url, _| *url != large).unwrap());
    assert!(!cache.has(&large));
}

#[test]
fn discreet_reader_leaves_the_place_and_the_time_of_a_page() {
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().join("synced");
    let limits = CacheLimits {
        size: MIB,
        synced: MIB,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.path().join("cache"), limits).with_synced(directory.clone());
    let (one, two) = ("gopher://h.example/0/1", "gopher://h.example/0/2");
    keep(&cache, &head(one), b"one");
    keep(cache.synced().unwrap(), &head(two), b"two");
    let times = || -> Vec<_> {
        let files = [profile.path().join("cache"), directory.clone()];
        let files = files
            .iter()
            .flat_map(|directory| fs::read_dir(directory).unwrap());
        let paths = files.map(|file| file.unwrap().path());
        let mut times: Vec<_> = paths
            .map(|path| (fs::metadata(&path).unwrap().modified().unwrap(), path))
            .collect();
        times.sort();
        times
    };
    // Before today, so that a use would be seen.
    for (_, path) in times() {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    let before = times();
    let discreet = cache.discreet();
    for (address, octets) in [(one, b"one"), (two, b"two")] {
        assert_eq!(read(&discreet, address).unwrap().1, octets);
        discreet.mark_shown(&url(address)).unwrap();
    }
    assert_eq!(times(), before);
    read(&cache, one).unwrap();
    cache.mark_shown(&url(two)).unwrap();
    assert_ne!(times(), before);
}
