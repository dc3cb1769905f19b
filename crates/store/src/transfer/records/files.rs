//! Files of a record: one allocation and 32 octets for each, as a mirror may have a million.

use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::str::from_utf8;

use hashbrown::HashTable;

use super::record::{SavedPage, path_of};

/// Maximum number of states that are kept of a file.
const MAX_STATES: usize = 8;

/// Files of a record, by their paths below the directory and by their source URLs.
#[derive(Debug, Default)]
pub(super) struct RecordedFiles {
    files: Vec<RecordedFile>,
    /// Indices of all files, by the hashes of their paths.
    by_name: HashTable<usize>,
    /// Indices of the files with a source, by the hashes of its URL.
    by_source: HashTable<usize>,
    hasher: RandomState,
}

/// What is recorded of one file.
#[derive(Debug, Default)]
struct RecordedFile {
    /// Path, URL and states, without anything between them but a space after each state.
    text: Box<[u8]>,
    /// End of the path in `text`.
    name_end: u32,
    /// End of the URL in `text`; that of the path if the file has no source.
    source_end: u32,
    /// What few files have.
    rest: Option<Box<RareFacts>>,
}

/// What is recorded of few files: of those whose server told it, and of the pages of a site.
#[derive(Debug, Default)]
struct RareFacts {
    media_type: Option<Box<str>>,
    page: Option<SavedPage>,
    /// Number of runs in a row in which the file had changed.
    changes: u32,
}

impl RecordedFile {
    fn new(name: &[u8], source: &str, states: &[u8]) -> Self {
        let end = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        Self {
            text: [name, source.as_bytes(), states].concat().into(),
            name_end: end(name.len()),
            source_end: end(name.len() + source.len()),
            rest: None,
        }
    }

    fn name(&self) -> &[u8] {
        self.text.get(..self.name_end as usize).unwrap_or_default()
    }

    fn source(&self) -> Option<&str> {
        let source = self.name_end as usize..self.source_end as usize;
        let source = self.text.get(source).filter(|source| !source.is_empty())?;
        from_utf8(source).ok()
    }

    /// Returns the states, with a space after each.
    fn states(&self) -> &[u8] {
        let states = self.text.get(self.source_end as usize..);
        states.unwrap_or_default()
    }

    /// Replaces the source and the states.
    fn set(&mut self, source: &str, states: &[u8]) {
        let rest = self.rest.take();
        *self = Self {
            rest,
            ..Self::new(self.name(), source, states)
        };
    }
}

impl RecordedFiles {
    fn index(&self, name: &Path) -> Option<usize> {
        let name = name.as_os_str().as_bytes();
        let is_it = |&index: &usize| {
            self.files
                .get(index)
                .is_some_and(|file| file.name() == name)
        };
        let hash = self.hasher.hash_one(name);
        self.by_name.find(hash, is_it).copied()
    }

    fn get(&self, name: &Path) -> Option<&RecordedFile> {
        self.files.get(self.index(name)?)
    }

    /// Returns the index of a file, which is added if it is not there.
    fn add(&mut self, name: &Path) -> usize {
        if let Some(index) = self.index(name) {
            return index;
        }
        let (index, name) = (self.files.len(), name.as_os_str().as_bytes());
        self.files.push(RecordedFile::new(name, "", b""));
        let (files, hasher) = (&self.files, &self.hasher);
        let hash_of = |&index: &usize| {
            let file = files.get(index).map(RecordedFile::name);
            hasher.hash_one(file.unwrap_or_default())
        };
        let hash = hasher.hash_one(name);
        self.by_name.insert_unique(hash, index, hash_of);
        index
    }

    fn change(&mut self, name: &Path, change: impl FnOnce(&mut RecordedFile)) {
        let index = self.add(name);
        if let Some(file) = self.files.get_mut(index) {
            change(file);
        }
    }

    fn change_rest(&mut self, name: &Path, change: impl FnOnce(&mut RareFacts)) {
        self.change(name, |file| change(file.rest.get_or_insert_default()));
    }

    /// Returns the source URL of a file.
    pub(super) fn source(&self, name: &Path) -> Option<&str> {
        self.get(name)?.source()
    }

    /// Sets the source URL of a file. It has none if the text is empty.
    pub(super) fn set_source(&mut self, name: &Path, source: &str) {
        let index = self.add(name);
        self.replace_source(index, source);
        if source.is_empty() {
            return;
        }
        let (files, hasher) = (&self.files, &self.hasher);
        let hash_of = |&index: &usize| {
            let source = files.get(index).and_then(RecordedFile::source);
            hasher.hash_one(source.unwrap_or_default())
        };
        let hash = hasher.hash_one(source);
        self.by_source.insert_unique(hash, index, hash_of);
    }

    /// Replaces the source URL of a file, which is not found by it any more.
    fn replace_source(&mut self, index: usize, source: &str) {
        let Some(file) = self.files.get_mut(index) else {
            return;
        };
        if let Some(former) = file.source() {
            let hash = self.hasher.hash_one(former);
            if let Ok(found) = self.by_source.find_entry(hash, |&other| other == index) {
                found.remove();
            }
        }
        let states = file.states().to_vec();
        file.set(source, &states);
    }

