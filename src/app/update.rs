//! The one way into the state: messages in, effects out.

use std::time::Duration;

use super::{App, Effect, Mailcaps, Message};

impl App {
    /// Applies a message that arrived at `now` (time since the start), and returns the effects to carry out.
    pub fn update(&mut self, message: Message, now: Duration) -> Vec<Effect> {
        self.now = now;
        self.questions.by_key = matches!(message, Message::Key(_) | Message::Paste(_));
        let is_open = self.overlay.is_some();
        match message {
            Message::Key(key) => self.key(key),
            Message::Paste(text) => self.paste(&text),
            Message::Resize(width, height) => {
                self.size = (width, height);
                self.reveal_all();
            }
            Message::Part(load, part) => self.part(load, part),
            Message::Finished(work, document) => self.finished(work, document),
            Message::Found(work, row) => self.found(work, row),
            Message::Bookmarks(history, result) => self.bookmarks_changed(history, result),
            Message::BookmarksTouched => self.bookmarks_touched(),
            Message::BookmarksRead(result) => self.bookmarks_read(result),
            Message::Filtered(work, filtered) => self.filtered(work, *filtered),
            Message::CheckResultsRead(result) => self.link_checks_loaded(result),
            Message::Checked(load, report) => self.checked(load, report),
            Message::CheckEnded(load) => self.check_ended(load),
            Message::Watched(events) => self.watched(events),
            Message::NewlyWatched(bookmarks, items) => {
                self.ask_watch(bookmarks, items);
            }
            Message::Pinned(authority, written) => self.pinned(&authority, written),
            Message::DownloadProgress(load, octets, size) => {
                self.download_progress(load, octets, size);
            }
            Message::Downloaded(load, result) => self.download_ended(load, result),
            Message::TransferProgress(load, report) => self.transfer_progress(load, report),
            Message::DirectoryProgress(load, step) => self.directory_progress(load, step),
            Message::Transferred(load, result) => self.transfer_ended(load, result),
            Message::Destination(directory, path) => self.ask_destination(directory, path),
            Message::TransfersWritten(written) | Message::FindingsWritten(written) => {
                if let Err(sentence) = written {
                    self.report_error(&sentence);
                }
            }
            Message::Fetched(load, result) => self.fetched(load, result),
            Message::ProgramEnded(result) => {
                self.program_ended(result);
            }
            Message::Rules(from, host, rules) => self.server_rules_loaded(&from, host, rules),
            Message::Viewers(entries) => {
                self.settings.viewers.extend(entries);
                self.settings.mailcaps = Mailcaps::Read;
            }
            Message::Keyring(work, login) => self.password_looked_up(work, login),
            Message::PasswordStored(result) => {
                self.password_stored(result);
            }
            Message::FileRead(work, octets) => self.file_read(work, octets),
            Message::Marks(server, changes, result) => self.marks_loaded(&server, changes, result),
            Message::Folds(server, changes, result) => self.folds_loaded(&server, changes, result),
            Message::MarksDue => self.marks_due(),
            Message::Rule(result) => self.rule_added(result),
            Message::PageCached(result) => {
                if let Err(sentence) = result {
                    self.report_error(&sentence);
                }
            }
            Message::Written(outcome) => self.written(outcome),
            Message::Terminate => {
                self.should_exit = true;
            }
        }
        self.load_dropped();
        self.enforce_memory_limit();
        if !self.questions.by_key && !is_open {
            self.question_opened_unprompted();
        }
        self.fit_sessions();
        self.ask();
        self.mark_shown();
        self.schedule_marks();
        self.update_transfer_queue();
        self.save_check_results();
        let mut effects = std::mem::take(&mut self.effects);
        effects.retain(|effect| !matches!(effect, Effect::Load(load, _) if !self.awaits(*load)));
        effects
    }

    /// Queues an effect.
    pub(super) fn emit(&mut self, effect: Effect) {
        self.effects.push(effect);
    }
}
