//! Typed keys that do not form a command: the digits of a link's number, prefix keys, and keys without a command.

use std::time::Duration;

use crossterm::event::KeyCode;
use geomys_page::document::Document;

use crate::app::dialogs::help::HelpOverlay;
use crate::app::{Context, Focus, Overlay, Page, PendingKeys, Tabs};
use crate::keymap::Key;

/// The largest number of digits of a link's number.
const MAX_DIGITS: usize = 9;

/// The time after a prefix key until the keys that may follow it are shown.
pub const CONTINUATIONS_DELAY: Duration = Duration::from_millis(300);

/// The state of the list of keys that may follow a prefix key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Continuations {
    /// No list is due.
    #[default]
    Hidden,
    /// The list is shown when the timer with this id ends.
    Due(u64),
    /// The list is shown.
    Shown,
}

impl Continuations {
    /// Starts the timer.
    pub(crate) fn schedule(&mut self, cx: &mut Context) {
        *self = Self::Due(cx.start_timer(CONTINUATIONS_DELAY));
    }

    /// Shows the list if this timer was the last one, and no key has come since.
    pub(crate) fn due(&mut self, timer: u64) {
        if *self == Self::Due(timer) {
            *self = Self::Shown;
        }
    }
}

impl Tabs {
    /// Opens the help overlay.
    pub(crate) fn open_help(&self, cx: &mut Context) {
        let help = HelpOverlay::new(&cx.keymap, &self.contexts(cx));
        cx.show(Overlay::Help(Box::new(help)));
    }

    /// Returns true if the page with the focus has numbered links.
    pub(super) fn has_link_numbers(&self, cx: &Context) -> bool {
        let page = self.page().filter(|_| cx.focus == Focus::Panes);
        let highest = page
            .and_then(Page::document)
            .map(Document::highest_link_number);
        highest.is_some_and(|highest| highest > 0)
    }
}

impl PendingKeys {
    /// Handles a digit of a link's number, if links are numbered; `None` for any other key.
    pub(super) fn digit(&mut self, key: Key, numbered: bool) -> Option<()> {
        if let Self::Digits(digits) = self
            && key.code() == Some(KeyCode::Backspace)
        {
            digits.pop();
            if digits.is_empty() {
                *self = Self::None;
            }
            return Some(());
        }
        let digit = key
            .character()
            .filter(char::is_ascii_digit)
            .filter(|_| numbered)?;
        match self {
            Self::Digits(digits) if digits.len() < MAX_DIGITS => digits.push(digit),
            Self::Digits(_) | Self::Sequence(_) => {}
            Self::None if digit == '0' => {}
            Self::None => *self = Self::Digits(digit.to_string()),
        }
        Some(())
    }
}
