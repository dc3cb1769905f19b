//! Which servers have offered TLS on a connection that begins without it (AUTH TLS, STARTTLS). One that does not any more
//! may have somebody before it who takes the offer away, so that a password goes out for everybody to read.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::Net;

/// Where offers outlive the program. Its methods may block.
pub trait OfferStore: Send + Sync {
    /// The offer of `place` (`host:port` in lower case), if there was one.
    ///
    /// # Errors
    /// Those of reading.
    fn find(&self, place: &str) -> io::Result<Option<TlsOffer>>;

    /// Writes down that `place` offers TLS, unless that is known.
    ///
    /// # Errors
    /// Those of writing.
    fn put(&self, place: &str) -> io::Result<()>;
}

/// An offer of TLS that was seen before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOffer {
    /// The day on which it was first seen, as in `2026-11-20`, when that is known.
    pub since: Option<String>,
}

/// The offers that are known: those since the program began, and those of the store.
#[derive(Default)]
pub(super) struct Offers {
    seen: Mutex<BTreeSet<String>>,
    store: Option<Arc<dyn OfferStore>>,
}

impl Net {
    /// The same, with offers of TLS remembered in `store`.
    #[must_use]
    pub fn remembering(mut self, store: Arc<dyn OfferStore>) -> Self {
        self.offers.store = Some(store);
        self
    }

    /// Remembers that `place` (`host:port`) offers TLS. Where the store fails it is known until the program ends.
    pub async fn note_tls_offer(&self, place: &str) {
        let place = place.to_ascii_lowercase();
        if !self.seen().insert(place.clone()) {
            return;
        }
        if let Some(store) = self.offers.store.clone() {
            // A load does not fail because nobody can remember what its server offered.
            let _ = tokio::task::spawn_blocking(move || store.put(&place)).await;
        }
    }

    /// The offer of TLS that `place` (`host:port`) has made before. A store that cannot be read counts as one, so that a
    /// person is asked.
    pub async fn tls_offer(&self, place: &str) -> Option<TlsOffer> {
        let place = place.to_ascii_lowercase();
        let seen = self.seen().contains(&place).then(TlsOffer::default);
        let Some(store) = self.offers.store.clone() else {
            return seen;
        };
        let found = tokio::task::spawn_blocking(move || store.find(&place)).await;
        match found {
            Ok(Ok(found)) => found.or(seen),
            Ok(Err(_)) | Err(_) => Some(TlsOffer::default()),
        }
    }

    fn seen(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        let seen = self.offers.seen.lock();
        seen.unwrap_or_else(PoisonError::into_inner)
    }
}
