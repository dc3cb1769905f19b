//! Octets as a list of bookmarks in the formats of other programs: what was read is written and read again in every
//! format.

#![no_main]

use geomys_fuzz::split;
use geomys_store::bookmarks::exchange::{BookmarkFormat, detect, opened, other_format};

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    if let Ok(text) = opened(octets) {
        detect(&text);
        other_format(&text, None);
    }
    let Some(format) = BookmarkFormat::all().nth(usize::from(how)) else {
        return;
    };
    let Ok(tree) = format.read(octets) else {
        return;
    };
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
