//! `NetPresenz` and other servers on the classic Mac.
//!
//! ```text
//! entry = mode 1*SP ( "folder" 1*SP items / resource 1*SP data 1*SP both ) 1*SP date SP name
//! ```
//!
//! The format is like `ls -l` (see [`super::unix`] for `mode` and name, [`super::words`] for the date), but without owners,
//! and a file has three sizes: the third is the sum of the others.

use super::unix::{dated, mode};
use super::words::{MAX_WORDS, Words};
use super::{Day, Entry, Kind, Line, entry, number};

/// Parses a line of a Mac listing. `today` determines the year of dates without one.
pub(super) fn line(line: &[u8], today: Day) -> Line<'_> {
    parse(line, today).map_or(Line::Unrecognized, entry)
}

fn parse(line: &[u8], today: Day) -> Option<Entry<'_>> {
    let kind = mode(line)?;
    let words = Words::of(line, MAX_WORDS);
    if kind == Kind::Directory {
        return match words.word(1)? {
            b"folder" => dated(&words, 3, kind, today),
            _ => None,
        };
    }
    let size = |index| words.word(index).and_then(number);
    let both = size(1)?.checked_add(size(2)?)?;
    (size(3)? == both)
        .then(|| dated(&words, 4, kind, today))
        .flatten()
}
