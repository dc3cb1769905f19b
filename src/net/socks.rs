//! Through a SOCKS5 proxy (RFC 1928), with a user and a password where it wants them (RFC 1929).
//!
//! The proxy is given host names as they are: no name is looked up here, but the proxy's own where it has one. When a
//! proxy is set there is no other way out, and a proxy that is set wrongly is no reason for one.

use std::fmt;
use std::io;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_socks::Error as Fault;
use tokio_socks::tcp::Socks5Stream;

use super::{Net, NetError, place};
use crate::url::{Encoded, Parts, Url};

/// The port of a proxy that names none (RFC 1928, section 3).
const PORT: u16 = 1080;

/// The longest user or password, in octets (RFC 1929, section 2).
const CREDENTIAL: usize = 255;

/// How hosts are reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// Straight from here.
    #[default]
    Straight,
    /// Through a proxy, every connection.
    Proxy(Proxy),
    /// Not at all: a proxy is wanted, and this is what is wrong with it.
    Shut(String),
}

impl Route {
    /// The route by a proxy as a person writes it; shut, when that is none.
    pub fn by(written: &str) -> Self {
        Proxy::parse(written).map_or_else(Self::Shut, Self::Proxy)
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
    /// Reads `socks5://[user:password@]host[:port]`, or `host[:port]` alone; `socks5h` is the same, as names are never
    /// looked up here. Odd characters of user and password are written as `%XX`.
    ///
    /// # Errors
    /// A sentence, which never repeats what was written: there may be a password in it.
    pub fn parse(written: &str) -> Result<Self, String> {
        const WANTED: &str = "socks5://host:port is wanted, with user:password@ before the host where the proxy asks \
                              for them";
        let written = written.trim();
        let rest = match written.split_once("://") {
            Some((scheme, rest)) => {
                let known = ["socks5", "socks5h"];
                if !known.iter().any(|name| scheme.eq_ignore_ascii_case(name)) {
                    return Err(format!("Geomys speaks to SOCKS5 proxies only; {WANTED}"));
                }
                rest
            }
            None => written,
        };
        // What stands between the slashes is a login by RFC 1738, section 3.1, as a telnet URL has it.
        let text = format!("telnet://{}/", rest.trim_end_matches('/'));
        let url = Url::accept(&text).map_err(|_| format!("this is no proxy; {WANTED}"))?;
        let Parts::Telnet(telnet) = url.parts() else {
            return Err(format!("this is no proxy; {WANTED}"));
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
                let wanted = "a proxy's user and its password have 1 to 255 octets each, in UTF-8";
                Some(both.ok_or(wanted)?)
            }
        };
        let address = telnet.login.address;
        Ok(Self {
            host: address.node().to_owned(),
            port: address.written_port.unwrap_or(PORT),
            login,
        })
    }

    /// `host:port`, as sentences name it.
    pub fn place(&self) -> String {
        place(&self.host, self.port)
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("place", &self.place())
            .finish_non_exhaustive()
    }
}

impl Net {
    /// Has the proxy connect to `host`, whose name it is given unresolved.
    ///
    /// # Errors
    /// [`NetError::ProxyAway`], [`NetError::ProxyRefused`].
    pub(super) async fn connect_through(
        &self,
        proxy: &Proxy,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        let place = place(host, port);
        let away = |source| NetError::ProxyAway {
            place: place.clone(),
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
                proxy: proxy.place(),
                place,
                why: why(&fault),
            }),
            Err(_) => Err(NetError::ProxyRefused {
                proxy: proxy.place(),
                place,
                why: format!(
                    "it did not say yes or no within {} s",
                    self.limits.connect.as_secs()
                ),
            }),
        }
    }
}

/// What a proxy said, in words (RFC 1928, section 6).
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
