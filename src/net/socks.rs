//! Connections through a SOCKS5 proxy (RFC 1928), with a user and a password if the proxy requires them (RFC 1929).
//!
//! The proxy gets host names unresolved; only the name of the proxy itself is looked up here. If a proxy is set,
//! there is no direct connection, and an invalid proxy setting does not allow one.

use std::io;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_socks::Error as Fault;
use tokio_socks::tcp::Socks5Stream;

use super::{Net, NetError, Proxy, authority};

impl Net {
    /// Connects to `host` through the proxy, which gets the name unresolved.
    ///
    /// # Errors
    /// [`NetError::ProxyUnreachable`], [`NetError::ProxyRefused`].
    pub(super) async fn connect_through(
        &self,
        proxy: &Proxy,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        let authority = authority(host, port);
        let away = |source| NetError::ProxyUnreachable {
            authority: authority.clone(),
            source: Box::new(source),
        };
        let server = &proxy.server;
        let socket = self.dial(&server.host, server.port).await.map_err(away)?;
        let target = (host, port);
        let connecting = async {
            match &server.login {
                Some((user, password)) => {
                    Socks5Stream::connect_with_password_and_socket(socket, target, user, password)
                        .await
                }
                None => Socks5Stream::connect_with_socket(socket, target).await,
            }
        };
        let deadline = self.limits.connect;
        let why = match timeout(deadline, connecting).await {
            Ok(Ok(stream)) => return Ok(stream.into_inner()),
            Ok(Err(fault)) => why(&fault),
            Err(_) => format!("it did not say yes or no within {} s", deadline.as_secs()),
        };
        let proxy = proxy.authority();
        Err(NetError::ProxyRefused {
            proxy,
            authority,
            why,
        })
    }
}

/// The reply of a proxy in words (RFC 1928, section 6).
fn why(fault: &Fault) -> String {
    let words = match fault {
        Fault::NoAcceptableAuthMethods | Fault::AuthorizationRequired => {
            "it wants a user and a password, or others than it was given"
        }
        Fault::PasswordAuthFailure(_) => "it does not take this user and password",
        Fault::ConnectionNotAllowedByRuleset => "its rules forbid it",
        Fault::NetworkUnreachable => "it cannot reach that network",
        Fault::HostUnreachable => "it cannot reach that host",
        Fault::ConnectionRefused => "the host refused the connection",
        Fault::TtlExpired => "the host did not answer it in time",
        Fault::CommandNotSupported => "it does not connect to hosts at all",
        Fault::AddressTypeNotSupported => "it does not know this kind of address",
        Fault::GeneralSocksServerFailure => "it failed and does not say why",
        Fault::InvalidResponseVersion
        | Fault::InvalidReservedByte
        | Fault::UnknownAddressType
        | Fault::UnknownAuthMethod => "it does not speak SOCKS5",
        Fault::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            "it closed the connection"
        }
        Fault::Io(error) => return error.to_string(),
        Fault::InvalidTargetAddress(words) | Fault::InvalidAuthValues(words) => words,
        Fault::UnknownError
        | Fault::ParseError(_)
        | Fault::ProxyServerUnreachable
        | Fault::IdentdAuthFailure
        | Fault::InvalidUserIdAuthFailure => "it failed in a way that SOCKS5 does not know",
    };
    words.to_owned()
}
