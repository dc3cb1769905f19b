//! The one way into the state: messages in, effects out.

use std::time::Duration;

use crossterm::event::KeyCode;
use geomys_load::{Part, Question, Reason, Stop, needs_search_words};
use geomys_wire::text::Text;
use rfc1738::{Url, mask};

use crate::card::{card_ended, replace_card};
use crate::config_report::FileLine;
use crate::context::FollowUps;
use crate::home::{follow_home, read_next, show_home};
use crate::keymap::Keymap;
use crate::library::identities::page_behind;
use crate::library::message::SearchOrder;
use crate::library::session::{SessionChoices, SessionStore};
use crate::library::sync::begin_sync;
use crate::motion::Motion;
use crate::news::fetch_ahead::is_same_article;
use crate::private::{is_private, update_news, with_privacy};
use crate::requester::OpenPage;
use crate::requester::OpenTarget;
use crate::requester::Requester;
use crate::tabs::external::open_externally;
use crate::tabs::offline::network_changed;
use crate::tabs::open::open_builtin;
use crate::tabs::pane::IncomingPage;
use crate::tabs::tab::shows_private;
use crate::view::builtin;
use crate::{
    App, BookmarkMessage, Command, Context, Effect, Focus, LibraryCommand, LibraryEffect,
    LibraryMessage, Message, OpenIn, PendingKeys, PendingRequest, Settings, Tabs,
};

impl App {
    /// Applies a message that arrived at `now` (time since the start), and returns the effects to carry out.
    pub fn update(&mut self, message: Message, now: Duration) -> Vec<Effect> {
        self.update_layout();
        begin(&message, now, &self.tabs, &mut self.cx);
        let is_open = self.dialogs.overlay.is_some();
        let is_own_write = matches!(
            message,
            Message::Library(LibraryMessage::SessionDue | LibraryMessage::SessionSaved(_))
        );
        let is_private = is_private(self, &message);
        with_privacy(self, is_private, |app| {
            route(app, message);
            app.run_commands();
        });
        // What the screen shows may be of another tab than the message.
        let is_private = shows_private(self.tabs.tab());
        with_privacy(self, is_private, |app| {
            let changed = std::mem::take(&mut app.cx.follow_ups);
            app.fill_panes(changed);
            app.open_questions(changed, is_open);
            app.follow_changes(changed, is_own_write);
        });
        self.follow_tour();
        if self.cx.should_exit {
            self.write_all();
        }
        self.take_effects()
    }

    /// Loads and renders what the panes on the screen lack, within the memory limit.
    fn fill_panes(&mut self, changed: FollowUps) {
        if !changed.pages {
            return;
        }
        // Every command that moves in the history, the tabs or the panes can show a dropped page.
        self.load_dropped();
        if let Some(tab) = self.tabs.tab_mut() {
            tab.decode_pictures(&mut self.cx);
        }
        self.tabs.enforce_memory_limit(&mut self.cx);
        self.run_commands();
        if let Some(tab) = self.tabs.tab_mut() {
            tab.fit_panes(&mut self.cx);
        }
    }

    /// Opens the next question, and guards one that no key has opened; `was_open` is true if an element was above the
    /// page before the message.
    fn open_questions(&mut self, changed: FollowUps, was_open: bool) {
        if !self.cx.by_key && !was_open {
            self.question_opened_unprompted();
        }
        if changed.questions || self.cx.follow_ups.questions {
            self.ask();
        }
    }

    /// Brings what depends on the state up to date: layouts, read marks, the queue of transfers, the home page and the
    /// session.
    fn follow_changes(&mut self, changed: FollowUps, is_own_write: bool) {
        if changed.pages {
            if let Some(tab) = self.tabs.tab_mut() {
                tab.fit_pages(&mut self.cx);
            }
            self.news.mark_shown(&mut self.tabs, &mut self.cx);
            self.news.ahead.cancel_left_ahead(&self.tabs, &mut self.cx);
        }
        if changed.transfers || self.cx.follow_ups.transfers {
            self.transfers
                .update_transfer_queue(&self.credentials, &mut self.cx);
        }
        self.run_commands();
        if follow_home(self) {
            self.run_commands();
        }
        if !is_own_write {
            self.library.session.changed(&mut self.cx);
        }
    }

