//! HTTP proxies (RFC 9110, section 3.7): requests for plain http are sent to them, https goes through them (CONNECT,
//! section 9.3.6). If a SOCKS5 proxy is set, everything goes through it, and these are not used.

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Net, NetError, WebProxies, WebProxy, authority, write};

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
        self.check_literal(host, port)?;
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
