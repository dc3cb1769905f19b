//! Proxies for pages of the Web (RFC 9110, section 3.7): plain http is asked of them, https goes through them (CONNECT,
//! section 9.3.6). Where a SOCKS5 proxy is set, everything goes through that one, and these are not used.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Net, NetError, Route, place, write};
use crate::url::{Encoded, Parts, Url};

/// The port of a proxy that names none.
const PORT: u16 = 8080;

/// A proxy of the Web.
#[derive(Clone, PartialEq, Eq)]
pub struct WebProxy {
    host: String,
    port: u16,
    login: Option<(String, String)>,
}

/// Which of them is asked for what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebProxies {
    /// For `http:`.
    pub http: Option<WebProxy>,
    /// For `https:`.
    pub https: Option<WebProxy>,
    /// Hosts that are reached without one: names, of which those below them are too, and `*` for all.
    pub not_for: Vec<String>,
    /// One is wanted, and this is what is wrong with it: no page of the Web is asked for.
    pub shut: Option<String>,
}

impl WebProxy {
    /// Reads `http://[user:password@]host[:port]`, or what follows the slashes. Odd characters of user and password are
    /// written as `%XX`.
    ///
    /// # Errors
    /// A sentence, which never repeats what was written: there may be a password in it.
    pub fn parse(written: &str) -> Result<Self, String> {
        const WANTED: &str = "http://host:port is wanted, with user:password@ before the host where the proxy asks for them";
        let none = || format!("this is no proxy of the Web; {WANTED}");
        let written = written.trim();
        let rest = match written.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some(_) => {
                return Err(format!(
                    "Geomys speaks to proxies by plain http only; {WANTED}"
                ));
            }
            None => written,
        };
        // What stands between the slashes is a login by RFC 1738, section 3.1, as a telnet URL has it.
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

    /// `host:port`, as sentences name it.
    pub fn place(&self) -> String {
        place(&self.host, self.port)
    }

    /// The value of `Proxy-Authorization`, where the proxy wants one (RFC 7617).
    pub fn authorization(&self) -> Option<String> {
        let (user, password) = self.login.as_ref()?;
        let pair = STANDARD.encode(format!("{user}:{password}"));
        Some(format!("Basic {pair}"))
    }
}

impl fmt::Debug for WebProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebProxy")
            .field("place", &self.place())
            .finish_non_exhaustive()
    }
}

impl WebProxies {
    /// Those of the environment, as `$http_proxy`, `$https_proxy` and `$no_proxy` name them.
    pub fn named(http: Option<&str>, https: Option<&str>, not_for: Option<&str>) -> Self {
        let mut shut = None;
        let mut read = |name: &str, written: Option<&str>| match WebProxy::parse(written?) {
            Ok(proxy) => Some(proxy),
            Err(why) => {
                shut = Some(format!("{name}: {why}"));
                None
            }
        };
        let (http, https) = (read("$http_proxy", http), read("$https_proxy", https));
        Self {
            http,
            https,
            not_for: not_for.map(Self::without).unwrap_or_default(),
            shut,
        }
    }

    /// The same, with one for everything that settings.toml names.
    pub fn set(&mut self, proxy: WebProxy) {
        self.http = Some(proxy.clone());
        self.https = Some(proxy);
        self.shut = None;
    }

    /// Reads the hosts that are reached without a proxy, as `$no_proxy` has them: parted by commas.
    pub fn without(written: &str) -> Vec<String> {
        let names = written.split([',', ' ']).map(|name| {
            let name = name.trim().trim_start_matches("*.").trim_start_matches('.');
            name.to_ascii_lowercase()
        });
        names.filter(|name| !name.is_empty()).collect()
    }

    fn is_without(&self, host: &str, port: u16) -> bool {
        Self::names(&self.not_for, host, port)
    }

    /// Whether a list of [`WebProxies::without`] names a host.
    pub fn names(not_for: &[String], host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        not_for.iter().any(|name| {
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
    /// The same, with these proxies for the Web.
    #[must_use]
    pub fn by_web(self, web: WebProxies) -> Self {
        Self { web, ..self }
    }

    /// The proxy that is asked for pages of `host`; none where it is reached like any other.
    ///
    /// # Errors
    /// [`NetError::NoProxy`]
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
            Route::Straight if self.web.is_without(host, port) => Ok(None),
            Route::Straight => match &self.web.shut {
                Some(why) => Err(NetError::NoProxy { why: why.clone() }),
                None => Ok(proxy),
            },
            Route::Proxy(_) | Route::Shut(_) => Ok(None),
        }
    }

    /// Connects to a proxy that is asked for what another scheme than the Web's names: by the route, as to any other host.
    ///
    /// # Errors
    /// As [`Net::connect`].
    pub async fn connect_asked_proxy(&self, proxy: &WebProxy) -> Result<TcpStream, NetError> {
        self.connect(&proxy.host, proxy.port).await
    }

    /// Connects to a proxy of the Web.
    ///
    /// # Errors
    /// [`NetError::ProxyAway`]; [`NetError::Offline`] where nobody is to be dialled.
    pub async fn connect_web_proxy(
        &self,
        proxy: &WebProxy,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        if self.is_offline() {
            let place = place(host, port);
            return Err(NetError::Offline { place });
        }
        let dialled = self.dial(&proxy.host, proxy.port).await;
        dialled.map_err(|source| NetError::ProxyAway {
            place: place(host, port),
            source: Box::new(source),
        })
    }

    /// Has a proxy of the Web connect to `host`.
    ///
    /// # Errors
    /// [`NetError::ProxyAway`], [`NetError::ProxyRefused`].
    pub async fn tunnel(
        &self,
        proxy: &WebProxy,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        let target = place(host, port);
        let refused = |why: String| NetError::ProxyRefused {
            proxy: proxy.place(),
            place: target.clone(),
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
            &proxy.place(),
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
        for (written, place, login) in [
            ("http://proxy.example:3128/", "proxy.example:3128", None),
            ("proxy.example", "proxy.example:8080", None),
            (
                "HTTP://ada:a%40b@[::1]:1",
                "[::1]:1",
                Some("Basic YWRhOmFAYg=="),
            ),
        ] {
            let proxy = WebProxy::parse(written).unwrap();
            assert_eq!(proxy.place(), place);
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
            not_for: WebProxies::without("localhost, .Example.org,*.test,h:8080"),
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
            assert_eq!(proxies.is_without(host, port), is_without, "{host}");
        }
    }
}
