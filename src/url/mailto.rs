//! An address to write to (RFC 1738, sections 3.5 and 5).
//!
//! ```text
//! mailtourl      = "mailto:" encoded822addr
//! encoded822addr = 1*xchar               ; further defined in RFC822
//! ```
//!
//! No character is reserved: in `mailto:a@b?subject=x` all is address. Whether it is an address of RFC 822 is not asked.

use super::cursor::Cursor;
use super::error::{ParseError, Rule};
use super::escape::{Encoded, XCHAR};

/// The part of a mailto URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mailto<'a> {
    /// The address, encoded; never empty.
    pub address: Encoded<'a>,
}

pub(super) fn parse(mut cursor: Cursor<'_>) -> Result<Mailto<'_>, ParseError> {
    let rule = Rule("encoded822addr", "3.5");
    if cursor.peek().is_none() {
        return Err(cursor.missing(rule, "a mail address"));
    }
    let address = Encoded::new(cursor.run(&XCHAR));
    cursor.end(rule)?;
    Ok(Mailto { address })
}
