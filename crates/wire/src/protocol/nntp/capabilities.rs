//! Capabilities of a server (RFC 3977, section 3.3 and 5.2; RFC 4642; RFC 4643; RFC 6048; RFC 8054).
//!
//! ```text
//! capability-line = keyword *( WS argument )
//! ```
//!
//! Case is ignored. Only capabilities that Geomys uses are stored.

use crate::protocol::octets::words;

/// A capability that Geomys uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capability {
    /// MODE-READER: MODE READER must be sent first.
    ModeReader,
    /// OVER.
    Over,
    /// LIST COUNTS.
    Counts,
    /// STARTTLS: passwords can be sent over TLS.
    StartTls,
    /// AUTHINFO USER.
    User,
    /// AUTHINFO SASL with PLAIN among its mechanisms.
    SaslPlain,
    /// COMPRESS DEFLATE.
    Deflate,
}

/// Parses the lines of a reply to CAPABILITIES.
pub(super) fn capabilities(text: &[u8]) -> Vec<Capability> {
    let lines = text.split(|&octet| octet == b'\n');
    lines.filter_map(capability).collect()
}

fn capability(line: &[u8]) -> Option<Capability> {
    let line = line.to_ascii_uppercase();
    let mut words = words(&line);
    let (capability, argument): (Capability, &[u8]) = match words.next()? {
        b"MODE-READER" => return Some(Capability::ModeReader),
        b"OVER" => return Some(Capability::Over),
        b"STARTTLS" => return Some(Capability::StartTls),
        b"LIST" => (Capability::Counts, b"COUNTS"),
        b"COMPRESS" => (Capability::Deflate, b"DEFLATE"),
        b"AUTHINFO" => (Capability::User, b"USER"),
        // A list of mechanisms is present only with AUTHINFO SASL (RFC 4643, section 2.4.2).
        b"SASL" => (Capability::SaslPlain, b"PLAIN"),
        _ => return None,
    };
    words.any(|word| word == argument).then_some(capability)
}
