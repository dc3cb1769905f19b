//! HTTP proxies (RFC 9110, section 3.7): requests for plain http are sent to them, https goes through them (CONNECT,
//! section 9.3.6). If a SOCKS5 proxy is set, everything goes through it, and these are not used.
//!
//! The exceptions of `no_proxy` are matched here, because the matcher of hyper-util takes no ports in them.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Net, NetError, Route, authority, write};
use crate::url::{Encoded, Parts, Url};

/// The default port of a proxy.
const PORT: u16 = 8080;

/// An HTTP proxy.
#[derive(Clone, PartialEq, Eq)]
pub struct WebProxy {
    host: String,
    port: u16,
    login: Option<(String, String)>,
}

/// The proxies by scheme, with the exceptions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebProxies {
    /// The proxy for `http:`.
    pub http: Option<WebProxy>,
    /// The proxy for `https:`.
    pub https: Option<WebProxy>,
    /// Hosts that are reached without a proxy: names, which include their subdomains, and `*` for all.
    pub exceptions: Vec<String>,
    /// The mistake in the proxy setting, if it is invalid: then no web page is requested.
    pub invalid: Option<String>,
}

impl WebProxy {
    /// Parses `http://[user:password@]host[:port]`, or the text after the slashes. Special characters of user and
    /// password are written as `%XX`.
    ///
    /// # Errors
    /// A sentence that never repeats the setting, because it may contain a password.
    pub fn parse(written: &str) -> Result<Self, String> {
        const EXPECTED: &str = "http://host:port is wanted, with user:password@ before the host where the proxy asks for them";
        let none = || format!("this is no proxy of the Web; {EXPECTED}");
        let written = written.trim();
        let rest = match written.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some(_) => {
                return Err(format!(
                    "Geomys speaks to proxies by plain http only; {EXPECTED}"
                ));
            }
            None => written,
        };
        // The text between the slashes is a login by RFC 1738, section 3.1, as a telnet URL has it.
        let text = format!("telnet://{}/", rest.trim_end_matches('/'));
        let url = Url::accept(&text).map_err(|_| none())?;
        let Parts::Telnet(telnet) = url.parts() else {
            return Err(none());
        };
        let login = telnet.login;
        let text = |encoded: Option<Encoded<'_>>| {
            let octets = encoded.unwrap_or_default().octets();
            String::from_utf8(octets.into_owned()).map_err(|_| none())
        };
        if login.address.node().is_empty() {
            return Err(none());
        }
        Ok(Self {
            host: login.address.node().to_owned(),
            port: login.address.written_port.unwrap_or(PORT),
            login: match login.user {
                None => None,
                user => Some((text(user)?, text(login.password)?)),
            },
        })
    }

    /// The text `host:port`, as used in messages.
    pub fn authority(&self) -> String {
        authority(&self.host, self.port)
    }

    /// The value of `Proxy-Authorization`, if the proxy requires it (RFC 7617).
    pub fn authorization(&self) -> Option<String> {
        let (user, password) = self.login.as_ref()?;
        let pair = STANDARD.encode(format!("{user}:{password}"));
        Some(format!("Basic {pair}"))
    }
}

impl fmt::Debug for WebProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebProxy")
            .field("place", &self.authority())
            .finish_non_exhaustive()
    }
}

impl WebProxies {
    /// The proxies of the environment, from `$http_proxy`, `$https_proxy` and `$no_proxy`.
    pub fn from_env(http: Option<&str>, https: Option<&str>, exceptions: Option<&str>) -> Self {
        let mut invalid = None;
        let mut read = |name: &str, written: Option<&str>| match WebProxy::parse(written?) {
            Ok(proxy) => Some(proxy),
            Err(why) => {
                invalid = Some(format!("{name}: {why}"));
                None
            }
        };
        let (http, https) = (read("$http_proxy", http), read("$https_proxy", https));
        Self {
            http,
            https,
            exceptions: exceptions.map(Self::parse_exceptions).unwrap_or_default(),
            invalid,
        }
    }

