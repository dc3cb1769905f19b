//! Dialects: how much of the documents after RFC 1738 is accepted.

use super::cursor::Cursor;
use super::departure::{Departure, Departures};
use super::error::{Message, ParseError, Unexpected};
use super::other;
use super::parts::{Parts, limited, scheme, scheme_part};
use super::scheme::{ExtensionScheme, Scheme};
use super::{Url, fragment};

/// A set of documents by which a text is parsed.
///
/// Each dialect accepts every URL of RFC 1738 of the ten schemes.
///
/// ```
/// use rfc1738::Dialect;
///
/// let text = "http://[::1]/";
/// assert!(Dialect::Rfc1738.parse(text).is_err());
/// assert!(Dialect::Extended.parse(text).is_ok());
///
/// // Any text may follow the colon of an unknown scheme, but an https URL of this form leads nowhere.
/// let text = "https://h.example?q";
/// assert!(Dialect::Rfc1738.parse(text).is_ok());
/// assert!(Dialect::ExtendedByBase.parse(text).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// RFC 1738 and nothing else.
    Rfc1738,
    /// RFC 1738 and each [`Departure`] that a later document allows. An [`ExtensionScheme`] has the parts of its base
    /// scheme if the production of that scheme matches.
    Extended,
    /// As [`Dialect::Extended`], but the production of the base scheme must match: `https://host?q` is an `otherurl` of
    /// RFC 1738, and as faulty as `http://host?q`. `finger`, which has none, needs a server: `finger:ada` leads
    /// nowhere.
    ExtendedByBase,
}

impl Dialect {
    /// Parses a URL, given as text or as octets that may not be text. The first octet that is not UTF-8 is reported
    /// like any other fault.
    ///
    /// # Errors
    /// The leftmost fault that the documents do not allow.
    ///
    /// ```
    /// use rfc1738::{Departure, Dialect};
    ///
    /// let url = Dialect::Extended.parse("gopher://h_1.example/0/a.txt#b").unwrap();
    /// let departures: Vec<_> = url.departures().iter().collect();
    /// assert_eq!(departures, [Departure::Underscore, Departure::Fragment]);
    ///
    /// let error = Dialect::Extended.parse(b"ftp://h.example/caf\xE9").unwrap_err();
    /// assert_eq!(error.at, "ftp://h.example/caf".len());
    /// ```
    pub fn parse<T: AsRef<[u8]> + ?Sized>(self, text: &T) -> Result<Url, ParseError> {
        self.parse_octets(text.as_ref())
    }

    fn parse_octets(self, octets: &[u8]) -> Result<Url, ParseError> {
        if let Ok(text) = std::str::from_utf8(octets) {
            return self.parse_text(text);
        }
        let text = with_controls(octets);
        self.parse_text(&text)
            .map_err(|error| match octets.get(error.at) {
                Some(octet) if text.as_bytes().get(error.at) != Some(octet) => ParseError {
                    len: 1,
                    section: "2.2",
                    message: Message::Unsafe(Unexpected::Octet(*octet)),
                    ..error
                },
                Some(_) | None => error,
            })
    }

    fn parse_text(self, text: &str) -> Result<Url, ParseError> {
        self.parts(text)?;
        Ok(Url { text: text.into() })
    }

    /// Parses a URL without storing it, as [`Parts::parse`] does for RFC 1738. Returns the parts and the departures;
    /// a URL of an extension scheme that is an `otherurl` has none but a fragment. Success allocates nothing.
    ///
    /// # Errors
    /// The leftmost fault that the documents do not allow.
    ///
    /// ```
    /// use rfc1738::{Departure, Dialect};
    ///
    /// let (parts, departures) = Dialect::Extended.parts("gophers://[::1]/").unwrap();
    /// assert_eq!(parts.address().unwrap().host, "[::1]");
    /// assert_eq!(departures.iter().next(), Some(Departure::Ipv6));
    /// ```
    pub fn parts(self, text: &str) -> Result<(Parts<'_>, Departures), ParseError> {
        match self {
            Dialect::Rfc1738 => Parts::parse(text).map(|parts| (parts, Departures::NONE)),
            Dialect::Extended => extended(text),
            Dialect::ExtendedByBase => {
                let accepted = extended(text)?;
                base_fault(text).map_or(Ok(accepted), Err)
            }
        }
    }
}

/// Octets as text of the same length: each octet that is not UTF-8 becomes a control character, which no URL may hold
/// either.
fn with_controls(octets: &[u8]) -> String {
    let mut text = String::with_capacity(octets.len());
    for chunk in octets.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{1A}'));
    }
    text
}

/// The parts of a URL that may depart from RFC 1738, and its departures.
fn extended(text: &str) -> Result<(Parts<'_>, Departures), ParseError> {
    limited(text)?;
    let (text, fragment) = fragment::without_valid(text);
    let (parts, mut departures) = without_fragment(text)?;
    if fragment.is_some() {
        departures.add(Departure::Fragment);
    }
    Ok((parts, departures))
}

fn without_fragment(text: &str) -> Result<(Parts<'_>, Departures), ParseError> {
    let mut cursor = Cursor::lenient(text);
    let (scheme, name) = scheme(&mut cursor)?;
    if scheme != Scheme::Other {
        let parts = scheme_part(scheme, None, name, &mut cursor)?;
        return Ok((parts, cursor.departures()));
    }
    let mut generic = cursor;
    let other = other::parse(name, &mut generic).map(Parts::Other);
    let base = ExtensionScheme::named(name)
        .and_then(|later| Some((later.base_scheme()?, later.default_port())));
    if let Some((base, port)) = base
        && let Ok(parts) = scheme_part(base, Some(port), name, &mut cursor)
    {
        let departures = match other {
            Ok(_) => Departures::NONE,
            Err(_) => cursor.departures(),
        };
        return Ok((parts, departures));
    }
    Ok((other?, Departures::NONE))
}

/// The leftmost fault of a text of an extension scheme by the production of its base scheme, or by that of the URLs
/// with a server.
pub(super) fn base_fault(text: &str) -> Option<ParseError> {
    let mut cursor = Cursor::lenient(fragment::without_valid(text).0);
    let (_, name) = scheme(&mut cursor).ok()?;
    let later = ExtensionScheme::named(name)?;
    let port = Some(later.default_port());
    match later.base_scheme() {
        Some(base) => scheme_part(base, port, name, &mut cursor).err(),
        None => other::server_fault(port, &mut cursor),
    }
}
