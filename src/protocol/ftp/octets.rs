//! Octets through a library that wants text.
//!
//! suppaftp makes a `String` of every command. An octet of ASCII is its own character; any other stands in Unicode's
//! private use area, at U+F700 and its value, where nothing trims, folds or replaces it. So every octet goes out and
//! comes back as it is.

use std::io;

use suppaftp::Encoding;

/// Where the octets past ASCII stand.
const BASE: u32 = 0xF700;

/// The encoding that loses nothing.
#[derive(Debug)]
pub(super) struct Octets;

/// Octets as text for the library, and for nobody's eyes.
pub(super) fn carried(octets: &[u8]) -> String {
    octets
        .iter()
        .map(|&octet| {
            if octet.is_ascii() {
                char::from(octet)
            } else {
                char::from_u32(BASE + u32::from(octet)).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
        })
        .collect()
}

impl Encoding for Octets {
    fn decode(&self, bytes: &[u8]) -> String {
        carried(bytes)
    }

    fn encode(&self, text: &str) -> io::Result<Vec<u8>> {
        text.chars()
            .map(|c| {
                let value = u32::from(c);
                let octet = if c.is_ascii() {
                    value
                } else {
                    value.wrapping_sub(BASE)
                };
                u8::try_from(octet).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))
            })
            .collect()
    }
}
