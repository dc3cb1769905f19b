//! Gopher on the wire: RFC 1436, RFC 1738 section 3.4, and Gopher+ (the Minnesota paper of July 1993).
//!
//! ```text
//! request  = selector [ TAB search ] [ TAB gopher+_string ] CR LF [ datablock ]
//! DirEntity = Type User_Name TAB Selector TAB Host TAB Port [ TAB Gopher+ ] CR LF      (RFC 1436, appendix)
//! TextBlock = *( line CR LF ) [ "." CR LF ]
//! gopher+_string = "+" [ view [ SP language ] ]                ; the item, in one of its views (RFC 1738, 3.4.4 to 3.4.9)
//!                / "?"                                         ; the item, whose form must be filled first
//!                / "!" *( "+" name )                           ; the item's attributes, all or some
//!                / "$" *( "+" name )                           ; those of every item of a menu
//!                / "+" [ view ] TAB "1" CR LF datablock        ; the item, with its form filled
//! ```
//!
//! RFC 1738 separates the names of attributes with encoded spaces, Gopher+ does not separate them; servers that follow
//! Gopher+ ignore names after a space. Left out: the TAB and `0` for "no data block", which are optional and stay
//! unchanged.
//!
//! A request is made of decoded octets and is sent unchanged, except for the changes in [`PlusRequest`]. Parsing is
//! lenient: a row may lack fields, a reply may lack its header or its final dot. [`Reply`] finds the end of a Gopher+
//! reply, [`attributes`] and [`form`] parse the replies to `!` and `$`, [`caps`] parses the description of a server.
//! Left out: data blocks sent by count or up to the close, as servers accept those that end in a dot.

pub mod attributes;
pub mod caps;
mod dots;
pub mod form;
mod reply;

use rfc1738::{Encoded, Gopher};

use self::form::FilledForm;
use crate::net::{NetError, sendable};
use crate::protocol::octets::parse;

pub use self::dots::{DotStuffing, DotUnstuffer, ReplyTail, is_final_dot, without_final_dot};
pub use self::reply::{
    Extent, Header, HeaderState, Outcome, Refusal, Reply, ReplyEnd, WholeReply, read_whole,
    refusal, refusal_of_plain_request,
};

/// Returns the request line for a `gopher:` URL, followed by a data block if the URL contains a filled form. The
/// Gopher+ string follows the selector directly if there is no search and the item is no search: servers of the time
/// misread an empty search field. It is sent as written, with two exceptions ([`PlusRequest::wire`]): the spaces
/// between names of attributes are removed, and `?` becomes `!`, because the form has to be fetched first.
///
/// # Errors
/// [`NetError::Unsendable`] if a decoded part contains CR, LF or NUL (RFC 1738, section 6). A filled form of section
/// 3.4.9 consists of lines; it is sent if it is valid to the last octet.
pub fn request(url: &Gopher<'_>) -> Result<Vec<u8>, NetError> {
    let mut line = url.selector.octets().into_owned();
    sendable(&line, "the selector")?;
    if let Some(search) = url.search.map(Encoded::octets)
        && (!search.is_empty() || url.item_type() == b'7')
    {
        sendable(&search, "the search words")?;
        line.push(b'\t');
        line.extend_from_slice(&search);
    }
    if let Some(plus) = url.plus.map(Encoded::octets) {
        line.push(b'\t');
        let plus_request = PlusRequest::parse(&plus);
        line.extend_from_slice(&plus_request.wire());
        if let PlusRequest::FilledForm(_) = plus_request {
            // Its last line already has a line end.
            return Ok(line);
        }
        sendable(&plus, "the Gopher+ string")?;
    }
    line.extend_from_slice(b"\r\n");
    Ok(line)
}

/// A row of a menu, split into fields. Fields that the server omitted are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// The item type, the first octet of the row.
    pub gtype: u8,
    /// The display name.
    pub name: &'a [u8],
    /// The selector, as octets to send.
    pub selector: &'a [u8],
    /// The host.
    pub host: &'a [u8],
    /// The port; 70 if the row has no valid one.
    pub port: u16,
    /// The Gopher+ field: `+` or `?`.
    pub plus: Option<&'a [u8]>,
}

/// Parses a row of a menu. A line without a TAB is text and gives `None`.
pub fn item(line: &[u8]) -> Option<Item<'_>> {
    let (&gtype, rest) = line.split_first()?;
    let mut fields = rest.split(|&octet| octet == b'\t');
    let name = fields.next().unwrap_or_default();
    let selector = fields.next()?;
    let host = fields.next().unwrap_or_default().trim_ascii();
    let port = fields.next().map(<[u8]>::trim_ascii).and_then(parse);
    let plus = fields
        .next()
        .map(<[u8]>::trim_ascii)
        .filter(|field| matches!(*field, b"+" | b"?"));
    Some(Item {
        gtype,
        name,
        selector,
        host,
        port: port.unwrap_or(70),
        plus,
    })
}

impl<'a> Item<'a> {
    /// Returns the URL of an `h` row whose selector contains one: `URL:http://…`.
    pub fn url(&self) -> Option<&'a [u8]> {
        let selector = self.selector.strip_prefix(b"/").unwrap_or(self.selector);
        let url = selector
            .strip_prefix(b"URL:")
            .or_else(|| selector.strip_prefix(b"url:"))?;
        url.contains(&b':').then_some(url)
    }
}

/// A parsed Gopher+ string: the kind of request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlusRequest<'a> {
    /// `+`: the item, with this view (`text/plain De_DE`) or its default one.
    View(&'a [u8]),
    /// `?`: the item has a form, which is in its attributes.
    Form,
    /// `!`: attributes of the item; the names as written, empty for all.
    Attributes(&'a [u8]),
    /// `$`: attributes of each item of a menu; the names as written, empty for all.
    EveryAttribute(&'a [u8]),
    /// A request for the item with a filled form.
    FilledForm(FilledForm<'a>),
    /// Any other string, as written.
    Other(&'a [u8]),
}

impl<'a> PlusRequest<'a> {
    /// Parses a decoded Gopher+ string. Any octets are valid.
    pub fn parse(plus: &'a [u8]) -> Self {
        if let Some(filled) = FilledForm::parse(plus) {
            return Self::FilledForm(filled);
        }
        match plus.split_first() {
            Some((b'+', view)) if !view.contains(&b'\t') => Self::View(view),
            Some((b'!', names)) => Self::Attributes(names),
            Some((b'$', names)) => Self::EveryAttribute(names),
            Some((b'?', [])) => Self::Form,
            _ => Self::Other(plus),
        }
    }

    /// Returns the octets to send. For a form that is not filled yet, they request the form.
    pub fn wire(&self) -> Vec<u8> {
        match self {
            Self::View(view) => [b"+", *view].concat(),
            Self::Form => b"!".to_vec(),
            Self::Attributes(names) => [b"!", joined(names).as_slice()].concat(),
            Self::EveryAttribute(names) => [b"$", joined(names).as_slice()].concat(),
            Self::FilledForm(filled) => filled.to_octets(),
            Self::Other(octets) => octets.to_vec(),
        }
    }
}

/// Removes the spaces before each `+`.
fn joined(names: &[u8]) -> Vec<u8> {
    let mut joined: Vec<u8> = Vec::with_capacity(names.len());
    for &octet in names {
        if octet == b'+' {
            while joined.last() == Some(&b' ') {
                joined.pop();
            }
        }
        joined.push(octet);
    }
    joined
}
