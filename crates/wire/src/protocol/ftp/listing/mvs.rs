//! Data sets of MVS (z/OS).
//!
//! ```text
//! heading = "Volume Unit    Referred Ext Used Recfm Lrecl BlkSz Dsorg Dsname"
//! entry   = volume SP unit SP referred SP ext SP used SP recfm SP lrecl SP blksz SP dsorg SP dsname
//!         / ( "Migrated" / "Pseudo Directory" / volume SP "Not Direct Access Device" / ... ) SP dsname
//! ```
//!
//! Columns have no fixed width; two columns without a blank between them are one word here, so only both ends of a line
//! are read. A partitioned data set (`PO`) is a directory of members. Space is listed in tracks, so there are no sizes.
//! The date is that of the last use.

use super::entry::{Entry, Kind, Line};
use super::words::{MAX_WORDS, Words};
use super::{Date, date};

/// The texts in lines of data sets that are not online, with the number of words before the name, volume included.
const OFFLINE: [(&[u8], usize); 5] = [
    (b"Migrated", 1),
    (b"Not Direct Access Device", 5),
    (b"Tape", 2),
    (b"VSAM", 3),
    (b"Error determining attributes", 4),
];

/// Parses a line of a list of data sets.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    let words = Words::of(line, MAX_WORDS);
    let last = words.count().checked_sub(1)?;
    if words.word(0) == Some(b"Volume") && words.word(last) == Some(b"Dsname") {
        return Some(Line::Metadata);
    }
    let name = words.word(last).filter(|name| is_name(name))?;
    let head = words.before(last)?.trim_ascii();
    if head == b"Pseudo Directory" {
        return Entry::new(name, Kind::Directory).line();
    }
    if OFFLINE
        .iter()
        .any(|(words, count)| last == *count && head.ends_with(words))
    {
        return Entry::new(name, Kind::File).line();
    }
    let referred = words.word(2)?;
    let day = date::iso_day(referred);
    if last < 6 || day.is_none() && referred != b"**NONE**" {
        return None;
    }
    let kind = match words.word(last.checked_sub(1)?)? {
        b"PO" | b"PO-E" | b"POU" => Kind::Directory,
        b"PS" | b"PS-E" | b"PS-L" | b"PSU" | b"DA" | b"DAU" | b"VS" | b"IS" => Kind::File,
        _ => return None,
    };
    let entry = Entry {
        date: day.map(|day| Date::new(day, None)),
        ..Entry::new(name, kind)
    };
    entry.line()
}

/// Returns true if this can be the name of a data set, with or without quotation marks.
fn is_name(name: &[u8]) -> bool {
    let is_part = |octet: &u8| octet.is_ascii_alphanumeric() || b"@#$.-'".contains(octet);
    name.len() <= 46 && name.iter().all(is_part)
}
