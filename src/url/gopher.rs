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
//! `selector` swallows `%09` by the letter; what is meant is that the text as written is split at its first two `%09`,
//! and that any further one belongs to the Gopher+ string. Within the path nothing is reserved (section 3.4.1), so `/`
//! and `?` are data, in a search too. A type, selector or search that holds an encoded TAB, CR or LF is a fault.
//! Whether a Gopher+ string is well formed is not asked.

use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::{self, Encoded, XCHAR};
use super::login::{HostPort, hostport};

/// The parts of a gopher URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gopher<'a> {
    /// Where.
    pub address: HostPort<'a>,
    /// The whole gopher-path as written, without the slash before it; nothing when that is left out too.
    pub path: Option<Encoded<'a>>,
    /// The type as written: one character or one escape.
    pub gtype: Option<Encoded<'a>>,
    /// The selector; empty for the server's root.
    pub selector: Encoded<'a>,
    /// What to search for; an empty search is not the same as none.
    pub search: Option<Encoded<'a>>,
    /// The Gopher+ string; never without a search, which may be empty.
    pub plus: Option<Encoded<'a>>,
}

impl Gopher<'_> {
    /// The item type as an octet: `1`, a menu, when none is written.
    pub fn item_type(&self) -> u8 {
        let written = self.gtype.and_then(|gtype| gtype.octets().first().copied());
        written.unwrap_or(b'1')
    }
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
    let start = *cursor;
    let path = cursor.literals(&XCHAR);
    if cursor.peek().is_none() {
        // No escape, so nothing to split or to refuse.
        if let Some((gtype, selector)) = path.split_at_checked(1) {
            gopher.gtype = Some(Encoded::new(gtype));
            gopher.selector = Encoded::new(selector);
        }
        gopher.path = Some(Encoded::new(path));
        return Ok(gopher);
    }
    *cursor = start;
    let path = cursor.run(&XCHAR);
    gopher.path = Some(Encoded::new(path));
    let gtype = match path.as_bytes() {
        [] => 0,
        [b'%', ..] => 3,
        _ => 1,
    };
    if let Some((written, rest)) = path.split_at_checked(gtype)
        && gtype > 0
    {
        let mut place = start;
        field(&mut place, written, Rule("gtype", "3.4.1"))?;
        gopher.gtype = Some(Encoded::new(written));
        let (selector, rest) = split(rest);
        field(&mut place, selector, Rule("selector", "3.4.1"))?;
        gopher.selector = Encoded::new(selector);
        if let Some(rest) = rest {
            place.take(TAB.len());
            let (search, plus) = split(rest);
            field(&mut place, search, Rule("search", "3.4.2"))?;
            gopher.search = Some(Encoded::new(search));
            gopher.plus = plus.map(Encoded::new);
        }
    }
    let rule = match (gopher.gtype, gopher.search, gopher.plus) {
        (_, _, Some(_)) => Rule("gopher+_string", "3.4.3"),
        (_, Some(_), None) => Rule("search", "3.4.2"),
        (Some(_), None, None) => Rule("selector", "3.4.1"),
        (None, None, None) => Rule("gtype", "3.4.1"),
    };
    cursor.end(rule)?;
    Ok(gopher)
}

/// What separates the fields of a path.
const TAB: &str = "%09";

/// A field of a path, and what stands behind the TAB that ends it.
#[inline]
fn split(path: &str) -> (&str, Option<&str>) {
    let octets = path.as_bytes();
    let mut from = 0;
    // Most paths hold no escape, which is quickly seen.
    while let Some(at) = escape::sign(octets, from) {
        if octets
            .get(at..)
            .is_some_and(|rest| rest.starts_with(TAB.as_bytes()))
        {
            let rest = path.get(at + TAB.len()..);
            return (path.get(..at).unwrap_or(path), rest);
        }
        from = at + 1;
    }
    (path, None)
}

/// Takes `text`, in which nothing may end the field or the line.
#[inline]
fn field(place: &mut Cursor<'_>, text: &str, rule: Rule) -> Result<(), ParseError> {
    let octets = text.as_bytes();
    let mut from = 0;
    while let Some(at) = escape::sign(octets, from) {
        if let Some(octet @ (b'\t' | b'\r' | b'\n')) = escape::escaped(octets, at) {
            place.take(at);
            return Err(place.error(3, rule, Message::Refused(octet)));
        }
        from = at + 1;
    }
    place.take(text.len());
    Ok(())
}
