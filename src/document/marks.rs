//! What a person has read of a server's groups, and which of them are subscribed to.

use std::collections::HashMap;
use std::sync::Arc;

use super::Numbers;

/// Numbers that may be above the highest that a server tells of a small group; and those of a large one.
const FEW: u64 = 5;
const MANY: u64 = 100;

/// What is known of one group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// Whether it is subscribed to.
    pub is_subscribed: bool,
    /// The numbers of what was read.
    pub read: Arc<Numbers>,
}

/// What a person did, to be written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// These were read.
    Read(Numbers),
    /// These are to be unread again.
    Unread(Numbers),
    /// The group is subscribed to, or not any more.
    Subscribe(bool),
    /// Nothing of what was read counts any more: a person said so.
    Reset,
}

impl Marked {
    /// Whether a server whose highest number in the group is this seems to count anew.
    ///
    /// RFC 3977 (section 6.1.1.2) lets that number sink a little when articles go, servers that share their work are not
    /// all up to date, and a single number may be wrong: so more has to be above it than that explains.
    pub fn is_renumbered(&self, highest: u64) -> bool {
        let above = self.read.count(highest.saturating_add(1), u64::MAX);
        above > (highest / 10).clamp(FEW, MANY)
    }

    /// Makes a change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Read(numbers) => Arc::make_mut(&mut self.read).join(numbers),
            Change::Unread(numbers) => Arc::make_mut(&mut self.read).part(numbers),
            Change::Subscribe(subscribed) => self.is_subscribed = *subscribed,
            Change::Reset => self.read = Arc::default(),
        }
    }
}

/// What is known of all groups of a server. A clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// As they are written down, each with its place there.
    written: Arc<HashMap<Vec<u8>, (usize, Marked)>>,
    /// What has changed since: little, as it is written down soon.
    changed: HashMap<Vec<u8>, Marked>,
}

impl Marks {
    /// Those of these groups, in their order; the first of a name counts.
    pub fn new(groups: impl IntoIterator<Item = (Vec<u8>, Marked)>) -> Self {
        let mut written = HashMap::new();
        for (place, (name, marked)) in groups.into_iter().enumerate() {
            written.entry(name).or_insert((place, marked));
        }
        Self {
            written: Arc::new(written),
            changed: HashMap::new(),
        }
    }

    /// What is known of a group; nothing when it has never been read nor subscribed to.
    pub fn of(&self, group: &[u8]) -> Option<&Marked> {
        let written = || self.written.get(group).map(|(_, marked)| marked);
        self.changed.get(group).or_else(written)
    }

    /// What was read of a group.
    pub fn read(&self, group: &[u8]) -> Arc<Numbers> {
        let marked = self.of(group);
        marked.map_or_else(Arc::default, |marked| Arc::clone(&marked.read))
    }

    /// Whether a group is subscribed to.
    pub fn is_subscribed(&self, group: &[u8]) -> bool {
        self.of(group).is_some_and(|marked| marked.is_subscribed)
    }

    /// Makes a change to what is known of a group.
    pub fn apply(&mut self, group: &[u8], change: &Change) {
        let mut marked = self.of(group).cloned().unwrap_or_default();
        marked.apply(change);
        self.changed.insert(group.to_vec(), marked);
    }

    /// The groups that are subscribed to, in the order in which they are written down; new ones come last, by name.
    pub fn subscribed(&self) -> Vec<&[u8]> {
        let written = self.written.keys().map(Vec::as_slice);
        let new = self.changed.keys().map(Vec::as_slice);
        let new = new.filter(|name| !self.written.contains_key(*name));
        let mut names: Vec<&[u8]> = written
            .chain(new)
            .filter(|name| self.is_subscribed(name))
            .collect();
        names.sort_by_key(|name| (self.place(name), *name));
        names
    }

    /// Where a group is written down; after all others when it is not yet.
    pub(super) fn place(&self, group: &[u8]) -> usize {
        self.written
            .get(group)
            .map_or(usize::MAX, |(place, _)| *place)
    }
}
