//! WAIS databases, searches and documents (RFC 1738, sections 3.9 and 5).
//!
//! ```text
//! waisurl      = waisdatabase | waisindex | waisdoc
//! waisdatabase = "wais://" hostport "/" database
//! waisindex    = "wais://" hostport "/" database "?" search
//! waisdoc      = "wais://" hostport "/" database "/" wtype "/" wpath
//! database     = *uchar
//! wtype        = *uchar
//! wpath        = *uchar
//! ```
//!
//! One segment is a database, three are a document, and two or more than three are a fault. All segments may be
//! empty.
//!
//! libwww and its descendants wrote documents in another form, which is a departure: a length before the id, and the
//! id field by field.
//!
//! ```text
//! waisdoc = "wais://" hostport "/" database "/" wtype "/" 1*digit "/" 1*field
//! field   = 1*digit "=" *( uchar | ":" | "@" | "&" | "/" ) ";"          ; the last ";" may be missing
//! ```
//!
//! A field has a number, a size and its octets (RFC 1625, doc-ids of WAIS). URLs that this crate builds have the form
//! of RFC 1738: [`Url::in_rfc1738_form`](super::Url::in_rfc1738_form).

use std::borrow::Cow;

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{Message, ParseError, Rule};
use super::escape::{Class, DIGIT, Encoded, SEARCH, UCHAR};
use super::login::{HostPort, hostport};
use super::production::{Explanation, Production};

/// The literals of a field value in an id that is written field by field.
const VALUE: Class = UCHAR.and(b":@&/");

/// The parts of a wais URL.
///
/// ```
/// use rfc1738::{Parts, Url, WaisTarget};
///
/// let url = Url::parse("wais://h.example/birds?owl").unwrap();
/// let Parts::Wais(wais) = url.base_parts() else { panic!() };
/// assert_eq!(wais.database.as_str(), "birds");
/// assert!(matches!(wais.target, WaisTarget::Search(words) if words.as_str() == "owl"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wais<'a> {
    /// The host and port.
    pub address: HostPort<'a>,
    /// The name of the database.
    pub database: Encoded<'a>,
    /// The part of the database that the URL names.
    pub target: WaisTarget<'a>,
}

/// The three forms of a wais URL, and the form of libwww.
///
/// ```
/// use rfc1738::{Parts, Url, WaisTarget};
///
/// let url = Url::parse("wais://h.example/birds/TEXT/1").unwrap();
/// let Parts::Wais(wais) = url.base_parts() else { panic!() };
/// assert!(matches!(wais.target, WaisTarget::Document { .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaisTarget<'a> {
    /// The database itself.
    Database,
    /// A search in the database.
    Search(Encoded<'a>),
    /// A document in the database.
    Document {
        /// The type of the document.
        wtype: Encoded<'a>,
        /// The document-id, which is opaque to everyone but its server.
        wpath: Encoded<'a>,
    },
    /// A document in the database, as libwww wrote it.
    Fields {
        /// The type of the document.
        wtype: Encoded<'a>,
        /// The length of the document in octets, as decimal digits.
        length: &'a str,
        /// The document-id, field by field.
        id: Encoded<'a>,
    },
}

impl WaisTarget<'_> {
    /// The octets of the document-id in the server's format, or `None` if the URL is not a document.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("wais://h.example/birds/TEXT/%01%02ab").unwrap();
    /// let Parts::Wais(wais) = url.base_parts() else { panic!() };
    /// assert_eq!(wais.target.id().unwrap(), b"\x01\x02ab");
    /// ```
    pub fn id(&self) -> Option<Vec<u8>> {
        match self {
            WaisTarget::Database | WaisTarget::Search(_) => None,
            WaisTarget::Document { wpath, .. } => Some(wpath.octets().into_owned()),
            WaisTarget::Fields { id, .. } => {
                let mut octets = Vec::new();
                for field in id.as_str().split_terminator(';') {
                    let (number, value) = field.split_once('=')?;
                    let value = Encoded::new(value).octets();
                    octets.push(number.parse().ok().filter(|number| *number < 128)?);
                    size(&mut octets, value.len());
                    octets.extend_from_slice(&value);
                }
                Some(octets)
            }
        }
    }
}

