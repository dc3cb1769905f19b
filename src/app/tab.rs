//! A tab: one or more panes in a row.

use super::pane::Pane;
use crate::load::LoadId;

/// Panes beside each other, one of them with the focus. There is always at least one.
#[derive(Debug, Default)]
pub struct Tab {
    first: Pane,
    rest: Vec<Pane>,
    focus: usize,
}

impl Tab {
    /// The panes, from left to right.
    pub fn panes(&self) -> impl Iterator<Item = &Pane> {
        std::iter::once(&self.first).chain(&self.rest)
    }

    /// The same, to change them.
    pub fn panes_mut(&mut self) -> impl Iterator<Item = &mut Pane> {
        std::iter::once(&mut self.first).chain(&mut self.rest)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        1 + self.rest.len()
    }

    /// Which one has the focus, from 0 on the left.
    pub fn focus(&self) -> usize {
        self.focus
    }

    /// Gives a pane the focus.
    pub fn set_focus(&mut self, pane: usize) {
        self.focus = pane.min(self.rest.len());
    }

    /// The pane with the focus.
    pub fn pane(&self) -> &Pane {
        self.focus
            .checked_sub(1)
            .and_then(|index| self.rest.get(index))
            .unwrap_or(&self.first)
    }

    /// The same, to change it.
    pub fn pane_mut(&mut self) -> &mut Pane {
        match self
            .focus
            .checked_sub(1)
            .and_then(|index| self.rest.get_mut(index))
        {
            Some(pane) => pane,
            None => &mut self.first,
        }
    }

    /// An empty pane to the right of the one with the focus; it gets the focus.
    pub fn split(&mut self) {
        self.rest
            .insert(self.focus.min(self.rest.len()), Pane::default());
        self.focus += 1;
    }

    /// Closes the pane with the focus and gives its loads, which nobody awaits any more; `None` when it is the last.
    pub fn close(&mut self) -> Option<Vec<LoadId>> {
        if self.rest.is_empty() {
            return None;
        }
        let closed = match self.focus.checked_sub(1) {
            Some(index) if index < self.rest.len() => self.rest.remove(index),
            _ => {
                let next = self.rest.remove(0);
                std::mem::replace(&mut self.first, next)
            }
        };
        self.focus = self.focus.saturating_sub(1);
        Some(closed.loads().collect())
    }

    /// Every load that some page of this tab awaits.
    pub fn loads(&self) -> Vec<LoadId> {
        self.panes().flat_map(Pane::loads).collect()
    }
}
