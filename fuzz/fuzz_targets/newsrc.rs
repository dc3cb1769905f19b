//! Octets as a `.newsrc`, rules for articles, and the small files of lines that Geomys writes.

#![no_main]

use geomys_fuzz::{check_str, split};
use geomys_page::document::ArticleNumbers;
use geomys_page::document::marks::MarkChange;
use geomys_page::document::score::ScoreRules;
use geomys_store::bookmarks::checks::Checks;
use geomys_store::files::newsrc::Newsrc;

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    match how & 3 {
        0 | 1 => newsrc(octets, u64::from(how >> 2)),
        2 => {
            let (_, faults) = ScoreRules::parse(&String::from_utf8_lossy(octets));
            assert!(faults.len() <= octets.len());
        }
        _ => {
            let checks = Checks::parse(octets);
            let written = checks.to_octets();
            assert_eq!(
                Checks::parse(&written).to_octets(),
                written,
                "written once is written"
            );
            check_str("");
        }
    }
});

/// Any octets are such a file, and a change affects no other line.
fn newsrc(octets: &[u8], number: u64) {
    let mut newsrc = Newsrc::parse(octets);
    assert_eq!(newsrc.octets(), octets);
    let groups: Vec<Vec<u8>> = newsrc.groups().map(|(name, _)| name.to_vec()).collect();
    let lines = octets.split(|&octet| octet == b'\n').count();
    newsrc.apply(
        b"a.b",
        &MarkChange::Read(ArticleNumbers::range(number, number)),
    );
    let changed = newsrc.octets();
    let same = changed.split(|&octet| octet == b'\n').count();
    assert!(same >= lines && same <= lines + 2);
    for group in groups {
        assert!(newsrc.group(&group).is_some());
    }
    assert!(
        newsrc
            .group(b"a.b")
            .is_some_and(|group| group.read.contains(number))
    );
    assert_eq!(Newsrc::parse(&changed).octets(), changed);
}