    /// Writes what waits for a batch: nothing is due any more.
    fn write_all(&mut self) {
        self.news.write_marks(&mut self.cx);
        let chosen = SessionChoices::of(&self.bookmarks, &self.dialogs);
        self.library.session.save(&self.tabs, &chosen, &mut self.cx);
        let bookmarks = &mut self.bookmarks;
        let listed = &bookmarks.sidebar.bookmarks;
        bookmarks.checks.save_check_results(listed, &mut self.cx);
    }

    /// Loads the pages on the screen again that were dropped, or left before they were complete.
    fn load_dropped(&mut self) {
        // A key may have shown such a page, but it did not ask for the load.
        let by_key = std::mem::take(&mut self.cx.by_key);
        let tab = self.tabs.tab();
        let (count, focus) = tab.map_or((0, 0), |tab| (tab.count(), tab.focus()));
        for index in 0..count {
            self.tabs.focus_pane(index);
            self.tabs.load_dropped(&mut self.compose, &mut self.cx);
            // A load is started for the pane that has the focus.
            self.run_commands();
        }
        self.tabs.focus_pane(focus);
        self.cx.by_key = by_key;
    }

    /// Carries out the commands of the parts, and those that these cause.
    pub(crate) fn run_commands(&mut self) {
        self.update_layout();
        while let Some(command) = self.cx.commands.pop_front() {
            self.run_command(command);
            self.update_layout();
        }
    }

    fn update_layout(&mut self) {
        let layout = self.layout();
        if layout != self.cx.layout {
            self.cx.layout = layout;
            self.cx.pages_changed();
        }
    }

    fn run_command(&mut self, command: Command) {
        let (tabs, cx) = (&mut self.tabs, &mut self.cx);
        match command {
            Command::Open(page) => self.open(*page),
            Command::OpenLink(link) => self.open_link(*link),
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
            Command::AskLater(dialog) => {
                self.dialogs.questions.ask_later(*dialog);
                cx.questions_changed();
            }
            Command::Show(overlay) => self.dialogs.overlay = Some(overlay),
            Command::Step(rows) => self.move_cursor(Motion::Rows(rows)),
            Command::Act(action) => self.act(action),
            Command::Run(entry) => self.run_entry(&entry),
            Command::CarryOut(action) => self.carry_out(action),
            Command::Worked(work, result) => tabs.worked(work, *result, cx),
            Command::SetCharset(read_as) => {
                tabs.ask(cx, |view, at| view.set_charset(read_as, at));
            }
            Command::ReplaceCard(path) => replace_card(path, cx),
            Command::LeavePage => tabs.leave_page(cx),
            Command::Reload => tabs.reload(&mut self.compose, cx),
            Command::Reveal => self.reveal_all(),
            Command::Quit => cx.should_exit = true,
            Command::Tabs(command) => tabs.carry_out(command, &self.news, &self.credentials, cx),
            Command::Bookmarks(command) => {
                (self.bookmarks).carry_out(command, tabs, &self.credentials, cx);
            }
            Command::Transfers(command) => {
                self.transfers.carry_out(command, &self.credentials, cx);
            }
            Command::Library(LibraryCommand::Home(arrival)) => show_home(self, arrival),
            Command::Library(LibraryCommand::ReadNext(read)) => read_next(self, read),
            Command::Library(LibraryCommand::Sync(outbox)) => {
                begin_sync(&mut self.library, outbox, &self.credentials, cx);
            }
            Command::Shown(url) => {
                self.bookmarks.checks.mark_opened(&url, cx);
                self.library.mark_shown(&url, cx);
            }
            Command::Library(command) => self.library.carry_out(command, tabs, cx),
            Command::News(command) => {
                self.news.carry_out(command, tabs, &self.credentials, cx);
            }
            Command::Compose(command) => {
                self.compose.carry_out(command, tabs, &self.credentials, cx);
            }
            Command::Credentials(command) => self.credentials.carry_out(command, cx),
        }
    }

