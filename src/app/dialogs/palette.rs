//! The palette: a list of all actions by name.

use tui_input::Input;

use crate::app::action::Action;

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
