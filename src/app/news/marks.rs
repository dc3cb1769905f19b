//! Marks and folded threads in files: changes are written in batches, at most [`SOON`] after the first change of a batch.
//!
//! The state has no clock: an effect schedules one [`Message::MarksDue`](super::super::Message::MarksDue) in the main loop.
//! Nothing is scheduled without changes.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::super::action::Action;
use super::super::page::Page;
use super::super::{App, Effect};
use super::{FoldState, MarkChanges, NewsAuthority, NewsServerState};
use crate::document::marks::{MarkChange, ServerMarks};
use crate::text::{Charset, Text};

/// The delay of a write after the first change, so that many changes make one write.
pub const SOON: Duration = Duration::from_secs(1);

impl App {
    /// Reads the files of a server, unless they were read already.
    pub(super) fn read_news_files(&mut self, server: &NewsAuthority) {
        if self
            .news
            .servers
            .iter()
            .any(|state| state.server == *server)
        {
            return;
        }
        let path = self.settings.newsrcs.path(server);
        let folds = self.settings.newsrcs.folds(server);
        self.news.servers.push(NewsServerState {
            server: server.clone(),
            marks: path.is_none().then(ServerMarks::default),
            unwritten: Vec::new(),
            writing: VecDeque::new(),
            folds: FoldState::new(folds.as_ref()),
            highest: HashMap::new(),
        });
        // The folds come first, so that they are loaded when the page shows them.
        let folds = folds.map(|path| Effect::Folds(server.clone(), path, Vec::new()));
        let marks = path.map(|path| Effect::Marks(server.clone(), path, Vec::new()));
        self.effects.extend(folds.into_iter().chain(marks));
    }

    /// Handles a file of marks that was read, or written and read again; or the error.
    pub(in crate::app) fn marks_loaded(
        &mut self,
        server: &NewsAuthority,
        changes: usize,
        result: Result<ServerMarks, String>,
    ) {
        let mut state = self.news.servers.iter_mut();
        let Some(state) = state.find(|state| state.server == *server) else {
            return;
        };
        let written = if changes > 0 {
            state.writing.pop_front().unwrap_or_default()
        } else {
            Vec::new()
        };
        let mut marks = match result {
            Ok(marks) => marks,
            Err(sentence) => {
                // These changes are written again with the next ones.
                let later = std::mem::replace(&mut state.unwritten, written);
                state.unwritten.extend(later);
                self.report_error(&sentence);
                return;
            }
        };
        let later = state.writing.iter().flatten().chain(&state.unwritten);
        later.for_each(|(group, change)| marks.apply(group, change));
        state.marks = Some(marks);
        if changes == 0 {
            let groups: Vec<Vec<u8>> = state.highest.keys().cloned().collect();
            for group in groups {
                self.notify_renumbered(server, &group);
            }
        }
        let is_match = |page: &Page| NewsAuthority::of(page).as_ref() == Some(server);
        self.apply_news_state(is_match);
        self.finish_changed_pages(is_match);
        self.request_list_changes();
    }

    /// Changes the marks of a group, and applies them to all pages. The change is written soon.
    pub(in crate::app) fn change(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        change: MarkChange,
    ) {
        self.store_change(server, group, change);
        self.apply_news_state(|page| NewsAuthority::of(page).as_ref() == Some(server));
    }

    /// Changes the marks of a group without applying them to the pages.
    pub(super) fn store_change(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        change: MarkChange,
    ) {
        let mut state = self.news.servers.iter_mut();
        let Some(state) = state.find(|state| state.server == *server) else {
            return;
        };
        if let Some(marks) = &mut state.marks {
            marks.apply(group, &change);
        }
        // An article that was read exists, so the server has more articles by now than it reported.
        if let (MarkChange::Read(numbers), Some(highest)) = (&change, state.highest.get_mut(group))
        {
            *highest = numbers
                .highest()
                .map_or(*highest, |read| read.max(*highest));
        }
        state.unwritten.push((group.to_vec(), change));
        self.news.is_changed = true;
    }

    /// Schedules the write of changes; at the end of the program, writes them at once.
    pub(in crate::app) fn schedule_marks(&mut self) {
        if self.should_exit {
            return self.write_marks();
        }
        if !std::mem::take(&mut self.news.is_changed) || self.news.is_scheduled {
            return;
        }
        self.news.is_scheduled = true;
        self.emit(Effect::MarksSoon);
    }

    /// Writes the changes when the scheduled write is due.
    pub(in crate::app) fn marks_due(&mut self) {
        self.news.is_scheduled = false;
        self.write_marks();
    }

    /// Writes all changes.
    fn write_marks(&mut self) {
        for state in &mut self.news.servers {
            let changes: MarkChanges = std::mem::take(&mut state.unwritten);
            let path = self.settings.newsrcs.path(&state.server);
            if let Some(path) = path.filter(|_| !changes.is_empty()) {
                state.writing.push_back(changes.clone());
                self.effects
                    .push(Effect::Marks(state.server.clone(), path, changes));
            }
            let path = self.settings.newsrcs.folds(&state.server);
            self.effects.extend(state.folds.write(&state.server, path));
        }
    }

    /// Notifies the user if the server's highest number in a group is far below the numbers that were read: the server was
    /// renumbered, or a mirror that answered lags behind. The marks stay until the user resets them.
    pub(super) fn notify_renumbered(&mut self, server: &NewsAuthority, group: &[u8]) {
        let mut state = self.news.servers.iter();
        let state = state.find(|state| state.server == *server);
        let lower = state.and_then(|state| {
            let highest = *state.highest.get(group)?;
            let marked = state.marks.as_ref()?.group(group)?;
            let read = marked.read.highest()?;
            marked.is_renumbered(highest).then_some((highest, read))
        });
        if let Some((highest, read)) = lower {
            let name = Text::new(group, Charset::default());
            let reset = self.key_of(Action::ResetGroup);
            self.notify(&format!(
                "{name} ends at {highest}, but was read up to {read}; {reset} clears its marks"
            ));
        }
    }
}