    /// Returns the queued effects.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.cx.effects)
    }

    /// Opens the addresses of the command line, each in its own tab; the home page if there are none.
    pub fn start(&mut self, addresses: &[String]) -> Vec<Effect> {
        self.bookmarks.load_link_checks(&mut self.cx);
        self.library.start(&mut self.cx);
        self.library.read_stored(&mut self.cx);
        let (tabs, opens_urls) = (&mut self.tabs, !addresses.is_empty());
        let restored = self.library.session.restore(opens_urls, tabs, &mut self.cx);
        let shows_home = addresses.is_empty() && restored == 0;
        if shows_home {
            self.open_home();
        }
        self.cx.found.is_command_line = true;
        for (index, address) in addresses.iter().enumerate() {
            if restored + index > 0 {
                self.tabs.add_last();
            }
            match (self.bookmarks).parse_and_fix(address, &self.tabs, &self.cx) {
                // Questions belong to the shown page. With several addresses only one page is shown.
                Ok(url) if addresses.len() == 1 => {
                    self.dialogs
                        .open_typed(url, Reason::CommandLine, &mut self.cx);
                }
                Ok(url) => {
                    let page = OpenPage::at(url, Reason::CommandLine);
                    self.tabs.open_page(page, &mut self.cx);
                }
                Err(error) => {
                    self.open_home();
                    self.cx.report_error(&format!("{}: {error}", mask(address)));
                }
            }
            self.run_commands();
        }
        self.run_commands();
        self.cx.found.is_command_line = false;
        if !addresses.is_empty() {
            // The first of the new tabs.
            self.tabs.show_tab(restored, &mut self.cx);
        }
        // Another process that owns the session runs them, or may do so.
        if !matches!(self.library.session, SessionStore::Other) && !self.cx.settings.offline {
            self.transfers.resume_earlier(&mut self.cx);
        }
        self.load_dropped();
        self.run_commands();
        self.cx.focus = Focus::Panes;
        self.question_opened_unprompted();
        self.take_effects()
    }

    /// Opens the home page, or the page that the user has chosen for it.
    pub(crate) fn open_home(&mut self) {
        match self.cx.settings.home_page.clone() {
            Some(url) => self.cx.open(OpenPage::at(url, Reason::Setting)),
            None => open_builtin(builtin::HOME, &mut self.cx),
        }
    }

    /// Opens a page, here or with an external program.
    pub(crate) fn open(&mut self, page: OpenPage) {
        let (tabs, compose, cx) = (&mut self.tabs, &mut self.compose, &mut self.cx);
        if let OpenTarget::Made(_) = page.target {
            return tabs.open_page(page, cx);
        }
        let request = tabs.request_to(page.target);
        let row = builtin::IdentityRow::of(&request.url);
        if let Some(row) = row.filter(|_| tabs.shows(builtin::IDENTITIES)) {
            return cx.ask(row.question(page_behind(tabs)));
        }
        if request.url.as_str() == builtin::SESSION && tabs.shows(builtin::HOME) {
            return self.library.session.take_up(tabs, cx);
        }
        let line = FileLine::of(&request.url);
        if let Some(line) = line.filter(|_| tabs.shows(builtin::CONFIG)) {
            return cx.emit(Effect::EditFile(line));
        }
        let is_builtin = builtin::is_builtin(&request.url);
        if is_builtin || !open_externally(&request.url, compose, tabs, cx) {
            let target = OpenTarget::Request(Box::new(request));
            return tabs.open_page(OpenPage { target, ..page }, cx);
        }
        cx.command(Command::Shown(request.url));
    }

    /// Opens each address in its own tab; the current tab stays in front.
    fn open_in_tabs(&mut self, addresses: Vec<(Text, Url)>) {
        let (shown, focus) = (self.tabs.tab_index(), self.cx.focus);
        let count = addresses.len();
        for (label, url) in addresses {
            // Each tab opens to the right of the previous one.
            let page = OpenPage::at(url, Reason::Bookmark).titled(label);
            self.open(page.open_in(OpenIn::NewTab));
            self.run_commands();
        }
        self.tabs.show_tab(shown, &mut self.cx);
        self.cx.focus = focus;
        self.cx.notify(&match count {
            1 => "opened in a tab".to_owned(),
            count => format!("opened in {count} tabs"),
        });
    }

    /// Starts a load for the part of the app that has requested it. In a pane the current page stays until the response
    /// begins.
    fn load(&mut self, mut pending: PendingRequest) {
        let (credentials, cx) = (&self.credentials, &mut self.cx);
        let arrival = match pending.requester {
            Requester::Pane(arrival) => arrival,
            Requester::Draft => {
                return self.compose.resume_draft(pending.request, credentials, cx);
            }
            Requester::Transfer(id) => {
                return self.transfers.resume_transfer(id, pending.request, cx);
            }
        };
        pending.asked_at = cx.asked_at().or(pending.asked_at);
        credentials.apply_defaults(&mut pending.request, &cx.settings);
        cx.copies.accept_answers(&mut pending.request);
        self.news.apply_marks(&mut pending.request, &cx.settings);
        let Some(pane) = self.tabs.pane_mut() else {
            return;
        };
        let is_under_way = |incoming: &IncomingPage| {
            incoming.question.is_none()
                && incoming.arrival == arrival
                && incoming.next_step == pending.next_step
                && is_same_article(&incoming.request, &pending.request)
        };
        if pane.incoming.as_ref().is_some_and(is_under_way) {
            return;
        }
        cx.cancel(pane.incoming.take().map(|old| old.load));
        let is_search = pending.request.url.as_str() == builtin::SEARCH;
        if is_search || cx.by_key && needs_search_words(&pending.request) {
            // The next typed characters are search words.
            return cx.command(Command::Ask(Question::Search, Box::new(pending)));
        }
        cx.cancel(pane.leave_article(&pending.request, arrival));
        if let Some((load, parts)) = self.news.ahead.take_ahead(&pending.request) {
            pane.incoming = Some(IncomingPage::new(load, pending, arrival));
            for part in parts {
                self.tabs.part(load, part, cx);
            }
            return;
        }
        pending.request.is_attended = true;
        pending.request.settings.cookies = self.tabs.cookies(credentials, &cx.settings);
        let Some(pane) = self.tabs.pane_mut() else {
            return;
        };
        let (load, request) = (cx.next_load(), pending.request.clone());
        pane.incoming = Some(IncomingPage::new(load, pending, arrival));
        let effect = match search_order(&request.url, &cx.settings) {
            Some(order) => LibraryEffect::Search(load, Box::new(order)).into(),
            None => Effect::Load(load, request),
        };
        cx.emit(effect);
    }

    /// Opens the next queued question, unless the user is typing.
    fn ask(&mut self) {
        if self.is_typing() {
            return;
        }
        if let Some(dialog) = self.dialogs.next_question() {
            self.cx.ask(dialog);
        } else if self.compose.ask_for_draft(&mut self.cx).is_none()
            && let Some(pane) = self.tabs.pane_mut()
        {
            pane.ask_for_page(&mut self.cx);
        }
        self.run_commands();
        self.question_opened_unprompted();
    }

    /// Returns true if a prompt, a form or a session takes the keys. A form that was sent takes none: it waits for its
    /// page.
    fn is_typing(&self) -> bool {
        let is_sent = self.tabs.pane().is_some_and(|pane| pane.incoming.is_some());
        self.dialogs.overlay.is_some()
            || self
                .tabs
                .page()
                .is_some_and(|page| page.session_has_keys(&self.cx))
            || self
                .tabs
                .page()
                .and_then(|page| page.form(&self.cx))
                .is_some()
                && !is_sent
    }

    /// Returns the number of questions that wait until the user types nothing.
    pub fn waiting_questions(&self) -> usize {
        if !self.is_typing() {
            return 0;
        }
        let incoming = self.tabs.pane().and_then(|pane| pane.incoming.as_ref());
        let of_page = incoming.is_some_and(|incoming| incoming.question.is_some());
        self.dialogs.waiting() + usize::from(self.compose.draft_waits()) + usize::from(of_page)
    }

    fn question_opened_unprompted(&mut self) {
        if self.dialogs.opened_unprompted(&self.cx) {
            self.pending_keys = PendingKeys::None;
        }
    }

    /// Brings all cursors into view.
    fn reveal_all(&mut self) {
        let layout = self.layout();
        if let Some(tab) = self.tabs.tab_mut() {
            tab.reveal(&layout, self.cx.settings.reading);
        }
        self.bookmarks
            .listed_mut()
            .reveal(layout.bookmarks_height());
    }
}

