//! The visibility of a group's articles: folded threads, read articles, hidden articles; and the stored folds of a
//! group.
//!
//! Stored folds are keyed by the Message-IDs of first articles, which stay the same when line numbers change.

use super::row::Fold;

/// The maximum number of exceptions stored for a group, and the maximum size of their Message-IDs, in bytes.
const MAX_EXCEPTIONS: usize = 1000;
const MAX_IDS_BYTES: usize = 64 * 1024;

/// The maximum length of a stored Message-ID, in bytes; RFC 3977 (section 3.6) allows 250 bytes.
const MAX_ID_BYTES: usize = 1000;

/// A change to the folds of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoldChange {
    /// Set the fold state of all threads.
    All(Fold),
    /// Set the fold state of the thread whose first article has this Message-ID.
    Thread(Vec<u8>, Fold),
}

/// The folds of a group: the state of all threads, and the exceptions in the other state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFolds {
    all: Fold,
    /// The Message-IDs of first articles, the least recently changed first.
    except: Vec<Vec<u8>>,
}

impl Default for GroupFolds {
    fn default() -> Self {
        Self {
            all: Fold::Open,
            except: Vec::new(),
        }
    }
}

impl GroupFolds {
    /// The fold state of all threads without an exception.
    pub fn all(&self) -> Fold {
        self.all
    }

    /// The Message-IDs of the threads in the other state.
    pub fn except(&self) -> &[Vec<u8>] {
        &self.except
    }

    /// Applies a change. If there are too many exceptions then, the oldest are removed. A Message-ID that cannot be
    /// stored in a line of a file is ignored.
    pub fn apply(&mut self, change: &FoldChange) {
        match change {
            FoldChange::All(fold) => {
                self.all = *fold;
                self.except.clear();
            }
            FoldChange::Thread(id, fold) if is_word(id) && id.len() <= MAX_ID_BYTES => {
                self.except.retain(|stored| stored != id);
                if *fold != self.all {
                    self.except.push(id.clone());
                    self.drop_oldest();
                }
            }
            FoldChange::Thread(..) => {}
        }
    }

    fn drop_oldest(&mut self) {
        let mut bytes: usize = self.except.iter().map(Vec::len).sum();
        let mut count = self.except.len();
        let too_many = self.except.iter().take_while(|id| {
            let is_too_much = count > MAX_EXCEPTIONS || bytes > MAX_IDS_BYTES;
            count -= 1;
            bytes -= id.len();
            is_too_much
        });
        let too_many = too_many.count();
        self.except.drain(..too_many);
    }
}

/// Returns true if the bytes are one word: not empty, without blanks and control characters.
pub fn is_word(bytes: &[u8]) -> bool {
    !bytes.is_empty() && !bytes.iter().any(|byte| *byte <= b' ' || *byte == 0x7f)
}

/// The articles of a group that have a row, before a filter is applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArticleVisibility {
    /// The threads that are folded to one row.
    pub folds: ThreadFolds,
    /// The visibility of read articles.
    pub read: ReadRows,
    /// The visibility of articles that the user's rules hide.
    pub hidden: HiddenRows,
}

/// The visibility of read articles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadRows {
    /// Read articles have a row.
    #[default]
    Shown,
    /// Articles that were read when the rows were last arranged have no row.
    LeftOut,
}

/// The visibility of articles that rules hide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HiddenRows {
    /// Articles that rules hide have no row.
    #[default]
    LeftOut,
    /// Articles that rules hide have a row.
    Shown,
}

/// The folded threads of a group: all or none, with exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadFolds {
    all: Fold,
    /// The lines of the first articles of threads that differ from `all`, in order.
    exceptions: Vec<u32>,
}

impl Default for ThreadFolds {
    fn default() -> Self {
        Self::all(Fold::Open)
    }
}

impl ThreadFolds {
    /// Returns the same fold state for all threads.
    pub fn all(fold: Fold) -> Self {
        Self {
            all: fold,
            exceptions: Vec::new(),
        }
    }

    /// The fold state of the thread whose first article is in this line.
    pub fn of_thread(&self, root: u32) -> Fold {
        match self.exceptions.binary_search(&root) {
            Ok(_) => self.all.toggled(),
            Err(_) => self.all,
        }
    }

    /// Returns the folds with one thread toggled.
    #[must_use]
    pub fn with_toggled(mut self, root: u32) -> Self {
        match self.exceptions.binary_search(&root) {
            Ok(at) => {
                self.exceptions.remove(at);
            }
            Err(at) => self.exceptions.insert(at, root),
        }
        self
    }

    /// The fold state of all threads, without the exceptions.
    pub fn default_fold(&self) -> Fold {
        self.all
    }
}
