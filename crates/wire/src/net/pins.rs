//! The pins of certificates at their first use, and their store.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};

use super::Pin;
use super::certificate::Fingerprint;

/// A persistent store of pins. Its method may block.
pub trait PinStore: Send + Sync {
    /// Stores the pin of `authority` (`host:port` in lower case) from today on, and returns it.
    ///
    /// # Errors
    /// Errors of writing the store.
    fn put(&self, authority: &str, fingerprint: Fingerprint) -> io::Result<Pin>;
}

/// The pins of certificates at their first use: those since the program began, and the store of all.
#[derive(Clone, Default)]
pub(super) struct FirstUse {
    pub(super) pins: Arc<Mutex<HashMap<String, Pin>>>,
    pub(super) store: Option<Arc<dyn PinStore>>,
}
