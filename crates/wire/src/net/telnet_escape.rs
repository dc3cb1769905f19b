//! Servers that take octet 255 in a command as it is. Telnet, on which FTP is based, doubles it (RFC 854), but many
//! servers do not undouble it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The authorities (`host:port`) of servers that do not undouble octet 255; a shared handle.
#[derive(Clone, Debug, Default)]
pub struct UnescapedHosts(Arc<Mutex<BTreeSet<String>>>);

impl UnescapedHosts {
    /// Returns true if the server is known to take octet 255 as it is.
    pub fn contains(&self, authority: &str) -> bool {
        let hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.contains(&authority.to_ascii_lowercase())
    }

    /// Records a server that takes octet 255 as it is, until the program ends.
    pub fn insert(&self, authority: &str) {
        let mut hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.insert(authority.to_ascii_lowercase());
    }
}
