//! What was done to the bookmarks: shown at once, written down after it, undone and done again.
//!
//! A change is made to the bookmarks in memory when the key is pressed, so that the next key finds it made, and to the
//! file on a task. What the file is then counts: when nothing more is on its way to it, it is taken as it is.

use super::action::Action;
use super::sidebar::Reading;
use super::{App, Effect, History};
use crate::files::bookmarks::{Applied, Bookmarks, Change, Clash};
use crate::text;

/// Something that was done, or taken back.
#[derive(Clone, Debug)]
pub(super) struct UndoEntry {
    id: u64,
    /// What takes it back, or does it again.
    change: Change,
    /// What was done, in a few words.
    words: String,
}

/// A change on its way to the file.
#[derive(Clone, Debug)]
pub(super) struct Saving {
    id: u64,
    /// What takes it back where it could not be written.
    back: Change,
    /// What it was made by, which is that again then.
    entry: UndoEntry,
}

impl App {
    /// Makes a new change to the bookmarks; `words` say what it does, as in “2 removed”.
    pub(super) fn do_to_bookmarks(&mut self, change: Change, words: &str) -> Vec<Effect> {
        if change.is_empty() {
            self.tell("nothing was changed");
            return Vec::new();
        }
        self.make(History::Done, change, words.to_owned())
    }

    fn make(&mut self, history: History, change: Change, words: String) -> Vec<Effect> {
        let known = self.sidebar.bookmarks.clone();
        let Applied {
            bookmarks,
            back,
            items,
            ..
        } = known.apply(&change);
        let id = self.next_id();
        let entry = UndoEntry {
            id,
            change: change.clone(),
            words,
        };
        let mut stack = entry.clone();
        stack.change.clone_from(&back);
        match history {
            History::Done => {
                self.sidebar.undo.push(stack);
                self.sidebar.redo.clear();
            }
            History::Undone => self.sidebar.redo.push(stack),
            History::Redone => self.sidebar.undo.push(stack),
        }
        self.sidebar.saving.push_back(Saving { id, back, entry });
        let mut effects = self.take_state(bookmarks);
        if let Some(last) = items.last() {
            self.sidebar.go_to(*last);
            self.reveal_all();
        }
        effects.push(Effect::Bookmarks(history, change, known));
        effects
    }

    pub(super) fn undo(&mut self) -> Vec<Effect> {
        match self.sidebar.undo.pop() {
            Some(entry) => self.make(History::Undone, entry.change, entry.words),
            None => {
                self.tell("nothing to undo");
                Vec::new()
            }
        }
    }

    pub(super) fn redo(&mut self) -> Vec<Effect> {
        match self.sidebar.redo.pop() {
            Some(entry) => self.make(History::Redone, entry.change, entry.words),
            None => {
                self.tell("nothing to do again");
                Vec::new()
            }
        }
    }

    /// The bookmark file has changed, or could not be.
    pub(super) fn bookmarks_changed(
        &mut self,
        history: History,
        result: Result<Applied, String>,
    ) -> Vec<Effect> {
        let Some(saving) = self.sidebar.saving.pop_front() else {
            return Vec::new();
        };
        match result {
            Ok(applied) => {
                let made = self.sidebar.undo.iter_mut().chain(&mut self.sidebar.redo);
                for entry in made.filter(|entry| entry.id == saving.id) {
                    entry.change.clone_from(&applied.back);
                }
                let mut effects = Vec::new();
                if self.sidebar.saving.is_empty() {
                    effects = self.take_state(applied.bookmarks);
                }
                let undo = self.key_of(Action::Undo);
                let words = &saving.entry.words;
                self.tell(&match history {
                    History::Done => format!("bookmarks saved: {words} ({undo} undoes)"),
                    History::Undone => format!("undone: {words}"),
                    History::Redone => format!("done again: {words}"),
                });
                if let Some(sentence) = told(&applied.clashes) {
                    self.complain(&sentence);
                }
                effects
            }
            Err(sentence) => {
                for stack in [&mut self.sidebar.undo, &mut self.sidebar.redo] {
                    stack.retain(|entry| entry.id != saving.id);
                }
                match history {
                    History::Done => {}
                    History::Undone => self.sidebar.undo.push(saving.entry),
                    History::Redone => self.sidebar.redo.push(saving.entry),
                }
                let back = self.sidebar.bookmarks.apply(&saving.back).bookmarks;
                let effects = self.take_state(back);
                self.complain(&sentence);
                effects
            }
        }
    }

    /// Somebody has touched the file, perhaps we ourselves.
    pub(super) fn bookmarks_touched(&mut self) -> Vec<Effect> {
        if self.sidebar.reading != Reading::No {
            self.sidebar.reading = Reading::Again;
            return Vec::new();
        }
        self.sidebar.reading = Reading::Once;
        vec![Effect::ReadBookmarks(self.sidebar.bookmarks.clone())]
    }

    /// The file was read again.
    pub(super) fn bookmarks_read(&mut self, result: Result<Bookmarks, String>) -> Vec<Effect> {
        let again = std::mem::take(&mut self.sidebar.reading) == Reading::Again;
        let mut effects = match result {
            // What is on its way to the file will tell what is in it.
            Ok(bookmarks) if self.sidebar.saving.is_empty() => self.take_state(bookmarks),
            Ok(_) => Vec::new(),
            Err(sentence) => {
                self.complain(&sentence);
                Vec::new()
            }
        };
        if again {
            effects.extend(self.bookmarks_touched());
        }
        effects
    }

    fn take_state(&mut self, bookmarks: Bookmarks) -> Vec<Effect> {
        if bookmarks == self.sidebar.bookmarks {
            return Vec::new();
        }
        self.sidebar.refresh(bookmarks);
        let effects = self.search();
        self.reveal_all();
        effects
    }
}

/// What somebody else had changed meanwhile.
fn told(clashes: &[Clash]) -> Option<String> {
    let first = clashes.first()?;
    Some(match clashes.len() - 1 {
        0 => first.to_string(),
        more => format!("{first}; so were {} more lines", text::count(more)),
    })
}
