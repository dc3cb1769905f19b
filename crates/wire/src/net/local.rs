//! Addresses of this machine and of its network, and the permission to connect to them.
//!
//! A load has a copy of the [`Net`] that knows who named its URL ([`Net::led_by`]). The addresses themselves are judged,
//! after the name was looked up; behind a proxy, which looks names up itself, only an address in the URL is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::PoisonError;

use super::{Net, NetError, authority};

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

/// Returns the IPv4 address that an IPv6 address stands for: mapped, compatible (RFC 4291, section 2.5.5), or of NAT64 (RFC
/// 6052), 6to4 (RFC 3056).
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

    fn includes(&self, authority: &str) -> bool {
        match self {
            Self::Ask => false,
            Self::Accepted(accepted) => accepted.contains(&authority.to_ascii_lowercase()),
            Self::Any => true,
        }
    }
}

/// The permission of a load to connect to local addresses.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalAccess {
    /// True if a page of another host named the URL.
    pub(super) is_restricted: bool,
    pub(super) consent: LocalConsent,
}

impl LocalAccess {
    /// Returns true if every address of `host` may be connected to.
    pub(super) fn includes_all(&self, host: &str, port: u16) -> bool {
        !self.is_restricted || self.consent.includes(&authority(host, port))
    }
}

/// Returns the local address that a host is written as.
pub(super) fn literal(host: &str) -> Option<IpAddr> {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    address
        .ok()
        .filter(|address| LocalNetwork::of(*address).is_some())
}

/// The highest number of hosts that are remembered as reached.
const MAX_REACHED: usize = 4096;

impl Net {
    /// Returns this network for a load whose URL the page of `host` named; None if the user did. They share everything else.
    #[must_use]
    pub fn led_by(&self, host: Option<&str>, consent: &LocalConsent) -> Self {
        let is_restricted = host.is_some_and(|host| !self.is_local(host));
        Self {
            local_access: LocalAccess {
                is_restricted,
                consent: consent.clone(),
            },
            ..self.clone()
        }
    }

    /// Returns this network for the target of a redirect of `host`.
    #[must_use]
    pub fn redirected_by(&self, host: &str) -> Self {
        self.led_by(Some(host), &self.local_access.consent)
    }

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

    /// Returns the addresses that may be connected to, and the error for the others, if there are any.
    pub(super) fn permitted(
        &self,
        host: &str,
        port: u16,
        addresses: Vec<SocketAddr>,
    ) -> (Vec<SocketAddr>, Option<NetError>) {
        if self.local_access.includes_all(host, port) {
            return (addresses, None);
        }
        let is_local = |address: &SocketAddr| LocalNetwork::of(address.ip()).is_some();
        let (local, other): (Vec<_>, Vec<_>) = addresses.into_iter().partition(is_local);
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
    pub fn check_literal(&self, host: &str, port: u16) -> Result<(), NetError> {
        let addresses: Vec<SocketAddr> = literal(host)
            .map(|address| (address, port).into())
            .into_iter()
            .collect();
        let (_, refused) = self.permitted(host, port, addresses);
        refused.map_or(Ok(()), Err)
    }

    /// Returns true if a pooled connection to `host` may be used: it is known to lead to no local address, or that is permitted.
    pub(super) fn may_reuse(&self, host: &str, port: u16) -> bool {
        self.local_access.includes_all(host, port) || self.has_reached(host) && !self.is_local(host)
    }
}
