//! Octets of a server as words for titles and messages.

use geomys_wire::text::{Charset, Text};

/// Returns octets as a text in the default charset.
pub(super) fn text(octets: &[u8]) -> Text {
    Text::new(octets, Charset::default())
}

/// Returns octets as a text without blanks around it.
pub(super) fn trimmed(octets: &[u8]) -> String {
    text(octets).as_str().trim().to_owned()
}
