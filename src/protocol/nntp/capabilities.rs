//! Capabilities of a server (RFC 3977, section 3.3 and 5.2; RFC 4642; RFC 4643; RFC 6048; RFC 8054).
//!
//! ```text
//! capability-line = keyword *( WS argument )
//! ```
//!
//! Case is ignored. Only capabilities that Geomys uses are stored.

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

/// The announced capabilities of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Capabilities(Vec<Capability>);

impl Capabilities {
    pub(super) fn parse(text: &[u8]) -> Self {
        let lines = text.split(|&octet| octet == b'\n');
        Self(lines.filter_map(capability).collect())
    }

    pub(super) fn has(&self, capability: Capability) -> bool {
        self.0.contains(&capability)
    }
}

fn capability(line: &[u8]) -> Option<Capability> {
    let line = line.to_ascii_uppercase();
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    match words.next()? {
        b"MODE-READER" => Some(Capability::ModeReader),
        b"OVER" => Some(Capability::Over),
        b"STARTTLS" => Some(Capability::StartTls),
        b"LIST" => words
            .any(|word| word == b"COUNTS")
            .then_some(Capability::Counts),
        b"COMPRESS" => words
            .any(|word| word == b"DEFLATE")
            .then_some(Capability::Deflate),
        b"AUTHINFO" => words
            .any(|word| word == b"USER")
            .then_some(Capability::User),
        // A list of mechanisms is present only with AUTHINFO SASL (RFC 4643, section 2.4.2).
        b"SASL" => words
            .any(|word| word == b"PLAIN")
            .then_some(Capability::SaslPlain),
        _ => None,
    }
}
