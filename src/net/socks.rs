//! SOCKS5 proxies (RFC 1928), with a user and a password if the proxy requires them (RFC 1929).
//!
//! The proxy gets host names unresolved; only the name of the proxy itself is looked up here. If a proxy is set,
//! there is no direct connection, and an invalid proxy setting does not allow one.

use std::fmt;
use std::io;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_socks::Error as Fault;
use tokio_socks::tcp::Socks5Stream;

use super::{Net, NetError, authority};
use crate::url::{Encoded, Parts, Url};

/// The default port of a proxy (RFC 1928, section 3).
const PORT: u16 = 1080;

/// The longest user or password, in octets (RFC 1929, section 2).
const CREDENTIAL: usize = 255;

/// The way in which hosts are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// A direct connection.
    #[default]
    Direct,
    /// A proxy for every connection.
    Proxy(Proxy),
    /// No connections: a proxy is configured, but the setting is invalid for this reason.
    InvalidProxy(String),
}

impl Route {
    /// The route for a proxy setting; [`Route::InvalidProxy`] if it cannot be parsed.
    pub fn from_setting(written: &str) -> Self {
        Proxy::parse(written).map_or_else(Self::InvalidProxy, Self::Proxy)
    }
}

/// A SOCKS5 proxy.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    host: String,
    port: u16,
    login: Option<(String, String)>,
}

impl Proxy {
    /// Parses `socks5://[user:password@]host[:port]`, or just `host[:port]`; `socks5h` means the same, because names
    /// are never looked up here. Special characters of user and password are written as `%XX`.
    ///
    /// # Errors
    /// A sentence that never repeats the setting, because it may contain a password.
    pub fn parse(written: &str) -> Result<Self, String> {
        const EXPECTED: &str = "socks5://host:port is wanted, with user:password@ before the host where the proxy asks \
                              for them";
        let written = written.trim();
        let rest = match written.split_once("://") {
            Some((scheme, rest)) => {
                let schemes = ["socks5", "socks5h"];
                if !schemes.iter().any(|name| scheme.eq_ignore_ascii_case(name)) {
                    return Err(format!("Geomys speaks to SOCKS5 proxies only; {EXPECTED}"));
                }
                rest
            }
            None => written,
        };
        // The text between the slashes is a login by RFC 1738, section 3.1, as a telnet URL has it.
        let text = format!("telnet://{}/", rest.trim_end_matches('/'));
        let url = Url::accept(&text).map_err(|_| format!("this is no proxy; {EXPECTED}"))?;
        let Parts::Telnet(telnet) = url.parts() else {
            return Err(format!("this is no proxy; {EXPECTED}"));
        };
        let login = telnet.login;
        let credential = |encoded: Encoded<'_>| {
            let text = String::from_utf8(encoded.octets().into_owned()).ok()?;
            (1..=CREDENTIAL).contains(&text.len()).then_some(text)
        };
        let login = match (login.user, login.password) {
            (None, _) => None,
            (Some(user), password) => {
                let both = credential(user).zip(password.and_then(credential));
                let expected =
                    "a proxy's user and its password have 1 to 255 octets each, in UTF-8";
                Some(both.ok_or(expected)?)
            }
        };
        let address = telnet.login.address;
        Ok(Self {
            host: address.node().to_owned(),
            port: address.written_port.unwrap_or(PORT),
            login,
        })
    }

    /// The text `host:port`, as used in messages.
    pub fn authority(&self) -> String {
        authority(&self.host, self.port)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("place", &self.authority())
            .finish_non_exhaustive()
    }
}

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
        let socket = self.dial(&proxy.host, proxy.port).await.map_err(away)?;
        let target = (host, port);
        let connecting = async {
            match &proxy.login {
                Some((user, password)) => {
                    Socks5Stream::connect_with_password_and_socket(socket, target, user, password)
                        .await
                }
                None => Socks5Stream::connect_with_socket(socket, target).await,
            }
        };
        match timeout(self.limits.connect, connecting).await {
            Ok(Ok(stream)) => Ok(stream.into_inner()),
            Ok(Err(fault)) => Err(NetError::ProxyRefused {
                proxy: proxy.authority(),
                authority,
                why: why(&fault),
            }),
            Err(_) => Err(NetError::ProxyRefused {
                proxy: proxy.authority(),
                authority,
                why: format!(
                    "it did not say yes or no within {} s",
                    self.limits.connect.as_secs()
                ),
            }),
        }
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
