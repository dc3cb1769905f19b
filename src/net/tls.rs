//! TLS by rustls: 1.2 and 1.3, with ring.
//!
//! An authority of the system and the name in the certificate decide first. Where they say no for a reason of trust,
//! the fingerprint of the certificate decides, by what a person has accepted before ([`Trust`]); and where nobody has
//! accepted it, the handshake ends before anything of ours is sent, and the [`Doubt`] is for a person. That whoever
//! shows a certificate holds its key is checked in every case. Nothing falls back to plain.
//!
//! Sessions are resumed by [`beside`] alone, so that every other connection shows its certificate. The authorities are read when the first
//! connection wants them, as that takes longer than the browser's start.

mod beside;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, SignatureScheme,
};
use tokio::net::TcpStream;
use tokio::sync::OnceCell;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

pub use self::beside::TlsHost;
use super::certificate::{Facts, Fingerprint};
use super::{CertificateFault, Doubt, Net, NetError, Security, Stream, TlsError, Trust, place};

/// Who may vouch for a certificate.
#[derive(Default)]
pub(super) struct Authorities {
    /// Beside those of the system.
    own: Vec<CertificateDer<'static>>,
    /// Nothing inside where the system has none.
    verifier: OnceCell<Option<Arc<dyn ServerCertVerifier>>>,
}

impl Authorities {
    pub(super) fn add(&mut self, authority: Vec<u8>) {
        self.own.push(CertificateDer::from(authority));
    }

    /// What verifies by them; nothing where there are none.
    async fn verifier(
        &self,
        provider: &Arc<CryptoProvider>,
    ) -> Option<Arc<dyn ServerCertVerifier>> {
        let verifier = self.verifier.get_or_init(|| async {
            let (own, provider) = (self.own.clone(), Arc::clone(provider));
            // Hundreds of certificates are read from the disk.
            let reading = tokio::task::spawn_blocking(move || {
                let new = rustls_platform_verifier::Verifier::new_with_extra_roots;
                new(own, provider).ok()
            });
            let verifier = reading.await.ok().flatten()?;
            Some(Arc::new(verifier) as Arc<dyn ServerCertVerifier>)
        });
        verifier.await.clone()
    }
}

impl Net {
    /// Connects to `host` as [`Net::connect`] does, and speaks TLS from the first octet.
    ///
    /// # Errors
    /// [`TlsError::Doubt`] when a person is to judge the certificate; nothing was sent then. [`TlsError::Net`] else.
    pub async fn connect_tls(
        &self,
        host: &str,
        port: u16,
        trust: &Trust,
    ) -> Result<(Stream, Security), TlsError> {
        let stream = self.connect(host, port).await?;
        self.secure(stream, host, port, trust).await
    }

    /// Speaks TLS over a connection that is open already, as after STARTTLS, from here on. `host` is whose certificate
    /// it has to be.
    ///
    /// # Errors
    /// As [`Net::connect_tls`].
    pub async fn secure(
        &self,
        stream: TcpStream,
        host: &str,
        port: u16,
        trust: &Trust,
    ) -> Result<(Stream, Security), TlsError> {
        let handshake = self
            .handshake(host, port, trust, Resumption::disabled())
            .await?;
        self.shake(stream, &handshake).await
    }

    /// What a handshake with `host` needs, and what judges it.
    async fn handshake(
        &self,
        host: &str,
        port: u16,
        trust: &Trust,
        resumption: Resumption,
    ) -> Result<Handshake, NetError> {
        let place = place(&host.to_ascii_lowercase(), port);
        let tls = |said: String| NetError::Tls {
            place: place.clone(),
            said,
        };
        let name = ServerName::try_from(host.trim_end_matches('.').to_owned())
            .map_err(|_| tls(format!("no certificate can be for a host called {host}")))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let authorities = timeout(self.limits.connect, self.authorities.verifier(&provider))
            .await
            .map_err(|_| tls("the system's authorities could not be read in time".to_owned()))?;
        let verifier = Arc::new(Verifier {
            authorities,
            provider: Arc::clone(&provider),
            place: place.clone(),
            trust: trust.clone(),
            verdict: Mutex::new(None),
        });
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| tls(error.to_string()))?
            .dangerous() // Its word for a verifier of one's own.
            .with_custom_certificate_verifier(Arc::<Verifier>::clone(&verifier))
            .with_no_client_auth();
        config.resumption = resumption;
        Ok(Handshake {
            connector: TlsConnector::from(Arc::new(config)),
            name,
            place,
            verifier,
        })
    }
}

/// One handshake, with the judge of its certificate.
struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
    place: String,
    verifier: Arc<Verifier>,
}

