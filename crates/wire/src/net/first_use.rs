//! Trust on first use: the certificate that a server shows first is pinned, and any other after it is a question,
//! unless the system's root certificates verify it.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustls::client::Resumption;

use super::identity::ClientIdentity;
use super::{Net, Pin, RequestNet, Security, Stream, TlsError, Trust, authority};
use crate::task::blocking;

impl RequestNet {
    /// Connects like [`RequestNet::connect_tls`], and trusts a host at its first use: without a pin any certificate is
    /// accepted, and pinned. The server sees `identity`, if it asks for a client certificate.
    ///
    /// # Errors
    /// Those of [`RequestNet::connect_tls`].
    pub async fn connect_on_first_use(
        &self,
        host: &str,
        port: u16,
        trust: &Trust,
        identity: Option<&ClientIdentity>,
    ) -> Result<(Stream, Security), TlsError> {
        let authority = authority(&host.to_ascii_lowercase(), port);
        let recorded = self.recorded_pin(&authority);
        let mut trust = Trust {
            pin: trust.pin.clone().or(recorded),
            is_first_use_trusted: true,
            ..trust.clone()
        };
        loop {
            let tcp = self.connect(host, port).await?;
            let handshake = self
                .handshake(host, port, &trust, identity, Resumption::disabled())
                .await?;
            let (stream, security) = self.run_handshake(tcp, &handshake).await?;
            let Some(shown) = stream.certificate().map(Pin::of) else {
                return Ok((stream, security));
            };
            let is_pinned = trust
                .pin
                .as_ref()
                .is_some_and(|pin| pin.fingerprint == shown.fingerprint);
            if is_pinned || security == Security::Unverified {
                return Ok((stream, security));
            }
            match self.pin(&authority, shown, security).await {
                // Another connection was first, and was shown another certificate: the user decides.
                Some(other) => trust.pin = Some(other),
                None => return Ok((stream, security)),
            }
        }
    }
}

impl Net {
    /// Sets the store of pins.
    #[must_use]
    pub fn with_pin_store(mut self, store: Arc<dyn PinStore>) -> Self {
        self.first_use.store = Some(store);
        self
    }

    /// Pins a certificate. Returns the pin that another connection has recorded meanwhile for a different certificate,
    /// if this one is not verified.
    async fn pin(&self, authority: &str, shown: Pin, security: Security) -> Option<Pin> {
        let recorded = self.recorded_pin(authority);
        if let Some(other) = recorded.filter(|pin| pin.fingerprint != shown.fingerprint)
            && security != Security::Verified
        {
            return Some(other);
        }
        self.pins().insert(authority.to_owned(), shown.clone());
        let store = self.first_use.store.clone()?;
        let name = authority.to_owned();
        let stored = blocking(move || store.put(&name, shown)).await;
        // A load must not fail because the pin could not be stored: it lasts until the program ends.
        if let Ok(stored) = stored {
            self.pins().insert(authority.to_owned(), stored);
        }
        None
    }

    /// Returns the pin of this layer, else that of the layer below.
    fn recorded_pin(&self, authority: &str) -> Option<Pin> {
        let own = self.pins().get(authority).cloned();
        own.or_else(|| {
            let below = self.first_use.below.as_ref()?;
            let below = below.lock().unwrap_or_else(PoisonError::into_inner);
            below.get(authority).cloned()
        })
    }

    fn pins(&self) -> MutexGuard<'_, HashMap<String, Pin>> {
        let pins = self.first_use.pins.lock();
        pins.unwrap_or_else(PoisonError::into_inner)
    }
}

/// A persistent store of pins. Its method may block.
pub trait PinStore: Send + Sync {
    /// Stores the pin of `authority` (`host:port` in lower case) from today on, and returns it with this day.
    ///
    /// # Errors
    /// Errors of writing the store.
    fn put(&self, authority: &str, pin: Pin) -> io::Result<Pin>;
}

/// The pins since the program began, by authority.
type RecentPins = Arc<Mutex<HashMap<String, Pin>>>;

/// The pins of certificates at their first use: those since the program began, and the store of all.
#[derive(Clone, Default)]
pub(super) struct FirstUse {
    pins: RecentPins,
    /// The pins that private requests have found; only they see these.
    private: RecentPins,
    /// The pins below those of a private request.
    below: Option<RecentPins>,
    store: Option<Arc<dyn PinStore>>,
}

impl FirstUse {
    /// Returns the pins for private requests, which are written to no store.
    pub(super) fn private(&self) -> Self {
        Self {
            pins: Arc::clone(&self.private),
            private: Arc::clone(&self.private),
            below: Some(Arc::clone(self.below.as_ref().unwrap_or(&self.pins))),
            store: None,
        }
    }
}
