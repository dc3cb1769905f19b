//! The context that every part of the app works in: the settings, the time, and the queues of effects and commands.
//!
//! A part changes its own state only. What another part has to do is a [`Command`] in the queue, which [`App::update`]
//! carries out after the part has returned. What happens outside of the state is an [`Effect`].
//!
//! [`App::update`]: crate::App::update

use std::collections::VecDeque;
use std::time::Duration;

use geomys_load::LoadId;
use geomys_page::document::picture::Graphics;
use geomys_wire::text::{Text, sentence_case, without_error_numbers};

use crate::action::Action;
use crate::copies::Copies;
use crate::keymap::Keymap;
use crate::requester::OpenPage;
use crate::settings::Settings;
use crate::view::work::{Work, WorkId};
use crate::{Command, Effect, Focus, Layout, Overlay, PendingRequest};

/// The settings, the time and the queues that every part of the app gets.
#[derive(Debug)]
pub struct Context {
    /// The bindings of keys to actions.
    pub keymap: Keymap,
    /// The user's settings.
    pub settings: Settings,
    /// The copies of pages that can be opened offline.
    pub copies: Copies,
    /// True if the network was found to be down, and no host has answered since. The offline mode follows from it.
    pub(crate) is_network_down: bool,
    /// The message in the status line, until a key that the user presses after it was shown.
    pub notice: Option<Notice>,
    /// The message of a page that has arrived, until the user presses a key: the answer to a key that came while it was
    /// loading is still in the status line.
    next_notice: Option<Notice>,
    /// The part of the screen that receives keys.
    pub focus: Focus,
    /// The graphics of the terminal, once it has told them.
    pub graphics: Option<Graphics>,
    /// True when the browser is to exit.
    pub should_exit: bool,
    /// True while the current message is a key, a click or pasted text, or the result of what one has started.
    pub(crate) by_key: bool,
    /// What the current message has found.
    pub(crate) found: Circumstances,
    /// The number of keys and pastes so far.
    pub(crate) inputs: u64,
    /// The time of the last message, by the loop's clock.
    pub now: Duration,
    /// The positions of all parts of the screen when the current message arrived.
    pub(crate) layout: Layout,
    /// The effects of the current message, in order.
    pub(crate) effects: Vec<Effect>,
    /// The commands that the current message has caused, in order.
    pub(crate) commands: VecDeque<Command>,
    /// The work that follows the commands.
    pub(crate) follow_ups: FollowUps,
    last_id: u64,
}

/// What the current message has found, beside the state of the parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Circumstances {
    /// True if the page with the focus was loading when the message came.
    pub(crate) is_loading: bool,
    /// True while the pages of the command line are requested: its Enter was the last key.
    pub(crate) is_command_line: bool,
    /// True while a message of a private tab is handled.
    pub(crate) is_private: bool,
}

/// The work that follows the commands of a message, once each, because what it depends on may have changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FollowUps {
    /// The pages on the screen changed: others are shown, or they were scrolled, resized, or grew.
    pub(crate) pages: bool,
    /// A waiting question may open: one was queued, or the user types nothing any more.
    pub(crate) questions: bool,
    /// A transfer may start: the queue changed, or what the credentials accept.
    pub(crate) transfers: bool,
}

impl Context {
    /// Creates the context of a browser that has just started.
    pub(crate) fn new(keymap: Keymap, settings: Settings, layout: Layout) -> Self {
        Self {
            keymap,
            settings,
            copies: Copies::default(),
            is_network_down: false,
            notice: None,
            next_notice: None,
            focus: Focus::Panes,
            graphics: None,
            should_exit: false,
            by_key: false,
            found: Circumstances::default(),
            inputs: 0,
            now: Duration::ZERO,
            layout,
            effects: Vec::new(),
            commands: VecDeque::new(),
            follow_ups: FollowUps::default(),
            last_id: 0,
        }
    }

    /// Queues an effect.
    pub(crate) fn emit(&mut self, effect: impl Into<Effect>) {
        self.effects.push(effect.into());
    }

    /// Starts a timer, and returns the id with which [`crate::Message::TimerEnded`] tells its end.
    pub(crate) fn start_timer(&mut self, time: Duration) -> u64 {
        let timer = self.next_id();
        self.emit(Effect::StartTimer(timer, time));
        timer
    }

    /// Queues the cancellation of loads. A load whose start is still queued does not start.
    pub(crate) fn cancel(&mut self, loads: impl IntoIterator<Item = LoadId>) {
        for load in loads {
            let is_start =
                |effect: &Effect| matches!(effect, Effect::Load(started, _) if *started == load);
            self.effects.retain(|effect| !is_start(effect));
            self.effects.push(Effect::Drop(load));
        }
    }

    /// Queues a command.
    pub(crate) fn command(&mut self, command: impl Into<Command>) {
        self.commands.push_back(command.into());
    }

    /// Requests the work that depends on the pages on the screen.
    pub fn pages_changed(&mut self) {
        self.follow_ups.pages = true;
    }

    /// Requests the opening of the next waiting question, unless the user is typing.
    pub fn questions_changed(&mut self) {
        self.follow_ups.questions = true;
    }

    /// Requests the start of the next transfers, and that their list is saved.
    pub fn transfers_changed(&mut self) {
        self.follow_ups.transfers = true;
    }

