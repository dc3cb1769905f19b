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
            Err(_) => format!("it did not answer within {} s", deadline.as_secs()),
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
            "it requires a user name and password, or refused the given ones"
        }
        Fault::PasswordAuthFailure(_) => "it refused this user name and password",
        Fault::ConnectionNotAllowedByRuleset => "its rules forbid the connection",
        Fault::NetworkUnreachable => "network unreachable",
        Fault::HostUnreachable => "host unreachable",
        Fault::ConnectionRefused => "the host refused the connection",
        Fault::TtlExpired => "the host did not answer in time",
        Fault::CommandNotSupported => "it does not support CONNECT",
        Fault::AddressTypeNotSupported => "it does not support this type of address",
        Fault::GeneralSocksServerFailure => "it failed without a reason",
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
        | Fault::InvalidUserIdAuthFailure => "it failed with an unknown SOCKS5 code",
    };
    words.to_owned()
}
