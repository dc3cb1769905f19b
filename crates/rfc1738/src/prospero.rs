//! Objects of the Prospero directory service (RFC 1738, sections 3.11 and 5).
//!
//! ```text
//! prosperourl = "prospero://" hostport "/" ppath *[ fieldspec ]
//! ppath       = psegment *[ "/" psegment ]
//! psegment    = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//! fieldspec   = ";" fieldname "=" fieldvalue
//! fieldname   = *[ uchar | "?" | ":" | "@" | "&" ]
//! fieldvalue  = *[ uchar | "?" | ":" | "@" | "&" ]
//! ```
//!
//! The name is opaque: a client must not split it at its slashes. There is no user.

use super::cursor::Cursor;
use super::error::{ParseError, Rule};
use super::escape::{Encoded, FIELD, FPATH};
use super::login::{HostPort, hostport};
use super::production::{Explanation, Production};

/// The parts of a prospero URL.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("prospero://h.example//pub;version=2").unwrap();
/// let Parts::Prospero(prospero) = url.base_parts() else { panic!() };
/// assert_eq!((prospero.path.as_str(), prospero.fieldspecs), ("/pub", ";version=2"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prospero<'a> {
    /// The host and port.
    pub address: HostPort<'a>,
    /// `ppath`, the host-specific object name.
    pub path: Encoded<'a>,
    /// All `fieldspec`s as written, each with its semicolon.
    pub fieldspecs: &'a str,
}

impl<'a> Prospero<'a> {
    /// The fields in order, as pairs of name and value.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("prospero://h.example/a;b=c%20d").unwrap();
    /// let Parts::Prospero(prospero) = url.base_parts() else { panic!() };
    /// let (name, value) = prospero.fields().next().unwrap();
    /// assert_eq!((name.as_str(), &*value.octets()), ("b", b"c d".as_slice()));
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = (Encoded<'a>, Encoded<'a>)> + use<'a> {
        self.fieldspecs.split(';').skip(1).map(|field| {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            (Encoded::new(name), Encoded::new(value))
        })
    }
}

impl<'a> Production<'a> for Prospero<'a> {
    fn explain(&self, lines: &mut Explanation) {
        lines.add("path", self.path.as_str());
        for (name, value) in self.fields() {
            lines.add("field", format!("{} = {}", name.as_str(), value.as_str()));
        }
    }

    fn root_path(&self) -> Option<&'static str> {
        Some("")
    }
}

#[inline]
pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    port: Option<u16>,
) -> Result<Prospero<'a>, ParseError> {
    let address = hostport(cursor, port)?;
    cursor.expect(
        b'/',
        Rule("prosperourl", "3.11"),
        "the \"/\" before an object name",
    )?;
    let path = Encoded::new(cursor.run(&FPATH));
    let fieldspecs = cursor.rest();
    let mut rule = Rule("psegment", "3.11");
    while cursor.eat(b';') {
        cursor.run(&FIELD);
        if !cursor.eat(b'=') {
            return Err(match cursor.peek() {
                None | Some(b';') => cursor.missing(
                    Rule("fieldspec", "3.11"),
                    "the \"=\" between a field and its value",
                ),
                Some(_) => cursor.stray(Rule("fieldname", "3.11")),
            });
        }
        cursor.run(&FIELD);
        rule = Rule("fieldvalue", "3.11");
    }
    cursor.end(rule)?;
    Ok(Prospero {
        address,
        path,
        fieldspecs,
    })
}
