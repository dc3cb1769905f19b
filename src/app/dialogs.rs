//! Dialogs: what is shown above the page and gets the keys first.

pub mod answer;
pub mod ask;
pub mod dialog;
pub mod help;
mod keys;
mod name_match;
pub mod overlay;
pub mod palette;
pub mod questions;
pub mod search_history;
pub mod suggest;
pub(crate) mod synonyms;
pub mod text_input;

use crate::app::Overlay;
use crate::app::action::Action;
use crate::app::dialogs::questions::Questions;
use crate::app::dialogs::search_history::SearchHistory;

/// The element above the page, and the questions that wait for it to close.
#[derive(Debug, Default)]
pub struct Dialogs {
    /// The element that gets the keys.
    pub overlay: Option<Overlay>,
    /// The waiting questions, and the key handling of the open one.
    pub(crate) questions: Questions,
    /// The actions that were run from the palette, the latest first.
    pub(crate) recent: Vec<Action>,
    /// The history of search words.
    pub(crate) searches: SearchHistory,
    /// The history of typed URLs.
    pub(crate) addresses: SearchHistory,
}
