//! The addresses that a load may connect to, by who named its URL.
//!
//! A load has a copy of the [`Net`] that knows it ([`Net::led_by`]). The addresses themselves are judged, after the name was looked
//! up; behind a proxy, which looks names up itself, only an address in the URL is.

use std::net::{IpAddr, SocketAddr};
use std::sync::PoisonError;

use super::local::{LocalAccess, LocalConsent, LocalNetwork, literal};
use super::{Net, NetError, authority};

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
