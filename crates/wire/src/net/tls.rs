//! TLS with rustls: versions 1.2 and 1.3, with ring.
//!
//! First the root certificates of the system and the name in the certificate decide. If they fail for a reason of
//! trust, the certificate's fingerprint decides, compared with those that the user has accepted ([`Trust`]). If the
//! user has not accepted it, the handshake ends before any of our data is sent, and an [`UntrustedCertificate`] is
//! returned for a prompt. In every case the server must prove that it holds the certificate's key; a key with which
//! that cannot be checked is an error before any prompt. There is no fallback to an unencrypted connection.
//!
//! An accepted certificate is a key and nothing else: its version, names and extensions are not looked at.
//!
//! Only [`resumption`] resumes sessions, so that every other connection shows its certificate. The root certificates
//! are loaded at the first connection that needs them, because that takes longer than the browser's start.

mod key;
mod resumption;
pub(super) mod words;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, verify_tls12_signature, verify_tls13_signature,
    verify_tls13_signature_with_raw_key,
};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, SignatureScheme,
};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use self::key::PublicKey;
use super::certificate::{CertificateDetails, Fingerprint, public_key};
use super::{
    CertificateFault, ClientIdentity, Net, NetError, RequestNet, Security, Stream, TlsError, Trust,
    UntrustedCertificate, authority,
};
use crate::task::blocking;

pub use self::resumption::TlsTickets;

impl RequestNet {
    /// Connects to `host` like [`RequestNet::connect`], with implicit TLS.
    ///
    /// # Errors
    /// [`TlsError::UntrustedCertificate`] if the user must decide about the certificate; nothing was sent then.
    /// [`TlsError::Net`] for other errors.
    pub async fn connect_tls(
        &self,
        host: &str,
        port: u16,
        trust: &Trust,
    ) -> Result<(Stream, Security), TlsError> {
        let stream = self.connect(host, port).await?;
        self.start_tls(stream, host, port, trust).await
    }
}

impl Net {
    /// Starts TLS on an open connection, as after STARTTLS. The certificate must be valid for `host`.
    ///
    /// # Errors
    /// Those of [`RequestNet::connect_tls`].
    pub async fn start_tls(
        &self,
        stream: TcpStream,
        host: &str,
        port: u16,
        trust: &Trust,
    ) -> Result<(Stream, Security), TlsError> {
        let handshake = self
            .handshake(host, port, trust, None, Resumption::disabled())
            .await?;
        self.run_handshake(stream, &handshake).await
    }

    /// The configuration and the verifier for a handshake with `host`, which may see a client certificate.
    pub(super) async fn handshake(
        &self,
        host: &str,
        port: u16,
        trust: &Trust,
        identity: Option<&ClientIdentity>,
        resumption: Resumption,
    ) -> Result<Handshake, NetError> {
        let authority = authority(&host.to_ascii_lowercase(), port);
        let tls = |said: String| NetError::Tls {
            authority: authority.clone(),
            said,
        };
        let name = ServerName::try_from(host.trim_end_matches('.').to_owned()).map_err(|_| {
            tls(format!(
                "no certificate can be issued for the host name {host}"
            ))
        })?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let authorities = timeout(
            self.limits.connect,
            self.root_certificates.verifier(&provider),
        )
        .await
        .map_err(|_| tls("the system's authorities could not be read in time".to_owned()))?;
        let verifier = Arc::new(Verifier {
            authorities,
            provider: Arc::clone(&provider),
            authority: authority.clone(),
            trust: trust.clone(),
            verdict: Mutex::new(None),
        });
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| tls(words::of(&error)))?
            .dangerous() // Its word for a verifier of one's own.
            .with_custom_certificate_verifier(Arc::<Verifier>::clone(&verifier));
        let mut config = match identity.map(ClientIdentity::parts) {
            None => config.with_no_client_auth(),
            Some((chain, key)) => config
                .with_client_auth_cert(chain, key)
                .map_err(|error| tls(words::of(&error)))?,
        };
        config.resumption = resumption;
        Ok(Handshake {
            connector: TlsConnector::from(Arc::new(config)),
            name,
            authority,
            verifier,
        })
    }
}

