//! A newsrc that another newsreader may write too.
//!
//! Such a program reads the file once and writes all of it back later, without what was written meanwhile. So the changes
//! made here are merged three ways: the marks in every version of the file that was written here are remembered for the
//! changed groups; when another program has written the file, the version that it had read is the one that differs
//! least from what it wrote, and the latest of these; and what was changed here after that version is applied again.
//! What it took away, or marked, counts otherwise.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{io, mem};

use geomys_page::document::ArticleNumbers;
use geomys_page::document::marks::{GroupMarks, MarkChange, ServerMarks};

use super::{BACKUP, FILE, Newsrc};
use crate::files::atomic;
use crate::files::user_file::FileError;

/// The maximum number of remembered versions.
const MAX_VERSIONS: usize = 64;

/// Changes to groups, in order.
type Changes = Vec<(Vec<u8>, MarkChange)>;

/// A newsrc that is changed here, with the memory of this session.
#[derive(Clone, Debug)]
pub struct SharedNewsrc {
    path: PathBuf,
    /// The hash of the file as it was written here last; `None` before the first write.
    written: Option<u64>,
    versions: Versions,
}

impl SharedNewsrc {
    /// Creates the memory of the file at this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            written: None,
            versions: Versions::default(),
        }
    }

    /// Applies changes to the file as it is now, each to the group of that name, and returns its new content. Changes of
    /// this session that another newsreader has overwritten are applied again. Before the first write of a session the file
    /// is copied to a backup next to it.
    ///
    /// # Errors
    /// Errors of reading and writing; nothing is written then.
    pub fn change(&mut self, changes: &[(Vec<u8>, MarkChange)]) -> Result<Newsrc, FileError> {
        let (newsrc, after) = FILE.change(&self.path, |octets| {
            if self.written.is_none() && !octets.is_empty() {
                back_up(&self.path, &octets)?;
            }
            let (newsrc, after) = self.changed(&octets, changes);
            Ok((newsrc.octets(), (newsrc, after)))
        })?;
        *self = after;
        Ok(newsrc)
    }

    /// Applies the changes of this session again that another newsreader has overwritten since, if there are any.
    ///
    /// # Errors
    /// Errors of [`SharedNewsrc::change`].
    pub fn merge(&mut self) -> Result<(), FileError> {
        if self.written.is_none() {
            return Ok(());
        }
        let octets = FILE.read(&self.path)?;
        if self.changed(&octets, &[]).0.octets() != octets {
            self.change(&[])?;
        }
        Ok(())
    }

    /// Returns the file with these changes, and the memory of it.
    fn changed(&self, octets: &[u8], changes: &[(Vec<u8>, MarkChange)]) -> (Newsrc, Self) {
        let theirs = Newsrc::parse(octets);
        let marks = theirs.marks();
        let mut newsrc = theirs;
        let mut versions = self.versions.clone();
        if self.written.is_some_and(|written| written != hash(octets)) {
            let unseen = versions.changes_since(versions.base_of(&marks));
            for (group, change) in &unseen {
                newsrc.apply(group, change);
            }
            versions.restart(&marks);
        }
        for (group, change) in changes {
            newsrc.apply(group, change);
        }
        let groups = changes.iter().map(|(group, _)| group.as_slice());
        versions.push(groups, &marks, &newsrc.marks());
        let after = Self {
            path: self.path.clone(),
            written: Some(hash(&newsrc.octets())),
            versions,
        };
        (newsrc, after)
    }
}

/// Writes the backup of the file at `path`, readable by its owner alone.
fn back_up(path: &Path, octets: &[u8]) -> io::Result<()> {
    let mut backup = path.as_os_str().to_owned();
    backup.push(BACKUP);
    atomic::replace(Path::new(&backup), octets, &|_| {})
}

fn hash(octets: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    octets.hash(&mut hasher);
    hasher.finish()
}

/// The marks of the groups changed here, in each version of the file since another program wrote it. The first version has
/// all these groups; each other one only those that differ from the version before.
#[derive(Clone, Debug, Default)]
struct Versions(Vec<HashMap<Vec<u8>, GroupMarks>>);

