//! The session: the tabs with their panes and pages, as one JSON object, for the next start.
//!
//! One process owns the file: it locks a file beside it as long as it runs. A second process neither reads nor writes
//! it. A file that is no session is copied to `session-damaged.json` beside it, before the next session replaces it.

use std::collections::BTreeMap;
use std::fs::{OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use geomys_page::document::ListOrder;
use serde::{Deserialize, Serialize};

use super::locked_file::LockedFile;
use super::user_file::{FileError, UserFile};
use super::{atomic, regular};
use crate::bookmarks::dates::BookmarkOrder;

const FILE: UserFile = UserFile {
    max_bytes: 64 << 20,
    read_failed: "the session cannot be read",
    write_failed: "the session was not written",
};

/// Name of the copy of a damaged session.
const DAMAGED: &str = "session-damaged.json";

/// Tabs, those that were closed last, and what was chosen and typed in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// The tabs, from left to right.
    pub tabs: Vec<TabState>,
    /// The index of the shown tab.
    pub shown: usize,
    /// The closed tabs, the one closed last at the end.
    pub closed: Vec<TabState>,
    /// The closed folders of the bookmarks, by path.
    pub closed_folders: Vec<Vec<String>>,
    /// The sort orders of the listings of hosts, and of newsgroups by URL.
    pub orders: BTreeMap<String, ListOrder>,
    /// The hosts for which the user chose whether the colours of their pages are shown.
    pub colours: BTreeMap<String, bool>,
    /// The order of the list of bookmarks.
    pub bookmark_order: BookmarkOrder,
    /// The words of searches, the newest last.
    pub searches: Vec<String>,
}

impl SessionState {
    /// Parses the content of the file.
    ///
    /// # Errors
    /// Content that is no session.
    pub fn parse(octets: &[u8]) -> io::Result<Self> {
        // A list would be read as the fields in their order, and an empty one as no session.
        if !octets.trim_ascii_start().starts_with(b"{") {
            return Err(io::ErrorKind::InvalidData.into());
        }
        serde_json::from_slice(octets).map_err(io::Error::from)
    }
}

/// A tab.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TabState {
    /// The panes, from left to right.
    pub panes: Vec<PaneState>,
    /// The index of the pane with the focus.
    pub focus: usize,
}

/// A pane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneState {
    /// The pages, the first visited one first.
    pub pages: Vec<PageState>,
    /// The index of the shown page.
    pub shown: usize,
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageState {
    /// The URL, without its password.
    pub url: String,
    /// The title.
    pub title: String,
    /// The row of the cursor.
    pub cursor: usize,
    /// The index of the chosen link in that row.
    pub link: Option<usize>,
    /// The first row on the screen, and the first of its lines there.
    pub top: (usize, usize),
    /// The number of columns scrolled to the right.
    pub left: usize,
    /// True if long lines are wrapped.
    pub wrap: bool,
    /// True if the page is an item of Gopher+.
    pub plus: bool,
    /// Who named the URL, as [`geomys_load::Namer`] stores it; None if that is not known.
    pub referrer: Option<String>,
    /// True if only the user may have it loaded again: its load would send answers or search words.
    pub on_request: bool,
    /// The path of the member of an archive, or of the attachment, that the fragment of the URL names.
    pub member: Option<String>,
}

/// Use of the session of the last run at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionPolicy {
    /// The tabs are restored.
    #[default]
    Restore,
    /// The user is asked whether the tabs are restored.
    Ask,
    /// The browser starts with the home page.
    New,
}

impl SessionPolicy {
    /// Returns the policy with a name in settings.toml.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "restore" => Self::Restore,
            "ask" => Self::Ask,
            "new" => Self::New,
            _ => return None,
        })
    }
}

/// The file of the session, owned by this process until it is dropped.
#[derive(Debug)]
pub struct SessionFile {
    path: PathBuf,
    _lock: LockedFile,
}

impl SessionFile {
    /// Takes the file over; `None` if another process owns it.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn own(path: &Path) -> Result<Option<Self>, FileError> {
        match lock(path) {
            Ok(lock) => Ok(Some(Self {
                path: path.to_owned(),
                _lock: lock,
            })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(FILE.write_error(path, source)),
        }
    }

