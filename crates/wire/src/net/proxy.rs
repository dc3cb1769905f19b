//! Proxies as settings and the environment name them: one SOCKS5 proxy for everything, or HTTP proxies with exceptions.
//!
//! The exceptions of `no_proxy` are matched here, because the matcher of hyper-util takes no ports in them.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rfc1738::{Dialect, Encoded, Parts};

use super::authority;

/// The default port of a SOCKS5 proxy (RFC 1928, section 3).
const SOCKS_PORT: u16 = 1080;

/// The default port of an HTTP proxy.
const WEB_PORT: u16 = 8080;

/// The longest user or password for a SOCKS5 proxy, in octets (RFC 1929, section 2).
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

/// The address of a proxy, and the user and the password that it asks for.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct ProxyServer {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) login: Option<(String, String)>,
}

impl ProxyServer {
    /// Parses `[user:password@]host[:port]`; `credential` checks the user and the password, `invalid` is the error for
    /// everything else.
    fn parse(
        written: &str,
        default_port: u16,
        credential: impl Fn(Option<Encoded<'_>>) -> Result<String, String>,
        invalid: &str,
    ) -> Result<Self, String> {
        // The text between the slashes is a login by RFC 1738, section 3.1, as a telnet URL has it.
        let text = format!("telnet://{}/", written.trim_end_matches('/'));
        let url = Dialect::Extended
            .parse(&text)
            .map_err(|_| invalid.to_owned())?;
        let Parts::Telnet(telnet) = url.base_parts() else {
            return Err(invalid.to_owned());
        };
        let login = telnet.login;
        Ok(Self {
            host: login.address.node().to_owned(),
            port: login.address.written_port.unwrap_or(default_port),
            login: match login.user {
                None => None,
                user => Some((credential(user)?, credential(login.password)?)),
            },
        })
    }
}

/// Debug output without the login.
impl fmt::Debug for ProxyServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&authority(&self.host, self.port))
    }
}

/// A SOCKS5 proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    pub(super) server: ProxyServer,
}

impl Proxy {
    /// Parses `socks5://[user:password@]host[:port]`, or just `host[:port]`; `socks5h` means the same, because names
    /// are never looked up here. Special characters of user and password are written as `%XX`.
    ///
    /// # Errors
    /// A sentence that never repeats the setting, because it may contain a password.
    pub fn parse(written: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected socks5://host:port or socks5://user:password@host:port";
        let written = written.trim();
        let rest = match written.split_once("://") {
            Some((scheme, rest)) => {
                let schemes = ["socks5", "socks5h"];
                if !schemes.iter().any(|name| scheme.eq_ignore_ascii_case(name)) {
                    return Err(format!("only SOCKS5 proxies are supported; {EXPECTED}"));
                }
                rest
            }
            None => written,
        };
        let credential = |encoded: Option<Encoded<'_>>| {
            let text = String::from_utf8(encoded.unwrap_or_default().octets().into_owned()).ok();
            let text = text.filter(|text| (1..=CREDENTIAL).contains(&text.len()));
            let expected =
                "a proxy's user name and password must have 1 to 255 bytes each, in UTF-8";
            text.ok_or_else(|| expected.to_owned())
        };
        let invalid = format!("not a proxy; {EXPECTED}");
        let server = ProxyServer::parse(rest, SOCKS_PORT, credential, &invalid)?;
        Ok(Self { server })
    }

    /// The text `host:port`, as used in messages.
    pub fn authority(&self) -> String {
        authority(&self.server.host, self.server.port)
    }
}

/// An HTTP proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebProxy {
    pub(super) server: ProxyServer,
}

impl WebProxy {
    /// Parses `http://[user:password@]host[:port]`, or the text after the slashes. Special characters of user and
    /// password are written as `%XX`.
    ///
    /// # Errors
    /// A sentence that never repeats the setting, because it may contain a password.
    pub fn parse(written: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected http://host:port or http://user:password@host:port";
        let invalid = format!("not a web proxy; {EXPECTED}");
        let written = written.trim();
        let rest = match written.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some(_) => {
                let only = "only plain http is supported to a web proxy";
                return Err(format!("{only}; {EXPECTED}"));
            }
            None => written,
        };
        let credential = |encoded: Option<Encoded<'_>>| {
            let octets = encoded.unwrap_or_default().octets();
            String::from_utf8(octets.into_owned()).map_err(|_| invalid.clone())
        };
        let server = ProxyServer::parse(rest, WEB_PORT, credential, &invalid)?;
        if server.host.is_empty() {
            return Err(invalid);
        }
        Ok(Self { server })
    }

    /// The text `host:port`, as used in messages.
    pub fn authority(&self) -> String {
        authority(&self.server.host, self.server.port)
    }

    /// The value of `Proxy-Authorization`, if the proxy requires it (RFC 7617).
    pub fn authorization(&self) -> Option<String> {
        let (user, password) = self.server.login.as_ref()?;
        let pair = STANDARD.encode(format!("{user}:{password}"));
        Some(format!("Basic {pair}"))
    }
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

    pub(super) fn connects_directly(&self, host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.exceptions.iter().any(|name| {
            let is_below = |name: &str| {
                let above = host.strip_suffix(name);
                above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
            };
            let with_port = name.strip_suffix(&format!(":{port}"));
            name == "*" || is_below(name) || with_port.is_some_and(is_below)
        })
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
