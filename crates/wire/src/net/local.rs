//! Addresses of this machine and of its network, and the permission to connect to them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::authority::authority;

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
