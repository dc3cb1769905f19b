//! Lines of an overview (RFC 3977, section 8.3).
//!
//! ```text
//! line = number TAB subject TAB from TAB date TAB message-id TAB references TAB bytes TAB lines *( TAB extra )
//! ```
//!
//! The first eight fields are the same on every server, so LIST OVERVIEW.FMT is not requested. Servers omit fields at the
//! end, and leave missing counts empty; both are accepted. Fields after the eighth are not read.

use crate::protocol::octets;

/// An article in an overview; fields that the server omitted are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overview<'a> {
    /// The number in this group on this server.
    pub number: u64,
    /// The subject, not decoded.
    pub subject: &'a [u8],
    /// The author, not decoded.
    pub from: &'a [u8],
    /// The date, as written.
    pub date: &'a [u8],
    /// The Message-ID, with its angle brackets.
    pub id: &'a [u8],
    /// The Message-IDs of the referenced articles, with their angle brackets.
    pub references: &'a [u8],
    /// The number of lines of the body, if the server lists it.
    pub lines: Option<u64>,
}

/// Parses a line of an overview; `None` without a number and a subject.
pub fn overview(line: &[u8]) -> Option<Overview<'_>> {
    let mut rest = Some(line);
    let mut field = || {
        let line = rest.take()?;
        let Some(end) = memchr::memchr(b'\t', line) else {
            return Some(line.trim_ascii());
        };
        rest = line.get(end + 1..);
        Some(line.get(..end)?.trim_ascii())
    };
    let number = octets::number(field()?)?;
    let subject = field()?;
    let mut next = || field().unwrap_or_default();
    let (from, date, id, references, _bytes) = (next(), next(), next(), next(), next());
    Some(Overview {
        number,
        subject,
        from,
        date,
        id,
        references,
        lines: octets::number(next()),
    })
}
