//! The errors of TLS in words. The library shows many of them with the names of its own types, which say little to a
//! reader.

use std::io;

use rustls::{CertificateError, Error};

use crate::text::{system_message, words_before_types};

/// Returns an error of TLS as words that follow "TLS with a host failed:".
pub(super) fn of(error: &Error) -> String {
    match error {
        Error::InvalidMessage(_) => "it answered with something else".to_owned(),
        Error::InappropriateMessage { .. } | Error::InappropriateHandshakeMessage { .. } => {
            "it sent a message of TLS out of order".to_owned()
        }
        Error::PeerIncompatible(what) => {
            format!("nothing in common: {}", name_in_words(&format!("{what:?}")))
        }
        Error::PeerMisbehaved(what) => {
            let what = name_in_words(&format!("{what:?}"));
            format!("it broke the rules of TLS: {what}")
        }
        Error::AlertReceived(alert) => match alert.as_str() {
            Some(name) => format!("it sent the alert {name}"),
            None => format!("it sent the alert {}", u8::from(*alert)),
        },
        Error::InvalidCertificate(certificate) => {
            format!(
                "its certificate is not accepted: {}",
                of_certificate(certificate)
            )
        }
        Error::InvalidCertRevocationList(_) => "a list of revocations is malformed".to_owned(),
        Error::InvalidEncryptedClientHello(_) => "its keys for TLS are malformed".to_owned(),
        Error::InconsistentKeys(_) => "the client certificate has another key".to_owned(),
        // Its own text begins with "unexpected error".
        Error::General(words) => before_types(words),
        // The library may add more variants.
        other => before_types(&other.to_string()),
    }
}

/// Returns the fault of a certificate in words.
pub(super) fn of_certificate(error: &CertificateError) -> String {
    use CertificateError as Fault;
    match error {
        Fault::BadEncoding => "it is malformed".to_owned(),
        Fault::Revoked => "it was revoked".to_owned(),
        Fault::InvalidPurpose | Fault::InvalidPurposeContext { .. } => {
            "it is not for servers".to_owned()
        }
        Fault::UnhandledCriticalExtension => "it has an unknown critical extension".to_owned(),
        Fault::UnsupportedSignatureAlgorithmContext { .. }
        | Fault::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
            "it is signed by an unsupported method".to_owned()
        }
        Fault::ApplicationVerificationFailure => "it was not accepted".to_owned(),
        Fault::Other(other) => before_types(&other.to_string()),
        other => name_in_words(&format!("{other:?}")),
    }
}

/// Returns an error of a connection in words; it may be one of TLS.
pub(in crate::net) fn of_io(error: &io::Error) -> String {
    let cause = error.get_ref();
    match cause.and_then(|cause| cause.downcast_ref::<Error>()) {
        Some(cause) => of(cause),
        None => system_message(error),
    }
}

/// Returns the name of a variant in words: `NoCipherSuitesInCommon` as "no cipher suites in common".
fn name_in_words(name: &str) -> String {
    let end = name.find(|letter: char| !letter.is_ascii_alphanumeric());
    let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// Returns the words of a text of the library.
fn before_types(text: &str) -> String {
    match words_before_types(text) {
        Some(words) => words.to_owned(),
        // The name of a variant alone.
        None if text.bytes().all(|octet| octet.is_ascii_alphanumeric()) && !text.is_empty() => {
            name_in_words(text)
        }
        None => "the reason is unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rustls::{
        AlertDescription, ContentType, HandshakeType, InvalidMessage, OtherError, PeerIncompatible,
        PeerMisbehaved,
    };

    use super::*;

    /// A cause whose text is that of a type.
    #[derive(Debug)]
    #[expect(dead_code, reason = "its Debug text shows the field")]
    struct Cause(u8);

    impl std::fmt::Display for Cause {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "verifier said {self:?}")
        }
    }

    impl std::error::Error for Cause {}

    fn has_debug_text(words: &str) -> bool {
        let is_name = |word: &str| word.find('(').is_some_and(|at| at > 0);
        words.contains(['{', '[']) || words.contains("::") || words.split(' ').any(is_name)
    }

    #[test]
    fn no_error_of_tls_has_debug_text() {
        let other = || OtherError(Arc::new(Cause(7)));
        let mut errors = vec![
            Error::InvalidMessage(InvalidMessage::MessageTooShort),
            Error::InappropriateMessage {
                expect_types: vec![ContentType::Alert],
                got_type: ContentType::Handshake,
            },
            Error::InappropriateHandshakeMessage {
                expect_types: vec![HandshakeType::Finished],
                got_type: HandshakeType::ClientHello,
            },
            Error::PeerIncompatible(PeerIncompatible::NoCipherSuitesInCommon),
            Error::PeerIncompatible(PeerIncompatible::ServerRejectedEncryptedClientHello(Some(
                Vec::new(),
            ))),
            Error::PeerMisbehaved(PeerMisbehaved::TooMuchEarlyDataReceived),
            Error::NoCertificatesPresented,
            Error::DecryptError,
            Error::HandshakeNotComplete,
            Error::PeerSentOversizedRecord,
            Error::NoApplicationProtocol,
            Error::General("no reason".to_owned()),
            Error::Other(other()),
        ];
        errors.extend((0..=u8::MAX).map(|code| Error::AlertReceived(AlertDescription::from(code))));
        let faults = [
            CertificateError::BadEncoding,
            CertificateError::Revoked,
            CertificateError::InvalidPurpose,
            CertificateError::UnhandledCriticalExtension,
            CertificateError::UnknownRevocationStatus,
            CertificateError::InvalidOcspResponse,
            CertificateError::NotValidForNameContext {
                expected: "h.example".try_into().unwrap(),
                presented: vec!["other.example".to_owned()],
            },
            CertificateError::Other(other()),
        ];
        errors.extend(faults.map(Error::InvalidCertificate));
        for error in errors {
            let words = of(&error);
            assert!(!words.is_empty() && !has_debug_text(&words), "{words}");
        }
    }

    #[test]
    fn names_become_words() {
        assert_eq!(
            name_in_words("NoCipherSuitesInCommon"),
            "no cipher suites in common"
        );
        assert_eq!(name_in_words("Unknown(7)"), "unknown");
    }
}
