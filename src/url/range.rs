//! Articles of a group by their numbers, as other readers take them behind a group (the range of RFC 3977, section 8.3).
//!
//! ```text
//! range = 1*digit [ "-" [ 1*digit ] ]
//! ```
//!
//! RFC 1738 knows a single number, and that in an nntp URL alone; RFC 5538 adds nothing to it. So all else is a departure.

use super::cursor::Cursor;
use super::escape::DIGIT;

/// Numbers of articles, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range<'a> {
    /// `7`
    One(&'a str),
    /// `7-`: this one and all later ones.
    From(&'a str),
    /// `7-9`
    Between(&'a str, &'a str),
}

impl Range<'_> {
    /// The first and the last number; nothing where one is beyond what any server counts to.
    pub fn numbers(self) -> Option<(u64, u64)> {
        let number = |digits: &str| digits.parse().ok();
        Some(match self {
            Range::One(digits) => (number(digits)?, number(digits)?),
            Range::From(first) => (number(first)?, u64::MAX),
            Range::Between(first, last) => (number(first)?, number(last)?),
        })
    }

    /// As it is written.
    pub fn written(self) -> String {
        match self {
            Range::One(digits) => digits.to_owned(),
            Range::From(first) => format!("{first}-"),
            Range::Between(first, last) => format!("{first}-{last}"),
        }
    }
}

/// Takes a range; nothing where no digit stands.
pub(super) fn range<'a>(cursor: &mut Cursor<'a>) -> Option<Range<'a>> {
    let first = cursor.literals(&DIGIT);
    if first.is_empty() {
        return None;
    }
    if !cursor.eat(b'-') {
        return Some(Range::One(first));
    }
    let last = cursor.literals(&DIGIT);
    Some(if last.is_empty() {
        Range::From(first)
    } else {
        Range::Between(first, last)
    })
}
