//! The palette: a list of all actions by name.

use crossterm::event::KeyCode;
use tui_input::Input;

use crate::app::action::Action;
use crate::app::dialogs::prompt::edit;
use crate::app::{Command, Context, Overlay};
use crate::keymap::Key;

/// A line of input, and the actions that match it.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// The text that the user types.
    pub input: Input,
    /// The index of the chosen action among the matches, from 0.
    pub chosen: usize,
}

impl Palette {
    /// Returns the actions whose name or description contains every typed word. Names that begin with the first word come
    /// first.
    pub fn actions(&self) -> Vec<Action> {
        let typed = self.input.value().to_lowercase();
        let words: Vec<&str> = typed.split_whitespace().collect();
        let mut left: Vec<Action> = Action::ALL
            .iter()
            .copied()
            .filter(|action| {
                words.iter().all(|word| {
                    action.name().contains(word) || action.doc().to_lowercase().contains(word)
                })
            })
            .collect();
        left.sort_by_key(|action| {
            words
                .first()
                .is_some_and(|word| !action.name().starts_with(word))
        });
        left
    }

    /// Returns the action that Enter runs.
    pub fn action(&self) -> Option<Action> {
        self.actions().get(self.chosen).copied()
    }
}

impl Palette {
    /// Handles a key.
    pub(crate) fn key(mut self, key: Key, cx: &mut Context) {
        let last = self.actions().len().saturating_sub(1);
        match key.code() {
            _ if key.is_cancel() => return,
            Some(KeyCode::Enter) => {
                if let Some(action) = self.action() {
                    cx.command(Command::Act(action));
                }
                return;
            }
            Some(KeyCode::Down | KeyCode::Tab) => self.chosen = (self.chosen + 1).min(last),
            Some(KeyCode::Up | KeyCode::BackTab) => self.chosen = self.chosen.saturating_sub(1),
            _ => {
                if edit(&mut self.input, key) {
                    self.chosen = 0;
                }
            }
        }
        cx.show(Overlay::Palette(self));
    }
}
