//! Parsing of mailboxes in headers (RFC 5322, section 3.4).
//!
//! ```text
//! mailbox-list = mailbox *( "," mailbox )
//! ```
//!
//! Not supported: groups of mailboxes and routes, which are left unchanged.

use std::fmt;

use geomys_wire::text::{Charset, Text};

use super::header;

/// A mailbox in a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mailbox {
    /// The decoded name; empty, or the address, where there is none.
    pub name: String,
    /// The address.
    pub address: String,
}

impl fmt::Display for Mailbox {
    /// Formats the mailbox for a draft: the name decoded, in quotes where necessary.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() || self.name == self.address {
            return f.write_str(&self.address);
        }
        let is_atom = |c: char| c.is_alphanumeric() || " !#$%&'*+-/=?^_`{|}~".contains(c);
        if self.name.chars().all(is_atom) {
            return write!(f, "{} <{}>", self.name, self.address);
        }
        let inside = self.name.replace('\\', "\\\\").replace('"', "\\\"");
        write!(f, "\"{inside}\" <{}>", self.address)
    }
}

/// Parses the mailboxes in a header's value, in their order.
pub fn mailboxes(value: &[u8], charset: Charset) -> Vec<Mailbox> {
    let mut all = Vec::new();
    let (mut is_quoted, mut is_escaped, mut comments) = (false, false, 0_usize);
    let parts = value.split(|octet| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match octet {
            _ if was_escaped => {}
            b'\\' => is_escaped = true,
            b'"' if comments == 0 => is_quoted = !is_quoted,
            b'(' if !is_quoted => comments += 1,
            b')' if !is_quoted => comments = comments.saturating_sub(1),
            b',' => return !is_quoted && comments == 0,
            _ => {}
        }
        false
    });
    for part in parts
        .map(<[u8]>::trim_ascii)
        .filter(|part| !part.is_empty())
    {
        all.push(Mailbox {
            name: header::author(part, charset).to_string(),
            address: address(part),
        });
    }
    all
}

/// The address of an unparsed mailbox.
pub(super) fn address(mailbox: &[u8]) -> String {
    let start = memchr::memrchr(b'<', mailbox).map_or(0, |at| at + 1);
    let rest = mailbox.get(start..).unwrap_or_default();
    let end = rest.iter().position(|octet| matches!(octet, b'>' | b'('));
    let address = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    Text::new(address.trim_ascii(), Charset::default()).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(value: &str) -> Vec<String> {
        let all = mailboxes(value.as_bytes(), Charset::default());
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn mailboxes_are_split_and_decoded() {
        assert_eq!(read(" , "), [""; 0]);
        assert_eq!(read("a@b"), ["a@b"]);
        assert_eq!(
            read("\"Bear, the \\\"B\\\"\" <a@b>, c@d (Ada, again),=?utf-8?q?=C3=A4?= <e@f>"),
            [
                "\"Bear, the \\\"B\\\"\" <a@b>",
                "\"Ada, again\" <c@d>",
                "ä <e@f>"
            ]
        );
        assert_eq!(read("=?utf-8?q?a=2Cb?= <c@d>"), ["\"a,b\" <c@d>"]);
    }

    proptest! {
        #[test]
        fn written_mailbox_is_read_as_it_was(name in "[a-zA-Zäß,.\"(]{1,20}", address in "[a-z]{1,9}@[a-z]{1,9}") {
            let mailbox = Mailbox { name, address };
            prop_assert_eq!(mailboxes(mailbox.to_string().as_bytes(), Charset::default()), [mailbox]);
        }
    }
}
