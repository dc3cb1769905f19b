//! News groups and articles of one server (RFC 1738, sections 3.7 and 5).
//!
//! ```text
//! nntpurl = "nntp://" hostport "/" group [ "/" digits ]
//! ```
//!
//! The number may be left out, whatever section 3.7 shows; the group may not, and has no escapes.

use super::cursor::Cursor;
use super::error::{ParseError, Rule};
use super::escape::DIGIT;
use super::login::{HostPort, hostport};
use super::news::{group, not_in_group};

/// The parts of an nntp URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nntp<'a> {
    /// Where.
    pub address: HostPort<'a>,
    /// The group, as written.
    pub group: &'a str,
    /// The article number, as written.
    pub number: Option<&'a str>,
}

impl Nntp<'_> {
    /// The article number; nothing when there is none, or when it is beyond what any server counts to.
    pub fn article(&self) -> Option<u64> {
        self.number?.parse().ok()
    }
}

pub(super) fn parse(mut cursor: Cursor<'_>, port: Option<u16>) -> Result<Nntp<'_>, ParseError> {
    let rule = Rule("nntpurl", "3.7");
    let address = hostport(&mut cursor, port)?;
    cursor.expect(b'/', rule, "the \"/\" before a news group")?;
    let group = group(&mut cursor, "3.7")?;
    let number = match cursor.peek() {
        None => None,
        Some(b'/') => {
            cursor.take(1);
            let digits = cursor.literals(&DIGIT);
            if digits.is_empty() || cursor.peek().is_some() {
                return Err(cursor.missing(Rule("digits", "3.7"), "a digit of an article number"));
            }
            Some(digits)
        }
        Some(_) => return Err(not_in_group(&cursor, "3.7")),
    };
    Ok(Nntp {
        address,
        group,
        number,
    })
}