/// One handshake, with the verifier of its certificate.
pub(super) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
    authority: String,
    verifier: Arc<Verifier>,
}

impl Handshake {
    /// The error for a failed handshake.
    fn fault(&self, error: io::Error) -> TlsError {
        match self.verifier.verdict() {
            Some(Err(certificate)) => TlsError::UntrustedCertificate(certificate),
            Some(Ok(_)) | None => TlsError::Net(fault(error, self.authority.clone())),
        }
    }

    /// The error for a handshake that did not finish in time.
    fn handshake_timeout(&self, deadline: Duration) -> TlsError {
        let (authority, seconds) = (self.authority.clone(), deadline.as_secs());
        let sign = format!("it did not answer the handshake within {seconds} s");
        TlsError::Net(NetError::NotTls { authority, sign })
    }
}

/// The result of the verification of a certificate.
type Verdict = Result<Security, Box<UntrustedCertificate>>;

/// A verifier for the certificate of one connection.
#[derive(Debug)]
struct Verifier {
    authorities: Option<Arc<dyn ServerCertVerifier>>,
    provider: Arc<CryptoProvider>,
    authority: String,
    trust: Trust,
    verdict: Mutex<Option<Verdict>>,
}

impl Verifier {
    /// The verdict about the certificate, if it was shown.
    fn verdict(&self) -> Option<Verdict> {
        self.verdict
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn decide(&self, verdict: Verdict) {
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
    }

    /// Returns true if the user has accepted the certificate, so that its key is enough.
    fn is_accepted(&self) -> bool {
        let verdict = self.verdict.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*verdict, Some(Ok(Security::Pinned | Security::Unverified)))
    }

    fn accept(&self, security: Security) -> ServerCertVerified {
        self.decide(Ok(security));
        ServerCertVerified::assertion()
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let key = public_key(certificate).and_then(PublicKey::of);
        let key = key.ok_or(CertificateError::BadEncoding)?;
        let algorithms = &self.provider.signature_verification_algorithms;
        if let Some(kind) = key.unsupported(algorithms) {
            let words = format!("its key cannot be checked: it is {kind}");
            return Err(rustls::Error::General(words));
        }
        let (why, error) = match &self.authorities {
            None => {
                let error = CertificateError::UnknownIssuer.into();
                (CertificateFault::NoAuthorities, error)
            }
            Some(authorities) => {
                match authorities.verify_server_cert(certificate, intermediates, name, ocsp, now) {
                    Ok(_) => return Ok(self.accept(Security::Verified)),
                    Err(error) => match acceptable_fault(&error) {
                        Some(why) => (why, error),
                        None => return Err(error),
                    },
                }
            }
        };
        let fingerprint = Fingerprint::of(certificate);
        if let Some(security) = self.trust.of(fingerprint) {
            return Ok(self.accept(security));
        }
        let details = CertificateDetails::of(certificate);
        let is_self_signed = details.as_ref().is_some_and(|it| it.is_self_signed);
        let why = match why {
            // A self-signed certificate that claims to be an authority's, as short setup instructions produce it,
            // counts as self-signed.
            CertificateFault::UnknownIssuer
            | CertificateFault::NoAuthorities
            | CertificateFault::Other(_)
                if is_self_signed =>
            {
                CertificateFault::SelfSigned
            }
            why => why,
        };
        self.decide(Err(Box::new(UntrustedCertificate {
            authority: self.authority.clone(),
            fingerprint,
            why,
            valid: details.map(|details| details.valid),
            pinned: self.trust.pin.clone(),
            is_renewed: self.trust.has_expired_pin(now),
        })));
        Err(error)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        if self.is_accepted() {
            let key = public_key(certificate).and_then(PublicKey::of);
            let key = key.ok_or(CertificateError::BadEncoding)?;
            return key.verify_tls12(message, signed, algorithms);
        }
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        if self.is_accepted() {
            let key = public_key(certificate).ok_or(CertificateError::BadEncoding)?;
            let key = SubjectPublicKeyInfoDer::from(key);
            return verify_tls13_signature_with_raw_key(message, &key, signed, algorithms);
        }
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        let mut schemes = algorithms.supported_schemes();
        // Not checked, but else a server that has only such a key shows no certificate, and its key cannot be named.
        schemes.extend([
            SignatureScheme::ECDSA_NISTP521_SHA512,
            SignatureScheme::ED448,
        ]);
        schemes
    }
}

