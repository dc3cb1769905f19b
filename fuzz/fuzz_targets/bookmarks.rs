//! Octets as a bookmark file, and as a list of bookmarks in the formats of other programs.

#![no_main]

use geomys::bookmarks::Bookmarks;
use geomys::bookmarks::exchange::{BookmarkFormat, detect};
use geomys_fuzz::split;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let Some(format) = BookmarkFormat::all().nth(usize::from(how & 31)) else {
        bookmark_file(octets, usize::from(how >> 5) * 2);
        return;
    };
    detect(octets);
    let Ok(tree) = format.read(octets) else {
        return;
    };
    // Parsed bookmarks can be written in every format, and the result can be parsed.
    for format in BookmarkFormat::all() {
        let Some((written, _)) = format.write(&tree) else {
            continue;
        };
        assert!(
            format.read(&written).is_ok(),
            "{format} {:?}",
            String::from_utf8_lossy(&written)
        );
    }
});

/// Any octets are a bookmark file: they stay unchanged, and rereading a later state gives the same result as reading it.
fn bookmark_file(octets: &[u8], part: usize) {
    let bookmarks = Bookmarks::parse(octets);
    assert_eq!(bookmarks.octets(), octets);
    for index in 0..bookmarks.len() {
        assert!(bookmarks.item(index).is_some());
    }
    let earlier = Bookmarks::parse(octets.get(..octets.len() * part / 16).unwrap_or_default());
    assert!(
        earlier.reread(octets) == bookmarks,
        "rereading gives the same result as reading"
    );
}
