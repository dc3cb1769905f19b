//! Changes to the bookmarks: shown at once, saved afterwards, with undo and redo.
//!
//! A change is made to the bookmarks in memory when the key is pressed, so that the next key already works on the result. A
//! task saves it to the file. The file is authoritative: when all changes are saved, its content replaces the memory.

use super::action::Action;
use super::sidebar::FileReadState;
use super::{App, Effect, HistoryStep};
use crate::bookmarks::{AppliedChange, Bookmarks, Change, EditConflict};
use crate::text;

/// A change that can be undone or redone.
#[derive(Clone, Debug)]
pub(super) struct UndoEntry {
    id: u64,
    /// The change that undoes or redoes it.
    change: Change,
    /// A short description of the change.
    words: String,
}

/// A change that is being saved.
#[derive(Clone, Debug)]
pub(super) struct PendingSave {
    id: u64,
    /// The inverse change, applied if the save fails.
    back: Change,
    /// The undo entry that caused it, restored if the save fails.
    entry: UndoEntry,
}

impl App {
    /// Applies a new change to the bookmarks; `words` describe it, as in “2 removed”.
    pub(super) fn change_bookmarks(&mut self, change: Change, words: &str) {
        if change.is_empty() {
            self.notify("nothing was changed");
            return;
        }
        self.apply_change(HistoryStep::Done, change, words.to_owned());
    }

    fn apply_change(&mut self, history: HistoryStep, change: Change, words: String) {
        let base = self.sidebar.bookmarks.clone();
        let AppliedChange {
            bookmarks,
            undo: back,
            items,
            ..
        } = base.apply(&change);
        let id = self.next_id();
        let entry = UndoEntry {
            id,
            change: change.clone(),
            words,
        };
        let mut stack = entry.clone();
        stack.change.clone_from(&back);
        match history {
            HistoryStep::Done => {
                self.sidebar.undo.push(stack);
                self.sidebar.redo.clear();
            }
            HistoryStep::Undone => self.sidebar.redo.push(stack),
            HistoryStep::Redone => self.sidebar.undo.push(stack),
        }
        self.sidebar
            .saving
            .push_back(PendingSave { id, back, entry });
        self.replace_bookmarks(bookmarks);
        if let Some(last) = items.last() {
            self.sidebar.go_to(*last);
            self.reveal_all();
        }
        self.emit(Effect::Bookmarks(history, change, base));
    }

    pub(super) fn undo(&mut self) {
        match self.sidebar.undo.pop() {
            Some(entry) => self.apply_change(HistoryStep::Undone, entry.change, entry.words),
            None => {
                self.notify("nothing to undo");
            }
        }
    }

    pub(super) fn redo(&mut self) {
        match self.sidebar.redo.pop() {
            Some(entry) => self.apply_change(HistoryStep::Redone, entry.change, entry.words),
            None => {
                self.notify("nothing to do again");
            }
        }
    }

    /// Handles a saved change of the bookmark file, or the error.
    pub(super) fn bookmarks_changed(
        &mut self,
        history: HistoryStep,
        result: Result<AppliedChange, String>,
    ) {
        let Some(saving) = self.sidebar.saving.pop_front() else {
            return;
        };
        match result {
            Ok(applied) => {
                let made = self.sidebar.undo.iter_mut().chain(&mut self.sidebar.redo);
                for entry in made.filter(|entry| entry.id == saving.id) {
                    entry.change.clone_from(&applied.undo);
                }

                if self.sidebar.saving.is_empty() {
                    self.replace_bookmarks(applied.bookmarks);
                }
                let undo = self.key_of(Action::Undo);
                let words = &saving.entry.words;
                self.notify(&match history {
                    HistoryStep::Done => format!("bookmarks saved: {words} ({undo} undoes)"),
                    HistoryStep::Undone => format!("undone: {words}"),
                    HistoryStep::Redone => format!("done again: {words}"),
                });
                if let Some(sentence) = clash_sentence(&applied.conflicts) {
                    self.report_error(&sentence);
                }
            }
            Err(sentence) => {
                for stack in [&mut self.sidebar.undo, &mut self.sidebar.redo] {
                    stack.retain(|entry| entry.id != saving.id);
                }
                match history {
                    HistoryStep::Done => {}
                    HistoryStep::Undone => self.sidebar.undo.push(saving.entry),
                    HistoryStep::Redone => self.sidebar.redo.push(saving.entry),
                }
                let back = self.sidebar.bookmarks.apply(&saving.back).bookmarks;
                self.replace_bookmarks(back);
                self.report_error(&sentence);
            }
        }
    }

    /// Reads the file again after it was touched, by this or another program.
    pub(super) fn bookmarks_touched(&mut self) {
        if self.sidebar.reading != FileReadState::No {
            self.sidebar.reading = FileReadState::Again;
            return;
        }
        self.sidebar.reading = FileReadState::Once;
        self.emit(Effect::ReadBookmarks(self.sidebar.bookmarks.clone()));
    }

    /// Handles the bookmarks that were read again.
    pub(super) fn bookmarks_read(&mut self, result: Result<Bookmarks, String>) {
        let again = std::mem::take(&mut self.sidebar.reading) == FileReadState::Again;
        match result {
            // The pending saves will return the content of the file.
            Ok(bookmarks) if self.sidebar.saving.is_empty() => self.replace_bookmarks(bookmarks),
            Ok(_) => {}
            Err(sentence) => {
                self.report_error(&sentence);
            }
        }
        if again {
            self.bookmarks_touched();
        }
    }

    fn replace_bookmarks(&mut self, bookmarks: Bookmarks) {
        if bookmarks == self.sidebar.bookmarks {
            return;
        }
        self.sidebar.refresh(bookmarks);
        self.search();
        self.reveal_all();
    }
}

/// Returns a sentence about conflicting changes by other programs.
fn clash_sentence(conflicts: &[EditConflict]) -> Option<String> {
    let first = conflicts.first()?;
    Some(match conflicts.len() - 1 {
        0 => first.to_string(),
        more => format!("{first}; so were {} more lines", text::count(more)),
    })
}
