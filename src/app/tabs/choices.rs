//! Choices of the user for the pages of a host, or for one page. Those of public tabs are stored with the session.

use std::collections::{BTreeMap, HashMap};

use rfc1738::Url;

/// Chosen values by key. A value chosen in a private tab hides the stored one until the process ends.
#[derive(Clone, Debug)]
pub(crate) struct Choices<T> {
    stored: BTreeMap<String, T>,
    private: HashMap<String, T>,
}

impl<T> Default for Choices<T> {
    fn default() -> Self {
        Self::of(BTreeMap::new())
    }
}

impl<T> Choices<T> {
    /// Creates the choices of an earlier session.
    pub(crate) fn of(stored: BTreeMap<String, T>) -> Self {
        Self {
            stored,
            private: HashMap::new(),
        }
    }

    /// Sets the value of a key. If it may not be written to disk, the stored one stays there.
    pub(crate) fn set(&mut self, key: String, value: T, is_stored: bool) {
        if is_stored {
            self.private.remove(&key);
            self.stored.insert(key, value);
        } else {
            self.private.insert(key, value);
        }
    }

    /// Returns the value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        self.private.get(key).or_else(|| self.stored.get(key))
    }

    /// Returns the values that may be written to disk.
    pub(crate) fn stored(&self) -> &BTreeMap<String, T> {
        &self.stored
    }
}

/// Returns the host of a URL, in lower case, for choices that hold for all its pages.
pub(crate) fn host(url: &Url) -> Option<String> {
    Some(url.base_parts().address()?.node().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choice_of_a_private_tab_hides_the_stored_one_and_leaves_it_on_disk() {
        let mut choices = Choices::default();
        choices.set("host".to_owned(), 1, true);
        choices.set("host".to_owned(), 2, false);
        choices.set("other".to_owned(), 3, false);
        assert_eq!(choices.get("host"), Some(&2));
        assert_eq!(choices.get("other"), Some(&3));
        assert_eq!(*choices.stored(), BTreeMap::from([("host".to_owned(), 1)]));
        choices.set("host".to_owned(), 4, true);
        assert_eq!(choices.get("host"), Some(&4));
    }
}
