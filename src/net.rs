//! Sockets, and nothing that knows a document.
//!
//! [`Net`] is owned by the loop (or by a subcommand) and lent to every load. It knows the deadlines and caps
//! ([`Limits`]) and the way out ([`Route`]: straight, or through a SOCKS5 proxy and never around it), remembers
//! addresses of names for a while, races a host's addresses against each other, speaks TLS where a load asks for it
//! ([`Net::connect_tls`], [`Net::secure`]), and keeps quiet connections for the next load. Nothing here is static, so a
//! test can have as many as it likes.

pub mod certificate;
mod deflate;
mod dial;
mod error;
pub mod line;
mod offered;
mod pool;
mod socks;
mod stream;
mod tls;
mod trust;
mod web_proxy;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::net::{TcpStream, UdpSocket};

pub use self::certificate::Fingerprint;
pub use self::error::NetError;
use self::offered::Offers;
pub use self::offered::{OfferStore, TlsOffer};
use self::pool::Shelf;
pub use self::socks::{Proxy, Route};
pub use self::stream::{Stream, read, sendable, write};
use self::tls::Authorities;
pub use self::tls::TlsHost;
pub use self::trust::{CertificateFault, Doubt, Pin, Security, TlsError, Trust};
pub use self::web_proxy::{WebProxies, WebProxy};

/// The deadline of every await and the cap of every buffer.
#[derive(Clone, Debug)]
pub struct Limits {
    /// To look up a name and to connect.
    pub connect: Duration,
    /// Between two arrivals of octets, and for a write to be taken.
    pub idle: Duration,
    /// A reply line, in octets.
    pub line: usize,
    /// A page, in octets; a download has no such cap.
    pub page: u64,
    /// A list of groups, articles or files, in octets.
    pub list: u64,
    /// How long a connection is kept for the next load.
    pub keep: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(30),
            line: 64 * 1024,
            page: 128 * 1024 * 1024,
            list: 512 * 1024 * 1024,
            keep: Duration::from_mins(1),
        }
    }
}

/// The way to the network: limits, a route, authorities for TLS, remembered names, kept connections.
#[derive(Default)]
pub struct Net {
    limits: Limits,
    route: Route,
    web: WebProxies,
    authorities: Authorities,
    names: Mutex<HashMap<(String, u16), Known>>,
    kept: Shelf,
    offers: Offers,
    is_offline: AtomicBool,
}

/// The addresses of a name, and since when they are known.
type Known = (Instant, Vec<SocketAddr>);

impl Net {
    /// A network with these limits and nothing remembered, whose hosts are reached straight.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// The same, with every connection by this route.
    #[must_use]
    pub fn by(self, route: Route) -> Self {
        Self { route, ..self }
    }

    /// The same, with one more authority that may vouch for certificates: its own, as DER.
    #[must_use]
    pub fn believing(mut self, authority: Vec<u8>) -> Self {
        self.authorities.add(authority);
        self
    }

    /// From now on nobody is dialled, looked up or spoken to over a kept connection; or everybody is again. What is under
    /// way goes on.
    pub fn set_offline(&self, offline: bool) {
        self.is_offline.store(offline, Ordering::SeqCst);
    }

    /// Whether nobody is dialled.
    pub fn is_offline(&self) -> bool {
        self.is_offline.load(Ordering::SeqCst)
    }

    /// The deadlines and caps in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Connects to `host` by the route: straight, to its first address that answers (a later one starts 250 ms after
    /// the one before it), or through the proxy, which is given the name as it is.
    ///
    /// # Errors
    /// Straight: [`NetError::Onion`], [`NetError::Unknown`], [`NetError::Refused`], [`NetError::Late`] or
    /// [`NetError::Io`], of the first address. Through a proxy: [`NetError::ProxyAway`] or [`NetError::ProxyRefused`].
    /// [`NetError::NoProxy`] where the route is shut, [`NetError::Offline`] where nobody is to be dialled.
    pub async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, NetError> {
        if self.is_offline() {
            let place = place(host, port);
            return Err(NetError::Offline { place });
        }
        match &self.route {
            Route::Straight => self.dial(host, port).await,
            Route::Proxy(proxy) => self.connect_through(proxy, host, port).await,
            Route::Shut(why) => Err(NetError::NoProxy { why: why.clone() }),
        }
    }

    /// A socket for datagrams to `host` and from it alone.
    ///
    /// # Errors
    /// As [`Net::connect`]; [`NetError::NoDatagrams`] where everything goes through a proxy, as none is known to take them.
    pub async fn datagrams(&self, host: &str, port: u16) -> Result<UdpSocket, NetError> {
        let place = place(host, port);
        if self.is_offline() {
            return Err(NetError::Offline { place });
        }
        match &self.route {
            Route::Straight => self.dial_datagrams(host, port).await,
            Route::Proxy(_) => Err(NetError::NoDatagrams { place }),
            Route::Shut(why) => Err(NetError::NoProxy { why: why.clone() }),
        }
    }

    /// Whether hosts are dialled from here, and could dial back.
    pub fn is_straight(&self) -> bool {
        matches!(self.route, Route::Straight)
    }

    /// Connects to another port of the host that a connection leads to, as FTP does for data: straight, to the very
    /// address that `peer` is; through a proxy, to the host by name, as the address of that is the proxy's business.
    ///
    /// # Errors
    /// As [`Net::connect`]; a name is never looked up.
    pub async fn connect_beside(
        &self,
        peer: SocketAddr,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        match &self.route {
            Route::Straight => {
                let mut address = peer;
                address.set_port(port);
                self.dial_any(&[address], place(host, port)).await
            }
            Route::Proxy(_) | Route::Shut(_) => self.connect(host, port).await,
        }
    }
}

/// `host:port`, as sentences name it.
pub fn place(host: &str, port: u16) -> String {
    if host.contains(':') {
        return format!("[{host}]:{port}");
    }
    format!("{host}:{port}")
}
