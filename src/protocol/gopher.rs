//! Gopher on the wire: RFC 1436, RFC 1738 section 3.4, and Gopher+ (the Minnesota paper of July 1993).
//!
//! ```text
//! request  = selector [ TAB search ] [ TAB gopher+_string ] CR LF [ datablock ]
//! DirEntity = Type User_Name TAB Selector TAB Host TAB Port [ TAB Gopher+ ] CR LF      (RFC 1436, appendix)
//! TextBlock = *( line CR LF ) [ "." CR LF ]
//! ```
//!
//! A request is made of decoded octets and goes out as it is, but for what [`Want`] says. Reading is forgiving: a row
//! may lack fields, a reply may lack its header or its final dot. [`Reply`] finds out where a Gopher+ reply ends,
//! [`attributes`] and [`form`] read what `!` and `$` bring, [`caps`] reads what a server says of itself. Left out: the
//! data blocks that a client could send by count or up to the close, as servers take those that end in a dot.

pub mod attributes;
pub mod caps;
mod dots;
pub mod form;
mod plus;
mod reply;

pub use self::dots::{Dots, Unstuff};
pub use self::plus::Want;
pub use self::reply::{
    End, Extent, Head, Header, Outcome, Refusal, Reply, WholeReply, ask, refusal, unasked_refusal,
};
use crate::net::{NetError, sendable};
use crate::url::{Encoded, Gopher};

/// The line that asks for what a `gopher:` URL names, and the data block after it when the URL holds a filled form. The
/// Gopher+ string follows the selector directly when there is no search and the item is not one: servers of the time
/// read an empty search field as something else. It goes out as written, with two exceptions ([`Want::wire`]): names of
/// attributes lose the spaces between them, and a `?` becomes `!`, as the form is what must come first.
///
/// # Errors
/// [`NetError::Unsendable`] when a decoded part holds CR, LF or NUL (RFC 1738, section 6). A filled form of section
/// 3.4.9 is made of lines; it is sent when it is one to the last octet.
pub fn request(url: &Gopher<'_>) -> Result<Vec<u8>, NetError> {
    let mut line = url.selector.octets().into_owned();
    sendable(&line, "the selector")?;
    let search = url.search.map(Encoded::octets);
    let plus = url.plus.map(Encoded::octets);
    if let Some(search) = search
        .as_deref()
        .filter(|search| !search.is_empty() || url.item_type() == b'7')
    {
        sendable(search, "the search words")?;
        line.push(b'\t');
        line.extend_from_slice(search);
    }
    if let Some(plus) = plus.as_deref() {
        line.push(b'\t');
        let want = Want::parse(plus);
        line.extend_from_slice(&want.wire());
        if let Want::Filled(_) = want {
            // Its last line has its end already.
            return Ok(line);
        }
        sendable(plus, "the Gopher+ string")?;
    }
    line.extend_from_slice(b"\r\n");
    Ok(line)
}

/// A row of a menu, split. Fields that the server left out are empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// The type, the row's first octet.
    pub gtype: u8,
    /// What is shown.
    pub name: &'a [u8],
    /// What is sent, octet for octet.
    pub selector: &'a [u8],
    /// Where it is sent.
    pub host: &'a [u8],
    /// The port; 70 when the row has none that can be read.
    pub port: u16,
    /// The Gopher+ field: `+` or `?`.
    pub plus: Option<&'a [u8]>,
}

/// Splits a row of a menu. A line without a TAB is no item and gives `None`: it is text.
pub fn item(line: &[u8]) -> Option<Item<'_>> {
    let (&gtype, rest) = line.split_first()?;
    let mut fields = rest.split(|&octet| octet == b'\t');
    let name = fields.next().unwrap_or_default();
    let selector = fields.next()?;
    let host = fields.next().unwrap_or_default().trim_ascii();
    let port = fields.next().and_then(port).unwrap_or(70);
    let plus = fields
        .next()
        .map(<[u8]>::trim_ascii)
        .filter(|field| matches!(*field, b"+" | b"?"));
    Some(Item {
        gtype,
        name,
        selector,
        host,
        port,
        plus,
    })
}

impl<'a> Item<'a> {
    /// The URL of an `h` row whose selector is one: `URL:http://…`.
    pub fn url(&self) -> Option<&'a [u8]> {
        let selector = self.selector.strip_prefix(b"/").unwrap_or(self.selector);
        let url = selector
            .strip_prefix(b"URL:")
            .or_else(|| selector.strip_prefix(b"url:"))?;
        url.contains(&b':').then_some(url)
    }
}

fn port(field: &[u8]) -> Option<u16> {
    std::str::from_utf8(field.trim_ascii()).ok()?.parse().ok()
}
