//! Copies that much smaller pages have replaced.

use super::*;

const ADDRESS: &str = "http://h.example/article";

fn profile() -> (TempDir, Cache) {
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        synced: MIB,
        ..limits(MIB)
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = cache.with_synced(profile.path().join("synced"));
    (profile, cache)
}

fn synced(cache: &Cache, length: usize) {
    let octets = vec![b'x'; length];
    let since = Timestamp::from_second(1_795_000_000).unwrap();
    let stored = cache.store_synced(&head(ADDRESS), since, octets.chunks(7000));
    stored.unwrap();
}

/// The lengths of the latest copy and of a larger one.
fn lengths(cache: &Cache) -> (Option<usize>, Option<usize>) {
    let larger = cache.larger_page(&url(ADDRESS)).map(|mut page| {
        let mut length = 0;
        while let Some(octets) = page.octets().unwrap() {
            length += octets.len();
        }
        length
    });
    (read(cache, ADDRESS).map(|(_, octets)| octets.len()), larger)
}

#[test]
fn much_smaller_page_keeps_the_copy_before_it() {
    // Where the copy came from, and where the page comes to.
    for (was_synced, was_shown, is_synced) in [
        (false, false, false),
        (false, false, true),
        (true, false, true),
        (true, true, true),
        (true, false, false),
    ] {
        let (_profile, cache) = profile();
        let put = |is_synced: bool, length: usize| {
            if is_synced {
                synced(&cache, length);
            } else {
                keep(&cache, &head(ADDRESS), &vec![b'x'; length]);
            }
        };
        put(was_synced, 8000);
        if was_shown {
            cache.mark_shown(&url(ADDRESS)).unwrap();
        }
        assert_eq!(lengths(&cache), (Some(8000), None));
        put(is_synced, 1999);
        assert_eq!(lengths(&cache), (Some(1999), Some(8000)), "{is_synced}");
        // The notice comes again, and is shown.
        put(is_synced, 1900);
        cache.mark_shown(&url(ADDRESS)).unwrap();
        assert_eq!(lengths(&cache), (Some(1900), Some(8000)));
        put(is_synced, 2000);
        assert_eq!(lengths(&cache), (Some(2000), None), "a quarter is a page");
        put(is_synced, 100);
        assert_eq!(lengths(&cache), (Some(100), Some(2000)));
        cache.remove(&url(ADDRESS)).unwrap();
        assert_eq!(lengths(&cache), (None, None));
        put(is_synced, 100);
        assert_eq!(lengths(&cache), (Some(100), None));
    }
}

#[test]
fn small_page_and_list_of_articles_have_no_former_copy() {
    let (profile, cache) = profile();
    keep(&cache, &head(ADDRESS), &[b'x'; 1023]);
    keep(&cache, &head(ADDRESS), b"x");
    assert_eq!(lengths(&cache), (Some(1), None));
    let group = "news://h.example/a.b";
    keep(&cache, &head(group), &[b'x'; 9000]);
    keep(&cache, &head(group), b"x");
    assert!(cache.larger_page(&url(group)).is_none());
    assert!(!profile.path().join("cache/former").exists());
}

#[test]
fn former_copies_stay_within_a_quarter_of_the_cache() {
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        synced: MIB,
        ..limits(40_000)
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = cache.with_synced(profile.path().join("synced"));
    for number in 0..9 {
        let address = format!("http://h.example/{number}");
        keep(&cache, &head(&address), &[b'x'; 3000]);
        keep(&cache, &head(&address), b"notice");
    }
    let former = pages(&profile.path().join("cache/former"));
    let lengths = former.iter().map(|path| fs::metadata(path).unwrap().len());
    let used: u64 = lengths.sum();
    assert!((3000..=10_000).contains(&used), "{used}");
}

#[test]
fn unconfirmed_beginning_replaces_no_longer_copy_of_another_directory() {
    let (_profile, cache) = profile();
    keep(&cache, &head(ADDRESS), &[b'x'; 9000]);
    let cut = PageHeader {
        is_unconfirmed: true,
        ..head(ADDRESS)
    };
    let since = Timestamp::from_second(1_795_000_000).unwrap();
    let octets = [b'x'; 5000];
    let stored = cache.store_synced(&cut, since, octets.chunks(7000));
    assert_eq!(
        stored.unwrap(),
        geomys_store::files::cache::StoreOutcome::Shorter
    );
    assert_eq!(lengths(&cache), (Some(9000), None));
}
