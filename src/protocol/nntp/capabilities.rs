//! What a server says it can do (RFC 3977, section 3.3 and 5.2; RFC 4642; RFC 6048).
//!
//! ```text
//! capability-line = keyword *( WS argument )
//! ```
//!
//! Case does not count. Only what Geomys asks for is kept.

/// What Geomys wants to know of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Capabilities {
    /// MODE READER must be said first.
    pub(super) mode_reader: bool,
    /// OVER.
    pub(super) over: bool,
    /// LIST COUNTS.
    pub(super) counts: bool,
    /// STARTTLS: passwords have a better way than this one.
    pub(super) starttls: bool,
}

impl Capabilities {
    pub(super) fn parse(text: &[u8]) -> Self {
        let mut found = Self::default();
        for line in text.split(|&octet| octet == b'\n') {
            let line = line.to_ascii_uppercase();
            let mut words = line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty());
            match words.next() {
                Some(b"MODE-READER") => found.mode_reader = true,
                Some(b"OVER") => found.over = true,
                Some(b"STARTTLS") => found.starttls = true,
                Some(b"LIST") => found.counts = words.any(|word| word == b"COUNTS"),
                Some(_) | None => {}
            }
        }
        found
    }
}
