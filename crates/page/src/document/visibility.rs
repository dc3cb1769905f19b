//! The visibility of a group's articles: folded threads, read articles, hidden articles.

use super::row::Fold;

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
