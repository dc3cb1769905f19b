//! Changes to the bookmarks: shown at once, saved afterwards, with undo and redo.
//!
//! A change is made to the bookmarks in memory when the key is pressed, so that the next key already works on the
//! result. A task saves it to the file. The file is authoritative: when all changes are saved, its content replaces the
//! memory.

use std::collections::VecDeque;

use geomys_store::bookmarks::records::BookmarkRecords;
use geomys_store::bookmarks::{AppliedChange, Bookmarks, Change, EditConflict};
use geomys_wire::text;

use crate::action::Action;
use crate::{BookmarkEffect, BookmarksPane, Context, HistoryStep};

/// The changes of the bookmarks: done, undone and being saved.
#[derive(Clone, Debug, Default)]
pub(crate) struct BookmarkChanges {
    /// The changes that can be undone, the last at the end.
    undo: Vec<UndoEntry>,
    /// The changes that can be redone.
    redo: Vec<UndoEntry>,
    /// The changes that are being saved, in order.
    saving: VecDeque<PendingSave>,
    /// The state of reading the file again.
    reading: FileReadState,
}

/// The state of reading the file again after it was touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FileReadState {
    /// The file is not being read.
    #[default]
    No,
    /// The file is being read.
    Once,
    /// The file is being read, and was touched since: it will be read once more.
    Again,
}

/// A change that can be undone or redone.
#[derive(Clone, Debug)]
pub(super) struct UndoEntry {
    id: u64,
    /// The change that undoes or redoes it.
    change: Change,
    /// What the change brings with it; taken back when it is undone.
    records: BookmarkRecords,
    /// A short description of the change.
    words: String,
}

/// A change that is being saved.
#[derive(Clone, Debug)]
struct PendingSave {
    id: u64,
    /// The inverse change, applied if the save fails.
    back: Change,
    /// The undo entry that caused it, restored if the save fails.
    entry: UndoEntry,
}

impl UndoEntry {
    /// Creates the entry of a new change with what it brings; `words` describe it, as in “2 removed”.
    pub(super) fn new(
        change: Change,
        records: BookmarkRecords,
        words: &str,
        cx: &mut Context,
    ) -> Self {
        Self {
            id: cx.next_id(),
            change,
            records,
            words: words.to_owned(),
        }
    }

    /// Returns the entry as that of another change, which undoes or redoes it.
    fn renewed(self, cx: &mut Context) -> Self {
        let id = cx.next_id();
        Self { id, ..self }
    }
}

impl BookmarkChanges {
    /// Returns true while a change is being saved.
    pub(super) fn is_saving(&self) -> bool {
        !self.saving.is_empty()
    }

    /// Returns the position of the last change that can be undone.
    pub(crate) fn last_change(&self) -> Option<u64> {
        self.undo.last().map(|entry| entry.id)
    }

    /// Returns the position of the last change that was undone.
    pub(crate) fn last_undone(&self) -> Option<u64> {
        self.redo.last().map(|entry| entry.id)
    }

    /// Reads the file again after it was touched, by this or another program.
    pub(super) fn read_again(&mut self, bookmarks: &Bookmarks, cx: &mut Context) {
        if self.reading != FileReadState::No {
            self.reading = FileReadState::Again;
            return;
        }
        self.reading = FileReadState::Once;
        cx.emit(BookmarkEffect::Read(bookmarks.clone()));
    }

    /// Records a change with the one that takes it back, until it is saved.
    fn record(&mut self, history: HistoryStep, entry: UndoEntry, back: Change) {
        let id = entry.id;
        let mut stack = entry.clone();
        stack.change.clone_from(&back);
        match history {
            HistoryStep::Done => {
                self.undo.push(stack);
                self.redo.clear();
            }
            HistoryStep::Undone => self.redo.push(stack),
            HistoryStep::Redone => self.undo.push(stack),
        }
        self.saving.push_back(PendingSave { id, back, entry });
    }
}

impl BookmarksPane {
    /// Applies a new change to the bookmarks; `words` describe it, as in “2 removed”.
    pub(crate) fn change_bookmarks(&mut self, change: Change, words: &str, cx: &mut Context) {
        self.change_with_records(change, BookmarkRecords::default(), words, cx);
    }

    /// Applies a new change with the records that it brings: the dates of imported bookmarks, the former URLs of moved
    /// ones.
    pub(super) fn change_with_records(
        &mut self,
        change: Change,
        records: BookmarkRecords,
        words: &str,
        cx: &mut Context,
    ) {
        if change.is_empty() {
            return cx.notify("Nothing was changed");
        }
        let entry = UndoEntry::new(change, records, words, cx);
        self.change_and_show(HistoryStep::Done, entry, cx);
    }

    /// Applies a change, and moves the cursor to the last changed item. A filter stays, unless it hides an item that is
    /// new.
    fn change_and_show(&mut self, history: HistoryStep, entry: UndoEntry, cx: &mut Context) {
        let before = self.sidebar.bookmarks.clone();
        let shown = self.sidebar.rows().to_vec();
        let Some(last) = self.apply_change(history, entry, cx) else {
            return;
        };
        let now = &self.sidebar.bookmarks;
        let is_filtered = self.sidebar.is_filtered();
        let was_shown = || before.follow(now, &shown).contains(&Some(last));
        if is_filtered && was_shown() {
            self.sidebar.keep_edited(last);
        } else if !self.sidebar.await_search(last) {
            self.sidebar.go_to(last);
        }
        cx.reveal_all();
    }