/// Routes a message to its part.
fn route(app: &mut App, message: Message) {
    let (tabs, cx) = (&mut app.tabs, &mut app.cx);
    match message {
        Message::Key(key) => app.key(key),
        Message::Mouse(event) => app.mouse(event),
        Message::Navigate(forward) => app.navigate(forward),
        Message::Paste(text) => app.paste(&text),
        Message::Edited(edited) => app.dialogs.take_edited(edited, cx),
        Message::SettingStored(stored) => setting_stored(stored, cx),
        Message::Card(end) => card_ended(end, cx),
        Message::Configured(read) => configured(*read, app),
        Message::Resize(width, height) => {
            app.size = (width, height);
            app.reveal_all();
        }
        Message::Terminate => cx.should_exit = true,
        Message::NetworkDown(is_down) => network_changed(is_down, cx),
        Message::Written(Ok(())) => {}
        Message::Written(Err(sentence)) | Message::TaskPanicked(sentence) => {
            cx.report_error(&sentence);
        }
        Message::TimerEnded(timer) => {
            app.continuations.due(timer);
            if app.dialogs.enter_is_due(timer) {
                cx.by_key = true;
                app.key(KeyCode::Enter.into());
            }
        }
        Message::Load(load, part) if app.news.is_counting(load) => {
            app.news.count_part(load, part, tabs, cx);
        }
        Message::Load(load, part) if app.news.is_finding_cross_posts(load) => {
            app.news.cross_post_part(load, part, tabs, cx);
        }
        Message::Load(load, part) if app.news.ahead.is_fetching_ahead(load) => {
            app.news.ahead.ahead_part(part, cx);
        }
        Message::Load(load, mut part) => {
            if let Part::End(Err(Stop::Failed(failure))) = &mut part
                && let Some(url) = tabs
                    .incoming_mut(load)
                    .map(|incoming| incoming.request.url.clone())
            {
                app.transfers.explain_busy(&url, failure);
            }
            tabs.part(load, part, cx);
        }
        Message::Worked(work, result) => {
            cx.pages_changed();
            cx.questions_changed();
            tabs.worked(work, result, cx);
        }
        Message::Tabs(message) => {
            tabs.update(message, &app.dialogs, &app.credentials, cx);
        }
        Message::Bookmarks(message) => {
            let is_progress = matches!(message, BookmarkMessage::BulkReported(..));
            app.bookmarks.update(message, &app.credentials, cx);
            if !is_progress {
                app.search_pages_again();
            }
        }
        Message::Transfers(message) => {
            let (dialogs, credentials) = (&mut app.dialogs, &mut app.credentials);
            app.transfers.update(message, dialogs, credentials, cx);
        }
        Message::Library(message) => {
            if matches!(
                message,
                LibraryMessage::Touched | LibraryMessage::SyncEnded(..)
            ) {
                app.bookmarks.checks.reload_link_checks(cx);
                app.dialogs.reload_drafts(cx);
            }
            let has_history = matches!(
                message,
                LibraryMessage::Read(_) | LibraryMessage::Listed(..)
            );
            let chosen = SessionChoices::of(&app.bookmarks, &app.dialogs);
            app.library
                .update(message, tabs, &chosen, &app.credentials, cx);
            if has_history {
                app.search_pages_again();
            }
        }
        Message::News(message) => update_news(app, message),
        Message::Compose(outcome) => {
            app.compose
                .written(outcome, &mut app.dialogs, &app.credentials, cx);
        }
        Message::Credentials(message) => {
            app.credentials.update(message, tabs, &mut app.compose, cx);
        }
    }
}

