//! Addresses of this machine and of its network, and the permission to connect to them.
//!
//! The [`RequestNet`] of a load knows who named its URL ([`NamedBy`]). The addresses themselves are judged,
//! after the name was looked up; behind a proxy, which looks names up itself, only an address in the URL is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::PoisonError;

use super::{Net, NetError, RequestNet, authority};

/// A network that other machines of the Internet do not reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalNetwork {
    /// This machine (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
    Machine,
    /// The link that this machine is connected to (RFC 3927; RFC 4291, section 2.5.6).
    Link,
    /// A private network (RFC 1918; RFC 4193; RFC 6598).
    Private,
}

impl LocalNetwork {
    /// Returns the network of an address; None for an address of the Internet.
    ///
    /// ```
    /// use geomys_wire::net::LocalNetwork;
    ///
    /// let network = |address: &str| LocalNetwork::of(address.parse().unwrap());
    /// assert_eq!(network("127.8.0.1"), Some(LocalNetwork::Machine));
    /// assert_eq!(network("::ffff:169.254.169.254"), Some(LocalNetwork::Link));
    /// assert_eq!(network("fd00::1"), Some(LocalNetwork::Private));
    /// assert_eq!(network("192.0.2.1"), None);
    /// ```
    pub fn of(address: IpAddr) -> Option<Self> {
        match address {
            IpAddr::V4(address) => Self::of_v4(address),
            IpAddr::V6(address) => match embedded(address) {
                Some(address) => Self::of_v4(address),
                None => Self::of_v6(address),
            },
        }
    }

    fn of_v4(address: Ipv4Addr) -> Option<Self> {
        let [first, second, ..] = address.octets();
        // Linux connects 0.0.0.0 to itself.
        if first == 0 || address.is_loopback() {
            Some(Self::Machine)
        } else if address.is_link_local() || address.is_broadcast() {
            Some(Self::Link)
        } else if address.is_private() || first == 100 && second & 0xC0 == 64 {
            Some(Self::Private)
        } else {
            None
        }
    }

    fn of_v6(address: Ipv6Addr) -> Option<Self> {
        let [first, ..] = address.segments();
        if address.is_loopback() || address.is_unspecified() {
            Some(Self::Machine)
        } else if address.is_unicast_link_local() {
            Some(Self::Link)
        } else if address.is_unique_local() || first & 0xFFC0 == 0xFEC0 {
            Some(Self::Private)
        } else {
            None
        }
    }

    /// Returns the network in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Machine => "this machine",
            Self::Link => "your own network link",
            Self::Private => "a private network",
        }
    }
}

/// Returns the IPv4 address that an IPv6 address stands for: mapped, compatible (RFC 4291, section 2.5.5), or of NAT64
/// (RFC 6052), 6to4 (RFC 3056).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let v4 = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0..=1] => None,
        [0, 0, 0, 0, 0, 0 | 0xFFFF, high, low] | [0x64, 0xFF9B, 0, 0, 0, 0, high, low] => {
            Some(v4(high, low))
        }
        [0x2002, high, low, ..] => Some(v4(high, low)),
        _ => None,
    }
}

/// The local addresses that a load may connect to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LocalConsent {
    /// None before a person was asked.
    #[default]
    Ask,
    /// Those of the authorities (`host:port` in lower case) that a person has accepted.
    Accepted(Vec<String>),
    /// All of them.
    Any,
}

impl LocalConsent {
    /// Adds an authority that a person has accepted.
    pub fn accept(&mut self, authority: &str) {
        let authority = authority.to_ascii_lowercase();
        match self {
            Self::Ask => *self = Self::Accepted(vec![authority]),
            Self::Accepted(accepted) if accepted.contains(&authority) => {}
            Self::Accepted(accepted) => accepted.push(authority),
            Self::Any => {}
        }
    }

    /// Returns true if the local addresses of an authority may be connected to.
    pub fn includes(&self, authority: &str) -> bool {
        match self {
            Self::Ask => false,
            Self::Accepted(accepted) => accepted.contains(&authority.to_ascii_lowercase()),
            Self::Any => true,
        }
    }
}

/// Who named the URL of a request, as far as connecting to local addresses is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// The user, or a page that is on this machine: every address may be connected to.
    User,
    /// The page of this host: local addresses only if the host has none but local ones itself.
    Host(String),
    /// A page whose host is not known any more: it counts as one of the Internet.
    Unknown,
}

/// The permission of a request to connect to local addresses.
#[derive(Clone, Debug)]
pub(super) struct LocalAccess {
    pub(super) named_by: NamedBy,
    pub(super) consent: LocalConsent,
}

/// Returns the local address that a host is written as.
pub(super) fn literal(host: &str) -> Option<IpAddr> {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    address
        .ok()
        .filter(|address| LocalNetwork::of(*address).is_some())
}

