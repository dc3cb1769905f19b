//! Whom to believe over TLS: by the system's authorities, or by a fingerprint that a person has accepted.

use std::fmt;

use super::NetError;
use super::certificate::Fingerprint;

/// How safe a connection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Security {
    /// Everybody on the way can read and change it.
    #[default]
    Plain,
    /// TLS, and an authority of the system vouches for the host.
    Verified,
    /// TLS, with the certificate that a person has accepted for the host from then on.
    Pinned,
    /// TLS, with a certificate that a person has accepted this once.
    Unverified,
}

impl Security {
    /// Whether nobody on the way can read what is sent.
    pub const fn is_encrypted(self) -> bool {
        match self {
            Self::Plain => false,
            Self::Verified | Self::Pinned | Self::Unverified => true,
        }
    }

    /// As a prompt for a password tells it.
    pub const fn encryption(self) -> &'static str {
        if self.is_encrypted() {
            "encrypted"
        } else {
            "not encrypted"
        }
    }

    /// As the address line tells it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Verified => "TLS",
            Self::Pinned => "TLS, pinned",
            Self::Unverified => "TLS, unverified",
        }
    }
}

/// A certificate that a person has accepted for a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Which one.
    pub fingerprint: Fingerprint,
    /// The day on which it was accepted, as in `2026-11-20`, when that is known.
    pub since: Option<String>,
}

/// What is known of the certificate of one host and port before it is dialled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// The one that counts from now on.
    pub pin: Option<Pin>,
    /// One that counts for this time.
    pub once: Option<Fingerprint>,
}

impl Trust {
    /// How safe a connection is whose certificate has this fingerprint and no authority behind it; nothing when nobody
    /// has accepted it.
    pub(super) fn of(&self, fingerprint: Fingerprint) -> Option<Security> {
        let is_pinned = self
            .pin
            .as_ref()
            .is_some_and(|pin| pin.fingerprint == fingerprint);
        if is_pinned {
            Some(Security::Pinned)
        } else if self.once == Some(fingerprint) {
            Some(Security::Unverified)
        } else {
            None
        }
    }
}

/// A certificate that nobody has vouched for yet: what a person needs to know to do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// `host:port`, in lower case.
    pub place: String,
    /// Of the certificate that was shown.
    pub fingerprint: Fingerprint,
    /// Why it was not believed.
    pub why: CertificateFault,
    /// The first day on which it is valid, and the last, when they can be read.
    pub valid: Option<(String, String)>,
    /// The one that was accepted before, when it is another.
    pub known: Option<Pin>,
}

impl Doubt {
    /// What a person is told before they judge it, the gravest first; the fingerprints have a line each.
    pub fn sentences(&self) -> Vec<String> {
        let (place, why) = (&self.place, &self.why);
        let mut sentences = match &self.known {
            None => vec![
                format!("The certificate of {place} is not known here"),
                format!(
                    "It is not verified: {why}. Nothing was sent yet. If you can, compare the fingerprint with one \
                     that you got by another way."
                ),
            ],
            Some(pin) => vec![
                format!("! THE CERTIFICATE OF {place} HAS CHANGED"),
                format!(
                    "It is another than the one that was accepted, and it is not verified: {why}. Its keeper may \
                     have made a new one, or somebody stands in between and would read all that is sent. Nothing was \
                     sent yet."
                ),
                match &pin.since {
                    Some(day) => format!("accepted on {day}:"),
                    None => "accepted before:".to_owned(),
                },
                pin.fingerprint.to_string(),
            ],
        };
        sentences.push(match &self.valid {
            Some((from, to)) => format!("shown now, valid from {from} to {to}:"),
            None => "shown now, for how long it is valid cannot be read:".to_owned(),
        });
        sentences.push(self.fingerprint.to_string());
        sentences
    }
}

/// Why a certificate was not believed. It says nothing against its holder that a person cannot overrule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateFault {
    /// Its holder made it.
    SelfSigned,
    /// Whoever made it is not known to this system.
    UnknownIssuer,
    /// It says that an authority has signed it which has not.
    OtherSigner,
    /// It was valid once.
    Expired,
    /// It will be valid.
    NotYetValid,
    /// It is for other hosts.
    OtherName,
    /// This system has no authorities that could vouch for anybody.
    NoAuthorities,
    /// Another reason, in the words of the TLS library.
    Other(String),
}

impl fmt::Display for CertificateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SelfSigned => "it is signed by itself, and by no authority",
            Self::UnknownIssuer => "no authority that this system knows has signed it",
            Self::OtherSigner => "the authority that it names has not signed it",
            Self::Expired => "it has expired",
            Self::NotYetValid => "it is not valid yet",
            Self::OtherName => "it is for another host",
            Self::NoAuthorities => "this system knows no authority that could vouch for it",
            Self::Other(words) => words,
        })
    }
}

/// Why there is no connection over TLS.
#[derive(Debug)]
pub enum TlsError {
    /// It failed.
    Net(NetError),
    /// A person is to say whether the certificate is good.
    Doubt(Box<Doubt>),
}

impl From<NetError> for TlsError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}
