//! Mail addresses (RFC 1738, sections 3.5 and 5).
//!
//! ```text
//! mailtourl      = "mailto:" encoded822addr
//! encoded822addr = 1*xchar               ; further defined in RFC822
//! ```
//!
//! No character is reserved: in `mailto:a@b?subject=x` everything is the address. The address is not checked against
//! RFC 822. RFC 6068 reads headers after the `?`, and allows an empty address. Both are departures; the first departs
//! from a URL that is valid.

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{ParseError, Rule};
use super::escape::{Encoded, XCHAR};
use super::production::{Explanation, Production};

/// The part of a mailto URL.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("mailto:ada@h.example").unwrap();
/// let Parts::Mailto(mailto) = url.base_parts() else { panic!() };
/// assert_eq!(mailto.address.as_str(), "ada@h.example");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mailto<'a> {
    /// The encoded address; empty only in a departure.
    pub address: Encoded<'a>,
}

/// The message that a mailto URL describes, decoded after RFC 6068, section 2.
///
/// ```text
/// mailtoURI = "mailto:" [ to ] [ hfields ]
/// to        = addr-spec *( "," addr-spec )
/// hfields   = "?" hfield *( "&" hfield )
/// hfield    = hfname "=" hfvalue
/// ```
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("mailto:a@h.example?Bcc=b@h.example&body=c").unwrap();
/// let Parts::Mailto(mailto) = url.base_parts() else { panic!() };
/// let letter = mailto.letter();
/// assert_eq!(letter.body, b"c");
/// assert_eq!(letter.left_out, [b"Bcc"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailtoMessage {
    /// Names and values of the message headers: `To`, `Cc`, `Subject`, `Keywords`, `In-Reply-To`, each at most once.
    pub headers: Vec<(&'static str, Vec<u8>)>,
    /// The body of the message, with the line ends that the URL has.
    pub body: Vec<u8>,
    /// Names of the headers that were ignored, because they could send the message to another recipient or in another
    /// name.
    pub left_out: Vec<Vec<u8>>,
}

/// Headers that are safe to use from a URL (RFC 6068, section 4).
const SAFE: [&str; 5] = ["To", "Cc", "Subject", "Keywords", "In-Reply-To"];

impl Mailto<'_> {
    /// The message that the URL describes. A line break in a header becomes a space.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("mailto:a@h.example?subject=b%20c").unwrap();
    /// let Parts::Mailto(mailto) = url.base_parts() else { panic!() };
    /// assert_eq!(mailto.letter().headers[1], ("Subject", b"b c".to_vec()));
    /// ```
    pub fn letter(self) -> MailtoMessage {
        let text = self.address.as_str();
        let (to, fields) = text.split_once('?').unwrap_or((text, ""));
        let mut letter = MailtoMessage::default();
        letter.add(b"To", &Encoded::new(to).octets());
        for field in fields.split('&').filter(|field| !field.is_empty()) {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            let (name, value) = (Encoded::new(name).octets(), Encoded::new(value).octets());
            if name.eq_ignore_ascii_case(b"body") {
                letter.body.extend_from_slice(&value);
            } else {
                letter.add(&name, &value);
            }
        }
        letter
    }
}

impl MailtoMessage {
    fn add(&mut self, name: &[u8], value: &[u8]) {
        let is_it = |safe: &&&str| safe.as_bytes().eq_ignore_ascii_case(name);
        let Some(name) = SAFE.iter().find(is_it) else {
            self.left_out.push(name.to_vec());
            return;
        };
        let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
        let value: Vec<u8> = value.trim_ascii().iter().map(blank).collect();
        if value.is_empty() {
            return;
        }
        match self.headers.iter_mut().find(|(header, _)| header == name) {
            Some((_, present)) => present.extend([b", ".as_slice(), &value].concat()),
            None => self.headers.push((name, value)),
        }
    }
}

impl<'a> Production<'a> for Mailto<'a> {
    fn explain(&self, lines: &mut Explanation) {
        lines.add("address", self.address.as_str());
    }
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