impl Handshake {
    /// Why it failed.
    fn fault(&self, error: io::Error) -> TlsError {
        match self.verifier.verdict() {
            Some(Verdict::Doubtful(doubt)) => TlsError::Doubt(doubt),
            Some(Verdict::Good(_)) | None => TlsError::Net(fault(error, self.place.clone())),
        }
    }

    /// It did not come to an end.
    fn late(&self, deadline: Duration) -> TlsError {
        TlsError::Net(NetError::NotTls {
            place: self.place.clone(),
            sign: format!(
                "it did not answer the handshake within {} s",
                deadline.as_secs()
            ),
        })
    }
}

/// What became of a certificate.
#[derive(Debug)]
enum Verdict {
    Good(Security),
    Doubtful(Box<Doubt>),
}

/// Judges the certificate of one connection.
#[derive(Debug)]
struct Verifier {
    authorities: Option<Arc<dyn ServerCertVerifier>>,
    provider: Arc<CryptoProvider>,
    place: String,
    trust: Trust,
    verdict: Mutex<Option<Verdict>>,
}

impl Verifier {
    /// Whether an authority vouches for it.
    fn verify(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<(), Refusal> {
        let Some(authorities) = &self.authorities else {
            let unknown = CertificateError::UnknownIssuer;
            return Err(Refusal::Trust(
                CertificateFault::NoAuthorities,
                unknown.into(),
            ));
        };
        match authorities.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Ok(_) => Ok(()),
            Err(error) => Err(refusal(error)),
        }
    }

    /// What became of the certificate, if it was shown.
    fn verdict(&self) -> Option<Verdict> {
        self.verdict
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }

    fn decide(&self, verdict: Verdict) {
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(verdict);
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
        let (why, error) = match self.verify(certificate, intermediates, name, ocsp, now) {
            Ok(()) => {
                self.decide(Verdict::Good(Security::Verified));
                return Ok(ServerCertVerified::assertion());
            }
            Err(Refusal::Fault(error)) => return Err(error),
            Err(Refusal::Trust(why, error)) => (why, error),
        };
        let fingerprint = Fingerprint::of(certificate);
        if let Some(security) = self.trust.of(fingerprint) {
            self.decide(Verdict::Good(security));
            return Ok(ServerCertVerified::assertion());
        }
        let facts = Facts::of(certificate);
        let is_self_signed = facts.as_ref().is_some_and(|facts| facts.is_self_signed);
        let why = match why {
            // One that says of itself that it is an authority's is so too, made with few words.
            CertificateFault::UnknownIssuer
            | CertificateFault::NoAuthorities
            | CertificateFault::Other(_)
                if is_self_signed =>
            {
                CertificateFault::SelfSigned
            }
            why => why,
        };
        self.decide(Verdict::Doubtful(Box::new(Doubt {
            place: self.place.clone(),
            fingerprint,
            why,
            valid: facts.map(|facts| facts.valid),
            known: self.trust.pin.clone(),
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
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// Why no authority vouches for a certificate.
enum Refusal {
    /// A person may overrule it.
    Trust(CertificateFault, rustls::Error),
    /// Nobody may: it is no certificate, or it was taken back.
    Fault(rustls::Error),
}

fn refusal(error: rustls::Error) -> Refusal {
    let rustls::Error::InvalidCertificate(certificate) = &error else {
        return Refusal::Fault(error);
    };
    let why = match certificate {
        CertificateError::BadEncoding | CertificateError::Revoked => {
            return Refusal::Fault(error);
        }
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
        // The library may know more of them one day; that nobody vouches for it is true of all.
        other => CertificateFault::Other(format!("no authority vouches for it ({other})")),
    };
    Refusal::Trust(why, error)
}

/// A handshake that failed for another reason than trust, as a sentence.
fn fault(error: io::Error, place: String) -> NetError {
    let cause = error
        .get_ref()
        .and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidMessage(_)) => NetError::NotTls {
            place,
            sign: "it answered with something else".to_owned(),
        },
        Some(rustls::Error::PeerIncompatible(what)) => NetError::OldTls {
            place,
            said: format!("{what:?}"),
        },
        Some(rustls::Error::AlertReceived(
            alert @ (AlertDescription::ProtocolVersion | AlertDescription::HandshakeFailure),
        )) => NetError::OldTls {
            place,
            said: format!("it said {alert:?}"),
        },
        Some(rustls::Error::AlertReceived(alert)) => NetError::Tls {
            place,
            said: format!("it said {alert:?}"),
        },
        Some(other) => NetError::Tls {
            place,
            said: other.to_string(),
        },
        None if matches!(
            error.kind(),
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset
        ) =>
        {
            NetError::NotTls {
                place,
                sign: "it closed the connection in the handshake".to_owned(),
            }
        }
        None => NetError::Io {
            place,
            source: error,
        },
    }
}
