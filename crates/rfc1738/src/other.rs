//! URLs of any other scheme (RFC 1738, sections 2.1, 3.1, 4 and 5).
//!
//! ```text
//! otherurl       = genericurl
//! genericurl     = scheme ":" schemepart
//! schemepart     = *xchar | ip-schemepart
//! ip-schemepart  = "//" login [ "/" urlpath ]
//! urlpath        = *xchar
//! ```
//!
//! Every `ip-schemepart` is `*xchar` too, so the latter alone decides what is valid, and [`Other::ip`] extracts the
//! former if it matches.

use super::cursor::Cursor;
use super::error::{ParseError, Rule};
use super::escape::{Encoded, XCHAR};
use super::login::{Login, login, slashes};
use super::production::{Explanation, Production};
use super::scheme::default_port;

/// The parts of a URL of another scheme.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("tel:110").unwrap();
/// let Parts::Other(other) = url.base_parts() else { panic!() };
/// assert_eq!((other.scheme, other.schemepart.as_str()), ("tel", "110"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other<'a> {
    /// The scheme as written.
    pub scheme: &'a str,
    /// The text after the colon.
    pub schemepart: Encoded<'a>,
}

impl<'a> Other<'a> {
    /// The login and the urlpath (without its slash), if the scheme part is an `ip-schemepart`. Of these schemes only
    /// `finger` has a default port.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("irc://h.example:6667/rust").unwrap();
    /// let Parts::Other(other) = url.base_parts() else { panic!() };
    /// let (login, path) = other.ip().unwrap();
    /// assert_eq!((login.address.host, path.unwrap().as_str()), ("h.example", "rust"));
    /// ```
    pub fn ip(&self) -> Option<(Login<'a>, Option<Encoded<'a>>)> {
        let mut cursor = Cursor::new(self.schemepart.as_str().strip_prefix("//")?);
        let login = login(&mut cursor, default_port(self.scheme)).ok()?;
        let path = cursor.eat(b'/').then(|| Encoded::new(cursor.rest()));
        Some((login, path))
    }
}

impl<'a> Production<'a> for Other<'a> {
    fn explain(&self, lines: &mut Explanation) {
        match self.ip() {
            Some((login, path)) => {
                lines.user(&login);
                lines.address(&login.address);
                lines.part("path", path);
            }
            None => lines.add("rest", self.schemepart.as_str()),
        }
    }
}

/// The leftmost fault of a scheme part as an `ip-schemepart`; its path is any `urlpath`.
pub(super) fn server_fault(port: Option<u16>, cursor: &mut Cursor<'_>) -> Option<ParseError> {
    slashes(cursor).and_then(|cursor| login(cursor, port)).err()
}

#[inline]
pub(super) fn parse<'a>(scheme: &'a str, cursor: &mut Cursor<'a>) -> Result<Other<'a>, ParseError> {
    let schemepart = Encoded::new(cursor.run(&XCHAR));
    cursor.end(Rule("schemepart", "2.1"))?;
    Ok(Other { scheme, schemepart })
}
