//! Undo and redo of marks: each key that changes marks is one step, with all groups that it changed.

use geomys_page::document::marks::{GroupMarks, MarkChange};

use crate::news::message::MarkChanges;
use crate::news::server::NewsAuthority;
use crate::{Context, News, Tabs};

/// A step that undoes or redoes changes of marks.
#[derive(Debug)]
pub(crate) struct MarkStep {
    /// The position among all steps, those of the bookmarks too.
    id: u64,
    server: NewsAuthority,
    /// The changes that undo or redo it, in order.
    changes: MarkChanges,
    /// A short description of what was done.
    words: String,
}

/// The steps that can be undone and redone.
#[derive(Debug, Default)]
pub(crate) struct MarkHistory {
    undo: Vec<MarkStep>,
    redo: Vec<MarkStep>,
    /// The inverse changes of the step that is being made, the first change first.
    recorded: Option<MarkChanges>,
}

impl MarkHistory {
    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.recorded = Some(Vec::new());
    }

    /// Records the inverse of a change that is about to be made, if a step has begun.
    pub(super) fn record(&mut self, group: &[u8], marks: &GroupMarks, change: &MarkChange) {
        if let Some(recorded) = &mut self.recorded {
            recorded.push((group.to_vec(), marks.inverse(change)));
        }
    }

    /// Ends a new step of the user, and says what it did.
    pub(super) fn end_step(&mut self, server: &NewsAuthority, words: &str, cx: &mut Context) {
        if let Some(step) = self.end(server, words, cx) {
            self.undo.push(step);
            self.redo.clear();
        }
        cx.notify(words);
    }

    /// Returns the position of the last change that can be undone.
    pub(crate) fn last_change(&self) -> Option<u64> {
        self.undo.last().map(|step| step.id)
    }

    /// Returns the position of the last change that was undone.
    pub(crate) fn last_undone(&self) -> Option<u64> {
        self.redo.last().map(|step| step.id)
    }

    /// Ends a step. Returns it if it has changed something.
    fn end(&mut self, server: &NewsAuthority, words: &str, cx: &mut Context) -> Option<MarkStep> {
        let mut changes = self.recorded.take()?;
        changes.reverse();
        (!changes.is_empty()).then(|| MarkStep {
            id: cx.next_id(),
            server: server.clone(),
            changes,
            words: words.to_owned(),
        })
    }
}

impl News {
    /// Undoes the last change of marks.
    pub(crate) fn undo(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        if let Some(step) = self.history.undo.pop() {
            cx.notify(&format!("Undone: {}", step.words));
            let inverse = self.apply_step(step, tabs, cx);
            self.history.redo.extend(inverse);
        }
    }

    /// Redoes the last change of marks that was undone.
    pub(crate) fn redo(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        if let Some(step) = self.history.redo.pop() {
            cx.notify(&format!("Redone: {}", step.words));
            let inverse = self.apply_step(step, tabs, cx);
            self.history.undo.extend(inverse);
        }
    }

    /// Makes the changes of a step. Returns the inverse step.
    fn apply_step(
        &mut self,
        step: MarkStep,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) -> Option<MarkStep> {
        let server = step.server;
        self.history.begin();
        for (group, change) in step.changes {
            self.store_change(&server, &group, change, cx);
        }
        let inverse = self.history.end(&server, &step.words, cx);
        self.apply_news_state(|page| page.is_of(&server), tabs, cx);
        tabs.finish_changed_pages(|page| page.is_of(&server), cx);
        inverse
    }
}
