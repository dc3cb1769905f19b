//! Octets as a bookmark file: any octets are one. They stay unchanged, and rereading a later state gives the same
//! result as reading it.

#![no_main]

use geomys_fuzz::split;
use geomys_store::bookmarks::Bookmarks;

geomys_fuzz::target!(|octets: &[u8]| {
    let (part, octets) = split(octets);
    let bookmarks = Bookmarks::parse(octets);
    assert_eq!(bookmarks.octets(), octets);
    for index in 0..bookmarks.len() {
        assert!(bookmarks.item(index).is_some());
    }
    let part = octets.len() * usize::from(part & 15) / 16;
    let earlier = Bookmarks::parse(octets.get(..part).unwrap_or_default());
    assert!(
        earlier.reread(octets) == bookmarks,
        "rereading gives the same result as reading"
    );
});
