//! Typed keys that do not form a command: the digits of a link's number, prefix keys, and keys without a command.

use std::time::Duration;

use crossterm::event::KeyCode;

use crate::keymap::Key;
use crate::{Context, PendingKeys};

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

/// The key that quits when it is pressed twice, while there is nothing to stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct QuitKey(Option<Duration>);

impl QuitKey {
    /// The key.
    const KEY: &str = "Ctrl-C";

    /// The time in which the second press quits.
    const TIME: Duration = Duration::from_secs(2);

    /// Returns true if `key` is the key that quits.
    pub(super) fn is(key: Key) -> bool {
        Some(key) == Key::parse(Self::KEY)
    }

    /// Makes the next press the first one if `key` is another key.
    pub(super) fn see(&mut self, key: Key) {
        if !Self::is(key) {
            self.0 = None;
        }
    }

    /// Returns true for the second press, and says at the first that another one quits.
    pub(super) fn press(&mut self, cx: &mut Context) -> bool {
        let earlier = self.0.replace(cx.now);
        let is_second = earlier.is_some_and(|earlier| cx.now.saturating_sub(earlier) <= Self::TIME);
        if is_second {
            self.0 = None;
        } else {
            cx.notify(&format!("{} again quits", Self::KEY));
        }
        is_second
    }
}

impl PendingKeys {
    /// Takes a digit of a link's number, if links are numbered. Returns false for any other key.
    pub(super) fn take_digit(&mut self, key: Key, numbered: bool) -> bool {
        if let Self::Digits(digits) = self
            && key.code() == Some(KeyCode::Backspace)
        {
            digits.pop();
            if digits.is_empty() {
                *self = Self::None;
            }
            return true;
        }
        let digit = key.character().filter(char::is_ascii_digit);
        let Some(digit) = digit.filter(|_| numbered) else {
            return false;
        };
        match self {
            Self::Digits(digits) if digits.len() < MAX_DIGITS => digits.push(digit),
            Self::Digits(_) | Self::Sequence(_) => {}
            Self::None if digit == '0' => {}
            Self::None => *self = Self::Digits(digit.to_string()),
        }
        true
    }
}
