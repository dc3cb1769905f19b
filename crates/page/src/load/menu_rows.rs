//! The rows of a menu that is made here, from what servers of other protocols say.

use rfc1738::Url;

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
