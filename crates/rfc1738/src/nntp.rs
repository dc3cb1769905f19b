//! News groups and articles of one server (RFC 1738, sections 3.7 and 5).
//!
//! ```text
//! nntpurl = "nntp://" hostport "/" group [ "/" digits ]
//! ```
//!
//! The number may be left out, although section 3.7 does not show it. The group may not, and has no escapes. A group
//! that starts with a digit or has escapes is one of RFC 5538, section 3, and a departure; so are several numbers,
//! `/1-9`, which other newsreaders accept.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{ParseError, Rule};
use super::escape::{DIGIT, Encoded, GROUP};
use super::login::{HostPort, hostport};
use super::news::{group, not_in_group};
use super::production::{Explanation, Production};
use super::range::{Range, range};

/// The parts of an nntp URL.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("nntp://h.example/a.b/17").unwrap();
/// let Parts::Nntp(nntp) = url.base_parts() else { panic!() };
/// assert_eq!((nntp.group.as_str(), nntp.number), ("a.b", Some("17")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nntp<'a> {
    /// The host and port.
    pub address: HostPort<'a>,
    /// The group; it has escapes only in a departure.
    pub group: Encoded<'a>,
    /// The article number, as written.
    pub number: Option<&'a str>,
    /// A range of numbers instead of one; a departure.
    pub range: Option<Range<'a>>,
}

impl Nntp<'_> {
    /// The article number; `None` if there is none, or if it is larger than `u64`.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("nntp://h.example/a.b/0017").unwrap();
    /// let Parts::Nntp(nntp) = url.base_parts() else { panic!() };
    /// assert_eq!(nntp.article(), Some(17));
    /// ```
    pub fn article(&self) -> Option<u64> {
        self.number?.parse().ok()
    }
}

impl<'a> Production<'a> for Nntp<'a> {
    fn title_path(&self) -> Encoded<'a> {
        self.group
    }

    fn range(&self) -> Option<Range<'a>> {
        self.range
    }

    fn group(&self) -> Option<Encoded<'a>> {
        Some(self.group)
    }

    fn explain(&self, lines: &mut Explanation) {
        lines.add("group", self.group.as_str());
        if let Some(number) = self.number {
            lines.add("article", number);
        }
        if let Some(range) = self.range {
            lines.add("articles", range.written());
        }
    }

    /// The number has no zeros before it.
    fn canonical_tail(&self, tail: &'a str) -> Cow<'a, str> {
        let number = self
            .number
            .map(|number| (number, number.trim_start_matches('0')));
        match number.filter(|(written, plain)| written != plain && !plain.is_empty()) {
            Some((written, plain)) => {
                let before = tail.strip_suffix(written).unwrap_or(tail);
                Cow::Owned(format!("{before}{plain}"))
            }
            None => Cow::Borrowed(tail),
        }
    }

    /// The group of an article.
    fn parent_path(&self) -> Option<Cow<'a, str>> {
        let is_group = self.number.is_none() && self.range.is_none();
        (!is_group).then(|| Cow::Borrowed(self.group.as_str()))
    }
}

#[inline]
pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    port: Option<u16>,
) -> Result<Nntp<'a>, ParseError> {
    let rule = Rule("nntpurl", "3.7");
    let address = hostport(cursor, port)?;
    cursor.expect(b'/', rule, "the \"/\" before a news group")?;
    let start = *cursor;
    let group = match strict_group(cursor) {
        Ok(group) => group,
        Err(fault) => {
            *cursor = start;
            let group = cursor.run(&GROUP);
            if !cursor.may_depart()
                || group.is_empty()
                || !matches!(cursor.peek(), None | Some(b'/'))
            {
                return Err(fault);
            }
            cursor.depart(Departure::Rfc5538);
            group
        }
    };
    let (mut number, mut several) = (None, None);
    if cursor.eat(b'/') {
        let start = *cursor;
        match range(cursor).filter(|_| cursor.peek().is_none()) {
            Some(Range::One(digits)) => number = Some(digits),
            Some(range @ (Range::From(_) | Range::Between(..))) if cursor.may_depart() => {
                cursor.depart(Departure::Range);
                several = Some(range);
            }
            Some(_) | None => {
                *cursor = start;
                cursor.literals(&DIGIT);
                return Err(cursor.missing(Rule("digits", "3.7"), "a digit of an article number"));
            }
        }
    }
    Ok(Nntp {
        address,
        group: Encoded::new(group),
        number,
        range: several,
    })
}

/// `group`, up to a `/` or the end.
fn strict_group<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    let group = group(cursor, "3.7")?;
    match cursor.peek() {
        None | Some(b'/') => Ok(group),
        Some(_) => Err(not_in_group(cursor, "3.7")),
    }
}
