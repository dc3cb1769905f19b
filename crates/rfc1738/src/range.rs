//! Article numbers of a group, written after the group name as other newsreaders do (the range of RFC 3977, section
//! 8.3).
//!
//! ```text
//! range = 1*digit [ "-" [ 1*digit ] ]
//! ```
//!
//! RFC 1738 has only a single number, and only in an nntp URL; RFC 5538 adds nothing. Everything else is a departure.

use super::cursor::Cursor;
use super::escape::DIGIT;

/// Article numbers as written.
///
/// ```
/// use rfc1738::{Dialect, Range};
///
/// let url = Dialect::Extended.parse("nntp://h.example/a.b/7-").unwrap();
/// assert_eq!(url.base_parts().range(), Some(Range::From("7")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range<'a> {
    /// A single number, `7`.
    One(&'a str),
    /// An open range, `7-`: this article and all later ones.
    From(&'a str),
    /// A closed range, `7-9`.
    Between(&'a str, &'a str),
}

impl Range<'_> {
    /// The first and the last number, or `None` if one is larger than `u64`.
    ///
    /// ```
    /// use rfc1738::Range;
    ///
    /// assert_eq!(Range::Between("7", "9").numbers(), Some((7, 9)));
    /// ```
    pub fn numbers(self) -> Option<(u64, u64)> {
        let number = |digits: &str| digits.parse().ok();
        Some(match self {
            Range::One(digits) => (number(digits)?, number(digits)?),
            Range::From(first) => (number(first)?, u64::MAX),
            Range::Between(first, last) => (number(first)?, number(last)?),
        })
    }

    /// The range as written.
    ///
    /// ```
    /// use rfc1738::Range;
    ///
    /// assert_eq!(Range::From("7").written(), "7-");
    /// ```
    pub fn written(self) -> String {
        match self {
            Range::One(digits) => digits.to_owned(),
            Range::From(first) => format!("{first}-"),
            Range::Between(first, last) => format!("{first}-{last}"),
        }
    }
}

/// Parses a range, or returns `None` if no digit is next.
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
