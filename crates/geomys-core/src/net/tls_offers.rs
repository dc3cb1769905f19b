//! Servers that have offered TLS on a connection that begins without it (AUTH TLS, STARTTLS). If such a server stops
//! offering it, an attacker may be removing the offer, so that a password is sent unencrypted.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::Net;
use crate::task::blocking;

/// A persistent store of TLS offers. Its methods may block.
pub trait OfferStore: Send + Sync {
    /// The offer of `authority` (`host:port` in lower case), if there was one.
    ///
    /// # Errors
    /// Errors of reading the store.
    fn find(&self, authority: &str) -> io::Result<Option<TlsOffer>>;

    /// Records that `authority` offers TLS, unless it is recorded already.
    ///
    /// # Errors
    /// Errors of writing the store.
    fn put(&self, authority: &str) -> io::Result<()>;
}

/// An earlier offer of TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOffer {
    /// The day of the first offer, as in `2026-11-20`, if it is recorded.
    pub since: Option<String>,
}

/// The recorded offers: those since the program began, and those of the store.
#[derive(Default)]
pub(super) struct Offers {
    seen: Mutex<BTreeSet<String>>,
    store: Option<Arc<dyn OfferStore>>,
}

impl Net {
    /// Sets the store that records offers of TLS.
    #[must_use]
    pub fn with_offer_store(mut self, store: Arc<dyn OfferStore>) -> Self {
        self.offers.store = Some(store);
        self
    }

    /// Records that `authority` (`host:port`) offers TLS. If the store fails, the record lasts until the program
    /// ends.
    pub async fn record_tls_offer(&self, authority: &str) {
        let authority = authority.to_ascii_lowercase();
        if !self.seen().insert(authority.clone()) {
            return;
        }
        if let Some(store) = self.offers.store.clone() {
            // A load must not fail because the offer could not be stored.
            let _ = blocking(move || store.put(&authority)).await;
        }
    }

    /// The earlier offer of TLS by `authority` (`host:port`). A store that cannot be read counts as an offer, so that
    /// the user is prompted.
    pub async fn tls_offer(&self, authority: &str) -> Option<TlsOffer> {
        let authority = authority.to_ascii_lowercase();
        let seen = self.seen().contains(&authority).then(TlsOffer::default);
        let Some(store) = self.offers.store.clone() else {
            return seen;
        };
        match blocking(move || store.find(&authority)).await {
            Ok(found) => found.or(seen),
            Err(_) => Some(TlsOffer::default()),
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        let seen = self.offers.seen.lock();
        seen.unwrap_or_else(PoisonError::into_inner)
    }
}
