//! Gopher and Gopher+ items (RFC 1738, sections 3.4 and 5; erratum 5118).
//!
//! ```text
//! gopherurl      = "gopher://" hostport [ "/" [ gtype [ selector
//!                  [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
//! gtype          = xchar
//! selector       = *xchar
//! gopher+_string = *xchar
//! ```
//!
//! In the strict grammar `selector` also matches `%09`. The intended meaning is that the text as written is split at
//! its first two `%09`, and that any further one belongs to the Gopher+ string. Within the path nothing is reserved
//! (section 3.4.1), so `/` and `?` are data, also in a search. A type, selector or search that holds an encoded TAB,
//! CR or LF is a fault. Gopher+ strings are not checked for syntax.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::{self, Encoded, XCHAR};
use super::login::{HostPort, hostport};
use super::production::{Explanation, Production};

/// The parts of a gopher URL.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("gopher://h.example/7/find%09two%20words").unwrap();
/// let Parts::Gopher(gopher) = url.base_parts() else { panic!() };
/// assert_eq!(&*gopher.selector.octets(), b"/find");
/// assert_eq!(&*gopher.search.unwrap().octets(), b"two words");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gopher<'a> {
    /// The host and port.
    pub address: HostPort<'a>,
    /// The whole gopher-path as written, without the slash before it; `None` if that slash is left out too.
    pub path: Option<Encoded<'a>>,
    /// The type as written: one character or one escape.
    pub gtype: Option<Encoded<'a>>,
    /// The selector; empty for the server's root.
    pub selector: Encoded<'a>,
    /// The search words. An empty search differs from none.
    pub search: Option<Encoded<'a>>,
    /// The Gopher+ string; present only with a search, which may be empty.
    pub plus: Option<Encoded<'a>>,
}

impl Gopher<'_> {
    /// The item type as an octet; `1`, a menu, if none is written.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("gopher://h.example").unwrap();
    /// let Parts::Gopher(gopher) = url.base_parts() else { panic!() };
    /// assert_eq!(gopher.item_type(), b'1');
    /// ```
    pub fn item_type(&self) -> u8 {
        let written = self.gtype.and_then(|gtype| gtype.octets().first().copied());
        written.unwrap_or(b'1')
    }

    /// Splits off the item type that a selector repeats before its path, as those of the server of Minnesota do:
    /// `0/path`. Files of other types also have `0` or `9` there, for text and binary, alone or after their type.
    /// Returns true with the path if there is one.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("gopher://h.example/00/docs/a").unwrap();
    /// let Parts::Gopher(gopher) = url.base_parts() else { panic!() };
    /// assert_eq!(gopher.without_type_copy(&gopher.selector.octets()), (true, b"/docs/a".as_slice()));
    /// ```
    pub fn without_type_copy<'s>(&self, selector: &'s [u8]) -> (bool, &'s [u8]) {
        let gtype = self.item_type();
        let is_other_file = !matches!(gtype, b'0' | b'1' | b'2' | b'7');
        let path = match selector {
            [first, b'/', ..] if *first == gtype => selector.get(1..),
            [b'0' | b'9', b'/', ..] if is_other_file => selector.get(1..),
            [first, b'0' | b'9', b'/', ..] if *first == gtype => selector.get(2..),
            _ => None,
        };
        (path.is_some(), path.unwrap_or(selector))
    }

    /// Returns true if two items are on the same server.
    ///
    /// ```
    /// use rfc1738::Parts;
    ///
    /// let [one, other] = ["gopher://h.example/0a", "gopher://H.example:70/"].map(|text| Parts::parse(text).unwrap());
    /// let (Parts::Gopher(one), Parts::Gopher(other)) = (one, other) else { panic!() };
    /// assert!(one.is_same_server(&other));
    /// ```
    pub fn is_same_server(&self, other: &Gopher<'_>) -> bool {
        let port = |item: &Gopher<'_>| item.address.port();
        let (here, there) = (self.address.node(), other.address.node());
        port(self) == port(other) && here.eq_ignore_ascii_case(there)
    }
}

