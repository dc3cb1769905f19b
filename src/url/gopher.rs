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

pub(super) fn parse(mut cursor: Cursor<'_>, port: Option<u16>) -> Result<Gopher<'_>, ParseError> {
    let mut gopher = Gopher {
        address: hostport(&mut cursor, port)?,
        path: None,
        gtype: None,
        selector: Encoded::default(),
        search: None,
        plus: None,
    };
    if !cursor.eat(b'/') {
        return Ok(gopher);
    }
    let mut start = cursor;
    let path = cursor.run(&XCHAR);
    gopher.path = Some(Encoded::new(path));
    if let Some(first) = path.bytes().next() {
        sendable(
            &start,
            if first == b'%' { 3 } else { 1 },
            Rule("gtype", "3.4.1"),
        )?;
        gopher.gtype = Some(Encoded::new(start.take(if first == b'%' { 3 } else { 1 })));
        let rest = path
            .get(start.at() - (cursor.at() - path.len())..)
            .unwrap_or("");
        // The plain case first: no escape, so nothing to split or to refuse.
        if rest.contains('%') {
            let mut fields = rest.splitn(3, "%09");
            let selector = fields.next().unwrap_or("");
            sendable(&start, selector.len(), Rule("selector", "3.4.1"))?;
            start.take(selector.len() + 3);
            gopher.selector = Encoded::new(selector);
            gopher.search = fields.next().map(Encoded::new);
            gopher.plus = fields.next().map(Encoded::new);
            let search = gopher.search.unwrap_or_default().as_str().len();
            sendable(&start, search, Rule("search", "3.4.2"))?;
        } else {
            gopher.selector = Encoded::new(rest);
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

/// The octets that would end the line or the field are refused in the next `len` octets.
fn sendable(place: &Cursor<'_>, len: usize, rule: Rule) -> Result<(), ParseError> {
    let octets = place.rest().as_bytes();
    for at in 0..len {
        if let Some(octet @ (b'\t' | b'\r' | b'\n')) = escape::escaped(octets, at) {
            let mut fault = *place;
            fault.take(at);
            return Err(fault.error(3, rule, Message::Refused(octet)));
        }
    }
    Ok(())
}
