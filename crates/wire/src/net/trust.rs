//! Trust in certificates: verified by the system's root certificates, or accepted by the user by fingerprint.

use jiff::Timestamp;
use rustls::pki_types::UnixTime;

use super::NetError;
use super::certificate::{CertificateDetails, Fingerprint};

/// The security of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Security {
    /// Unencrypted.
    #[default]
    Plain,
    /// TLS with a certificate that the system's root certificates verify.
    Verified,
    /// TLS with a certificate that the user has accepted permanently for the host.
    Pinned,
    /// TLS with a certificate that the user has accepted once.
    Unverified,
}

impl Security {
    /// Returns true if the connection is encrypted.
    pub const fn is_encrypted(self) -> bool {
        match self {
            Self::Plain => false,
            Self::Verified | Self::Pinned | Self::Unverified => true,
        }
    }

    /// The words for a password prompt.
    pub const fn encryption(self) -> &'static str {
        if self.is_encrypted() {
            "encrypted"
        } else {
            "not encrypted"
        }
    }

    /// The words for the address line.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Verified => "TLS",
            Self::Pinned => "TLS, known key",
            Self::Unverified => "TLS, unverified",
        }
    }
}

/// A certificate that the user has accepted for a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The fingerprint of the certificate.
    pub fingerprint: Fingerprint,
    /// The day on which it was accepted, as in `2026-11-20`, if it is recorded.
    pub since: Option<String>,
    /// The last day on which it is valid, if it is recorded.
    pub expires: Option<String>,
}

impl Pin {
    /// The pin of a certificate in DER, without a day.
    pub fn of(certificate: &[u8]) -> Self {
        Self {
            fingerprint: Fingerprint::of(certificate),
            since: None,
            expires: CertificateDetails::of(certificate).map(|details| details.valid.1),
        }
    }
}

/// The accepted certificates of one host and port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// The permanently accepted certificate.
    pub pin: Option<Pin>,
    /// The certificate accepted for this request only.
    pub once: Option<Fingerprint>,
    /// True if any certificate is accepted while none is pinned.
    pub is_first_use_trusted: bool,
}

impl Trust {
    /// Returns true if the permanently accepted certificate has expired, so that another one was to be expected.
    pub(super) fn has_expired_pin(&self, now: UnixTime) -> bool {
        let expires = self.pin.as_ref().and_then(|pin| pin.expires.as_deref());
        let seconds = i64::try_from(now.as_secs()).ok();
        let today = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        let today = today.map(|today| today.strftime("%F").to_string());
        matches!((expires, today), (Some(last), Some(today)) if last < today.as_str())
    }

    /// The security of a connection whose certificate has this fingerprint and is not verified; `None` if the user
    /// has not accepted it.
    pub(super) fn of(&self, fingerprint: Fingerprint) -> Option<Security> {
        match &self.pin {
            Some(pin) if pin.fingerprint == fingerprint => Some(Security::Pinned),
            Some(_) | None if self.once == Some(fingerprint) => Some(Security::Unverified),
            None if self.is_first_use_trusted => Some(Security::Pinned),
            Some(_) | None => None,
        }
    }
}

/// A certificate that is neither verified nor accepted, with the details for a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UntrustedCertificate {
    /// `host:port`, in lower case.
    pub authority: String,
    /// The fingerprint of the certificate that was shown.
    pub fingerprint: Fingerprint,
    /// The reason why it is not verified.
    pub why: CertificateFault,
    /// The first and the last day on which it is valid, if they can be read.
    pub valid: Option<(String, String)>,
    /// The different certificate that was accepted before, if there is one.
    pub pinned: Option<Pin>,
    /// True if that one has expired, so that this one probably renews it.
    pub is_renewed: bool,
}

impl UntrustedCertificate {
    /// The pin of this certificate, without a day.
    pub fn pin(&self) -> Pin {
        Pin {
            fingerprint: self.fingerprint,
            since: None,
            expires: self.valid.as_ref().map(|(_, last)| last.clone()),
        }
    }

    /// The sentences of the prompt, the most serious first. Each fingerprint has its own line.
    pub fn sentences(&self) -> Vec<String> {
        let (authority, why) = (&self.authority, &self.why);
        let mut sentences = match &self.pinned {
            None => vec![
                format!("Unknown certificate of {authority}"),
                format!(
                    "Not verified: {why}. Nothing was sent yet. If you can, compare the fingerprint with one from another source."
                ),
            ],
            Some(pin) if self.is_renewed => vec![
                format!("New certificate of {authority}"),
                format!(
                    "The accepted one expired on {}, so it was probably renewed. The new one is not verified: {why}. Nothing was sent yet.",
                    pin.expires.as_deref().unwrap_or_default()
                ),
                accepted(pin),
                pin.fingerprint.to_string(),
            ],
            Some(pin) => vec![
                format!("! THE CERTIFICATE OF {authority} HAS CHANGED"),
                format!(
                    "It differs from the accepted one and is not verified: {why}. The operator may have renewed it, or somebody intercepts the connection and can read everything. Nothing was sent yet."
                ),
                accepted(pin),
                pin.fingerprint.to_string(),
            ],
        };
        sentences.push(match &self.valid {
            Some((from, to)) => format!("Fingerprint (valid {from} to {to}):"),
            None => "Fingerprint (dates unreadable):".to_owned(),
        });
        sentences.push(self.fingerprint.to_string());
        sentences
    }
}

/// The line before the fingerprint of a certificate that was accepted before.
fn accepted(pin: &Pin) -> String {
    match &pin.since {
        Some(day) => format!("accepted on {day}:"),
        None => "accepted before:".to_owned(),
    }
}

/// The reason why a certificate is not verified. The user can accept the certificate in each case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateFault {
    /// The certificate is self-signed.
    #[error("it is self-signed")]
    SelfSigned,
    /// The issuer is not among the system's root certificates.
    #[error("its authority is unknown to this system")]
    UnknownIssuer,
    /// The signature is not by the named issuer.
    #[error("its signature is invalid")]
    OtherSigner,
    /// The certificate has expired.
    #[error("it has expired")]
    Expired,
    /// The certificate is not valid yet.
    #[error("it is not valid yet")]
    NotYetValid,
    /// The certificate is for other hosts.
    #[error("it is for another host")]
    OtherName,
    /// The system has no root certificates.
    #[error("this system has no certificate authorities")]
    NoAuthorities,
    /// Another reason, in the words of the TLS library.
    #[error("{0}")]
    Other(String),
}

/// The reason why a TLS connection failed.
#[derive(Debug)]
pub enum TlsError {
    /// A network or protocol error.
    Net(NetError),
    /// The certificate needs a decision by the user.
    UntrustedCertificate(Box<UntrustedCertificate>),
}

impl From<NetError> for TlsError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}
