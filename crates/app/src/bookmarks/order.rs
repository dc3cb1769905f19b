//! The sorted list of bookmarks.

use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::dates::BookmarkOrder;
use geomys_store::bookmarks::records::BookmarkRecords;

/// All bookmarks in a sorted order.
#[derive(Clone, Debug)]
pub struct SortedBookmarks {
    /// The order; not that of the file.
    pub order: BookmarkOrder,
    /// The indices of the bookmarks.
    pub(super) items: Vec<usize>,
}

impl SortedBookmarks {
    /// Returns these indices in this order; those that are new are at the end.
    pub(super) fn sort(&self, found: &[usize], all: usize) -> Vec<usize> {
        let mut ranks = vec![usize::MAX; all];
        for (rank, &item) in self.items.iter().enumerate() {
            if let Some(place) = ranks.get_mut(item) {
                *place = rank;
            }
        }
        let mut found = found.to_vec();
        found.sort_by_key(|&item| ranks.get(item).copied());
        found
    }

    /// Returns the same order for a newer state of the bookmarks; new ones are at the end until they are sorted again.
    pub(super) fn follow(&self, from: &Bookmarks, to: &Bookmarks) -> Self {
        let items = from.follow(to, &self.items).into_iter().flatten();
        let mut items: Vec<usize> = items.collect();
        let mut is_listed = vec![false; to.len()];
        for &item in &items {
            if let Some(is_listed) = is_listed.get_mut(item) {
                *is_listed = true;
            }
        }
        let others = is_listed.into_iter().enumerate();
        let others = others.filter(|(item, is_listed)| !is_listed && to.bookmark(*item).is_some());
        items.extend(others.map(|(item, _)| item));
        Self {
            order: self.order,
            items,
        }
    }
}

/// The dates of additions, and the bookmarks in an order.
#[derive(Clone, Debug)]
pub struct SortResult {
    /// The dates of additions.
    pub added: BookmarkRecords,
    /// The bookmarks that were sorted.
    pub bookmarks: Bookmarks,
    /// The order.
    pub order: BookmarkOrder,
    /// The indices of the bookmarks in this order; none for the order of the file.
    pub items: Vec<usize>,
}
