//! Dialogs: what is shown above the page and gets the keys first, and the queue of questions to the user.
//!
//! A question caused by a key press opens at once, and letters may answer it. Any other question waits until the user
//! types nothing, and opens then. It discards keys for a second, as they were meant for something else, and is answered
//! with a button; the safe one is selected. A line of input for a page that the last key has asked for takes letters at
//! once, and Enter once it has been on the screen for that second; so does one that the command line has asked for,
//! once it was drawn. A question about a request that neither has asked for, and one that has waited, is locked: it
//! takes nothing until a key that is no letter has unlocked it. The question of a transfer waits in its row until the
//! user opens it there.

pub mod answer;
pub mod ask;
pub mod dialog;
pub mod help;
mod keys;
pub(crate) mod name_match;
pub mod palette;
pub mod query_rows;
pub mod search_history;
pub mod suggest;
pub mod text_input;
pub mod words;

use geomys_load::Reason;
use std::collections::VecDeque;
use std::time::Duration;

use crossterm::event::KeyCode;
use rfc1738::Url;
use tui_input::Input;

use crate::action::Action;
use crate::dialogs::dialog::{AnswerMethod, Lock};
use crate::dialogs::search_history::{SearchHistory, as_search};
use crate::dialogs::text_input::{InputEvent, TextInput};
use crate::keymap::Key;
use crate::requester::OpenPage;
use crate::tabs::offline::try_network;
use crate::{Context, Dialog, Overlay};

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
    /// The keys that are discarded until then.
    guard: Guard,
    /// The timer of an early Enter behind a typed text, which is carried out when the timer ends.
    early_enter: Option<u64>,
    /// True if the last key was discarded.
    has_discarded: bool,
}

/// The keys that a question discards when it has just opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    /// All keys: the user did not expect the question.
    All,
    /// Enter alone: the user has asked for the page, and pressed no other key before its question.
    Enter,
    /// All keys until the question was drawn, then Enter alone: the command line has asked for the page, and what was
    /// typed before is for something else.
    Undrawn,
}

impl Default for Questions {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            discards_until: Duration::ZERO,
            discards_for: DISCARD_FOR,
            guard: Guard::All,
            early_enter: None,
            has_discarded: false,
        }
    }
}

impl Questions {
    /// Queues a question that no key press caused, until the user types nothing.
    pub(crate) fn ask_later(&mut self, mut dialog: Dialog) {
        dialog.lock = Lock::Locked;
        self.waiting.push_back(dialog);
    }
}

impl Dialogs {
    /// Puts the text that the user's editor has left into the line of input that it was started from.
    pub(crate) fn take_edited(&mut self, edited: Result<String, String>, cx: &mut Context) {
        let text = match edited {
            Ok(text) => text,
            Err(sentence) => return cx.report_error(&sentence),
        };
        if let Some(Overlay::Dialog(dialog)) = &mut self.overlay
            && let AnswerMethod::Text(input) = &mut dialog.answer_method
            && input.takes_lines()
        {
            input.set_edited(&text);
        }
    }

    /// Handles the opening of a question that no key press caused: it discards keys for a while, and letters never
    /// answer it. Unless the last key, or the command line, has asked for it, it is locked. Returns false if no
    /// question is open.
    pub(crate) fn opened_unprompted(&mut self, cx: &Context) -> bool {
        let Some(Overlay::Dialog(dialog)) = &mut self.overlay else {
            return false;
        };
        dialog.use_buttons();
        let asked_at = dialog.pending.as_ref().and_then(|pending| pending.asked_at);
        let is_asked = asked_at == Some(cx.inputs);
        if dialog.pending.is_some() && !is_asked {
            dialog.lock = Lock::Locked;
        }
        self.questions.guard = match dialog.text_input() {
            Some(_) if is_asked && cx.inputs == 0 => Guard::Undrawn,
            Some(_) if is_asked => Guard::Enter,
            _ => Guard::All,
        };
        self.questions.discards_until = cx.now + self.questions.discards_for;
        self.questions.early_enter = None;
        self.questions.has_discarded = false;
        true
    }

    /// Handles the end of a frame: what is above the page is on the screen.
    pub fn drawn(&mut self) {
        if self.questions.guard == Guard::Undrawn {
            self.questions.guard = Guard::Enter;
        }
    }

    /// Returns true if a key, or pasted text, comes too early for a question that has just opened without a key press,
    /// or unlocks it. A key that cancels the question is never too early. An early Enter behind a typed text is carried
    /// out later.
    pub(crate) fn discards_key(&mut self, key: Option<Key>, cx: &mut Context) -> bool {
        self.is_too_early(key, cx) || self.is_for_lock(key)
    }

