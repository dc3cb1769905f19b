//! The public key of a certificate that the user has accepted: which keys can be checked, and the check of a handshake.
//!
//! ```text
//! SubjectPublicKeyInfo = SEQUENCE { SEQUENCE { OBJECT IDENTIFIER kind, parameters }, BIT STRING key } ; RFC 5280, section 4.1
//! RSAPublicKey         = SEQUENCE { INTEGER modulus, INTEGER exponent }                               ; RFC 8017, A.1.1
//! ```

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::WebPkiSupportedAlgorithms;
use rustls::{CertificateError, DigitallySignedStruct, Error, PeerMisbehaved};

use crate::net::certificate::{Der, SEQUENCE};

/// The DER tags of a key.
const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;

/// The bits of the RSA keys that ring verifies.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// The identifiers of algorithms, as DER without the outer header: kind and parameters.
const RSA: &[u8] = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";
const KINDS: [(&[u8], &str); 7] = [
    (
        b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x23",
        "ECDSA with P-521",
    ),
    (
        b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x0a",
        "ECDSA with K-256 (secp256k1)",
    ),
    (
        b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01",
        "ECDSA with an unusual curve",
    ),
    (b"\x06\x03\x2b\x65\x71", "Ed448"),
    (
        b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0a",
        "RSA for PSS only",
    ),
    (b"\x06\x07\x2a\x86\x48\xce\x38\x04\x01", "DSA"),
    (b"", "of an unknown kind"),
];

/// A public key.
pub(super) struct PublicKey<'a> {
    algorithm: &'a [u8],
    octets: &'a [u8],
}

impl<'a> PublicKey<'a> {
    /// Reads a subjectPublicKeyInfo in DER; `None` if it is malformed.
    pub(super) fn of(info: &'a [u8]) -> Option<Self> {
        let mut fields = Der(Der(info).take(SEQUENCE)?.content);
        let algorithm = fields.take(SEQUENCE)?.content;
        // The first octet is the number of bits that are not used: none.
        let octets = fields.take(BIT_STRING)?.content.strip_prefix(b"\0")?;
        Some(Self { algorithm, octets })
    }

    /// Returns what the key is, if no handshake with it can be checked; `None` if it can.
    pub(super) fn unsupported(&self, algorithms: &WebPkiSupportedAlgorithms) -> Option<String> {
        if self.algorithm == RSA {
            let bits = self.rsa_bits();
            return (!RSA_BITS.contains(&bits)).then(|| format!("RSA with {bits} bits"));
        }
        let mut all = algorithms.all.iter();
        if all.any(|known| known.public_key_alg_id().as_ref() == self.algorithm) {
            return None;
        }
        let mut kinds = KINDS.iter();
        let kind = kinds.find(|(algorithm, _)| self.algorithm.starts_with(algorithm));
        kind.map(|(_, name)| (*name).to_owned())
    }

    /// The bits of the modulus of an RSA key; 0 if it is malformed.
    fn rsa_bits(&self) -> usize {
        let mut key = Der(self.octets);
        let modulus = key
            .take(SEQUENCE)
            .and_then(|key| Der(key.content).take(INTEGER));
        let modulus = modulus.map_or(b"".as_slice(), |modulus| modulus.content);
        let start = modulus.iter().position(|&octet| octet != 0);
        let digits = start.and_then(|start| modulus.get(start..));
        digits.map_or(0, |digits| {
            let unused = digits.first().map_or(0, |first| first.leading_zeros());
            digits.len() * 8 - usize::try_from(unused).unwrap_or_default()
        })
    }

    /// Checks the signature of a handshake of TLS 1.2, in which a scheme does not name the curve.
    pub(super) fn verify_tls12(
        &self,
        message: &[u8],
        signed: &DigitallySignedStruct,
        algorithms: &WebPkiSupportedAlgorithms,
    ) -> Result<HandshakeSignatureValid, Error> {
        let mut schemes = algorithms.mapping.iter();
        let known = schemes.find(|(scheme, _)| *scheme == signed.scheme);
        let (_, known) = known.ok_or(PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme)?;
        let mut known = known.iter();
        let algorithm = known.find(|known| known.public_key_alg_id().as_ref() == self.algorithm);
        let algorithm = algorithm.ok_or(PeerMisbehaved::SignedKxWithWrongAlgorithm)?;
        match algorithm.verify_signature(self.octets, message, signed.signature()) {
            Ok(()) => Ok(HandshakeSignatureValid::assertion()),
            Err(_) => Err(CertificateError::BadSignature.into()),
        }
    }
}
