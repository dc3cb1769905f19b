//! New groups on a server since a date (RFC 3977, sections 7.1 and 7.3).
//!
//! ```text
//! date       = "111" SP 14DIGIT                     ; yyyymmddhhmmss by the server's clock, UTC
//! new-groups = "NEWGROUPS" SP 8DIGIT SP 6DIGIT SP "GMT"
//! ```
//!
//! Years always have four digits: with two the century would be ambiguous.

use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Dialogue, NntpError};

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
    /// Returns the date of the server's clock; `None` if the server does not tell it. DATE is sent only if the server supports
    /// CAPABILITIES, as older ones may close the connection at an unknown command.
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

    /// Requests the groups created since a date; their lines, like those of LIST ACTIVE, are read by [`Dialogue::block`].
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
