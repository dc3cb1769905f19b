//! The one way into the state: messages in, effects out.

use crate::app::bookmarks::check::watch::ask_watch;
use crate::app::credentials::keyring::password_stored;
use crate::app::tabs::external::program_ended;
use std::time::Duration;

use crate::app::{App, Command, Effect, Mailcaps, Message};

impl App {
    /// Applies a message that arrived at `now` (time since the start), and returns the effects to carry out.
    pub fn update(&mut self, message: Message, now: Duration) -> Vec<Effect> {
        self.cx.now = now;
        self.cx.layout = self.layout();
        self.dialogs.questions.by_key = matches!(message, Message::Key(_) | Message::Paste(_));
        let is_open = self.dialogs.overlay.is_some();
        match message {
            Message::Key(key) => self.key(key),
            Message::Paste(text) => self.paste(&text),
            Message::Resize(width, height) => {
                self.size = (width, height);
                self.reveal_all();
            }
            Message::Part(load, part) => self.tabs.part(load, part, &mut self.cx),
            Message::Finished(work, document) => self.tabs.finished(work, document, &mut self.cx),
            Message::Found(work, row) => self.tabs.found(work, row, &mut self.cx),
            Message::Bookmarks(history, result) => {
                self.bookmarks
                    .bookmarks_changed(history, result, &mut self.cx)
            }
            Message::BookmarksTouched => self.bookmarks.bookmarks_touched(&mut self.cx),
            Message::BookmarksRead(result) => self.bookmarks.bookmarks_read(result, &mut self.cx),
            Message::Filtered(work, filtered) => {
                self.bookmarks.filtered(work, *filtered, &mut self.cx)
            }
            Message::CheckResultsRead(result) => {
                self.bookmarks
                    .link_checks_loaded(result, &self.credentials, &mut self.cx)
            }
            Message::Checked(load, report) => self.bookmarks.checked(load, report, &mut self.cx),
            Message::CheckEnded(load) => self.bookmarks.check_ended(load, &mut self.cx),
            Message::Watched(events) => self.bookmarks.watched(events, &mut self.cx),
            Message::NewlyWatched(bookmarks, items) => {
                ask_watch(bookmarks, items, &mut self.cx);
            }
            Message::Pinned(authority, written) => {
                self.credentials.pinned(&authority, written, &mut self.cx)
            }
            Message::DownloadProgress(load, octets, size) => {
                self.transfers
                    .download_progress(load, octets, size, &self.cx);
            }
            Message::Downloaded(load, result) => {
                self.transfers.download_ended(load, result, &mut self.cx)
            }
            Message::TransferProgress(load, report) => {
                self.transfers.transfer_progress(load, report, &mut self.cx)
            }
            Message::DirectoryProgress(load, step) => {
                self.transfers.directory_progress(load, step, &self.cx)
            }
            Message::Transferred(load, result) => {
                self.transfers
                    .transfer_ended(load, result, &mut self.credentials, &mut self.cx)
            }
            Message::Destination(directory, path) => {
                self.dialogs.ask_destination(directory, path, &mut self.cx)
            }
            Message::TransfersWritten(written) | Message::FindingsWritten(written) => {
                if let Err(sentence) = written {
                    self.cx.report_error(&sentence);
                }
            }
            Message::Fetched(load, result) => self.transfers.fetched(load, result, &mut self.cx),
            Message::ProgramEnded(result) => {
                program_ended(result, &mut self.cx);
            }
            Message::Rules(from, host, rules) => self.tabs.server_rules_loaded(
                &from,
                host,
                rules,
                &self.dialogs,
                &self.credentials,
                &mut self.cx,
            ),
            Message::Viewers(entries) => {
                self.cx.settings.viewers.extend(entries);
                self.cx.settings.mailcaps = Mailcaps::Read;
            }
            Message::Keyring(work, login) => self.credentials.password_looked_up(
                work,
                login,
                &mut self.tabs,
                &mut self.compose,
                &mut self.cx,
            ),
            Message::PasswordStored(result) => {
                password_stored(result, &mut self.cx);
            }
            Message::FileRead(work, octets) => self.tabs.file_read(work, octets, &mut self.cx),
            Message::Marks(server, changes, result) => {
                self.news
                    .marks_loaded(&server, changes, result, &mut self.tabs, &mut self.cx)
            }
            Message::Folds(server, changes, result) => {
                self.news
                    .folds_loaded(&server, changes, result, &mut self.tabs, &mut self.cx)
            }
            Message::MarksDue => self.news.marks_due(&mut self.cx),
            Message::Rule(result) => self.news.rule_added(result, &mut self.tabs, &mut self.cx),
            Message::PageCached(result) => {
                if let Err(sentence) = result {
                    self.cx.report_error(&sentence);
                }
            }
            Message::Written(outcome) => {
                self.compose
                    .written(outcome, &mut self.dialogs, &self.credentials, &mut self.cx)
            }
            Message::Terminate => {
                self.cx.should_exit = true;
            }
        }
        self.run_commands();
        self.tabs.load_dropped(&mut self.compose, &mut self.cx);
        self.tabs.enforce_memory_limit(&mut self.cx);
        self.run_commands();
        if !self.dialogs.questions.by_key && !is_open {
            self.question_opened_unprompted();
        }
        self.tabs.fit_sessions(&mut self.cx);
        self.ask();
        self.news.mark_shown(&mut self.tabs, &mut self.cx);
        self.news.schedule_marks(&mut self.cx);
        self.transfers
            .update_transfer_queue(&self.credentials, &mut self.cx);
        self.bookmarks.save_check_results(&mut self.cx);
        self.run_commands();
        self.take_effects()
    }

