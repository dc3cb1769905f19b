//! Data sets of MVS (z/OS).
//!
//! ```text
//! heading = "Volume Unit    Referred Ext Used Recfm Lrecl BlkSz Dsorg Dsname"
//! entry   = volume SP unit SP referred SP ext SP used SP recfm SP lrecl SP blksz SP dsorg SP dsname
//!         / ( "Migrated" / "Pseudo Directory" / volume SP "Not Direct Access Device" / ... ) SP dsname
//! ```
//!
//! Columns are as wide as they need; two that touch are one word here, so only both ends of a line are looked at. A
//! partitioned data set (`PO`) is a directory of members. Space is told in tracks, so there are no sizes, and the date is
//! that of the last use.

use super::words::{MOST, Words};
use super::{Date, Entry, Kind, Line, date, entry};

/// What stands in a line whose data set is not at hand, and how many words it has, the volume counted.
const AWAY: [(&[u8], usize); 5] = [
    (b"Migrated", 1),
    (b"Not Direct Access Device", 5),
    (b"Tape", 2),
    (b"VSAM", 3),
    (b"Error determining attributes", 4),
];

/// A line of a list of data sets.
pub(super) fn line(line: &[u8]) -> Line<'_> {
    let words = Words::of(line, MOST);
    let last = words.count().wrapping_sub(1);
    if words.word(0) == Some(b"Volume") && words.word(last) == Some(b"Dsname") {
        return Line::Aside;
    }
    parse(&words, last).map_or(Line::Odd, entry)
}

fn parse<'a>(words: &Words<'a>, last: usize) -> Option<Entry<'a>> {
    let name = words.word(last).filter(|name| is_name(name))?;
    let found = |kind, date| Entry {
        name,
        kind,
        size: None,
        date,
    };
    let head = words.before(last)?.trim_ascii();
    if head == b"Pseudo Directory" {
        return Some(found(Kind::Directory, None));
    }
    if AWAY
        .iter()
        .any(|(words, count)| last == *count && head.ends_with(words))
    {
        return Some(found(Kind::File, None));
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
    Some(found(kind, day.map(|day| Date::new(day, None))))
}

/// Whether this can be the name of a data set, in quotation marks or not.
fn is_name(name: &[u8]) -> bool {
    let is_part = |octet: &u8| octet.is_ascii_alphanumeric() || b"@#$.-'".contains(octet);
    name.len() <= 46 && name.iter().all(is_part)
}