impl<'a> Production<'a> for Gopher<'a> {
    fn title_path(&self) -> Encoded<'a> {
        self.selector
    }

    fn explain(&self, lines: &mut Explanation) {
        let gtype = self.gtype.map_or("1, as none is written", Encoded::as_str);
        lines.add("type", gtype);
        lines.add("selector", self.selector.as_str());
        lines.part("search", self.search);
        lines.part("gopher+", self.plus);
    }

    /// The menu whose selector is this one cut at its last slash, then the root. A selector that begins with the item
    /// type gets that of a menu.
    fn parent_path(&self) -> Option<Cow<'a, str>> {
        let selector = self.selector.octets();
        // `URL:http://...` is not a path on this server.
        if selector.starts_with(b"URL:") {
            return Some(Cow::Borrowed(""));
        }
        let (type_copy, path) = self.without_type_copy(&selector);
        let trimmed = trim_slashes(path);
        let above = trimmed.iter().rposition(|octet| *octet == b'/');
        let above = trim_slashes(trimmed.get(..above.unwrap_or(0)).unwrap_or_default());
        if !above.is_empty() {
            let type_copy = if type_copy { "1" } else { "" };
            let above = escape::encode(above, &XCHAR);
            return Some(format!("1{type_copy}{above}").into());
        }
        if self.item_type() == b'1' && trimmed.is_empty() && self.search.is_none() {
            return None;
        }
        Some(Cow::Borrowed(""))
    }

    fn root_path(&self) -> Option<&'static str> {
        Some("")
    }

    /// One spelling for the root menu.
    fn canonical_tail(&self, tail: &'a str) -> Cow<'a, str> {
        let is_menu = self.gtype.is_none_or(|gtype| gtype.as_str() == "1");
        let is_root = is_menu && self.selector.is_empty() && self.search.is_none();
        Cow::Borrowed(if is_root { "/" } else { tail })
    }
}

fn trim_slashes(mut selector: &[u8]) -> &[u8] {
    while let [rest @ .., b'/'] = selector {
        selector = rest;
    }
    selector
}

#[inline]
pub(super) fn parse<'a>(
    cursor: &mut Cursor<'a>,
    port: Option<u16>,
) -> Result<Gopher<'a>, ParseError> {
    let mut gopher = Gopher {
        address: hostport(cursor, port)?,
        path: None,
        gtype: None,
        selector: Encoded::default(),
        search: None,
        plus: None,
    };
    if !cursor.eat(b'/') {
        return Ok(gopher);
    }
    let path = cursor.rest();
    let mut rule = Rule("gtype", "3.4.1");
    let gtype = gtype(cursor)?;
    if !gtype.is_empty() {
        gopher.gtype = Some(Encoded::new(gtype));
        rule = Rule("selector", "3.4.1");
        gopher.selector = Encoded::new(field(cursor, rule)?);
        if tab(cursor) {
            rule = Rule("search", "3.4.2");
            gopher.search = Some(Encoded::new(field(cursor, rule)?));
            if tab(cursor) {
                rule = Rule("gopher+_string", "3.4.3");
                gopher.plus = Some(Encoded::new(cursor.run(&XCHAR)));
            }
        }
    }
    cursor.end(rule)?;
    gopher.path = Some(Encoded::new(path));
    Ok(gopher)
}

/// Takes the type, if there is one.
#[inline]
fn gtype<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    let len = match cursor.peek() {
        Some(b'%') => match escape::escaped(cursor.octets(), 0) {
            Some(octet @ (b'\t' | b'\r' | b'\n')) => {
                return Err(cursor.error(3, Rule("gtype", "3.4.1"), Message::Refused(octet)));
            }
            Some(_) => 3,
            None => 0,
        },
        Some(octet) if XCHAR.has(octet) => 1,
        _ => 0,
    };
    Ok(cursor.take(len))
}

/// Takes a field of a path, up to the TAB that ends it. An encoded CR or LF in it is an error.
#[inline]
fn field<'a>(cursor: &mut Cursor<'a>, rule: Rule) -> Result<&'a str, ParseError> {
    let octets = cursor.octets();
    let mut len = escape::literal_span(octets, &XCHAR);
    while let Some(octet) = escape::escaped(octets, len) {
        if octet == b'\t' {
            break;
        }
        if matches!(octet, b'\r' | b'\n') {
            cursor.take(len);
            return Err(cursor.error(3, rule, Message::Refused(octet)));
        }
        len += 3;
        len += escape::literal_span(octets.get(len..).unwrap_or(&[]), &XCHAR);
    }
    Ok(cursor.take(len))
}

/// Takes the encoded TAB that separates the fields of a path.
#[inline]
fn tab(cursor: &mut Cursor<'_>) -> bool {
    let here = cursor.octets().starts_with(b"%09");
    if here {
        cursor.take(3);
    }
    here
}
