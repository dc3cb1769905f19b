//! The read articles and the subscriptions of a server's groups.

use std::collections::HashMap;
use std::sync::Arc;

use geomys_wire::protocol::nntp::ActiveGroup;

use super::numbers::ArticleNumbers;

/// The number of read articles that may be above the highest number of a small group, and of a large one.
const FEW: u64 = 5;
const MANY: u64 = 100;

/// The read articles and the subscription of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupMarks {
    /// True if the group is subscribed.
    pub is_subscribed: bool,
    /// The numbers of the read articles.
    pub read: Arc<ArticleNumbers>,
}

/// A change to a group's marks, to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkChange {
    /// Mark these articles as read.
    Read(ArticleNumbers),
    /// Mark these articles as unread.
    Unread(ArticleNumbers),
    /// Subscribe to the group (true) or unsubscribe from it (false).
    Subscribe(bool),
    /// Mark all articles as unread, at the user's request.
    Reset,
}

impl GroupMarks {
    /// Returns true if the server seems to have renumbered the group, by its highest number.
    pub fn is_renumbered(&self, highest: u64) -> bool {
        is_renumbered(&self.read, highest)
    }

    /// Returns the change that undoes a change, for these marks before it.
    #[must_use]
    pub fn inverse(&self, change: &MarkChange) -> MarkChange {
        match change {
            MarkChange::Read(numbers) => MarkChange::Unread(numbers.without(&self.read)),
            MarkChange::Unread(numbers) => {
                let others = self.read.without(numbers);
                MarkChange::Read(self.read.without(&others))
            }
            MarkChange::Subscribe(_) => MarkChange::Subscribe(self.is_subscribed),
            MarkChange::Reset => MarkChange::Read((*self.read).clone()),
        }
    }

    /// Applies a change.
    pub fn apply(&mut self, change: &MarkChange) {
        match change {
            MarkChange::Read(numbers) => Arc::make_mut(&mut self.read).insert_all(numbers),
            MarkChange::Unread(numbers) => Arc::make_mut(&mut self.read).remove_all(numbers),
            MarkChange::Subscribe(subscribed) => self.is_subscribed = *subscribed,
            MarkChange::Reset => self.read = Arc::default(),
        }
    }
}

/// Returns true if a server seems to have renumbered a group, by its highest number and numbers of articles from
/// before.
///
/// RFC 3977 (section 6.1.1.2) lets that number decrease a little when articles are removed, servers of a pool are not
/// all up to date, and a single number may be wrong. So more articles must be above it than these causes explain.
pub fn is_renumbered(before: &ArticleNumbers, highest: u64) -> bool {
    let above = before.count(highest.saturating_add(1), u64::MAX);
    above > (highest / 10).clamp(FEW, MANY)
}

/// The marks of all groups of a server. A clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct ServerMarks {
    /// The saved marks, each with its position in the file.
    saved: Arc<HashMap<Vec<u8>, (usize, GroupMarks)>>,
    /// The unsaved changes: few, as they are saved soon.
    changed: HashMap<Vec<u8>, GroupMarks>,
}

impl ServerMarks {
    /// Takes the marks of these groups, in their order. The first entry of a name counts.
    pub fn new(groups: impl IntoIterator<Item = (Vec<u8>, GroupMarks)>) -> Self {
        let mut saved = HashMap::new();
        for (position, (name, marks)) in groups.into_iter().enumerate() {
            saved.entry(name).or_insert((position, marks));
        }
        Self {
            saved: Arc::new(saved),
            changed: HashMap::new(),
        }
    }

    /// The marks of a group; nothing when it was never read nor subscribed.
    pub fn group(&self, group: &[u8]) -> Option<&GroupMarks> {
        let saved = || self.saved.get(group).map(|(_, marks)| marks);
        self.changed.get(group).or_else(saved)
    }

    /// The numbers of the read articles of a group.
    pub fn read(&self, group: &[u8]) -> Arc<ArticleNumbers> {
        let marks = self.group(group);
        marks.map_or_else(Arc::default, |marks| Arc::clone(&marks.read))
    }

    /// Returns true if a group is subscribed.
    pub fn is_subscribed(&self, group: &[u8]) -> bool {
        self.group(group).is_some_and(|marks| marks.is_subscribed)
    }

    /// The number of unread articles of a group, estimated from its list line: at most its number of articles, and at
    /// most the unread numbers in its range.
    pub fn unread(&self, group: &ActiveGroup<'_>) -> u64 {
        let articles = group.articles();
        if articles == 0 || group.high == 0 || group.high < group.low {
            return 0;
        }
        let low = group.low.max(1);
        let room = (group.high - low).saturating_add(1);
        let read = self.read(group.name).count(low, group.high);
        room.saturating_sub(read).min(articles)
    }

    /// Applies a change to the marks of a group.
    pub fn apply(&mut self, group: &[u8], change: &MarkChange) {
        let mut marks = self.group(group).cloned().unwrap_or_default();
        marks.apply(change);
        self.changed.insert(group.to_vec(), marks);
    }

    /// The subscribed groups, in the order of the file; new ones come last, sorted by name.
    pub fn subscribed(&self) -> Vec<&[u8]> {
        let saved = self.saved.keys().map(Vec::as_slice);
        let new = self.changed.keys().map(Vec::as_slice);
        let new = new.filter(|name| !self.saved.contains_key(*name));
        let mut names: Vec<&[u8]> = saved
            .chain(new)
            .filter(|name| self.is_subscribed(name))
            .collect();
        names.sort_by_key(|name| (self.position(name), *name));
        names
    }

    /// The position of a group in the file; the maximum when it is not saved yet.
    pub(super) fn position(&self, group: &[u8]) -> usize {
        self.saved
            .get(group)
            .map_or(usize::MAX, |(position, _)| *position)
    }
}
