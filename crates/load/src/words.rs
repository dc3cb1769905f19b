//! The parts of a page that a load writes itself: octets of a server as words for titles and messages, rows of a menu,
//! and the current day.

use geomys_wire::protocol::ftp::listing::Day;
use geomys_wire::text::{Charset, Text};
use rfc1738::Url;

/// Returns octets as a text in the default charset.
pub(super) fn text(octets: &[u8]) -> Text {
    Text::new(octets, Charset::default())
}

/// Returns octets as a text without blanks around it.
pub(super) fn trimmed(octets: &[u8]) -> String {
    text(octets).as_str().trim().to_owned()
}

/// Returns the local day; servers leave out the year of dates that are near it.
pub(super) fn today() -> Day {
    let date = jiff::Zoned::now().date();
    let small = |value: i8| u8::try_from(value).unwrap_or(1);
    Day {
        year: u16::try_from(date.year()).unwrap_or_default(),
        month: small(date.month()),
        day: small(date.day()),
    }
}

/// The rows of a menu.
#[derive(Default)]
pub(super) struct MenuBuilder(pub(super) Vec<u8>);

impl MenuBuilder {
    /// Appends a row of this item type that links to a URL.
    pub(super) fn link(&mut self, gtype: u8, label: &[u8], url: &Url) {
        self.0.push(gtype);
        self.0.extend(one_line(label));
        self.0.extend_from_slice(b"\tURL:");
        self.0.extend_from_slice(url.as_str().as_bytes());
        self.0.extend_from_slice(b"\t\t0\r\n");
    }

    /// Appends a row of text.
    pub(super) fn say(&mut self, line: &[u8]) {
        self.0.push(b'i');
        self.0.extend(one_line(line));
        self.0.extend_from_slice(b"\t\t\t0\r\n");
    }
}

/// Returns octets without those that end a field or a line.
pub(super) fn one_line(octets: &[u8]) -> Vec<u8> {
    let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
    octets.iter().map(blank).collect()
}
