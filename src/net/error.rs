//! What can go wrong between here and a host.

use std::io;

/// What can go wrong between here and a host, as a sentence that names the host.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The name has no address.
    #[error("{host} is not known: {source}")]
    Unknown {
        /// The name as it was asked for.
        host: String,
        /// The resolver's words.
        source: io::Error,
    },
    /// An onion service, and no proxy that could reach it; its name is never given to a name service (RFC 7686).
    #[error("{host} is an onion service, which is reached through a proxy alone")]
    Onion {
        /// The name.
        host: String,
    },
    /// Nobody listens there.
    #[error("{place} refused the connection: nothing listens on that port")]
    Refused {
        /// `host:port`.
        place: String,
    },
    /// A deadline passed.
    #[error("{place} {problem} within {seconds} s")]
    Late {
        /// `host:port`.
        place: String,
        /// What it did not do: `did not answer`, `sent nothing more`.
        problem: &'static str,
        /// The deadline.
        seconds: u64,
    },
    /// The other end closed where more had to come.
    #[error("{place} closed the connection {when}")]
    Closed {
        /// `host:port`.
        place: String,
        /// `before it answered`, `in the middle of the reply`.
        when: &'static str,
    },
    /// A connection over TLS ended without the word that TLS ends by: somebody may have cut it.
    #[error("{place} did not say, as TLS does, that this was all")]
    Cut {
        /// `host:port`.
        place: String,
    },
    /// A reply line, or a block, that goes past its cap.
    #[error("{place} sent a line of more than {limit} octets")]
    LongLine {
        /// `host:port`.
        place: String,
        /// The cap.
        limit: usize,
    },
    /// Something that may not be sent was about to be (RFC 1738, section 6).
    #[error("not sent: a line break or NUL stands in {what}")]
    Unsendable {
        /// Which part of the request holds it.
        what: &'static str,
    },
    /// What listens there does not seem to speak TLS.
    #[error("{place} does not seem to speak TLS: {sign}")]
    NotTls {
        /// `host:port`.
        place: String,
        /// By what it seems so.
        sign: String,
    },
    /// It speaks only versions of TLS that are not safe any more, or no cipher that is.
    #[error("{place} has no safe way to speak TLS (1.2 or 1.3): {said}")]
    OldTls {
        /// `host:port`.
        place: String,
        /// What was found.
        said: String,
    },
    /// TLS did not come about for another reason, which is none of trust.
    #[error("TLS with {place} failed: {said}")]
    Tls {
        /// `host:port`.
        place: String,
        /// What was found, or the alert that came.
        said: String,
    },
    /// A proxy is wanted and cannot be told from its setting, so nothing is connected at all.
    #[error("nothing is connected, as the proxy that is set cannot be used: {why}")]
    NoProxy {
        /// What is wrong with it.
        why: String,
    },
    /// Datagrams go through no proxy.
    #[error("{place} was not asked: it takes datagrams, and no proxy does")]
    NoDatagrams {
        /// `host:port` of what was wanted.
        place: String,
    },
    /// The proxy cannot be reached.
    #[error("the proxy cannot be reached, so {place} cannot: {source}")]
    ProxyAway {
        /// `host:port` of what was wanted.
        place: String,
        /// Why; it names the proxy.
        source: Box<NetError>,
    },
    /// The proxy did not connect to the host.
    #[error("the proxy {proxy} did not connect to {place}: {why}")]
    ProxyRefused {
        /// `host:port` of the proxy.
        proxy: String,
        /// `host:port` of what was wanted.
        place: String,
        /// Why, as it said.
        why: String,
    },
    /// Nobody is to be dialled: a person wants to be offline.
    #[error("{place} was not asked, as Geomys is offline")]
    Offline {
        /// `host:port` of what was wanted.
        place: String,
    },
    /// Everything else the operating system says.
    #[error("{place}: {source}")]
    Io {
        /// `host:port`.
        place: String,
        /// The operating system's words.
        source: io::Error,
    },
}

impl NetError {
    /// What may help, one sentence.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Unknown { .. } => Some("check the name in the address, or the network"),
            Self::Onion { .. } => {
                Some("set proxy in settings.toml; Tor usually listens at socks5://127.0.0.1:9050")
            }
            Self::Refused { .. } => Some("the server may be down, or the port may be wrong"),
            Self::Late { .. } | Self::Closed { .. } => Some("try again: the server may be busy"),
            Self::Cut { .. } => Some("try again: some of it may be missing"),
            Self::Unsendable { .. } => Some(
                "such an address smuggles a second command into the request; Geomys never sends it",
            ),
            Self::NotTls { .. } | Self::OldTls { .. } => Some(
                "an address without the s, as in gopher://, asks without TLS; Geomys never does so by itself",
            ),
            Self::NoProxy { .. } => {
                Some("mend proxy in settings.toml, --proxy or $ALL_PROXY, or take it away")
            }
            Self::NoDatagrams { .. } => {
                Some("without proxy in settings.toml it would be asked, and see your address")
            }
            Self::ProxyAway { .. } => {
                Some("start the proxy, or change proxy in settings.toml; nothing goes around it")
            }
            Self::Offline { .. } => {
                Some("to be online again, leave --offline out, or take “offline” in the palette")
            }
            Self::ProxyRefused { .. }
            | Self::Tls { .. }
            | Self::LongLine { .. }
            | Self::Io { .. } => None,
        }
    }
}
