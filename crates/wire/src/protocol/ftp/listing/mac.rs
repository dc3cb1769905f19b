//! `NetPresenz` and other servers on the classic Mac.
//!
//! ```text
//! entry = mode 1*SP ( "folder" 1*SP items / resource 1*SP data 1*SP both ) 1*SP date SP name
//! ```
//!
//! The format is like `ls -l` (see [`super::unix`] for `mode` and name, [`super::words`] for the date), but without
//! owners, and a file has three sizes: the third is the sum of the others.

use super::date::DateRules;
use super::entry::{Entry, Kind, Line};
use super::unix::{dated, mode};
use super::words::{MAX_WORDS, Words};
use crate::protocol::octets::number;

/// Parses a line of a Mac listing.
pub(super) fn line(line: &[u8], rules: DateRules) -> Option<Line<'_>> {
    let kind = mode(line)?;
    let words = Words::of(line, MAX_WORDS);
    let size = |index| words.word(index).and_then(number::<u64>);
    let (is_valid, date) = if kind == Kind::Directory {
        (words.word(1)? == b"folder", 3)
    } else {
        (size(3)? == size(1)?.checked_add(size(2)?)?, 4)
    };
    if !is_valid {
        return None;
    }
    dated(&words, date, kind, rules).and_then(Entry::line)
}
