//! Servers that have offered TLS on a connection that begins without it (AUTH TLS, STARTTLS). If such a server stops
//! offering it, an attacker may be removing the offer, so that a password is sent unencrypted.
//!
//! Some servers announce TLS and cannot begin it. Such an announcement is retracted when the server answers that it
//! does not have the command, unless it has accepted the command at any time before.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Net, trace};
use crate::task::blocking;

/// A persistent store of TLS offers. Its methods may block.
pub trait OfferStore: Send + Sync {
    /// Returns the offer of `authority` (`host:port` in lower case), if there was one.
    ///
    /// # Errors
    /// Errors of reading the store.
    fn find(&self, authority: &str) -> io::Result<Option<RecordedOffer>>;

    /// Records that `authority` offers TLS, unless this or stronger evidence is recorded already.
    ///
    /// # Errors
    /// Errors of writing the store.
    fn put(&self, authority: &str, evidence: OfferEvidence) -> io::Result<()>;

    /// Removes the offer of `authority` if it was only announced.
    ///
    /// # Errors
    /// Errors of writing the store.
    fn retract(&self, authority: &str) -> io::Result<()>;
}

/// The evidence of an offer of TLS, the weaker one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OfferEvidence {
    /// The server announced TLS, in its features (FEAT) or capabilities (CAPABILITIES).
    Announced,
    /// The server accepted the command that begins TLS (AUTH TLS with 234, STARTTLS with 382).
    Accepted,
}

/// An earlier offer of TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOffer {
    /// The day of the first offer, as in `2026-11-20`, if it is recorded.
    pub since: Option<String>,
}

/// An earlier offer of TLS, and its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedOffer {
    /// The offer.
    pub offer: TlsOffer,
    /// The strongest evidence of it.
    pub evidence: OfferEvidence,
}

/// The recorded offers: those since the program began, and those of the store.
#[derive(Clone, Default)]
pub(super) struct Offers {
    seen: SeenOffers,
    /// The offers that private requests have seen; only they know these.
    private: SeenOffers,
    /// The offers below those of a private request.
    below: Option<SeenOffers>,
    store: Option<Arc<dyn OfferStore>>,
}

/// The offers since the program began, by authority.
type SeenOffers = Arc<Mutex<BTreeMap<String, OfferEvidence>>>;

impl Offers {
    /// Returns the offers for private requests, which read the store and never write it.
    pub(super) fn private(&self) -> Self {
        Self {
            seen: Arc::clone(&self.private),
            private: Arc::clone(&self.private),
            below: Some(Arc::clone(self.below.as_ref().unwrap_or(&self.seen))),
            store: self.store.clone(),
        }
    }

    /// Returns the store, if it may be written.
    fn writable_store(&self) -> Option<Arc<dyn OfferStore>> {
        self.store.clone().filter(|_| self.below.is_none())
    }
}

impl Net {
    /// Sets the store that records offers of TLS.
    #[must_use]
    pub fn with_offer_store(mut self, store: Arc<dyn OfferStore>) -> Self {
        self.offers.store = Some(store);
        self
    }

    /// Records that `authority` (`host:port`) has accepted to begin TLS. If the store fails, the record lasts until the
    /// program ends.
    pub async fn record_tls_offer(&self, authority: &str) {
        self.record(authority, OfferEvidence::Accepted).await;
    }

    /// Records that `authority` (`host:port`) announces TLS, like [`Net::record_tls_offer`].
    pub async fn record_tls_announcement(&self, authority: &str) {
        self.record(authority, OfferEvidence::Announced).await;
    }

    async fn record(&self, authority: &str, evidence: OfferEvidence) {
        let authority = authority.to_ascii_lowercase();
        if self.seen().get(&authority) >= Some(&evidence) {
            return;
        }
        self.seen().insert(authority.clone(), evidence);
        if let Some(store) = self.offers.writable_store() {
            // A load must not fail because the offer could not be stored.
            let _ = blocking(move || store.put(&authority, evidence)).await;
        }
    }

    /// Removes the record that `authority` (`host:port`) announces TLS, because it does not have the command. The
    /// record of a server that has accepted the command stays.
    pub async fn retract_tls_announcement(&self, authority: &str) {
        trace::note(
            authority,
            format_args!("announces TLS, but does not have the command that begins it: no offer"),
        );
        let authority = authority.to_ascii_lowercase();
        self.seen()
            .retain(|seen, evidence| *seen != authority || *evidence > OfferEvidence::Announced);
        if let Some(store) = self.offers.writable_store() {
            // The next load tries it again.
            let _ = blocking(move || store.retract(&authority)).await;
        }
    }

    /// Returns the earlier offer of TLS by `authority` (`host:port`). A store that cannot be read counts as an offer,
    /// so that the user is prompted.
    pub async fn tls_offer(&self, authority: &str) -> Option<RecordedOffer> {
        let recorded = |evidence| RecordedOffer {
            offer: TlsOffer::default(),
            evidence,
        };
        let authority = authority.to_ascii_lowercase();
        let below = self.offers.below.as_ref().and_then(|below| {
            let below = below.lock().unwrap_or_else(PoisonError::into_inner);
            below.get(&authority).copied()
        });
        let seen = self.seen().get(&authority).copied().max(below);
        let seen = seen.map(recorded);
        let Some(store) = self.offers.store.clone() else {
            return seen;
        };
        match blocking(move || store.find(&authority)).await {
            Ok(found) => strongest([found, seen].into_iter().flatten()),
            Err(_) => Some(recorded(OfferEvidence::Accepted)),
        }
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<String, OfferEvidence>> {
        let seen = self.offers.seen.lock();
        seen.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the first of these offers of a server, with the strongest evidence of all.
pub fn strongest(offers: impl Iterator<Item = RecordedOffer>) -> Option<RecordedOffer> {
    offers.reduce(|first, next| RecordedOffer {
        evidence: first.evidence.max(next.evidence),
        ..first
    })
}
