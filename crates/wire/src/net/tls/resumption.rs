//! Additional TLS connections to a host that already has one, as FTP's data connections are (RFC 4217, section 10).
//!
//! They resume the session of the first connection, because many servers send data only to the same session. So each
//! first connection has its own session store, which only its additional connections can use.

use rustls::HandshakeKind;
use rustls::client::Resumption;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::Handshake;
use crate::net::{Net, NetError, Security, Stream, TlsError, Trust, trace};

/// The tickets of a first connection, with which additional connections to its host resume its TLS session.
pub struct TlsTickets(Handshake);

impl std::fmt::Debug for TlsTickets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TlsTickets")
            .field(&self.0.authority)
            .finish()
    }
}

impl Net {
    /// Starts TLS like `start_tls`, for a connection that additional ones will follow.
    ///
    /// # Errors
    /// Those of `connect_tls`.
    pub async fn start_tls_first(
        &self,
        stream: TcpStream,
        host: &str,
        port: u16,
        trust: &Trust,
    ) -> Result<(Stream, Security, TlsTickets), TlsError> {
        let handshake = self
            .handshake(host, port, trust, None, Resumption::default())
            .await?;
        let (stream, security) = self.run_handshake(stream, &handshake).await?;
        Ok((stream, security, TlsTickets(handshake)))
    }

    /// Starts TLS on an additional connection to the same host. If the session is not resumed, the certificate must
    /// pass the same verification as the first time.
    ///
    /// # Errors
    /// Those of `connect_tls`.
    pub async fn start_tls_additional(
        &self,
        stream: TcpStream,
        host: &TlsTickets,
    ) -> Result<Stream, TlsError> {
        let TlsTickets(handshake) = host;
        Ok(self.run_handshake(stream, handshake).await?.0)
    }

    /// Runs a handshake.
    pub(in crate::net) async fn run_handshake(
        &self,
        stream: TcpStream,
        handshake: &Handshake,
    ) -> Result<(Stream, Security), TlsError> {
        let handshaking = handshake.connector.connect(handshake.name.clone(), stream);
        let stream = match timeout(self.limits.connect, handshaking).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                trace::note(&handshake.authority, format_args!("TLS failed: {error}"));
                return Err(handshake.fault(error));
            }
            Err(_) => return Err(handshake.handshake_timeout(self.limits.connect)),
        };
        let is_resumed = stream.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed);
        let security = match handshake.verifier.verdict() {
            Some(Ok(security)) => security,
            Some(Err(certificate)) => return Err(TlsError::UntrustedCertificate(certificate)),
            // The certificate was verified when the session began, and that handshake returned its security.
            None if is_resumed => Security::Verified,
            // A connection without a certificate is impossible; without one the server would be unauthenticated.
            None => {
                return Err(TlsError::Net(NetError::Tls {
                    authority: handshake.authority.clone(),
                    said: "no certificate was shown".to_owned(),
                }));
            }
        };
        let session = stream.get_ref().1;
        trace::note(
            &handshake.authority,
            format_args!(
                "TLS negotiated: {:?}, {:?}, resumed: {is_resumed}, certificate: {security:?}",
                session.protocol_version(),
                session.negotiated_cipher_suite().map(|suite| suite.suite()),
            ),
        );
        Ok((Stream::from(stream), security))
    }
}
