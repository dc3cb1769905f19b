//! Lines of LIST ACTIVE, LIST COUNTS and LIST NEWSGROUPS (RFC 3977, section 7.6; RFC 6048, section 3).
//!
//! ```text
//! active      = name SP high SP low SP status
//! counts      = name SP high SP low SP count SP status
//! description = name 1*WS text
//! ```
//!
//! A line without numbers is no group; a missing status is no fault.

use super::reply::number;

/// A group in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Active<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// The highest number.
    pub high: u64,
    /// The lowest number.
    pub low: u64,
    /// How many articles, where the list tells.
    pub count: Option<u64>,
    /// `y`, `n`, `m`, `j`, `x` or `=other.group`.
    pub status: &'a [u8],
}

impl Active<'_> {
    /// How many articles there are, as far as the list tells: its count, else what the marks have room for.
    pub fn articles(&self) -> u64 {
        self.count.unwrap_or_else(|| {
            if self.high < self.low || self.high == 0 {
                0
            } else {
                // From 0 on there are no more numbers than the highest says.
                self.high - self.low.max(1) + 1
            }
        })
    }
}

/// Reads a line of LIST ACTIVE or LIST COUNTS.
pub fn active(line: &[u8]) -> Option<Active<'_>> {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let name = words.next()?;
    let high = number(words.next()?)?;
    let low = number(words.next()?)?;
    let (count, status) = match (words.next(), words.next()) {
        (Some(count), Some(status)) => (number(count), status),
        (status, _) => (None, status.unwrap_or_default()),
    };
    Some(Active {
        name,
        high,
        low,
        count,
        status,
    })
}

/// Reads a line of LIST NEWSGROUPS: the group and what it is about.
pub fn description(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(u8::is_ascii_whitespace)?;
    let (name, text) = line.split_at_checked(end)?;
    let text = text.trim_ascii();
    (!name.is_empty() && !text.is_empty()).then_some((name, text))
}
