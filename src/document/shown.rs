//! Which articles of a group have a row.

use super::Fold;

/// What of a group is shown, beside what a filter lets through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Which threads are one row.
    pub folds: Folds,
    /// Whether articles have a row that were read.
    pub read: ReadRows,
    /// Whether articles have a row that rules of the reader hide.
    pub hidden: HiddenRows,
}

/// What becomes of articles that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadRows {
    /// They have a row.
    #[default]
    Shown,
    /// They have none, as long as they were read when the rows were last arranged.
    LeftOut,
}

/// What becomes of articles that rules hide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HiddenRows {
    /// They have no row.
    #[default]
    LeftOut,
    /// They have one.
    Shown,
}

/// Which threads are folded: all, or none, but for some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folds {
    all: Fold,
    /// Lines of the first articles of those that are not as all, in order.
    but: Vec<u32>,
}

impl Default for Folds {
    fn default() -> Self {
        Self::all(Fold::Open)
    }
}

impl Folds {
    /// All threads alike.
    pub fn all(fold: Fold) -> Self {
        Self {
            all: fold,
            but: Vec::new(),
        }
    }

    /// How the thread is whose first article stands in this line.
    pub fn of(&self, root: u32) -> Fold {
        match self.but.binary_search(&root) {
            Ok(_) => self.all.turned(),
            Err(_) => self.all,
        }
    }

    /// The same with one thread turned.
    #[must_use]
    pub fn with_turned(mut self, root: u32) -> Self {
        match self.but.binary_search(&root) {
            Ok(at) => {
                self.but.remove(at);
            }
            Err(at) => self.but.insert(at, root),
        }
        self
    }

    /// Whether all threads, those that were turned one by one left aside, are folded.
    pub fn rule(&self) -> Fold {
        self.all
    }
}
