//! Network errors.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use super::tls::words;
use crate::text::system_message;

/// A network error; `Display` is a sentence that names the host.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The name has no address.
    #[error("host not found: {host}")]
    HostNotFound {
        /// The name as it was requested.
        host: String,
        /// The resolver's error.
        source: io::Error,
    },
    /// The name has characters that no host name may have (RFC 5891).
    #[error("{host} is not a host name: no name service takes its letters")]
    InvalidHost {
        /// The name as it was requested.
        host: String,
    },
    /// The host is an onion service and there is no proxy that could reach it. Its name is never sent to a name
    /// service (RFC 7686).
    #[error("{host} is an onion service and needs a proxy")]
    Onion {
        /// The name of the onion service.
        host: String,
    },
    /// The host refused the connection, because no program listens on the port.
    #[error("{authority} refused the connection: nothing listens on that port")]
    Refused {
        /// `host:port`.
        authority: String,
    },
    /// A deadline passed.
    #[error("{authority} {problem} within {seconds} s")]
    Timeout {
        /// `host:port`.
        authority: String,
        /// The missing action: `did not answer`, `sent nothing more`.
        problem: &'static str,
        /// The deadline in seconds.
        seconds: u64,
    },
    /// The other end closed the connection although more was expected.
    #[error("{authority} closed the connection {when}")]
    Closed {
        /// `host:port`.
        authority: String,
        /// The point in time: `before it answered`, `in the middle of the reply`.
        when: &'static str,
    },
    /// A TLS connection ended without the closing message of TLS, so the data may be truncated.
    #[error("{authority} ended TLS without close_notify: data may be missing")]
    TlsTruncated {
        /// `host:port`.
        authority: String,
    },
    /// A reply line or block is longer than its cap.
    #[error("{authority} sent a line of more than {limit} bytes")]
    LongLine {
        /// `host:port`.
        authority: String,
        /// The cap in octets.
        limit: usize,
    },
    /// The request contains characters that must not be sent (RFC 1738, section 6).
    #[error("not sent: {what} contains a line break or NUL")]
    Unsendable {
        /// The part of the request with these characters.
        what: &'static str,
    },
    /// The server does not seem to speak TLS.
    #[error("{authority} does not seem to speak TLS: {sign}")]
    NotTls {
        /// `host:port`.
        authority: String,
        /// The symptom that shows this.
        sign: String,
    },
    /// The server supports only unsafe versions or ciphers of TLS.
    #[error("{authority} supports neither TLS 1.2 nor 1.3: {said}")]
    OldTls {
        /// `host:port`.
        authority: String,
        /// The error of the TLS library, or the alert received.
        said: String,
    },
    /// The TLS handshake failed for a reason other than trust.
    #[error("TLS with {authority} failed: {said}")]
    Tls {
        /// `host:port`.
        authority: String,
        /// The error of the TLS library, or the alert received.
        said: String,
    },
    /// A proxy is configured but its setting is invalid, so nothing is connected.
    #[error("not connected: the configured proxy is unusable: {why}")]
    InvalidProxy {
        /// The mistake in the setting.
        why: String,
    },
    /// Datagrams cannot be sent through a proxy.
    #[error("{authority} was not contacted: proxies do not forward UDP")]
    NoDatagrams {
        /// `host:port` of the target.
        authority: String,
    },
    /// The proxy cannot be reached.
    #[error("the proxy for {authority} is unreachable: {source}")]
    ProxyUnreachable {
        /// `host:port` of the target.
        authority: String,
        /// The cause, which names the proxy.
        source: Box<NetError>,
    },
    /// The proxy did not connect to the host.
    #[error("the proxy {proxy} did not connect to {authority}: {why}")]
    ProxyRefused {
        /// `host:port` of the proxy.
        proxy: String,
        /// `host:port` of the target.
        authority: String,
        /// The reason that the proxy gave.
        why: String,
    },
    /// The program is in offline mode.
    #[error("{authority} was not contacted: Geomys is offline")]
    Offline {
        /// `host:port` of the target.
        authority: String,
    },
    /// A page of another host leads to an address of this machine or its network, without a permission.
    #[error("{authority} was not contacted: its address is local, {address}")]
    LocalAddress {
        /// `host:port`.
        authority: String,
        /// The address.
        address: IpAddr,
    },
    /// The client certificate cannot be read or made.
    #[error(
        "not requested: the client certificate cannot be used: {}",
        system_message(source)
    )]
    Identity {
        /// The error of the store.
        source: io::Error,
    },
    /// Another error of the operating system.
    #[error("{authority}: {}", words::of_io(source))]
    Io {
        /// `host:port`.
        authority: String,
        /// The operating system's error.
        source: io::Error,
    },
}

impl NetError {
    /// An error of the operating system on a connection to `authority`.
    pub fn io(authority: &str, source: io::Error) -> Self {
        let authority = authority.to_owned();
        Self::Io { authority, source }
    }

    /// The error of a deadline that passed.
    pub(crate) fn timeout(authority: &str, problem: &'static str, deadline: Duration) -> Self {
        Self::Timeout {
            authority: authority.to_owned(),
            problem,
            seconds: deadline.as_secs(),
        }
    }

    /// The error of a connection that was closed too early.
    pub fn closed(authority: &str, when: &'static str) -> Self {
        let authority = authority.to_owned();
        Self::Closed { authority, when }
    }

    /// Returns true if the other end reset the connection.
    pub fn is_reset(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::ConnectionReset)
    }

    /// Returns true if the other end closed the connection, in order or not.
    pub fn is_closed(&self) -> bool {
        let is_end = |source: &io::Error| source.kind() == io::ErrorKind::BrokenPipe;
        matches!(self, Self::Closed { .. } | Self::TlsTruncated { .. })
            || matches!(self, Self::Io { source, .. } if is_end(source))
            || self.is_reset()
    }

    /// Advice that may help, one sentence.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::HostNotFound { .. } => Some("check the name in the address, or the network"),
            Self::InvalidHost { .. } => Some("check the letters of the host"),
            Self::Onion { .. } => {
                Some("set proxy in settings.toml; Tor usually listens at socks5://127.0.0.1:9050")
            }
            Self::Refused { .. } => Some("check the port; the server may be down"),
            Self::Timeout { .. } | Self::Closed { .. } => Some("retry: the server may be busy"),
            Self::TlsTruncated { .. } => Some("retry: some of it may be missing"),
            Self::Unsendable { .. } => {
                Some("such a URL would send a second command; Geomys never sends it")
            }
            Self::NotTls { .. } | Self::OldTls { .. } => {
                Some("for a connection without TLS use a scheme without the s, as in gopher://")
            }
            Self::InvalidProxy { .. } => {
                Some("fix or remove proxy in settings.toml, --proxy or $ALL_PROXY")
            }
            Self::NoDatagrams { .. } => Some(
                "without proxy in settings.toml Geomys connects directly, and the server sees your address",
            ),
            Self::ProxyUnreachable { .. } => {
                Some("start the proxy, or change proxy in settings.toml; Geomys never bypasses it")
            }
            Self::Offline { .. } => Some("go online, or start without --offline"),
            Self::ProxyRefused { .. }
            | Self::LocalAddress { .. }
            | Self::Identity { .. }
            | Self::Tls { .. }
            | Self::LongLine { .. }
            | Self::Io { .. } => None,
        }
    }
}

/// The text `host:port`, as used in messages.
pub fn authority(host: &str, port: u16) -> String {
    if host.contains(':') {
        return format!("[{host}]:{port}");
    }
    format!("{host}:{port}")
}
