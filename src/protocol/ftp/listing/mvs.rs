//! Data sets of MVS (z/OS).
//!
//! ```text
//! heading = "Volume Unit    Referred Ext Used Recfm Lrecl BlkSz Dsorg Dsname"
//! entry   = volume SP unit SP referred SP ext SP used SP recfm SP lrecl SP blksz SP dsorg SP dsname
//!         / ( "Migrated" / "Pseudo Directory" / volume SP "Not Direct Access Device" / ... ) SP dsname
//! ```
//!
//! Columns have no fixed width; two columns without a blank between them are one word here, so only both ends of a line are
//! read. A partitioned data set (`PO`) is a directory of members. Space is listed in tracks, so there are no sizes. The
//! date is that of the last use.

use super::words::{MAX_WORDS, Words};
use super::{Date, Entry, Kind, Line, date, entry};

/// The texts in lines of data sets that are not online, with the number of words before the name, volume included.
const OFFLINE: [(&[u8], usize); 5] = [
    (b"Migrated", 1),
    (b"Not Direct Access Device", 5),
    (b"Tape", 2),
    (b"VSAM", 3),
    (b"Error determining attributes", 4),
];

/// Parses a line of a list of data sets.
pub(super) fn line(line: &[u8]) -> Line<'_> {
    let words = Words::of(line, MAX_WORDS);
    let last = words.count().wrapping_sub(1);
    if words.word(0) == Some(b"Volume") && words.word(last) == Some(b"Dsname") {
        return Line::Metadata;
    }
    parse(&words, last).map_or(Line::Unrecognized, entry)
}

fn parse<'a>(words: &Words<'a>, last: usize) -> Option<Entry<'a>> {
    let name = words.word(last).filter(|name| is_name(name))?;
    let new_entry = |kind, date| Entry {
        name,
        kind,
        size: None,
        date,
    };
    let head = words.before(last)?.trim_ascii();
    if head == b"Pseudo Directory" {
        return Some(new_entry(Kind::Directory, None));
    }
    if OFFLINE
        .iter()
        .any(|(words, count)| last == *count && head.ends_with(words))
    {
        return Some(new_entry(Kind::File, None));
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
    Some(new_entry(kind, day.map(|day| Date::new(day, None))))
}

/// Returns true if this can be the name of a data set, with or without quotation marks.
fn is_name(name: &[u8]) -> bool {
    let is_part = |octet: &u8| octet.is_ascii_alphanumeric() || b"@#$.-'".contains(octet);
    name.len() <= 46 && name.iter().all(is_part)
}
