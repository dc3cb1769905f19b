//! Lines of LIST ACTIVE, LIST COUNTS and LIST NEWSGROUPS (RFC 3977, section 7.6; RFC 6048, section 3).
//!
//! ```text
//! parse_active      = name SP high SP low SP status
//! counts      = name SP high SP low SP count SP status
//! description = name 1*WS text
//! ```
//!
//! A line without numbers is no group; a missing status is accepted.

use crate::protocol::octets::{number, words};

/// A group in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveGroup<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The highest article number.
    pub high: u64,
    /// The lowest article number.
    pub low: u64,
    /// The number of articles, if the list contains it.
    pub count: Option<u64>,
    /// The status: `y`, `n`, `m`, `j`, `x` or `=other.group`.
    pub status: &'a [u8],
}

impl ActiveGroup<'_> {
    /// Returns the number of articles: the count of the list, otherwise the size of the range of numbers.
    pub fn articles(&self) -> u64 {
        self.count.unwrap_or_else(|| {
            if self.high < self.low || self.high == 0 {
                0
            } else {
                // Numbers begin at 1, even if the lowest is 0.
                self.high - self.low.max(1) + 1
            }
        })
    }
}

/// Parses a line of LIST ACTIVE or LIST COUNTS.
pub fn parse_active(line: &[u8]) -> Option<ActiveGroup<'_>> {
    let mut words = words(line);
    let name = words.next()?;
    let high = number(words.next()?)?;
    let low = number(words.next()?)?;
    let (count, status) = match (words.next(), words.next()) {
        (Some(count), Some(status)) => (number(count), status),
        (status, _) => (None, status.unwrap_or_default()),
    };
    Some(ActiveGroup {
        name,
        high,
        low,
        count,
        status,
    })
}

/// Parses a line of LIST NEWSGROUPS: the group and its description.
pub fn description(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(u8::is_ascii_whitespace)?;
    let (name, text) = line.split_at_checked(end)?;
    let text = text.trim_ascii();
    (!name.is_empty() && !text.is_empty()).then_some((name, text))
}