    /// Sets the proxy of settings.toml for both schemes.
    pub fn set(&mut self, proxy: WebProxy) {
        self.http = Some(proxy.clone());
        self.https = Some(proxy);
        self.invalid = None;
    }

    /// Parses the hosts that are reached without a proxy, in the format of `$no_proxy`: separated by commas.
    pub fn parse_exceptions(written: &str) -> Vec<String> {
        let names = written.split([',', ' ']).map(|name| {
            let name = name.trim().trim_start_matches("*.").trim_start_matches('.');
            name.to_ascii_lowercase()
        });
        names.filter(|name| !name.is_empty()).collect()
    }

    fn connects_directly(&self, host: &str, port: u16) -> bool {
        Self::is_exception(&self.exceptions, host, port)
    }

    /// Returns true if a list of [`WebProxies::parse_exceptions`] contains a host.
    pub fn is_exception(exceptions: &[String], host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        exceptions.iter().any(|name| {
            let is_below = |name: &str| {
                let above = host.strip_suffix(name);
                above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            };
            let with_port = name.strip_suffix(&format!(":{port}"));
            name == "*" || is_below(name) || with_port.is_some_and(is_below)
        })
    }
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
        let proxy = if is_sealed {
            self.web.https.as_ref()
        } else {
            self.web.http.as_ref()
        };
        match self.route {
            Route::Direct if self.web.connects_directly(host, port) => Ok(None),
            Route::Direct => match &self.web.invalid {
                Some(why) => Err(NetError::InvalidProxy { why: why.clone() }),
                None => Ok(proxy),
            },
            Route::Proxy(_) | Route::InvalidProxy(_) => Ok(None),
        }
    }

    /// Connects to a proxy that is configured as a gateway for another scheme than http and https: by the route, like
    /// any other host.
    ///
    /// # Errors
    /// Those of [`Net::connect`].
    pub async fn connect_gateway_proxy(&self, proxy: &WebProxy) -> Result<TcpStream, NetError> {
        self.connect(&proxy.host, proxy.port).await
    }

    /// Connects to an HTTP proxy.
    ///
    /// # Errors
    /// [`NetError::ProxyUnreachable`]; [`NetError::Offline`] in offline mode.
    pub async fn connect_web_proxy(
        &self,
        proxy: &WebProxy,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        if self.is_offline() {
            let authority = authority(host, port);
            return Err(NetError::Offline { authority });
        }
        let dialled = self.dial(&proxy.host, proxy.port).await;
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
        let login = proxy.authorization();
        let login = login.map_or(String::new(), |login| {
            format!("Proxy-Authorization: {login}\r\n")
        });
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{login}\r\n");
        write(
            &mut stream,
            request.as_bytes(),
            &proxy.authority(),
            &self.limits,
        )
        .await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_a_place_and_a_login() {
        for (written, authority, login) in [
            ("http://proxy.example:3128/", "proxy.example:3128", None),
            ("proxy.example", "proxy.example:8080", None),
            (
                "HTTP://ada:a%40b@[::1]:1",
                "[::1]:1",
                Some("Basic YWRhOmFAYg=="),
            ),
        ] {
            let proxy = WebProxy::parse(written).unwrap();
            assert_eq!(proxy.authority(), authority);
            assert_eq!(proxy.authorization().as_deref(), login);
            assert!(!format!("{proxy:?}").contains("a@b"));
        }
        for written in ["", "https://h/", "socks5://h", "http://h:99999", "http:///"] {
            WebProxy::parse(written).unwrap_err();
        }
    }

    #[test]
    fn hosts_without_a_proxy_are_named_with_those_below_them() {
        let proxies = WebProxies {
            exceptions: WebProxies::parse_exceptions("localhost, .Example.org,*.test,h:8080"),
            ..WebProxies::default()
        };
        for (host, port, is_without) in [
            ("localhost", 80, true),
            ("www.example.ORG.", 80, true),
            ("example.org", 80, true),
            ("badexample.org", 80, false),
            ("a.test", 80, true),
            ("h", 80, false),
            ("h", 8080, true),
        ] {
            assert_eq!(proxies.connects_directly(host, port), is_without, "{host}");
        }
    }
}