    /// Returns the files with this source URL, in the order in which they were recorded first.
    pub(super) fn names_from(&self, source: &str) -> Vec<&Path> {
        let found = self.by_source.iter_hash(self.hasher.hash_one(source));
        let mut found: Vec<usize> = found.copied().collect();
        found.sort_unstable();
        let files = found.into_iter().filter_map(|index| self.files.get(index));
        let files = files.filter(|file| file.source() == Some(source));
        files.map(|file| path_of(file.name())).collect()
    }

    /// Returns the files that have a source, each with its URL.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&Path, &str)> {
        let files = self.files.iter();
        files.filter_map(|file| Some((path_of(file.name()), file.source()?)))
    }

    /// Returns the last states in which a file was saved, the latest at the end.
    pub(super) fn states(&self, name: &Path) -> impl DoubleEndedIterator<Item = &str> {
        let states = self.get(name).map(RecordedFile::states).unwrap_or_default();
        let states = states.split(|&octet| octet == b' ');
        states.filter_map(|state| from_utf8(state).ok().filter(|state| !state.is_empty()))
    }

    /// Adds a state, a word, to those of a file. A new version is recorded before it takes the place of the one before:
    /// after a kill between the two the file has an earlier state, and each further kill there adds one.
    pub(super) fn add_state(&mut self, name: &Path, state: &str) {
        let mut states: Vec<&str> = self.states(name).collect();
        if states.len() == MAX_STATES {
            states.remove(0);
        }
        states.push(state);
        let states = states.join(" ") + " ";
        self.change(name, |file| {
            let source = file.source().unwrap_or_default().to_owned();
            file.set(&source, states.as_bytes());
        });
    }

    /// Returns the media type of a file, if its server told it.
    pub(super) fn media_type(&self, name: &Path) -> Option<&str> {
        self.get(name)?.rest.as_ref()?.media_type.as_deref()
    }

    /// Sets the media type of a file.
    pub(super) fn set_media_type(&mut self, name: &Path, media_type: &str) {
        self.change_rest(name, |rest| rest.media_type = Some(media_type.into()));
    }

    /// Returns what a page of a site was when it was saved.
    pub(super) fn page(&self, name: &Path) -> Option<&SavedPage> {
        self.get(name)?.rest.as_ref()?.page.as_ref()
    }

    /// Sets what a page of a site was when it was saved.
    pub(super) fn set_page(&mut self, name: &Path, page: SavedPage) {
        self.change_rest(name, |rest| rest.page = Some(page));
    }

    /// Returns the number of runs in a row in which a file had changed.
    pub(super) fn changes(&self, name: &Path) -> u32 {
        let rest = self.get(name).and_then(|file| file.rest.as_ref());
        rest.map_or(0, |rest| rest.changes)
    }

    /// Sets the number of runs in a row in which a file had changed.
    pub(super) fn set_changes(&mut self, name: &Path, changes: u32) {
        self.change_rest(name, |rest| rest.changes = changes);
    }

    /// Removes what is recorded of a file. Only its path stays.
    pub(super) fn remove(&mut self, name: &Path) {
        let Some(index) = self.index(name) else {
            return;
        };
        self.replace_source(index, "");
        if let Some(file) = self.files.get_mut(index) {
            *file = RecordedFile::new(file.name(), "", b"");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_source_are_found_in_their_order() {
        let mut files = RecordedFiles::default();
        let names = |files: &RecordedFiles, source: &str| {
            let found = files.names_from(source).into_iter();
            found
                .map(|name| name.to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        for name in ["b", "a", "c", "a"] {
            files.set_source(Path::new(name), "ftp://h/x");
        }
        assert_eq!(names(&files, "ftp://h/x"), ["b", "a", "c"]);
        files.set_source(Path::new("a"), "ftp://h/y");
        assert_eq!(names(&files, "ftp://h/x"), ["b", "c"]);
        files.remove(Path::new("b"));
        assert_eq!(names(&files, "ftp://h/x"), ["c"]);
        assert_eq!(names(&files, "ftp://h/y"), ["a"]);
        let sources: Vec<_> = files.sources().map(|(name, _)| name).collect();
        assert_eq!(sources, [Path::new("a"), Path::new("c")]);
    }

    #[test]
    fn removed_file_has_nothing_and_may_come_again() {
        let (mut files, name) = (RecordedFiles::default(), Path::new("a"));
        files.add_state(name, "1:2:3");
        assert_eq!(files.source(name), None);
        files.set_source(name, "ftp://h/a");
        files.add_state(name, "4:5:6");
        files.set_media_type(name, "text/plain");
        files.set_changes(name, 2);
        assert!(files.states(name).eq(["1:2:3", "4:5:6"]));
        assert_eq!(files.source(name), Some("ftp://h/a"));
        files.remove(name);
        assert_eq!(files.source(name), None);
        assert_eq!(files.states(name).count(), 0);
        assert_eq!(files.media_type(name), None);
        assert_eq!(files.changes(name), 0);
        files.set_source(name, "ftp://h/a");
        assert_eq!(files.names_from("ftp://h/a"), [name]);
        assert_eq!(files.states(Path::new("b")).count(), 0);
    }
}