/// The reason why the root certificates do not verify a certificate; `None` if the user cannot accept it anyway,
/// because it is revoked.
fn acceptable_fault(error: &rustls::Error) -> Option<CertificateFault> {
    let rustls::Error::InvalidCertificate(certificate) = error else {
        return None;
    };
    Some(match certificate {
        CertificateError::Revoked => return None,
        CertificateError::UnknownIssuer => CertificateFault::UnknownIssuer,
        CertificateError::BadSignature => CertificateFault::OtherSigner,
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            CertificateFault::Expired
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            CertificateFault::NotYetValid
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            CertificateFault::OtherName
        }
        other => CertificateFault::Other(words::of_certificate(other)),
    })
}

/// The kinds of keys for which a server cannot be asked.
const UNSUPPORTED_KEYS: &str = "keys of K-256 (secp256k1), P-521 and Ed448 are not supported";

/// The error for a handshake that failed for a reason other than trust.
fn fault(error: io::Error, authority: String) -> NetError {
    use AlertDescription::{HandshakeFailure, ProtocolVersion};
    use rustls::Error::{AlertReceived, InvalidMessage, PeerIncompatible};
    let cause = error.get_ref();
    let Some(cause) = cause.and_then(|cause| cause.downcast_ref::<rustls::Error>()) else {
        return match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => NetError::NotTls {
                authority,
                sign: "it closed the connection in the handshake".to_owned(),
            },
            _ => NetError::io(&authority, error),
        };
    };
    let said = words::of(cause);
    match cause {
        InvalidMessage(_) => NetError::NotTls {
            authority,
            sign: said,
        },
        // The versions may be the same: a server sends this alert for its key, too.
        AlertReceived(HandshakeFailure) => NetError::Tls {
            authority,
            said: format!(
                "{said}: no version, cipher or kind of key in common; {UNSUPPORTED_KEYS}"
            ),
        },
        PeerIncompatible(_) | AlertReceived(ProtocolVersion) => {
            NetError::OldTls { authority, said }
        }
        _ => NetError::Tls { authority, said },
    }
}

/// The root certificates that verify server certificates.
#[derive(Clone, Default)]
pub(in crate::net) struct RootCertificates {
    /// Additional root certificates.
    own: Vec<CertificateDer<'static>>,
    /// The verifier with all root certificates; holds `None` if the system has none.
    verifier: Arc<OnceCell<Option<Arc<dyn ServerCertVerifier>>>>,
}

impl RootCertificates {
    pub(in crate::net) fn add(&mut self, certificate: Vec<u8>) {
        self.own.push(CertificateDer::from(certificate));
    }

    /// The verifier with these root certificates; `None` if there are none.
    async fn verifier(
        &self,
        provider: &Arc<CryptoProvider>,
    ) -> Option<Arc<dyn ServerCertVerifier>> {
        let verifier = self.verifier.get_or_init(|| async {
            let (own, provider) = (self.own.clone(), Arc::clone(provider));
            // Hundreds of certificates are read from the disk.
            let reading = blocking(move || {
                let new = rustls_platform_verifier::Verifier::new_with_extra_roots;
                new(own, provider).ok()
            });
            let verifier = reading.await?;
            Some(Arc::new(verifier) as Arc<dyn ServerCertVerifier>)
        });
        verifier.await.clone()
    }
}
