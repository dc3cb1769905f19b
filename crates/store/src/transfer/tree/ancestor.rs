//! Ancestors of a directory, by which a loop of a walk is detected.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::listing::RemoteItem;

/// Ancestor of a directory in a walk.
pub(super) struct Ancestor {
    /// Real path from the server.
    pub(super) real: Vec<u8>,
    /// Hash of the names in the directory.
    pub(super) names: u64,
    pub(super) parent: Option<Arc<Ancestor>>,
}

impl Ancestor {
    /// Returns true if this directory or an ancestor has the same path and the same names. Both are compared: on some
    /// servers links look like directories and form loops, and other servers report one path for all directories.
    pub(super) fn has(&self, real: &[u8], names: u64) -> bool {
        let mut next = Some(self);
        while let Some(one) = next {
            if one.names == names && one.real == real {
                return true;
            }
            next = one.parent.as_deref();
        }
        false
    }
}

/// Returns a hash of the names in a directory.
pub(super) fn names_of(items: &[RemoteItem]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for item in items {
        item.name.hash(&mut hasher);
    }
    hasher.finish()
}
