//! The way down to a directory, by which a walk that leads round in a circle is known.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::listing::Item;

/// A directory that others were come to by.
pub(super) struct Above {
    /// What the server calls it.
    pub(super) real: Vec<u8>,
    /// What stands in it, by name.
    pub(super) names: u64,
    pub(super) next: Option<Arc<Above>>,
}

impl Above {
    /// Whether this, or one above it, is a directory of that name with that in it: servers whose links look like
    /// directories lead round in circles, and others call everything by one name.
    pub(super) fn has(&self, real: &[u8], names: u64) -> bool {
        let mut next = Some(self);
        while let Some(one) = next {
            if one.names == names && one.real == real {
                return true;
            }
            next = one.next.as_deref();
        }
        false
    }
}

/// What stands in a directory, in one number.
pub(super) fn names_of(items: &[Item]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for item in items {
        item.name.hash(&mut hasher);
    }
    hasher.finish()
}
