//! The database of buku: read without `SQLite`, and damaged in every way.
//!
//! `tests/data/bookmarks/buku.db` was written by `SQLite` 3.40 with the schema of buku 4, pages of 512 octets (so that the table has
//! interior pages and a row has overflow pages), 25 bookmarks, of which one was deleted again.

use geomys_store::bookmarks::exchange::{BookmarkFormat, BookmarkTree, detect};
use proptest::prelude::*;

use super::sample;

/// The size of a page of the sample.
const PAGE: usize = 512;

fn read(octets: &[u8]) -> Result<BookmarkTree, String> {
    let tree = BookmarkFormat::Buku.read(octets);
    tree.map_err(|error| error.to_string())
}

/// The pages of the sample that begin with this octet.
fn pages(octets: &[u8], kind: u8) -> Vec<usize> {
    let starts = (PAGE..octets.len()).step_by(PAGE);
    starts.filter(|&start| octets[start] == kind).collect()
}

#[test]
fn rows_of_all_pages_are_read() {
    let octets = sample("buku.db");
    assert_eq!(detect(&octets), BookmarkFormat::Buku);
    assert!(!pages(&octets, 0x05).is_empty());
    let tree = read(&octets).unwrap();
    let entries: Vec<_> = tree.entries().map(|(_, entry)| entry).collect();
    assert_eq!(entries.len(), 24);
    let long = entries.iter().find(|entry| entry.title == "Long note");
    let words = (0..300).map(|number| format!("word{number}"));
    assert_eq!(long.unwrap().note, words.collect::<Vec<_>>().join(" "));
    assert_eq!(entries[1].url, "https://example.org/~user?q=a,b");
    assert_eq!(entries[1].title, "Café → menu");
    assert_eq!(entries[2].tags, ["files", "two_words"]);
    assert_eq!(entries[2].note, "first line\nsecond line");
    assert!(!entries.iter().any(|entry| entry.url.ends_with("/03")));
}

#[test]
fn other_databases_are_refused_with_a_reason() {
    let octets = sample("buku.db");
    let with = |changes: &[(usize, u8)]| {
        let mut octets = octets.clone();
        for &(at, octet) in changes {
            octets[at] = octet;
        }
        read(&octets).unwrap_err()
    };
    assert!(with(&[(18, 2), (19, 2)]).starts_with("its write-ahead log is not read"));
    assert_eq!(with(&[(59, 2)]), "its texts are in UTF-16");
    assert_eq!(with(&[(0, b's')]), "it is no SQLite database");
    assert!(with(&[(16, 3)]).contains("the size of its pages"));
    // The name of the table, in the first page: as a row, and in its definition.
    let mut other = octets.clone();
    let name = memchr::memmem::find_iter(&octets[..PAGE], b"bookmarks").collect::<Vec<_>>();
    for at in name {
        other[at] = b'k';
    }
    assert_eq!(
        read(&other).unwrap_err(),
        "it is an SQLite database without the bookmarks of buku"
    );
}

#[test]
fn circles_and_shared_rows_are_damage() {
    let octets = sample("buku.db");
    let interior = pages(&octets, 0x05)[0];
    let own = u8::try_from(interior / PAGE + 1).unwrap();
    // The page is its own last child.
    let mut circle = octets.clone();
    circle[interior + 8..interior + 12].copy_from_slice(&[0, 0, 0, own]);
    assert!(read(&circle).unwrap_err().ends_with("is in a circle"));
    // A row whose size is nine octets of ones, and one that has no end.
    let leaf = pages(&octets, 0x0d)[0];
    let cell = usize::from(u16::from_be_bytes([octets[leaf + 8], octets[leaf + 9]]));
    let mut huge = octets.clone();
    huge[leaf + cell..leaf + cell + 9].fill(0xff);
    assert!(read(&huge).unwrap_err().contains("a negative size"));
    huge[leaf + cell] = 0x81;
    assert!(read(&huge).unwrap_err().contains("damaged"));
    // All rows of a page are one and the same large row.
    let mut shared = octets.clone();
    let count = (PAGE - 8) / 2;
    shared[leaf + 3..leaf + 5].copy_from_slice(&u16::try_from(count).unwrap().to_be_bytes());
    assert!(read(&shared).is_err());
}

#[test]
fn truncated_database_is_damaged() {
    let octets = sample("buku.db");
    for length in (0..octets.len()).step_by(37) {
        // The index is in pages of its own, which are not read.
        if let Ok(tree) = read(&octets[..length]) {
            assert_eq!(tree, read(&octets).unwrap(), "{length}");
        }
    }
    assert!(read(&octets[..PAGE * 2]).is_err());
}

proptest! {
    #[test]
    fn damage_is_an_error_or_other_rows(
        changes in proptest::collection::vec((0_usize..7168, any::<u8>()), 1..20),
        length in 0_usize..7169,
    ) {
        let mut octets = sample("buku.db");
        for (at, octet) in changes {
            octets[at] = octet;
        }
        octets.truncate(length.max(100));
        if let Ok(tree) = read(&octets) {
            // No amplification: what was read was in the file.
            let size = tree.entries().map(|(_, entry)| entry.url.len() + entry.note.len());
            prop_assert!(size.sum::<usize>() <= octets.len() * 3);
        }
    }

    #[test]
    fn any_octets_after_the_header_are_read_or_refused(octets: Vec<u8>) {
        let header = sample("buku.db");
        let _ = read(&[&header[..100], &octets].concat());
    }
}