impl Versions {
    /// Returns the version that another program had most probably read, if it wrote these marks.
    fn base_of(&self, theirs: &ServerMarks) -> usize {
        let mut distances = vec![0_u64; self.0.len()];
        for group in self.0.first().into_iter().flat_map(HashMap::keys) {
            let theirs = marks(theirs, group);
            let mut distance = 0;
            for (version, total) in self.0.iter().zip(&mut distances) {
                if let Some(ours) = version.get(group) {
                    distance = self::distance(ours, &theirs);
                }
                *total += distance;
            }
        }
        let latest_first = distances.iter().enumerate().rev();
        let nearest = latest_first.min_by_key(|(_, distance)| **distance);
        nearest.map_or(0, |(version, _)| version)
    }

    /// Returns the marks of the groups in this version.
    fn at(&self, version: usize) -> HashMap<&[u8], &GroupMarks> {
        let versions = self.0.iter().take(version + 1).flatten();
        versions
            .map(|(group, marks)| (group.as_slice(), marks))
            .collect()
    }

    /// Returns the changes from this version to the last one.
    fn changes_since(&self, version: usize) -> Changes {
        let before = self.at(version);
        let mut changes = Vec::new();
        for (group, after) in self.at(self.0.len()) {
            let before = before.get(group).copied().cloned().unwrap_or_default();
            let mut push = |change| changes.push((group.to_vec(), change));
            let (marked, unmarked) = (
                after.read.without(&before.read),
                before.read.without(&after.read),
            );
            if !marked.is_empty() {
                push(MarkChange::Read(marked));
            }
            if !unmarked.is_empty() {
                push(MarkChange::Unread(unmarked));
            }
            if after.is_subscribed != before.is_subscribed {
                push(MarkChange::Subscribe(after.is_subscribed));
            }
        }
        // New groups are added in this order.
        changes.sort_by(|(one, _), (other, _)| one.cmp(other));
        changes
    }

    /// Forgets all versions: another program has written these marks, and knows nothing older any more.
    fn restart(&mut self, theirs: &ServerMarks) {
        let first = mem::take(&mut self.0)
            .into_iter()
            .next()
            .unwrap_or_default();
        let groups = first.into_keys();
        self.0 = vec![
            groups
                .map(|group| (group.clone(), marks(theirs, &group)))
                .collect(),
        ];
    }

    /// Appends the version that is written now. `changed` are the groups that were changed, `before` the marks in the file
    /// before.
    fn push<'a>(
        &mut self,
        changed: impl Iterator<Item = &'a [u8]>,
        before: &ServerMarks,
        after: &ServerMarks,
    ) {
        if self.0.is_empty() {
            self.0.push(HashMap::new());
        }
        let Some(first) = self.0.first_mut() else {
            return;
        };
        for group in changed {
            first
                .entry(group.to_vec())
                .or_insert_with(|| marks(before, group));
        }
        let last = self.at(self.0.len()).into_iter();
        let new = last.filter_map(|(group, last)| {
            let after = marks(after, group);
            (after != *last).then(|| (group.to_vec(), after))
        });
        let new: HashMap<_, _> = new.collect();
        self.0.push(new);
        if self.0.len() > MAX_VERSIONS {
            // The oldest one stays, as a program that runs for long has read it.
            let second = self.0.remove(1);
            let third = self.0.get_mut(1).into_iter();
            for version in third {
                for (group, marks) in &second {
                    version
                        .entry(group.clone())
                        .or_insert_with(|| marks.clone());
                }
            }
        }
    }
}

fn marks(all: &ServerMarks, group: &[u8]) -> GroupMarks {
    all.group(group).cloned().unwrap_or_default()
}

/// Returns the number of ranges and of subscriptions in which two marks differ: each is one key of a newsreader.
fn distance(one: &GroupMarks, other: &GroupMarks) -> u64 {
    let ranges = |one: &ArticleNumbers, other: &ArticleNumbers| one.without(other).ranges().count();
    let ranges = ranges(&one.read, &other.read) + ranges(&other.read, &one.read);
    let subscription = u64::from(one.is_subscribed != other.is_subscribed);
    u64::try_from(ranges)
        .unwrap_or(u64::MAX)
        .saturating_add(subscription)
}

#[cfg(test)]
mod tests;
