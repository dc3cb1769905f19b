//! Certificate details: those shown to the user (fingerprint, validity, and whether it is self-signed), and the public
//! key.
//!
//! ```text
//! Certificate    = SEQUENCE { TBSCertificate, … }                                     ; RFC 5280, section 4.1
//! TBSCertificate = SEQUENCE { [0] version?, INTEGER serial, SEQUENCE algorithm,
//!                             Name issuer, SEQUENCE { Time notBefore, Time notAfter }, Name subject,
//!                             SEQUENCE subjectPublicKeyInfo, … }
//! Time           = UTCTime "YYMMDDhhmmssZ" | GeneralizedTime "YYYYMMDDhhmmssZ"
//! ```
//!
//! The shown values decide nothing: rustls verifies certificates. The key is that of a certificate that the user has
//! accepted, of which nothing else is believed. All other fields are skipped, so any version, name and extension will
//! do.

use std::fmt;

/// The DER tags that are used here.
pub(super) const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The SHA-256 of a certificate, or of any other octets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a certificate in DER, or of any octets.
    pub fn of(octets: &[u8]) -> Self {
        let digest = ring::digest::digest(&ring::digest::SHA256, octets);
        // A SHA-256 always has this length.
        Self(digest.as_ref().try_into().unwrap_or_default())
    }

    /// Parses `sha256:` and 64 hexadecimal digits, in either case. Colons between them are skipped, as other programs
    /// print them.
    pub fn parse(written: &str) -> Option<Self> {
        let (kind, digits) = written.split_once(':')?;
        if !kind.eq_ignore_ascii_case("sha256") {
            return None;
        }
        let digits: Vec<u8> = digits
            .chars()
            .filter(|digit| *digit != ':')
            .map(|digit| {
                digit
                    .to_digit(16)
                    .and_then(|value| u8::try_from(value).ok())
            })
            .collect::<Option<_>>()?;
        if digits.len() != 64 {
            return None;
        }
        let pairs = digits.chunks_exact(2);
        let octets = pairs.map(|pair| pair.iter().fold(0, |octet, digit| octet << 4 | digit));
        Some(Self(octets.collect::<Vec<u8>>().try_into().ok()?))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// The fields of a certificate that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateDetails {
    /// The first and the last day on which it is valid, as in `2026-11-20`.
    pub valid: (String, String),
    /// True if issuer and subject are the same.
    pub is_self_signed: bool,
}

impl CertificateDetails {
    /// Reads a certificate in DER; `None` if it is malformed.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let fields = Fields::of(certificate)?;
        let mut times = Der(fields.times);
        Some(Self {
            valid: (day(&times.any()?)?, day(&times.any()?)?),
            is_self_signed: fields.issuer == fields.subject,
        })
    }
}

/// The fields of a certificate that are used, in DER: the contents of the first three, and the whole last one.
struct Fields<'a> {
    issuer: &'a [u8],
    times: &'a [u8],
    subject: &'a [u8],
    key: &'a [u8],
}

impl<'a> Fields<'a> {
    fn of(certificate: &'a [u8]) -> Option<Self> {
        let mut outer = Der(certificate);
        let mut certificate = Der(outer.take(SEQUENCE)?.content);
        let mut body = Der(certificate.take(SEQUENCE)?.content);
        if body.0.first() == Some(&VERSION) {
            body.any()?;
        }
        let (_serial, _algorithm) = (body.any()?, body.take(SEQUENCE)?);
        Some(Self {
            issuer: body.take(SEQUENCE)?.content,
            times: body.take(SEQUENCE)?.content,
            subject: body.take(SEQUENCE)?.content,
            key: body.whole(SEQUENCE)?,
        })
    }
}

/// Returns the public key of a certificate (its subjectPublicKeyInfo) in DER; `None` if the certificate is malformed
/// before it.
pub(super) fn public_key(certificate: &[u8]) -> Option<&[u8]> {
    Fields::of(certificate).map(|fields| fields.key)
}

/// A reader of consecutive DER elements.
pub(super) struct Der<'a>(pub(super) &'a [u8]);

/// A DER element.
pub(super) struct Element<'a> {
    tag: u8,
    pub(super) content: &'a [u8],
}

impl<'a> Der<'a> {
    pub(super) fn any(&mut self) -> Option<Element<'a>> {
        let (&[tag, first], rest) = self.0.split_first_chunk::<2>()?;
        let (length, rest) = match first {
            0..=0x7f => (usize::from(first), rest),
            // The number of octets of the length. No certificate needs more than four.
            0x81..=0x84 => {
                let (octets, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
                let length = octets
                    .iter()
                    .fold(0_u64, |length, &octet| length << 8 | u64::from(octet));
                (usize::try_from(length).ok()?, rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(Element { tag, content })
    }

    pub(super) fn take(&mut self, tag: u8) -> Option<Element<'a>> {
        self.any().filter(|element| element.tag == tag)
    }

    /// Takes an element with its tag and its length.
    fn whole(&mut self, tag: u8) -> Option<&'a [u8]> {
        let before = self.0;
        self.take(tag)?;
        before.get(..before.len() - self.0.len())
    }
}

/// The day of a time, as in `2026-11-20`.
fn day(time: &Element<'_>) -> Option<String> {
    let text = std::str::from_utf8(time.content).ok()?;
    let century = match time.tag {
        // RFC 5280, section 4.1.2.5.1.
        UTC_TIME if text < "50" => "20",
        UTC_TIME => "19",
        GENERALIZED_TIME => "",
        _ => return None,
    };
    let digits = format!("{century}{text}");
    let digits = digits.get(..8)?;
    let (year, rest) = digits.split_at_checked(4)?;
    let (month, day) = rest.split_at_checked(2)?;
    let is_date = digits.bytes().all(|digit| digit.is_ascii_digit());
    is_date.then(|| format!("{year}-{month}-{day}"))
}