    /// Returns the number of the current key, 0 for the command line; `None` if none has caused the current message.
    pub(crate) fn asked_at(&self) -> Option<u64> {
        (self.by_key || self.found.is_command_line).then_some(self.inputs)
    }

    /// Returns a new id for anything that is counted in one run.
    pub(crate) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Returns a new id for a load.
    pub(crate) fn next_load(&mut self) -> LoadId {
        LoadId(self.next_id())
    }

    /// Returns a new id for a long computation.
    pub(crate) fn next_work(&mut self) -> WorkId {
        WorkId(self.next_id())
    }

    /// Starts a computation: a short one in this update, a long one in a task.
    pub(crate) fn start_work(&mut self, id: WorkId, work: Work) {
        if work.is_short() {
            self.command(Command::Worked(id, Box::new(work.carry_out())));
        } else {
            self.emit(Effect::Work(id, work));
        }
    }

    /// Returns the key of an action for use in a message; `:name` for an action without a key.
    pub(crate) fn key_of(&self, action: Action) -> String {
        let key = self.keymap.key_of(action);
        key.unwrap_or_else(|| format!(":{}", action.name()))
    }

    /// Shows a message in the status line.
    pub fn notify(&mut self, sentence: &str) {
        self.show_notice(sentence, false);
    }

    /// Uses another keymap and other settings from now on. What the user has chosen since the start, and what the
    /// network was started with, stays. `has_new_theme` is true if the colours have changed.
    pub fn reconfigure(&mut self, keymap: Keymap, settings: Settings, has_new_theme: bool) {
        let old = &self.settings;
        let settings = Settings {
            offline: old.offline,
            zone: old.zone.clone(),
            mailcaps: old.mailcaps.clone(),
            route: old.route.clone(),
            news_server: settings
                .news_server
                .clone()
                .or_else(|| old.news_server.clone()),
            ..settings
        };
        // The file of score rules is read again when the browser itself has added one.
        if !has_new_theme && keymap == self.keymap && settings == self.settings {
            return;
        }
        self.keymap = keymap;
        self.settings = settings;
        match self.config_summary() {
            Some(mistake) => self.report_error(&mistake),
            // The message of a rule that the user has just added stays, and the answer to a key.
            None if self
                .notice
                .as_ref()
                .is_some_and(|notice| !notice.is_error || notice.by_key) => {}
            None => self.notify("Configuration reloaded"),
        }
    }

    /// Returns the message about mistakes in the configuration; `None` without one.
    pub fn config_summary(&self) -> Option<String> {
        self.settings.config.summary(&self.key_of(Action::Config))
    }

    /// Shows an error message in the status line.
    pub fn report_error(&mut self, sentence: &str) {
        self.show_notice(sentence, true);
    }

    fn show_notice(&mut self, sentence: &str, is_error: bool) {
        let notice = Notice {
            text: Text::of(&sentence_case(&without_error_numbers(sentence), "")),
            is_error,
            by_key: self.by_key,
            is_early: self.by_key && self.found.is_loading,
        };
        let is_early = self.notice.as_ref().is_some_and(|old| old.is_early);
        if is_early && !self.by_key && !is_error {
            self.next_notice = Some(notice);
        } else {
            self.notice = Some(notice);
        }
    }

    /// Removes the message in the status line at a key. While the user types into something above the page, a message
    /// that was not caused by a key stays, as it may not have been seen yet.
    pub(crate) fn clear_notice(&mut self, is_typing: bool) {
        let cleared = self.notice.take_if(|notice| notice.by_key || !is_typing);
        if cleared.is_some() {
            self.notice = self.next_notice.take();
        }
    }

    /// Shows the message about a success, or the error message, in the status line.
    pub fn report(&mut self, result: Result<String, String>) {
        match result {
            Ok(sentence) => self.notify(&sentence),
            Err(sentence) => self.report_error(&sentence),
        }
    }

    /// Shows an element above the page, in place of the one that is there.
    pub(crate) fn show(&mut self, overlay: Overlay) {
        self.command(Command::Show(overlay));
    }

    /// Opens a page, by its URL or its request.
    pub(crate) fn open(&mut self, page: impl Into<OpenPage>) {
        self.command(page.into());
    }

    /// Starts a load for the part of the app that has requested it.
    pub(crate) fn load(&mut self, pending: PendingRequest) {
        self.command(Command::Load(Box::new(pending)));
    }

    /// Brings all cursors into view, after the current command.
    pub(crate) fn reveal_all(&mut self) {
        self.command(Command::Reveal);
    }

    /// Returns the number of lines of the bookmark tree, without its heading and the line for the error under the
    /// cursor.
    pub(crate) fn bookmarks_height(&self) -> usize {
        self.layout.bookmarks_height()
    }

    /// Returns the number of rows for transfers on the screen.
    pub(crate) fn transfers_height(&self) -> usize {
        usize::from(self.layout.transfers_rows()).max(1)
    }
}

/// A message for the status line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The text of the message.
    pub text: Text,
    /// True for an error message.
    pub is_error: bool,
    /// True for a message that the last key has caused.
    pub by_key: bool,
    /// True for a message that a key has caused while the page with the focus was loading: that of the page waits,
    /// unless it is an error.
    is_early: bool,
}
