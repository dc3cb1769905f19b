//! The network for one request, which knows who named its URL: only it connects.

use std::net::SocketAddr;
use std::ops::Deref;
use std::time::Instant;

use tokio::net::{TcpStream, UdpSocket};

use super::local::LocalAccess;
use super::{LocalConsent, NamedBy, Net, NetError, Route, authority, trace};

/// The network for one request. It shares everything with the [`Net`] that it was made of, and connects to a local
/// address only if who named the URL may lead there.
#[derive(Clone)]
pub struct RequestNet {
    net: Net,
    pub(super) access: LocalAccess,
}

impl Deref for RequestNet {
    type Target = Net;

    fn deref(&self) -> &Net {
        &self.net
    }
}

impl Net {
    /// Returns the network for a request whose URL was named so.
    pub fn for_request(&self, named_by: NamedBy, consent: &LocalConsent) -> RequestNet {
        RequestNet {
            net: self.clone(),
            access: LocalAccess {
                named_by,
                consent: consent.clone(),
            },
        }
    }
}

impl Net {
    /// Returns this network for requests that leave no trace on the disk: what they learn of certificates and of offers
    /// of TLS stays in the memory of such requests, above what is stored.
    #[must_use]
    pub fn private(&self) -> Self {
        Self {
            offers: self.offers.private(),
            first_use: self.first_use.private(),
            ..self.clone()
        }
    }
}

impl RequestNet {
    /// Returns this network for requests that leave no trace on the disk, as [`Net::private`] does.
    #[must_use]
    pub fn private(&self) -> Self {
        Self {
            net: self.net.private(),
            access: self.access.clone(),
        }
    }

    /// Returns this network for the target of a redirect of `host`.
    #[must_use]
    pub fn redirected_by(&self, host: &str) -> Self {
        let named_by = NamedBy::Host(host.to_owned());
        self.net.for_request(named_by, &self.access.consent)
    }

    /// Names the URL that is requested next, for a record.
    #[must_use]
    pub fn requesting(self, url: &rfc1738::Url) -> Self {
        Self {
            net: self.net.requesting(url),
            ..self
        }
    }

    /// Connects to `host` by the route: directly, to its first address that answers (each next one is tried 250 ms
    /// after the one before), or through the proxy, which gets the name unresolved.
    ///
    /// # Errors
    /// Direct: [`NetError::Onion`], [`NetError::HostNotFound`], [`NetError::Refused`], [`NetError::Timeout`] or
    /// [`NetError::Io`], of the first address. Through a proxy: [`NetError::ProxyUnreachable`] or
    /// [`NetError::ProxyRefused`]. [`NetError::InvalidProxy`] if the proxy setting is invalid, [`NetError::Offline`]
    /// in offline mode, [`NetError::LocalAddress`] for an address that a page of another host may not lead to.
    pub async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, NetError> {
        // Before the offline mode, in which a page could be queued for later.
        self.check_literal(host, port).await?;
        self.check_online(host, port)?;
        let start = Instant::now();
        let connected = match &self.route {
            Route::Direct => {
                let dialled = self.dial_permitted(host, port).await;
                if let Some(reachability) = &self.reachability {
                    reachability.note(&dialled);
                }
                dialled
            }
            Route::Proxy(proxy) => self.connect_through(proxy, host, port).await,
            Route::InvalidProxy(why) => Err(NetError::InvalidProxy { why: why.clone() }),
        };
        trace::connected(&authority(host, port), start, &connected);
        let stream = connected?;
        // The other end of a proxied connection is the proxy.
        let peer = stream.peer_addr().ok().filter(|_| self.is_direct());
        self.record_reached(host, peer.map(|peer| peer.ip()));
        Ok(stream)
    }

    /// A socket for datagrams that only sends to `host` and only receives from it.
    ///
    /// # Errors
    /// Those of [`RequestNet::connect`]; [`NetError::NoDatagrams`] if everything goes through a proxy, because no known
    /// proxy takes datagrams.
    pub async fn datagrams(&self, host: &str, port: u16) -> Result<UdpSocket, NetError> {
        self.check_online(host, port)?;
        match &self.route {
            Route::Direct => self.dial_datagrams(host, port).await,
            Route::Proxy(_) => Err(NetError::NoDatagrams {
                authority: authority(host, port),
            }),
            Route::InvalidProxy(why) => Err(NetError::InvalidProxy { why: why.clone() }),
        }
    }

    /// Connects to another port of a connected host, as FTP does for data: directly, to the exact address `peer`;
    /// through a proxy, to the host by name, because only the proxy knows its address.
    ///
    /// # Errors
    /// Those of [`RequestNet::connect`]; a name is never looked up.
    pub async fn connect_same_host(
        &self,
        peer: SocketAddr,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        match &self.route {
            Route::Direct => {
                let mut address = peer;
                address.set_port(port);
                let (start, authority) = (Instant::now(), authority(host, port));
                let connected = self.dial_any(&[address], &authority).await;
                trace::connected(&authority, start, &connected);
                connected
            }
            Route::Proxy(_) | Route::InvalidProxy(_) => self.connect(host, port).await,
        }
    }
}
