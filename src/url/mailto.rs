//! An address to write to (RFC 1738, sections 3.5 and 5).
//!
//! ```text
//! mailtourl      = "mailto:" encoded822addr
//! encoded822addr = 1*xchar               ; further defined in RFC822
//! ```
//!
//! No character is reserved: in `mailto:a@b?subject=x` all is address. Whether it is an address of RFC 822 is not asked.
//! RFC 6068 sees headers behind the `?`, and lets the address be empty: both are departures, the former from a URL that
//! is valid.

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{ParseError, Rule};
use super::escape::{Encoded, XCHAR};

/// The part of a mailto URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mailto<'a> {
    /// The address, encoded; empty in a departure alone.
    pub address: Encoded<'a>,
}

#[inline]
pub(super) fn parse<'a>(cursor: &mut Cursor<'a>) -> Result<Mailto<'a>, ParseError> {
    let rule = Rule("encoded822addr", "3.5");
    if cursor.peek().is_none() && !cursor.may_depart() {
        return Err(cursor.missing(rule, "a mail address"));
    }
    let address = Encoded::new(cursor.run(&XCHAR));
    if cursor.may_depart() && (address.is_empty() || address.as_str().contains('?')) {
        cursor.depart(Departure::Rfc6068);
    }
    cursor.end(rule)?;
    Ok(Mailto { address })
}
