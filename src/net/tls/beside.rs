//! More connections to a host that one over TLS leads to already, as FTP's data connections are (RFC 4217, section 10).
//!
//! They resume the session of the first: many servers give data to nobody else. So each first connection has a store of
//! sessions of its own, which none but those beside it can use.

use rustls::HandshakeKind;
use rustls::client::Resumption;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Handshake, Verdict};
use crate::net::{Net, NetError, Security, Stream, TlsError, Trust};

/// What connections beside the first need to know of it.
pub struct TlsHost(Handshake);

impl std::fmt::Debug for TlsHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TlsHost").field(&self.0.place).finish()
    }
}

impl Net {
    /// As [`Net::secure`], for a connection that others will stand beside.
    ///
    /// # Errors
    /// As [`Net::connect_tls`].
    pub async fn secure_first(
        &self,
        stream: TcpStream,
        host: &str,
        port: u16,
        trust: &Trust,
    ) -> Result<(Stream, Security, TlsHost), TlsError> {
        let handshake = self
            .handshake(host, port, trust, Resumption::default())
            .await?;
        let (stream, security) = self.shake(stream, &handshake).await?;
        Ok((stream, security, TlsHost(handshake)))
    }

    /// Speaks TLS over a connection to the host of another. Where the session is not resumed, the certificate has to be
    /// as good as the first time.
    ///
    /// # Errors
    /// As [`Net::connect_tls`].
    pub async fn secure_beside(
        &self,
        stream: TcpStream,
        host: &TlsHost,
    ) -> Result<Stream, TlsError> {
        let TlsHost(handshake) = host;
        Ok(self.shake(stream, handshake).await?.0)
    }

    /// Carries a handshake out.
    pub(super) async fn shake(
        &self,
        stream: TcpStream,
        handshake: &Handshake,
    ) -> Result<(Stream, Security), TlsError> {
        let shaking = handshake.connector.connect(handshake.name.clone(), stream);
        let stream = match timeout(self.limits.connect, shaking).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(handshake.fault(error)),
            Err(_) => return Err(handshake.late(self.limits.connect)),
        };
        let is_resumed = stream.get_ref().1.handshake_kind() == Some(HandshakeKind::Resumed);
        let security = match handshake.verifier.verdict() {
            Some(Verdict::Good(security)) => security,
            Some(Verdict::Doubtful(doubt)) => return Err(TlsError::Doubt(doubt)),
            // It was judged when the session began, by a handshake that said how good it is.
            None if is_resumed => Security::Verified,
            // It cannot be without a certificate; were it, nobody would be known to be there.
            None => {
                return Err(TlsError::Net(NetError::Tls {
                    place: handshake.place.clone(),
                    said: "no certificate was shown".to_owned(),
                }));
            }
        };
        Ok((Stream::Tls(Box::new(stream)), security))
    }
}
