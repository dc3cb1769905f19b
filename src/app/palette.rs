//! The palette: every action by name.

use tui_input::Input;

use super::action::Action;

/// A line of input and the actions that it leaves.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// What is typed.
    pub input: Input,
    /// Which of the actions left is chosen, from 0.
    pub chosen: usize,
}

impl Palette {
    /// The actions whose name or description holds every word typed; a name that begins so comes first.
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

    /// The action that Enter runs.
    pub fn action(&self) -> Option<Action> {
        self.actions().get(self.chosen).copied()
    }
}
