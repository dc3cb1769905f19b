//! A source: the description of a database, as a directory of servers provides it.
//!
//! ```text
//! source = "(" ":source" *( ":" name value ) ")"
//! value  = <"> *octet <"> / word / "(" *octet ")"
//! ```
//!
//! In a quoted value a backslash escapes a quote or a backslash.

use crate::protocol::octets::{split_before, split_once};

/// The address and the description of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaisSource {
    /// The host.
    pub host: Vec<u8>,
    /// The port.
    pub port: Option<u16>,
    /// The name of the database.
    pub database: Vec<u8>,
    /// The maintainer.
    pub maintainer: Vec<u8>,
    /// The description.
    pub description: Vec<u8>,
}

/// Parses a source; `None` without a host and a database.
pub fn source(text: &[u8]) -> Option<WaisSource> {
    let rest = text.trim_ascii_start().strip_prefix(b"(")?;
    let mut rest = rest.trim_ascii_start().strip_prefix(b":source")?;
    let mut source = WaisSource::default();
    let mut address = Vec::new();
    while let Some(at) = memchr::memchr(b':', rest) {
        rest = rest.get(at + 1..)?;
        let (name, after) = split_before(rest, is_end);
        let value;
        (value, rest) = self::value(after.trim_ascii_start());
        match name {
            b"ip-name" => source.host = value,
            b"ip-address" => address = value,
            b"tcp-port" => source.port = std::str::from_utf8(&value).ok()?.parse().ok(),
            b"database-name" => source.database = value,
            b"maintainer" => source.maintainer = value,
            b"description" => source.description = value,
            _ => {}
        }
    }
    if source.host.is_empty() {
        source.host = address;
    }
    (!source.host.is_empty() && !source.database.is_empty()).then_some(source)
}

/// Splits off a value; returns it with the rest.
fn value(text: &[u8]) -> (Vec<u8>, &[u8]) {
    if let Some(mut rest) = text.strip_prefix(b"\"") {
        let mut value = Vec::new();
        while let Some((&octet, after)) = rest.split_first() {
            rest = after;
            match (octet, after.split_first()) {
                (b'"', _) => break,
                (b'\\', Some((&escaped, after))) => {
                    value.push(escaped);
                    rest = after;
                }
                _ => value.push(octet),
            }
        }
        return (value, rest);
    }
    if text.starts_with(b"(") {
        // A structure, such as a time: it is ignored.
        let rest = split_once(text, b')').map_or(b"".as_slice(), |(_, rest)| rest);
        return (Vec::new(), rest);
    }
    if text.starts_with(b":") {
        return (Vec::new(), text);
    }
    let (word, rest) = split_before(text, is_end);
    (word.to_vec(), rest)
}

/// Returns true if a word ends before this octet.
fn is_end(octet: u8) -> bool {
    octet.is_ascii_whitespace() || octet == b')'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_names_its_database() {
        let text = b"(:source \n   :version  3 \n   :ip-address \"192.0.2.1\"\n   :ip-name \"wais.example.org\"\n   :tcp-port 210\n\
            :database-name \"soil\"\n   :cost 0.00 \n   :cost-unit :free \n   :maintainer \"wais@example.org\"\n\
            :update-time (:at 1)\n:description \"About \\\"soil\\\": what it is.\n\"\n)\n";
        let parsed = source(text).unwrap();
        assert_eq!(parsed.host, b"wais.example.org");
        assert_eq!(parsed.port, Some(210));
        assert_eq!(parsed.database, b"soil");
        assert_eq!(parsed.maintainer, b"wais@example.org");
        assert_eq!(parsed.description, b"About \"soil\": what it is.\n");
        assert_eq!(source(b"(:source :ip-name \"h\")"), None);
        assert_eq!(source(b"no source"), None);
        let address = b"(:source :ip-address \"192.0.2.1\" :database-name \"d\")";
        assert_eq!(source(address).unwrap().host, b"192.0.2.1");
    }

    proptest::proptest! {
        #[test]
        fn any_octets_are_read_to_their_end(octets: Vec<u8>) {
            source(&[b"(:source ".as_slice(), &octets].concat());
        }
    }
}