    /// Applies a change and queues its writing. Returns the last item that it made or changed.
    pub(super) fn apply_change(
        &mut self,
        history: HistoryStep,
        entry: UndoEntry,
        cx: &mut Context,
    ) -> Option<usize> {
        let base = self.sidebar.bookmarks.clone();
        let AppliedChange {
            bookmarks,
            undo: back,
            items,
            ..
        } = base.apply(&entry.change);
        let (change, records) = (entry.change.clone(), entry.records.clone());
        self.changes.record(history, entry, back);
        self.replace_bookmarks(bookmarks, cx);
        cx.emit(BookmarkEffect::Save(history, change, base, records));
        items.last().copied()
    }

    pub(crate) fn undo(&mut self, cx: &mut Context) {
        match self.changes.undo.pop() {
            Some(entry) => {
                self.change_and_show(HistoryStep::Undone, entry.renewed(cx), cx);
            }
            None => cx.notify("Nothing to undo"),
        }
    }

    pub(crate) fn redo(&mut self, cx: &mut Context) {
        match self.changes.redo.pop() {
            Some(entry) => {
                self.change_and_show(HistoryStep::Redone, entry.renewed(cx), cx);
            }
            None => cx.notify("Nothing to redo"),
        }
    }

    /// Handles a saved change of the bookmark file, or the error.
    pub(crate) fn bookmarks_changed(
        &mut self,
        history: HistoryStep,
        result: Result<AppliedChange, String>,
        cx: &mut Context,
    ) {
        let Some(saving) = self.changes.saving.pop_front() else {
            return;
        };
        match result {
            Ok(applied) => {
                let changes = &mut self.changes;
                let made = changes.undo.iter_mut().chain(&mut changes.redo);
                for entry in made.filter(|entry| entry.id == saving.id) {
                    entry.change.clone_from(&applied.undo);
                }

                if self.changes.saving.is_empty() {
                    self.replace_bookmarks(applied.bookmarks, cx);
                    self.sort.sort_again(&self.sidebar.bookmarks, cx);
                }
                let undo = cx.key_of(Action::Undo);
                let words = &saving.entry.words;
                cx.notify(&match history {
                    HistoryStep::Done => format!("bookmarks saved: {words} ({undo} undo)"),
                    HistoryStep::Undone => format!("undone: {words}"),
                    HistoryStep::Redone => format!("redone: {words}"),
                });
                if self.changes.saving.is_empty() {
                    self.look_at_followed(cx);
                }
                if let Some(sentence) = clash_sentence(&applied.conflicts) {
                    cx.report_error(&sentence);
                }
            }
            Err(sentence) => {
                for stack in [&mut self.changes.undo, &mut self.changes.redo] {
                    stack.retain(|entry| entry.id != saving.id);
                }
                match history {
                    HistoryStep::Done => {}
                    HistoryStep::Undone => self.changes.undo.push(saving.entry),
                    HistoryStep::Redone => self.changes.redo.push(saving.entry),
                }
                let back = self.sidebar.bookmarks.apply(&saving.back).bookmarks;
                self.replace_bookmarks(back, cx);
                cx.report_error(&sentence);
            }
        }
    }

    /// Handles the bookmarks that were read again.
    pub(crate) fn bookmarks_read(&mut self, result: Result<Bookmarks, String>, cx: &mut Context) {
        let again = std::mem::take(&mut self.changes.reading) == FileReadState::Again;
        match result {
            // The pending saves will return the content of the file.
            Ok(bookmarks) if self.changes.saving.is_empty() => {
                let is_new = bookmarks != self.sidebar.bookmarks;
                if let Some(damage) = bookmarks.damage().filter(|_| is_new) {
                    cx.report_error(&format!("Bookmarks, {damage}"));
                }
                self.replace_bookmarks(bookmarks, cx);
                if is_new {
                    self.sort.sort_again(&self.sidebar.bookmarks, cx);
                }
            }
            Ok(_) => {}
            Err(sentence) => cx.report_error(&sentence),
        }
        if again {
            self.changes.read_again(&self.sidebar.bookmarks, cx);
        }
    }

    fn replace_bookmarks(&mut self, bookmarks: Bookmarks, cx: &mut Context) {
        if bookmarks == self.sidebar.bookmarks {
            return;
        }
        self.sidebar.refresh(bookmarks);
        self.sidebar.search(&self.checks, cx);
        cx.reveal_all();
    }
}

/// Returns a sentence about conflicting changes by other programs.
fn clash_sentence(conflicts: &[EditConflict]) -> Option<String> {
    let first = conflicts.first()?;
    Some(match conflicts.len() - 1 {
        0 => first.to_string(),
        more => format!("{first}, and {} more lines", text::count(more)),
    })
}