/// Returns the local address that a host is written as, if nobody has permitted to connect to it: a request would ask,
/// without any lookup.
pub fn written_local(
    named_by: &NamedBy,
    consent: &LocalConsent,
    (host, port): (&str, u16),
) -> Option<IpAddr> {
    let is_free = match named_by {
        NamedBy::User => true,
        NamedBy::Host(host) => literal(host).is_some() || has_local_name(host),
        NamedBy::Unknown => false,
    };
    let address = literal(host)?;
    (!is_free && !consent.includes(&authority(host, port))).then_some(address)
}

fn is_local_address(address: &SocketAddr) -> bool {
    LocalNetwork::of(address.ip()).is_some()
}

/// Returns true for a name that the name service of the Internet does not have: `localhost` (RFC 6761, section 6.3),
/// `.local` (RFC 6762, section 3), `.home.arpa` (RFC 8375), `.internal`, and a single label.
fn has_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_name = host.parse::<IpAddr>().is_err() && !host.starts_with('[');
    let ends = [".localhost", ".local", ".home.arpa", ".internal"];
    is_name && (!host.contains('.') || ends.iter().any(|end| host.ends_with(end)))
}

/// The highest number of hosts that are remembered as reached.
const MAX_REACHED: usize = 4096;

impl Net {
    /// Returns true if a host was reached at local addresses only, or is one.
    fn is_local(&self, host: &str) -> bool {
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = reached.get(&host.to_ascii_lowercase()).copied();
        reached.unwrap_or_else(|| literal(host).is_some())
    }

    /// Records a host as reached, and whether at a local address; once at another one, it is never local again.
    pub(super) fn record_reached(&self, host: &str, peer: Option<IpAddr>) {
        let is_local = match peer {
            Some(address) => LocalNetwork::of(address).is_some(),
            None => literal(host).is_some(),
        };
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if reached.len() >= MAX_REACHED {
            reached.clear();
        }
        let host = host.to_ascii_lowercase();
        *reached.entry(host).or_insert(is_local) &= is_local;
    }

    /// Returns true if this host was reached before: its address is right, and a failure is an outage.
    pub fn has_reached(&self, host: &str) -> bool {
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        reached.contains_key(&host.to_ascii_lowercase())
    }
}

impl RequestNet {
    /// Returns true if every address of `host` may be connected to.
    fn permits_all(&self, host: &str, port: u16) -> bool {
        let is_free = match &self.access.named_by {
            NamedBy::User => true,
            NamedBy::Host(host) => self.is_local(host),
            NamedBy::Unknown => false,
        };
        is_free || self.access.consent.includes(&authority(host, port))
    }

    /// Looks up the host that named the URL before a local address is judged, where its name can only be one of this
    /// machine or its network: a page that an earlier process has fetched leads there without a question, as one of
    /// this process does.
    pub(super) async fn look_up_naming_host(&self, addresses: &[SocketAddr]) {
        if !addresses.iter().any(is_local_address) {
            return;
        }
        let NamedBy::Host(host) = &self.access.named_by else {
            return;
        };
        if self.has_reached(host) || !has_local_name(host) {
            return;
        }
        if let Ok(addresses) = self.addresses(host, 0).await {
            for address in addresses {
                self.record_reached(host, Some(address.ip()));
            }
        }
    }

    /// Returns the addresses that may be connected to, and the error for the others, if there are any.
    pub(super) fn permitted(
        &self,
        host: &str,
        port: u16,
        addresses: Vec<SocketAddr>,
    ) -> (Vec<SocketAddr>, Option<NetError>) {
        if self.permits_all(host, port) {
            return (addresses, None);
        }
        let (local, other): (Vec<_>, Vec<_>) = addresses.into_iter().partition(is_local_address);
        let refused = local.first().map(|address| NetError::LocalAddress {
            authority: authority(host, port),
            address: address.ip(),
        });
        (other, refused)
    }

    /// Checks the host of a request to a proxy, which looks up its name.
    ///
    /// # Errors
    /// [`NetError::LocalAddress`] for a local address that needs a permission.
    pub async fn check_literal(&self, host: &str, port: u16) -> Result<(), NetError> {
        let addresses: Vec<SocketAddr> = literal(host)
            .map(|address| (address, port).into())
            .into_iter()
            .collect();
        self.look_up_naming_host(&addresses).await;
        let (_, refused) = self.permitted(host, port, addresses);
        refused.map_or(Ok(()), Err)
    }

    /// Returns true if a pooled connection to `host` may be used: it is known to lead to no local address, or that is
    /// permitted.
    pub(super) fn may_reuse(&self, host: &str, port: u16) -> bool {
        self.permits_all(host, port) || self.has_reached(host) && !self.is_local(host)
    }
}
