//! The queue of questions to the user, and the keys that they accept.
//!
//! A question caused by a key press opens at once, and letters may answer it. Any other question waits until the user types
//! nothing, and opens then. It discards keys for a second, as they were meant for something else, and is answered with a
//! button; the safe one is selected. The question of a transfer waits in its row until the user opens it there.

use std::collections::VecDeque;
use std::time::Duration;

use crate::app::{Dialog, Dialogs, Overlay};
use crate::keymap::Key;

/// The time for which a question without a key press discards keys.
const DISCARD_FOR: Duration = Duration::from_secs(1);

/// The waiting questions, and the key handling of the open one.
#[derive(Debug)]
pub(crate) struct Questions {
    /// The waiting questions that belong to no page and no draft, in order.
    waiting: VecDeque<Dialog>,
    /// The time, by the clock of the messages, until which keys are discarded.
    discards_until: Duration,
    /// The time for which a question without a key press discards keys.
    discards_for: Duration,
    /// True if the last key was discarded.
    has_discarded: bool,
}

impl Default for Questions {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            discards_until: Duration::ZERO,
            discards_for: DISCARD_FOR,
            has_discarded: false,
        }
    }
}

impl Questions {
    /// Queues a question that no key press caused, until the user types nothing.
    pub(crate) fn ask_later(&mut self, dialog: Dialog) {
        self.waiting.push_back(dialog);
    }
}

impl Dialogs {
    /// Handles the opening of a question that no key press caused: it discards keys for a while, and letters never answer
    /// it. Returns false if no question is open.
    pub(crate) fn opened_unprompted(&mut self, now: Duration) -> bool {
        match &mut self.overlay {
            Some(Overlay::Dialog(dialog)) => dialog.use_buttons(),
            Some(
                Overlay::Form(_)
                | Overlay::Hints(_)
                | Overlay::Palette(_)
                | Overlay::Help(_)
                | Overlay::Drafts(_)
                | Overlay::Info(_),
            )
            | None => return false,
        }
        self.questions.discards_until = now + self.questions.discards_for;
        self.questions.has_discarded = false;
        true
    }

    /// Returns true if a key, or pasted text, comes too early for a question that has just opened without a key press. A
    /// key that cancels the question is never too early.
    pub(crate) fn discards_key(&mut self, key: Option<Key>, now: Duration) -> bool {
        if key.is_some_and(Key::is_cancel) {
            self.questions.discards_until = Duration::ZERO;
        }
        let is_early = self.overlay.is_some() && now < self.questions.discards_until;
        self.questions.has_discarded = is_early;
        is_early
    }

    /// Returns true if the last key was discarded by a question that had just opened.
    pub fn has_discarded(&self) -> bool {
        self.questions.has_discarded && self.overlay.is_some()
    }

    /// Makes questions accept keys as soon as they open. For tests in real time.
    pub(crate) fn accept_keys_at_once(&mut self) {
        self.questions.discards_for = Duration::ZERO;
    }

    /// Takes the next waiting question that belongs to no page and no draft.
    pub(crate) fn next_question(&mut self) -> Option<Dialog> {
        self.questions.waiting.pop_front()
    }

    /// Returns the number of waiting questions that belong to no page and no draft.
    pub(crate) fn waiting(&self) -> usize {
        self.questions.waiting.len()
    }
}