/// Appends a size in base 128, the highest digit first.
fn size(octets: &mut Vec<u8>, size: usize) {
    let digits = (usize::BITS - size.leading_zeros()).div_ceil(7).max(1);
    for digit in (0..digits).rev() {
        let bits = u8::try_from(size >> (digit * 7) & 0x7F).unwrap_or(0);
        octets.push(bits | if digit > 0 { 0x80 } else { 0 });
    }
}

impl<'a> Production<'a> for Wais<'a> {
    fn title_path(&self) -> Encoded<'a> {
        self.database
    }

    fn explain(&self, lines: &mut Explanation) {
        lines.add("database", self.database.as_str());
        match self.target {
            WaisTarget::Database => {}
            WaisTarget::Search(search) => lines.add("search", search.as_str()),
            WaisTarget::Document { wtype, wpath } => {
                lines.add("type", wtype.as_str());
                lines.add("path", wpath.as_str());
            }
            WaisTarget::Fields { wtype, length, id } => {
                lines.add("type", wtype.as_str());
                lines.add("length", length);
                for field in id.as_str().split_terminator(';') {
                    lines.add("id field", field);
                }
            }
        }
    }

    /// The database of a search or a document.
    fn parent_path(&self) -> Option<Cow<'a, str>> {
        let is_database = self.target == WaisTarget::Database;
        (!is_database).then(|| Cow::Borrowed(self.database.as_str()))
    }
}

#[inline]
pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    port: Option<u16>,
) -> Result<Wais<'a>, ParseError> {
    let address = hostport(cursor, port)?;
    cursor.expect(b'/', Rule("waisurl", "3.9"), "the \"/\" before a database")?;
    let database = Encoded::new(cursor.run(&UCHAR));
    let mut rule = Rule("database", "3.9");
    let target = match cursor.peek() {
        Some(b'?') => {
            cursor.take(1);
            rule = Rule("search", "3.9");
            WaisTarget::Search(Encoded::new(cursor.run(&SEARCH)))
        }
        Some(b'/') => {
            cursor.take(1);
            let wtype = Encoded::new(cursor.run(&UCHAR));
            if cursor.peek().is_none() {
                return Err(cursor.error(0, Rule("waisdoc", "3.9"), Message::WaisSegments));
            }
            if !cursor.eat(b'/') {
                return Err(cursor.stray(Rule("wtype", "3.9")));
            }
            rule = Rule("wpath", "3.9");
            match fields(cursor) {
                Some((length, id)) => WaisTarget::Fields { wtype, length, id },
                None => WaisTarget::Document {
                    wtype,
                    wpath: Encoded::new(cursor.run(&UCHAR)),
                },
            }
        }
        _ => WaisTarget::Database,
    };
    cursor.end(rule)?;
    Ok(Wais {
        address,
        database,
        target,
    })
}

/// Parses a length and the fields of an id, if departures are allowed and nothing else follows.
fn fields<'a>(cursor: &mut Cursor<'a>) -> Option<(&'a str, Encoded<'a>)> {
    let mut ahead = *cursor;
    if !ahead.may_depart() {
        return None;
    }
    let length = ahead.literals(&DIGIT);
    if length.is_empty() || !ahead.eat(b'/') {
        return None;
    }
    let start = ahead;
    loop {
        let number = ahead.literals(&DIGIT);
        let is_number = number.parse().is_ok_and(|number: u8| number < 128);
        if !is_number || !ahead.eat(b'=') {
            return None;
        }
        ahead.run(&VALUE);
        if ahead.peek().is_none() || ahead.eat(b';') && ahead.peek().is_none() {
            break;
        }
        // After a semicolon, only another field may follow.
        if !ahead.since(&start).ends_with(';') {
            return None;
        }
    }
    ahead.depart(Departure::WaisFields);
    let id = Encoded::new(ahead.since(&start));
    *cursor = ahead;
    Some((length, id))
}
