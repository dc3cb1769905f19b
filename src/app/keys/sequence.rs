//! Typed keys that do not form a command: the digits of a link's number, and keys without a command.

use crossterm::event::KeyCode;

use crate::app::action::Action;
use crate::app::{App, Focus, PendingKeys};
use crate::keymap::{Key, former_action, write_keys};

/// The largest number of digits of a link's number.
const MAX_DIGITS: usize = 9;

impl App {
    /// Reports keys without a command; those that had one in version 0.1 tell its keys now.
    pub(super) fn unbound(&mut self, keys: &[Key]) {
        let written = write_keys(keys);
        let former = former_action(&self.tabs.contexts(&self.cx), keys);
        self.cx.notify(&match former {
            Some(action) => {
                let now = self.cx.key_of(action);
                format!("{written} is now {now} ({})", action.doc())
            }
            None => {
                let help = self.cx.key_of(Action::Help);
                format!("No command on {written} ({help} help)")
            }
        });
    }

    /// Handles a digit of a link's number on pages with numbered links; `None` for any other key.
    pub(super) fn digit(&mut self, key: Key) -> Option<()> {
        let numbered = self.cx.focus == Focus::Panes
            && self
                .tabs
                .page()
                .and_then(crate::app::Page::document)
                .is_some_and(|document| document.highest_link_number() > 0);
        if let PendingKeys::Digits(digits) = &mut self.pending_keys
            && key.code() == Some(KeyCode::Backspace)
        {
            digits.pop();
            if digits.is_empty() {
                self.pending_keys = PendingKeys::None;
            }
            return Some(());
        }
        let digit = key
            .character()
            .filter(char::is_ascii_digit)
            .filter(|_| numbered)?;
        match &mut self.pending_keys {
            PendingKeys::Digits(digits) if digits.len() < MAX_DIGITS => digits.push(digit),
            PendingKeys::Digits(_) | PendingKeys::Sequence(_) => {}
            PendingKeys::None if digit == '0' => {}
            PendingKeys::None => self.pending_keys = PendingKeys::Digits(digit.to_string()),
        }
        Some(())
    }
}