    /// Returns true if a click on a button comes too early for a question that has just opened without a key press.
    /// Else it unlocks the question.
    pub(crate) fn discards_click(&mut self, cx: &mut Context) -> bool {
        if self.is_too_early(Some(Key::from_code(KeyCode::Enter)), cx) {
            return true;
        }
        if let Some(Overlay::Dialog(dialog)) = &mut self.overlay {
            dialog.lock = Lock::Open;
        }
        false
    }

    fn is_too_early(&mut self, key: Option<Key>, cx: &mut Context) -> bool {
        let is_cancel = key.is_some_and(Key::is_cancel);
        if is_cancel {
            self.questions.discards_until = Duration::ZERO;
        }
        self.questions.early_enter = None;
        self.questions.has_discarded = false;
        let Some(Overlay::Dialog(dialog)) = &self.overlay else {
            return false;
        };
        let rest = self.questions.discards_until.saturating_sub(cx.now);
        let is_enter = key.is_some_and(|key| key.code() == Some(KeyCode::Enter));
        let discards = match self.questions.guard {
            Guard::All => !rest.is_zero(),
            Guard::Enter => !rest.is_zero() && is_enter,
            Guard::Undrawn => !is_cancel,
        };
        if !discards {
            return false;
        }
        let is_empty = |input: &TextInput| input.input.value().is_empty();
        let has_text = dialog.text_input().is_some_and(|input| !is_empty(input));
        if has_text && self.questions.guard == Guard::Enter {
            self.questions.early_enter = Some(cx.start_timer(rest));
        } else {
            self.questions.has_discarded = true;
        }
        true
    }

    /// Returns true if the question is locked, and the key does not cancel it. A key that is no letter unlocks it, and
    /// does nothing else.
    fn is_for_lock(&mut self, key: Option<Key>) -> bool {
        let Some(Overlay::Dialog(dialog)) = &mut self.overlay else {
            return false;
        };
        if dialog.lock == Lock::Open || key.is_some_and(Key::is_cancel) {
            return false;
        }
        if key.is_some_and(|key| key.character().is_none()) {
            dialog.lock = Lock::Open;
        }
        true
    }

    /// Returns true if the question on the screen is locked: a key has to unlock it first.
    pub fn is_locked(&self) -> bool {
        matches!(&self.overlay, Some(Overlay::Dialog(dialog)) if dialog.lock == Lock::Locked)
    }

    /// Returns true if this timer is that of an early Enter: the key is to be carried out now.
    pub(crate) fn enter_is_due(&mut self, timer: u64) -> bool {
        let is_due = self
            .questions
            .early_enter
            .take_if(|due| *due == timer)
            .is_some();
        if is_due {
            self.questions.discards_until = Duration::ZERO;
        }
        is_due
    }

    /// Returns true if the last key was discarded by a question that had just opened.
    pub fn has_discarded(&self) -> bool {
        self.questions.has_discarded && self.overlay.is_some()
    }

    /// Makes questions accept keys as soon as they open. For tests in real time.
    pub(crate) fn accept_keys_at_once(&mut self) {
        self.questions.discards_for = Duration::ZERO;
        self.questions.discards_until = Duration::ZERO;
    }

    /// Takes the next waiting question that belongs to no page and no draft.
    pub(crate) fn next_question(&mut self) -> Option<Dialog> {
        self.questions.waiting.pop_front()
    }

    /// Handles Up and Down in a line for search words. Returns `None` for other keys.
    pub(crate) fn recall_search(&mut self, input: &mut TextInput, key: Key) -> Option<InputEvent> {
        let back = match key.code() {
            Some(KeyCode::Up) => true,
            Some(KeyCode::Down) => false,
            _ => return None,
        };
        if let Some(words) = self.searches.step(back, input.input.value()) {
            input.input = Input::new(words);
        }
        Some(InputEvent::Continue)
    }

    /// Opens a URL that the user typed, here or on the command line. If it may contain search words in the form of some
    /// other clients, asks first.
    pub(crate) fn open_typed(&mut self, url: Url, reason: Reason, cx: &mut Context) {
        try_network(cx);
        match as_search(&url).filter(|_| self.overlay.is_none()) {
            Some((search, words)) => cx.ask(Dialog::gopher_query(url, search, &words, &reason)),
            None => cx.open(OpenPage::at(url, reason)),
        }
    }

    /// Returns the number of waiting questions that belong to no page and no draft.
    pub(crate) fn waiting(&self) -> usize {
        self.questions.waiting.len()
    }
}
