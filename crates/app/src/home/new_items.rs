//! What is new: unread articles, new entries of subscriptions, and pages saved for later that were not read, in the
//! order of the home page; and what one key has opened of it.

use std::collections::HashSet;

use geomys_wire::text;
use rfc1738::Url;

/// The number of new items of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewCounts {
    /// The unread articles of subscribed groups.
    pub(crate) articles: usize,
    /// The new entries of watched bookmarks, and the changed ones without entries.
    pub(crate) entries: usize,
    /// The pages saved for later that are here and were not read.
    pub(crate) saved: usize,
}

impl NewCounts {
    /// Returns the number of all items.
    pub fn total(&self) -> usize {
        self.articles
            .saturating_add(self.entries)
            .saturating_add(self.saved)
    }

    /// Returns the counts in words: `12 articles  4 entries  3 kept`; empty if nothing is new.
    pub fn words(&self) -> String {
        let named = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{} {many}", text::count(count))),
        };
        let parts = [
            named(self.articles, "article", "articles"),
            named(self.entries, "entry", "entries"),
            named(self.saved, "kept", "kept"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        parts.join("  ")
    }
}

/// The items that the key has opened since it began at the first one. They are not opened twice, though they may be new
/// still: a server may be down, or an entry may lead nowhere.
#[derive(Debug, Default)]
pub(crate) struct ReadItems(HashSet<Url>);

impl ReadItems {
    /// Returns true if an item was not opened yet.
    pub(crate) fn lacks(&self, url: &Url) -> bool {
        !self.0.contains(url)
    }

    /// Records that an item is opened, or that all of its group is read.
    pub(crate) fn add(&mut self, url: Url) {
        self.0.insert(url);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_name_only_what_is_there() {
        let counts = |articles, entries, saved| {
            let counts = NewCounts {
                articles,
                entries,
                saved,
            };
            counts.words()
        };
        assert_eq!(counts(12, 4, 3), "12 articles  4 entries  3 kept");
        assert_eq!(counts(1, 1, 1), "1 article  1 entry  1 kept");
        assert_eq!(counts(0, 1200, 0), "1,200 entries");
        assert_eq!(counts(0, 0, 0), "");
    }
}
