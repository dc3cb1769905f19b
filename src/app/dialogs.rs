//! Dialogs: what is shown above the page and gets the keys first.

use super::Overlay;
use super::questions::Questions;
use super::search_history::SearchHistory;

/// The element above the page, and the questions that wait for it to close.
#[derive(Debug, Default)]
pub struct Dialogs {
    /// The element that gets the keys.
    pub overlay: Option<Overlay>,
    /// The waiting questions, and the key handling of the open one.
    pub(crate) questions: Questions,
    /// The history of search words.
    pub(crate) searches: SearchHistory,
}
