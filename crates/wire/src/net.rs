//! Network access: sockets, TLS, proxies and deadlines, independent of document types.
//!
//! [`Net`] is owned by the main loop (or by a subcommand) and lent to every load. Only the [`RequestNet`] of a request
//! connects: it knows who named the URL. `Net` holds the deadlines and caps
//! ([`Limits`]) and the route ([`Route`]: direct, or only through a SOCKS5 proxy), caches resolved names for a while,
//! races the addresses of a host against each other, uses TLS if a load requests it ([`RequestNet::connect_tls`],
//! [`Net::start_tls`]), and pools idle connections for the next load. Nothing is static, so a test can have several
//! instances.

pub mod certificate;
mod deflate;
mod dial;
mod end;
mod equality;
mod error;
mod first_use;
mod identity;
mod international;
mod limits;
pub mod line;
mod local;
mod pool;
mod proxy;
mod quirks;
mod reachability;
mod recording;
mod request_net;
mod stream;
mod tls;
mod tls_offers;
pub mod trace;
mod trust;
mod tunnel;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use self::first_use::FirstUse;
use self::limits::RateLimit;
use self::pool::{ConnectionPool, ReturningConnections};
use self::tls::RootCertificates;
use self::tls_offers::Offers;

pub use self::certificate::Fingerprint;
pub use self::end::TransferEnd;
pub use self::equality::{compared_text, compared_url, page_text, page_url};
pub use self::error::{NetError, authority};
pub use self::first_use::PinStore;
pub use self::identity::{ClientIdentity, IdentityStore};
pub use self::international::{ascii_host, ascii_url, shown_address, shown_url};
pub use self::limits::{Limits, parse_rate};
pub use self::local::{LocalConsent, LocalNetwork, NamedBy, written_local};
pub use self::pool::{Drain, LentConnection};
pub use self::proxy::{Proxy, Route, WebProxies, WebProxy};
pub use self::quirks::{Quirk, Quirks};
pub use self::reachability::Reachability;
pub use self::recording::{Exchange, ExchangeEnd, RecordedEnd, Recording};
pub use self::request_net::RequestNet;
pub use self::stream::{PromptAcks, Stream, deliver_urgent_data_inline, read, sendable, write};
pub use self::tls::TlsTickets;
pub use self::tls_offers::{OfferEvidence, OfferStore, RecordedOffer, TlsOffer, strongest};
pub use self::trust::{CertificateFault, Pin, Security, TlsError, Trust, UntrustedCertificate};

pub(crate) use self::stream::within;

/// Access to the network: limits, route, root certificates for TLS, resolved names, pooled connections. Copies share
/// what they learn.
#[derive(Clone, Default)]
pub struct Net {
    limits: Limits,
    route: Route,
    web: WebProxies,
    root_certificates: RootCertificates,
    names: Arc<Mutex<HashMap<(String, u16), ResolvedAddresses>>>,
    /// The hosts, in lower case, that were reached since the program began, and whether at local addresses only.
    reached: Arc<Mutex<HashMap<String, bool>>>,
    pool: ConnectionPool,
    returning: ReturningConnections,
    offers: Offers,
    first_use: FirstUse,
    identities: Option<Arc<dyn IdentityStore>>,
    /// The ends of the pauses that servers have asked for, by authority.
    pauses: Arc<Mutex<HashMap<String, tokio::time::Instant>>>,
    quirks: Quirks,
    is_offline: Arc<AtomicBool>,
    reachability: Option<Arc<Reachability>>,
    rate_limit: Arc<RateLimit>,
    recording: Option<Recording>,
}

/// The time of a name's lookup, and its addresses.
type ResolvedAddresses = (Instant, Vec<SocketAddr>);

impl Net {
    /// A network with these limits and empty caches, which connects to hosts directly.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Sets the route for every connection.
    #[must_use]
    pub fn with_route(self, route: Route) -> Self {
        Self { route, ..self }
    }

    /// Limits the rate of all transfers together, in octets a second.
    #[must_use]
    pub fn with_rate_limit(self, rate: NonZeroU64) -> Self {
        let rate_limit = Arc::new(RateLimit::default());
        rate_limit.set(Some(rate));
        Self { rate_limit, ..self }
    }

    /// Sets or removes the limit of the rate of all transfers together, of those that run and of copies too, in octets
    /// a second.
    pub fn set_rate_limit(&self, rate: Option<NonZeroU64>) {
        self.rate_limit.set(rate);
    }

    /// Waits after octets of a transfer were received, so that the rate limit is not exceeded.
    pub async fn throttle(&self, octets: usize) {
        self.rate_limit.wait(octets).await;
    }

    /// Adds a root certificate, as DER, to those of the system.
    #[must_use]
    pub fn with_root_certificate(mut self, certificate: Vec<u8>) -> Self {
        self.root_certificates.add(certificate);
        self
    }

    /// Judges by the direct connections whether the network is down. Copies made before do not take part.
    #[must_use]
    pub fn with_reachability(self, reachability: Reachability) -> Self {
        let reachability = Some(Arc::new(reachability));
        Self {
            reachability,
            ..self
        }
    }

    /// Switches offline mode. In offline mode nothing is connected or looked up, and pooled connections are not used.
    /// Running loads continue.
    pub fn set_offline(&self, offline: bool) {
        self.is_offline.store(offline, Ordering::SeqCst);
    }

    /// Returns true in offline mode.
    pub fn is_offline(&self) -> bool {
        self.is_offline.load(Ordering::SeqCst)
    }

    /// Returns the record of what servers do beside their protocol.
    pub fn quirks(&self) -> &Quirks {
        &self.quirks
    }

    /// Fails in offline mode, for a request to this host.
    fn check_online(&self, host: &str, port: u16) -> Result<(), NetError> {
        if self.is_offline() {
            let authority = authority(host, port);
            return Err(NetError::Offline { authority });
        }
        Ok(())
    }

    /// The current deadlines and caps.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns true if hosts are connected directly, so that they could connect back.
    pub fn is_direct(&self) -> bool {
        matches!(self.route, Route::Direct)
    }
}
