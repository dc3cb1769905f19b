//! When questions open, and which keys they take.
//!
//! A question that a key press leads to opens at once, and letters may answer it. Any other waits until nothing is typed,
//! opens by itself, discards keys for a second, as they were meant for something else, and is answered by choosing a
//! button, the safe one first. What a transfer asks waits in its row until somebody opens it there.

use std::collections::VecDeque;
use std::time::Duration;

use super::choice::Choice;
use super::{App, Effect, Overlay, Pending};
use crate::keymap::Key;

/// How long a question that opens by itself discards keys.
const DISCARD_FOR: Duration = Duration::from_secs(1);

/// The questions that wait, and how the one that is open takes keys.
#[derive(Debug)]
pub(super) struct Questions {
    /// Those that belong to no page and no draft, the first one first.
    waiting: VecDeque<Choice>,
    /// Until then, by the clock of the messages, keys are discarded.
    discards_until: Duration,
    /// How long a question that opens by itself discards keys.
    discards_for: Duration,
    /// The last key was discarded.
    has_discarded: bool,
    /// What happens now comes of a key press.
    pub(super) by_key: bool,
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

impl App {
    /// The same browser, whose questions take every key from the moment at which they open: for tests that run by the
    /// clock of the machine.
    #[must_use]
    pub fn discarding_no_keys(mut self) -> Self {
        self.questions.discards_for = Duration::ZERO;
        self
    }

    /// Asks a question at once: a key press has led to it.
    pub(super) fn choose(&mut self, choice: Choice) -> Vec<Effect> {
        self.overlay = Some(Overlay::Choice(choice));
        Vec::new()
    }

    /// Asks a question that no key press has led to, as soon as nothing is typed.
    pub(super) fn ask_later(&mut self, choice: Choice) {
        self.questions.waiting.push_back(choice);
    }

    /// Opens the next question that no key press has led to, unless something is typed.
    pub(super) fn ask(&mut self) -> Vec<Effect> {
        if self.is_typing() {
            return Vec::new();
        }
        let effects = if let Some(choice) = self.questions.waiting.pop_front() {
            self.choose(choice)
        } else if let Some(effects) = self.ask_for_draft() {
            effects
        } else {
            self.ask_for_page()
        };
        self.has_opened_by_itself();
        effects
    }

    /// Whether a prompt, a form or a session has the keys. A form that was sent has them no longer: it waits for its page.
    fn is_typing(&self) -> bool {
        let is_sent = self.pane().is_some_and(|pane| pane.incoming.is_some());
        self.overlay.is_some() || self.session_has_keys() || self.form().is_some() && !is_sent
    }

    /// How many questions wait until nothing is typed any more.
    pub fn held_back(&self) -> usize {
        if !self.is_typing() {
            return 0;
        }
        let incoming = self.pane().and_then(|pane| pane.incoming.as_ref());
        let of_page = incoming.is_some_and(|incoming| incoming.question.is_some());
        self.questions.waiting.len() + usize::from(self.draft_waits()) + usize::from(of_page)
    }

    /// What is open was not asked for by a key: for a while it discards keys, and letters never answer it.
    pub(super) fn has_opened_by_itself(&mut self) {
        match &mut self.overlay {
            Some(Overlay::Choice(choice)) => choice.use_buttons(),
            Some(Overlay::Prompt(_)) => {}
            Some(
                Overlay::Form(_)
                | Overlay::Hints(_)
                | Overlay::Palette(_)
                | Overlay::Drafts(_)
                | Overlay::Info(_)
                | Overlay::ConfirmQuit,
            )
            | None => return,
        }
        self.pending = Pending::None;
        self.questions.discards_until = self.now + self.questions.discards_for;
        self.questions.has_discarded = false;
    }

    /// Whether a key, or pasted text, comes too early for the question that has just opened by itself. A key that leaves
    /// the question never does.
    pub(super) fn discards(&mut self, key: Option<Key>) -> bool {
        if key.is_some_and(Key::leaves) {
            self.questions.discards_until = Duration::ZERO;
        }
        let is_early = self.overlay.is_some() && self.now < self.questions.discards_until;
        self.questions.has_discarded = is_early;
        is_early
    }

    /// Whether the last key was discarded, as a question had just opened by itself.
    pub fn has_discarded(&self) -> bool {
        self.questions.has_discarded && self.overlay.is_some()
    }
}