    /// Reads the session; a missing file is an empty session. A damaged one is copied beside the file, and is an empty
    /// session with a sentence about the copy.
    ///
    /// # Errors
    /// Errors of reading, and of copying a damaged session: the file may not be replaced then.
    pub fn load(&self) -> Result<(SessionState, Option<String>), FileError> {
        let octets = FILE.read(&self.path)?;
        if octets.is_empty() {
            return Ok((SessionState::default(), None));
        }
        if let Ok(state) = SessionState::parse(&octets) {
            return Ok((state, None));
        }
        let copy = self.path.with_file_name(DAMAGED);
        let copied = atomic::replace(&copy, &octets);
        copied.map_err(|source| FILE.write_error(&copy, source))?;
        let sentence = format!("Session damaged; copied to {}", copy.display());
        Ok((SessionState::default(), Some(sentence)))
    }

    /// Replaces the session.
    ///
    /// # Errors
    /// Errors of writing; the file is unchanged then.
    pub fn save(&self, state: &SessionState) -> Result<(), FileError> {
        let written = serde_json::to_vec(state).map_err(io::Error::from);
        let written = written.and_then(|octets| atomic::replace(&self.path, &octets));
        written.map_err(|source| FILE.write_error(&self.path, source))
    }
}

fn lock(path: &Path) -> Result<LockedFile, TryLockError> {
    if let Some(directory) = path.parent() {
        atomic::create_directory(directory).map_err(TryLockError::Error)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(0o600);
    let file = options.open(path.with_extension("lock"));
    let file = file.map_err(TryLockError::Error)?;
    let kind = file.metadata().map_err(TryLockError::Error)?.file_type();
    regular::check(kind).map_err(TryLockError::Error)?;
    LockedFile::try_new(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use geomys_page::document::SortColumn;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn second_process_does_not_get_the_session_until_the_first_ends() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data/session.json");
        let first = SessionFile::own(&path).unwrap().unwrap();
        assert!(SessionFile::own(&path).unwrap().is_none());
        first.save(&SessionState::default()).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(&path.with_extension("lock")), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        drop(first);
        assert!(SessionFile::own(&path).unwrap().is_some());
    }

    #[test]
    fn damaged_session_is_copied_before_it_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.json");
        let file = SessionFile::own(&path).unwrap().unwrap();
        assert_eq!(file.load().unwrap(), (SessionState::default(), None));
        for damaged in ["{\"tabs\":[{\"panes\":", "[]", " [[], 0]\n", "null", "\n"] {
            fs::write(&path, damaged).unwrap();
            let (state, sentence) = file.load().unwrap();
            assert_eq!(state, SessionState::default());
            assert!(sentence.unwrap().contains(DAMAGED), "{damaged}");
            file.save(&state).unwrap();
            let copy = directory.path().join(DAMAGED);
            assert_eq!(fs::read_to_string(copy).unwrap(), damaged);
            assert_eq!(file.load().unwrap().1, None);
        }
    }

    #[test]
    fn damaged_session_that_cannot_be_copied_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.json");
        let file = SessionFile::own(&path).unwrap().unwrap();
        fs::write(&path, "{").unwrap();
        fs::create_dir(directory.path().join(DAMAGED)).unwrap();
        let error = file.load().unwrap_err().to_string();
        assert!(
            error.starts_with("the session was not written: "),
            "{error}"
        );
    }

    fn page() -> impl Strategy<Value = PageState> {
        (any::<(String, String, usize, bool)>()).prop_map(|(url, title, cursor, wrap)| PageState {
            url,
            title,
            cursor,
            wrap,
            ..PageState::default()
        })
    }

    proptest! {
        #[test]
        fn any_session_comes_back_as_it_was_written(
            pages in proptest::collection::vec(page(), 0..9), shown: usize
        ) {
            let directory = tempfile::tempdir().unwrap();
            let file = SessionFile::own(&directory.path().join("session.json")).unwrap().unwrap();
            let pane = PaneState { pages, shown };
            let tab = TabState { panes: vec![pane], focus: 0 };
            let state = SessionState {
                tabs: vec![tab.clone()],
                shown,
                closed: vec![tab],
                closed_folders: vec![vec!["a/b".to_owned(), String::new()]],
                orders: [("h.example".to_owned(), ListOrder::new(SortColumn::Size))].into(),
                colours: [("h.example".to_owned(), false)].into(),
                bookmark_order: BookmarkOrder::Added,
                searches: vec!["prairie dogs".to_owned()],
            };
            file.save(&state).unwrap();
            prop_assert_eq!(file.load().unwrap(), (state, None));
        }
    }
}
