//! Connections through proxies.
//!
//! A SOCKS5 proxy (RFC 1928) gets host names unresolved, and a user and a password if it requires them (RFC 1929); only
//! the name of the proxy itself is looked up here. If a proxy is set, there is no direct connection, and an invalid
//! proxy setting does not allow one.
//!
//! HTTP proxies (RFC 9110, section 3.7): requests for plain http are sent to them, https goes through them (CONNECT,
//! section 9.3.6). If a SOCKS5 proxy is set, everything goes through it, and these are not used.

use std::io;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_socks::Error as Fault;
use tokio_socks::tcp::Socks5Stream;

use super::{Net, NetError, Proxy, RequestNet, WebProxies, WebProxy, authority, write};

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

impl Net {
    /// Sets the HTTP proxies.
    #[must_use]
    pub fn with_web_proxies(self, web: WebProxies) -> Self {
        Self { web, ..self }
    }

    /// The proxy for pages of `host`; `None` if there is no proxy for it.
    ///
    /// # Errors
    /// [`NetError::InvalidProxy`]
    pub fn web_proxy(
        &self,
        host: &str,
        port: u16,
        is_sealed: bool,
    ) -> Result<Option<&WebProxy>, NetError> {
        if !self.is_direct() || self.web.connects_directly(host, port) {
            return Ok(None);
        }
        match &self.web.invalid {
            Some(why) => Err(NetError::InvalidProxy { why: why.clone() }),
            None if is_sealed => Ok(self.web.https.as_ref()),
            None => Ok(self.web.http.as_ref()),
        }
    }
}

impl RequestNet {
    /// Connects to an HTTP proxy.
    ///
    /// # Errors
    /// [`NetError::ProxyUnreachable`]; [`NetError::Offline`] in offline mode; [`NetError::LocalAddress`].
    pub async fn connect_web_proxy(
        &self,
        proxy: &WebProxy,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        self.check_online(host, port)?;
        self.check_literal(host, port).await?;
        let dialled = self.dial(&proxy.server.host, proxy.server.port).await;
        dialled.map_err(|source| NetError::ProxyUnreachable {
            authority: authority(host, port),
            source: Box::new(source),
        })
    }

    /// Connects to `host` through an HTTP proxy.
    ///
    /// # Errors
    /// [`NetError::ProxyUnreachable`], [`NetError::ProxyRefused`].
    pub async fn tunnel(
        &self,
        proxy: &WebProxy,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        let target = authority(host, port);
        let refused = |why: String| NetError::ProxyRefused {
            proxy: proxy.authority(),
            authority: target.clone(),
            why,
        };
        let mut stream = self.connect_web_proxy(proxy, host, port).await?;
        let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
        if let Some(login) = proxy.authorization() {
            request.extend(["Proxy-Authorization: ", &login, "\r\n"]);
        }
        request += "\r\n";
        let sender = proxy.authority();
        write(&mut stream, request.as_bytes(), &sender, &self.limits).await?;
        let mut head = Vec::new();
        let reading = async {
            while !head.ends_with(b"\r\n\r\n") && head.len() < self.limits.line {
                head.push(stream.read_u8().await?);
            }
            Ok::<_, std::io::Error>(())
        };
        match timeout(self.limits.idle, reading).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(refused(error.to_string())),
            Err(_) => {
                let seconds = self.limits.idle.as_secs();
                return Err(refused(format!("it said nothing for {seconds} s")));
            }
        }
        let line = head.split(|&octet| octet == b'\r').next();
        let line = String::from_utf8_lossy(line.unwrap_or_default()).into_owned();
        let (version, status) = line.split_once(' ').unwrap_or_default();
        if version.starts_with("HTTP/1.") && status.starts_with('2') {
            Ok(stream)
        } else {
            Err(refused(status.chars().take(200).collect()))
        }
    }
}