/// Notes when a message has come, by whom, and what it finds.
fn begin(message: &Message, now: Duration, tabs: &Tabs, cx: &mut Context) {
    cx.now = now;
    cx.by_key = matches!(
        message,
        Message::Key(_) | Message::Mouse(_) | Message::Navigate(_) | Message::Paste(_)
    );
    cx.found.is_loading = tabs.pane().is_some_and(|pane| pane.incoming.is_some());
}

/// Reports that a setting was stored, and has it used.
fn setting_stored(stored: Result<String, String>, cx: &mut Context) {
    if stored.is_ok() {
        cx.emit(Effect::ReadConfig);
    }
    // It is the answer to a key: a file that is read again does not replace it.
    cx.by_key = true;
    cx.report(stored);
}

/// Uses the keys and settings that were read again.
fn configured(read: (Keymap, Settings, bool), app: &mut App) {
    let (keymap, settings, has_new_theme) = read;
    let App {
        tabs, library, cx, ..
    } = app;
    cx.reconfigure(keymap, settings, has_new_theme);
    // The home page shows keys.
    library.home.has_changed = true;
    if tabs.shows(builtin::CONFIG) {
        cx.command(Command::Reload);
    }
}

/// Returns the search of stored copies that an address names.
fn search_order(page: &Url, settings: &Settings) -> Option<SearchOrder> {
    Some(SearchOrder {
        words: builtin::search_words(page)?,
        page: page.clone(),
        charset: settings.charset,
        history: settings.history.clone(),
        zone: settings.zone.clone(),
        newsrcs: settings.newsrcs.clone(),
    })
}