    /// Carries out the commands of the parts, and those that these cause.
    pub(crate) fn run_commands(&mut self) {
        self.cx.layout = self.layout();
        while let Some(command) = self.cx.commands.pop_front() {
            self.run_command(command);
            self.cx.layout = self.layout();
        }
    }

    fn run_command(&mut self, command: Command) {
        let (tabs, cx) = (&mut self.tabs, &mut self.cx);
        match command {
            Command::Open(url, title, open_in) => self.open(url, title, open_in),
            Command::OpenRequest(request, title, open_in) => {
                self.open_request(*request, title, open_in);
            }
            Command::OpenThen(request, next_step) => self.open_then(*request, next_step),
            Command::SetNextStep(next_step) => tabs.set_next_step(next_step),
            Command::OpenInTabs(addresses) => self.open_in_tabs(addresses),
            Command::OpenHomeIfEmpty if tabs.page().is_some() => {}
            Command::OpenHome | Command::OpenHomeIfEmpty => self.open_home(),
            Command::Load(pending) => self.load(*pending),
            Command::CancelPending(pending, sentence) => {
                tabs.cancel_pending(
                    *pending,
                    &sentence,
                    &mut self.compose,
                    &mut self.transfers,
                    cx,
                );
            }
            Command::Ask(question, pending) => {
                self.dialogs
                    .open_question(question, *pending, tabs, &mut self.credentials, cx);
            }
            Command::AskLater(dialog) => self.dialogs.questions.ask_later(*dialog),
            Command::Show(overlay) => self.dialogs.overlay = Some(overlay),
            Command::Step(rows) => self.step(rows),
            Command::Act(action) => self.act(action),
            Command::CarryOut(action) => self.carry_out(action),
            Command::Reload => tabs.reload(&mut self.compose, cx),
            Command::Reveal => self.reveal_all(),
            Command::Quit => cx.should_exit = true,
            Command::Tabs(command) => tabs.carry_out(command, &self.news, &self.credentials, cx),
            Command::Bookmarks(command) => {
                self.bookmarks.carry_out(command, &self.credentials, cx);
            }
            Command::Transfers(command) => {
                self.transfers
                    .carry_out(command, tabs, &self.credentials, cx);
            }
            Command::News(command) => self.news.carry_out(command, tabs, cx),
            Command::Compose(command) => {
                self.compose.carry_out(command, tabs, &self.credentials, cx);
            }
            Command::Credentials(command) => self.credentials.carry_out(command, cx),
        }
    }

    /// Returns the queued effects.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        let mut effects = std::mem::take(&mut self.cx.effects);
        effects
            .retain(|effect| !matches!(effect, Effect::Load(load, _) if !self.tabs.awaits(*load)));
        effects
    }
}
