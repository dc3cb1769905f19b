//! The queue of questions to the user, and the keys that they accept.
//!
//! A question caused by a key press opens at once, and letters may answer it. Any other question waits until the user types
//! nothing, and opens then. It discards keys for a second, as they were meant for something else, and is answered with a
//! button; the safe one is selected. The question of a transfer waits in its row until the user opens it there.

use std::collections::VecDeque;
use std::time::Duration;

use crate::app::dialogs::dialog::Dialog;
use crate::app::{App, Overlay, PendingKeys};
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
    /// True while the current message is a key press.
    pub(crate) by_key: bool,
}

impl Default for Questions {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            discards_until: Duration::ZERO,
            discards_for: DISCARD_FOR,
            has_discarded: false,
            by_key: false,
        }
    }
}

impl Questions {
    /// Queues a question that no key press caused, until the user types nothing.
    pub(crate) fn ask_later(&mut self, dialog: Dialog) {
        self.waiting.push_back(dialog);
    }
}

impl App {
    /// Returns the browser with questions that accept keys as soon as they open. For tests in real time.
    #[must_use]
    pub fn accepting_keys_at_once(mut self) -> Self {
        self.dialogs.questions.discards_for = Duration::ZERO;
        self
    }

    /// Shows an element above the page, in place of the one that is there.
    pub(crate) fn show(&mut self, overlay: Overlay) {
        self.dialogs.overlay = Some(overlay);
    }

    /// Opens the next queued question, unless the user is typing.
    pub(crate) fn ask(&mut self) {
        if self.is_typing() {
            return;
        }
        if let Some(dialog) = self.dialogs.questions.waiting.pop_front() {
            self.show(Overlay::Dialog(Box::new(dialog)));
        } else if self.compose.ask_for_draft(&mut self.cx).is_none() {
            self.tabs.ask_for_page(&mut self.cx);
        }
        self.run_commands();
        self.question_opened_unprompted();
    }

    /// Returns true if a prompt, a form or a session takes the keys. A form that was sent takes none: it waits for its page.
    fn is_typing(&self) -> bool {
        let is_sent = self.tabs.pane().is_some_and(|pane| pane.incoming.is_some());
        self.dialogs.overlay.is_some()
            || self.tabs.session_has_keys(&self.cx)
            || self.tabs.form(&self.cx).is_some() && !is_sent
    }

    /// Returns the number of questions that wait until the user types nothing.
    pub fn waiting_questions(&self) -> usize {
        if !self.is_typing() {
            return 0;
        }
        let incoming = self.tabs.pane().and_then(|pane| pane.incoming.as_ref());
        let of_page = incoming.is_some_and(|incoming| incoming.question.is_some());
        self.dialogs.questions.waiting.len()
            + usize::from(self.compose.draft_waits())
            + usize::from(of_page)
    }

    /// Handles the opening of a question that no key press caused: it discards keys for a while, and letters never answer
    /// it.
    pub(crate) fn question_opened_unprompted(&mut self) {
        match &mut self.dialogs.overlay {
            Some(Overlay::Dialog(dialog)) => dialog.use_buttons(),
            Some(Overlay::Prompt(_)) => {}
            Some(
                Overlay::Form(_)
                | Overlay::Hints(_)
                | Overlay::Palette(_)
                | Overlay::Drafts(_)
                | Overlay::Info(_),
            )
            | None => return,
        }
        self.pending_keys = PendingKeys::None;
        self.dialogs.questions.discards_until = self.cx.now + self.dialogs.questions.discards_for;
        self.dialogs.questions.has_discarded = false;
    }

    /// Returns true if a key, or pasted text, comes too early for a question that has just opened without a key press. A
    /// key that cancels the question is never too early.
    pub(crate) fn discards_key(&mut self, key: Option<Key>) -> bool {
        if key.is_some_and(Key::is_cancel) {
            self.dialogs.questions.discards_until = Duration::ZERO;
        }
        let is_early =
            self.dialogs.overlay.is_some() && self.cx.now < self.dialogs.questions.discards_until;
        self.dialogs.questions.has_discarded = is_early;
        is_early
    }

    /// Returns true if the last key was discarded by a question that had just opened.
    pub fn has_discarded(&self) -> bool {
        self.dialogs.questions.has_discarded && self.dialogs.overlay.is_some()
    }
}
