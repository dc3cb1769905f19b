//! A newsrc that another newsreader may write too.
//!
//! Such a program reads the file once and writes all of it back later, without what was written meanwhile. So the
//! changes made here are merged three ways: the marks in every version of the file that was written here are remembered
//! for the changed groups; when another program has written the file, the version that it had read is the one that
//! differs least from what it wrote, and the latest of these; and what was changed here after that version is applied
//! again. Otherwise the marks that the other program set or removed count.

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

    /// Applies changes to the file as it is now, each to the group of that name, and returns its new content. Changes
    /// of this session that another newsreader has overwritten are applied again. Before the first write of a session
    /// the file is copied to a backup next to it.
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
    atomic::replace(Path::new(&backup), octets)
}

fn hash(octets: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    octets.hash(&mut hasher);
    hasher.finish()
}

/// The marks of the groups changed here, in each version of the file since another program wrote it. The first version
/// has all these groups; each other one only those that differ from the version before.
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

    /// Appends the version that is written now. `changed` are the groups that were changed, `before` the marks in the
    /// file before.
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
// Changes here, and another newsreader that writes its view of the file back.
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use proptest::prelude::*;
    use tempfile::TempDir;

    use super::*;

    fn read(number: u64) -> MarkChange {
        MarkChange::Read(ArticleNumbers::range(number, number))
    }

    /// A file that both programs write.
    struct TestFile {
        _directory: TempDir,
        path: PathBuf,
        ours: SharedNewsrc,
    }

    impl TestFile {
        fn new(content: &str) -> Self {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join(".newsrc");
            fs::write(&path, content).unwrap();
            Self {
                ours: SharedNewsrc::new(&path),
                path,
                _directory: directory,
            }
        }

        /// Writes the file as the other program.
        fn theirs(&self, content: &str) {
            fs::write(&self.path, content).unwrap();
        }

        /// Changes the group `g` here, and returns the file.
        fn change(&mut self, changes: impl IntoIterator<Item = MarkChange>) -> String {
            let changes = changes.into_iter().map(|change| (b"g".to_vec(), change));
            self.ours.change(&changes.collect::<Vec<_>>()).unwrap();
            self.content()
        }

        fn merge(&mut self) -> String {
            self.ours.merge().unwrap();
            self.content()
        }

        fn content(&self) -> String {
            fs::read_to_string(&self.path).unwrap()
        }
    }

    #[test]
    fn change_of_another_newsreader_is_preserved() {
        let mut file = TestFile::new("");
        file.change([read(1)]);
        file.theirs("x.y: 1-9\r\ng: 1\r\n");
        assert_eq!(file.change([read(2)]), "x.y: 1-9\r\ng: 1-2\r\n");
    }

    #[test]
    fn first_change_keeps_a_private_backup() {
        use std::os::unix::fs::PermissionsExt;
        let mut file = TestFile::new("");
        let backup = file.path.with_file_name(".newsrc.geomys-backup");
        file.change([read(1)]);
        assert!(!backup.exists(), "there was nothing to keep");
        // A new session.
        file.ours = SharedNewsrc::new(&file.path);
        file.change([read(2)]);
        file.change([read(3)]);
        assert_eq!(fs::read_to_string(&backup).unwrap(), "g! 1\n");
        assert_eq!(file.content(), "g! 1-3\n");
        let mode = fs::metadata(&backup).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn marks_survive_an_old_view_that_is_written_back() {
        let mut file = TestFile::new("g: 1-3\nother: 1\n");
        assert_eq!(
            file.change([read(18), read(20)]),
            "g: 1-3,18,20\nother: 1\n"
        );
        file.theirs("g: 1-3,16\nother: 1-2\n");
        assert_eq!(file.change([read(22)]), "g: 1-3,16,18,20,22\nother: 1-2\n");
        // The same view again, and at the end without another change.
        file.theirs("g: 1-3,16-17\nother: 1-2\n");
        assert_eq!(file.merge(), "g: 1-3,16-18,20,22\nother: 1-2\n");
        // Nothing is written where nothing is missing.
        let before = fs::metadata(&file.path).unwrap().modified().unwrap();
        file.merge();
        assert_eq!(
            fs::metadata(&file.path).unwrap().modified().unwrap(),
            before
        );
    }

    #[test]
    fn unread_marks_and_subscriptions_survive_an_old_view_too() {
        let mut file = TestFile::new("g! 1-9\n");
        file.change([MarkChange::Unread(ArticleNumbers::range(4, 5))]);
        file.change([MarkChange::Subscribe(true)]);
        file.theirs("g! 1-10\n");
        assert_eq!(file.merge(), "g: 1-3,6-10\n");
        file.change([MarkChange::Reset]);
        file.theirs("g: 1-3,6-11\n");
        assert_eq!(file.merge(), "g: 11\n");
        // A group that the other program does not know.
        let new = [(b"new".to_vec(), read(7))];
        file.ours.change(&new).unwrap();
        file.theirs("g: 11-12\n");
        assert_eq!(file.merge(), "g: 11-12\nnew! 7\n");
    }

    #[test]
    fn what_another_newsreader_takes_away_stays_away() {
        // It has read all marks of here, and takes one of them away.
        let mut file = TestFile::new("g: 1-3\n");
        file.change([read(18), read(20), MarkChange::Subscribe(true)]);
        file.theirs("g: 1-3,18\n");
        assert_eq!(file.change([read(22)]), "g: 1-3,18,22\n");
        // It has written them itself, so that it has seen them, and takes all away.
        file.theirs("g: 1-3,16,18,22\n");
        assert_eq!(file.change([read(24)]), "g: 1-3,16,18,22,24\n");
        file.theirs("g: 1-3\n");
        assert_eq!(file.merge(), "g: 1-3,24\n");
        // It unsubscribes, and marks a range unread.
        file.change([MarkChange::Read(ArticleNumbers::range(4, 100))]);
        file.theirs("g! 1-50\n");
        assert_eq!(file.merge(), "g! 1-50\n");
    }

    #[test]
    fn what_the_user_takes_away_stays_away() {
        let mut file = TestFile::new("g: 1-3\n");
        file.change([read(18), read(20)]);
        file.change([MarkChange::Unread(ArticleNumbers::range(18, 18))]);
        file.theirs("g: 1-3,16\n");
        assert_eq!(file.merge(), "g: 1-3,16,20\n");
    }

    #[test]
    fn many_versions_are_bounded_and_the_first_one_stays() {
        let mut file = TestFile::new("g:\n");
        for number in 1..=300 {
            file.change([read(2 * number)]);
        }
        assert!(file.ours.versions.0.len() <= MAX_VERSIONS);
        file.theirs("g: 1\n");
        let all =
            ArticleNumbers::parse(file.merge().trim_start_matches("g:").trim().as_bytes()).unwrap();
        assert_eq!(all.count(1, 1000), 301);
    }

    /// A change of one mark, far from those of the other program.
    fn own_change() -> impl Strategy<Value = (u8, u64, bool)> {
        (0..3_u8, 0..30_u64, any::<bool>())
            .prop_map(|(group, number, is_read)| (group, 1000 + 2 * number, is_read))
    }

    proptest! {
        /// The other program has read the file once, at any time, and only adds marks: every change here from that time
        /// on survives each of its writes, and nothing else is changed.
        #[test]
        fn changes_after_the_read_of_another_program_survive(
            before in proptest::collection::vec(own_change(), 0..8),
            rounds in proptest::collection::vec(
                (proptest::collection::vec(own_change(), 0..8), proptest::collection::vec((0..3_u8, 0..400_u64), 0..4)),
                1..4,
            ),
        ) {
            let mut file = TestFile::new("a: 1-3\nb! 2\n");
            let name = |group: u8| vec![b'a' + group];
            let change = |number, is_read| {
                let numbers = ArticleNumbers::range(number, number);
                if is_read { MarkChange::Read(numbers) } else { MarkChange::Unread(numbers) }
            };
            for (group, number, is_read) in before {
                file.ours.change(&[(name(group), change(number, is_read))]).unwrap();
            }
            let start = file.content();
            let mut theirs = Newsrc::parse(start.as_bytes());
            let mut expected = theirs.clone();
            // A program that reads the file as it was written by nobody else starts a new memory.
            if file.ours.written.is_some() {
                file.theirs(&format!("{start}# seen\n"));
                theirs = Newsrc::load(&file.path).unwrap();
                file.merge();
            }
            for (own, added) in rounds {
                for (group, number, is_read) in own {
                    expected.apply(&name(group), &change(number, is_read));
                    file.ours.change(&[(name(group), change(number, is_read))]).unwrap();
                }
                for (group, number) in added {
                    let read = read(2 * number);
                    theirs.apply(&name(group), &read);
                    expected.apply(&name(group), &read);
                }
                file.theirs(&String::from_utf8(theirs.octets()).unwrap());
                file.merge();
                let merged = Newsrc::load(&file.path).unwrap();
                for group in 0..3 {
                    let read = |newsrc: &Newsrc| newsrc.marks().read(&name(group)).to_string();
                    prop_assert_eq!(read(&merged), read(&expected));
                }
            }
        }
    }
}