#[cfg(test)]
mod tests {
    use geomys_load::Request;
    use geomys_store::bookmarks::Bookmarks;
    use geomys_store::files::command::CommandTemplate;
    use rfc1738::Dialect;

    use super::*;
    use crate::keymap::Keymap;
    use crate::requester::NextStep;
    use crate::{Settings, action::Action};

    #[test]
    fn next_step_of_an_external_url_does_not_attach_to_another_page() {
        let mut settings = Settings::default();
        settings.open.tn3270 = CommandTemplate::new(vec!["x3270".to_owned()]);
        let mut app = App::new(Keymap::default(), settings, Bookmarks::default(), (80, 24));
        let request = |text| Request::show(Dialect::Extended.parse(text).unwrap(), Reason::Typed);
        let step = NextStep::Run(Action::FollowUp);
        app.open(request("gopher://h/").into());
        app.cx
            .open(OpenPage::from(request("tn3270://h/")).then(step.clone()));
        app.run_commands();
        assert!(app.dialogs.overlay.is_some());
        assert_eq!(app.tabs.incoming().unwrap().next_step, None);
        app.cx
            .open(OpenPage::from(request("gopher://h/0/a")).then(step.clone()));
        app.run_commands();
        assert_eq!(app.tabs.incoming().unwrap().next_step, Some(step));
    }
}
