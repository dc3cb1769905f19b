//! Lists of groups (RFC 3977, section 7.6; RFC 6048, section 3), groups since a date (sections 7.1 and 7.3), and
//! patterns of names (section 4).
//!
//! ```text
//! active      = name SP high SP low SP status
//! counts      = name SP high SP low SP count SP status
//! description = name 1*WS text
//! date        = "111" SP 14DIGIT                     ; yyyymmddhhmmss by the server's clock, UTC
//! new-groups  = "NEWGROUPS" SP 8DIGIT SP 6DIGIT SP "GMT"
//! wildmat     = pattern *( "," [ "!" ] pattern )
//! pattern     = 1*( exact / "*" / "?" )
//! ```
//!
//! A line without numbers is no group; a missing status is accepted. Years always have four digits: with two the
//! century would be ambiguous.
//!
//! Of the patterns that match a name the last one counts: the name matches if that pattern has no `!`. `?` is one
//! character, with any number of octets in UTF-8. Brackets and the backslash, which RFC 3977 leaves out, are literal.
//! The first pattern may have a `!` too, and an empty pattern matches nothing: both happen while the user types. Blanks
//! beside a comma are no part of a name.

use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Dialogue, NntpError};
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
    /// Returns true if the server takes no posts to the group. `=` is an alias, and articles posted to it are lost.
    pub fn is_closed(&self) -> bool {
        matches!(self.status.first(), Some(b'n' | b'x' | b'j' | b'='))
    }

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

/// The longest pattern of group names, in octets.
const PATTERN: usize = super::COMMAND - "LIST NEWSGROUPS ".len();

/// A date by the clock of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerDate([u8; 14]);

impl ServerDate {
    /// Parses `yyyymmddhhmmss`.
    pub fn parse(digits: &[u8]) -> Option<Self> {
        let digits: [u8; 14] = digits.try_into().ok()?;
        let is_date = digits.iter().all(u8::is_ascii_digit);
        is_date.then_some(Self(digits))
    }
}

impl fmt::Display for ServerDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.escape_ascii().fmt(f)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Returns the date of the server's clock; `None` if the server does not tell it. DATE is sent only if the server
    /// supports CAPABILITIES, as older ones may close the connection at an unknown command.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn date(&mut self) -> Result<Option<ServerDate>, NntpError> {
        if self.capabilities.is_none() {
            return Ok(None);
        }
        let reply = self.ask(b"DATE", "the command").await?;
        match reply.code {
            111 => {
                let mut words = reply.line.split(u8::is_ascii_whitespace).skip(1);
                Ok(words.find_map(ServerDate::parse))
            }
            401..=599 => Ok(None),
            _ => Err(reply.into()),
        }
    }

    /// Requests the groups created since a date; their lines, like those of LIST ACTIVE, are read by
    /// [`Dialogue::block`].
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn new_groups(&mut self, since: &ServerDate) -> Result<(), NntpError> {
        let (day, time) = since.0.split_at(8);
        let command = [b"NEWGROUPS ", day, b" ", time, b" GMT"].concat();
        let reply = self.ask(&command, "the date").await?;
        reply.with_code(231).map(drop)
    }
}

/// Returns patterns that match exactly these groups, each short enough for a command (RFC 3977, sections 3.1 and 4). A
/// name that contains pattern characters is left out.
pub fn patterns<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    let mut patterns: Vec<Vec<u8>> = Vec::new();
    for name in names {
        let is_odd = |octet: &u8| {
            octet.is_ascii_whitespace() || octet.is_ascii_control() || b",*?![]\\".contains(octet)
        };
        if name.is_empty() || name.len() > PATTERN || name.iter().any(is_odd) {
            continue;
        }
        match patterns
            .last_mut()
            .filter(|pattern| pattern.len() + 1 + name.len() <= PATTERN)
        {
            Some(pattern) => {
                pattern.push(b',');
                pattern.extend_from_slice(name);
            }
            None => patterns.push(name.to_vec()),
        }
    }
    patterns
}

/// A parsed pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wildmat(Vec<Pattern>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    is_negated: bool,
    items: Vec<u8>,
}

impl Wildmat {
    /// Parses a pattern; any octets are valid.
    pub fn parse(text: &[u8]) -> Self {
        let patterns = text.split(|octet| *octet == b',').map(|pattern| {
            let pattern = pattern.trim_ascii();
            let negated = pattern.strip_prefix(b"!");
            Pattern {
                is_negated: negated.is_some(),
                items: negated.unwrap_or(pattern).to_vec(),
            }
        });
        let patterns = patterns.filter(|pattern| !pattern.items.is_empty());
        Self(patterns.collect())
    }

    /// Returns true if a name matches.
    pub fn matches(&self, name: &[u8]) -> bool {
        let mut patterns = self.0.iter().rev();
        let last = patterns.find(|pattern| glob(&pattern.items, name));
        last.is_some_and(|pattern| !pattern.is_negated)
    }
}

/// Returns true if a whole text matches one pattern, where `*` is any text and `?` any character. Only the last `*` is
/// retried, so the time is at most the product of both lengths.
pub fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // The pattern after the last `*`, and the text where it is tried next.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        match (pattern.split_first(), name.split_first()) {
            (Some((b'*', rest)), _) => {
                pattern = rest;
                retry = Some((rest, name));
                continue;
            }
            (Some((b'?', rest)), Some(_)) => {
                (pattern, name) = (rest, after_character(name));
                continue;
            }
            (Some((item, rest)), Some((octet, after))) if item == octet => {
                (pattern, name) = (rest, after);
                continue;
            }
            (None, None) => return true,
            (_, _) => {}
        }
        match retry {
            Some((rest, from)) if !from.is_empty() => {
                let from = after_character(from);
                (pattern, name) = (rest, from);
                retry = Some((rest, from));
            }
            Some(_) | None => return false,
        }
    }
}

/// Returns the text after the first character. An octet that begins no character counts as one.
fn after_character(text: &[u8]) -> &[u8] {
    let length = match text.first() {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        Some(_) | None => 1,
    };
    let is_whole = text
        .get(..length)
        .is_some_and(|character| std::str::from_utf8(character).is_ok());
    let length = if is_whole { length } else { 1 };
    text.get(length..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_fourteen_digits() {
        let date = ServerDate::parse(b"20261120203000").unwrap();
        assert_eq!(date.to_string(), "20261120203000");
        assert_eq!(date.0.split_at(8), (&b"20261120"[..], &b"203000"[..]));
        for bad in ["", "261120203000", "2026112020300x", "202611202030001"] {
            assert_eq!(ServerDate::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn patterns_hold_every_plain_name_once_and_fit(names in proptest::collection::vec("[a-z.+]{1,40}", 0..200)) {
            let patterns = patterns(names.iter().map(String::as_bytes));
            proptest::prop_assert!(patterns.iter().all(|pattern| pattern.len() <= PATTERN));
            let held: Vec<&[u8]> = patterns.iter().flat_map(|pattern| pattern.split(|&octet| octet == b',')).collect();
            proptest::prop_assert_eq!(held, names.iter().map(String::as_bytes).collect::<Vec<&[u8]>>());
        }

        #[test]
        fn no_odd_name_gets_into_a_command(names in proptest::collection::vec(proptest::collection::vec(proptest::prelude::any::<u8>(), 0..600), 0..4)) {
            for pattern in patterns(names.iter().map(Vec::as_slice)) {
                proptest::prop_assert!(!pattern.iter().any(|octet| b"\r\n\0 *?!".contains(octet)));
            }
        }
    }
}
