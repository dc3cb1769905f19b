//! Interactive sessions (RFC 1738, sections 3.8 and 5).
//!
//! ```text
//! telneturl = "telnet://" login [ "/" ]
//! ```
//!
//! User and password are hints for the user at the keyboard. Nothing may follow the slash.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::error::{ParseError, Rule};
use super::login::{Login, login};
use super::production::{Explanation, Production};

/// The part of a telnet URL.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("telnet://ada@h.example/").unwrap();
/// let Parts::Telnet(telnet) = url.base_parts() else { panic!() };
/// assert_eq!(telnet.login.user.unwrap().as_str(), "ada");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Telnet<'a> {
    /// The user, password, host and port.
    pub login: Login<'a>,
}

impl<'a> Production<'a> for Telnet<'a> {
    fn explain(&self, _: &mut Explanation) {}

    fn root_path(&self) -> Option<&'static str> {
        Some("")
    }

    fn canonical_tail(&self, _: &'a str) -> Cow<'a, str> {
        Cow::Borrowed("/")
    }
}

#[inline]
pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    port: Option<u16>,
) -> Result<Telnet<'a>, ParseError> {
    let login = login(cursor, port)?;
    if cursor.eat(b'/') && cursor.peek().is_some() {
        return Err(cursor.missing(Rule("telneturl", "3.8"), "the end of a telnet URL"));
    }
    Ok(Telnet { login })
}
