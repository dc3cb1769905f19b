//! Marks and folded threads in files: changes are written in batches, at most [`SOON`] after the first change of a
//! batch.
//!
//! The state has no clock: an effect schedules one [`NewsMessage::Due`](crate::NewsMessage::Due) in the main loop.
//! Nothing is scheduled without changes.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use geomys_page::document::marks::{MarkChange, ServerMarks};
use geomys_page::document::{ArticleNumbers, Shape};
use geomys_store::files::read_messages::ReadMessages;
use geomys_wire::text::{Charset, Text};
use rfc1738::Url;

use crate::action::Action;
use crate::news::counts::GroupCounts;
use crate::news::message::MarkChanges;
use crate::news::server::NewsAuthority;
use crate::news::{FoldState, NewsServerState};
use crate::requester::NextStep;
use crate::{Command, Context, Effect, News, NewsEffect, Page, Tabs, TabsCommand};

/// The delay of a write after the first change, so that many changes make one write.
pub const SOON: Duration = Duration::from_secs(1);

/// The maximum number of groups of one article that are marked read: no real header has thousands of them.
const MAX_GROUPS: usize = 100;

impl News {
    /// Reads the files of a server, unless they were read already.
    pub(crate) fn read_news_files(&mut self, server: &NewsAuthority, cx: &mut Context) {
        if self.servers.iter().any(|state| state.server == *server) {
            return;
        }
        if server.is_mailboxes() {
            let load = self.mailboxes.load(&cx.settings.newsrcs);
            cx.effects.extend(load.map(Effect::News));
        }
        let path = cx.settings.newsrcs.path(server);
        let folds = cx.settings.newsrcs.folds(server);
        self.servers.push(NewsServerState {
            server: server.clone(),
            marks: path.is_none().then(ServerMarks::default),
            unwritten: Vec::new(),
            writing: VecDeque::new(),
            folds: FoldState::new(folds.as_ref()),
            highest: HashMap::new(),
            counts: GroupCounts::default(),
            waiting: None,
            toggled: Vec::new(),
        });
        // The folds come first, so that they are loaded when the page shows them.
        let folds =
            folds.map(|path| Effect::News(NewsEffect::Folds(server.clone(), path, Vec::new())));
        let marks =
            path.map(|path| Effect::News(NewsEffect::Marks(server.clone(), path, Vec::new())));
        cx.effects.extend(folds.into_iter().chain(marks));
    }

    /// Handles a file of marks that was read, or written and read again; or the error.
    pub(crate) fn marks_loaded(
        &mut self,
        server: &NewsAuthority,
        changes: usize,
        result: Result<ServerMarks, String>,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let Some(state) = self.server_mut(server) else {
            return;
        };
        let (waiting, toggled) = (state.waiting.take(), std::mem::take(&mut state.toggled));
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
                return cx.report_error(&sentence);
            }
        };
        let later = state.writing.iter().flatten().chain(&state.unwritten);
        later.for_each(|(group, change)| marks.apply(group, change));
        state.marks = Some(marks);
        if changes == 0 && !self.is_private {
            self.refresh.begin_counts(cx);
        }
        if changes == 0 {
            let Some(state) = self.server_mut(server) else {
                return;
            };
            let groups: Vec<Vec<u8>> = state.highest.keys().cloned().collect();
            for group in groups {
                self.notify_renumbered(server, &group, cx);
            }
        }
        let is_match = |page: &Page| page.is_of(server);
        self.apply_news_state(is_match, tabs, cx);
        for group in toggled {
            self.toggle_group(server, &group, tabs, cx);
        }
        tabs.finish_changed_pages(is_match, cx);
        if changes == 0 {
            self.mark_all_hidden_read(server, tabs, cx);
            let waits = |page: &&Page| {
                is_match(page) && matches!(page.next_step, Some(NextStep::Select(_)))
            };
            let waiting: Vec<Url> = tabs
                .pages()
                .filter(waits)
                .map(|page| page.url.clone())
                .collect();
            for url in waiting {
                self.select_wanted_article(&url, tabs, cx);
            }
        }
        if let Some((list, action)) = waiting
            && tabs.page().is_some_and(|page| page.url == list)
        {
            cx.command(Command::Act(action));
        }
        cx.command(TabsCommand::RequestListChanges);
    }

    /// Keeps what was pressed in a list of groups until the marks are read: no group is known to be unread before.
    /// Returns false if they are there.
    pub(crate) fn waits_for_marks(
        &mut self,
        action: Action,
        tabs: &Tabs,
        cx: &mut Context,
    ) -> bool {
        let list = tabs
            .page()
            .filter(|page| page.shape() == Some(Shape::Groups));
        let Some((server, page)) = list.and_then(|page| Some((NewsAuthority::of(page)?, page)))
        else {
            return false;
        };
        match self.server_mut(&server) {
            Some(state) if state.marks.is_none() => {
                state.waiting = Some((page.url.clone(), action));
                cx.notify("Waiting for the read marks");
                true
            }
            Some(_) | None => false,
        }
    }

    /// Changes the marks of a group, and applies them to all pages. The change is written soon.
    pub(crate) fn change(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        change: MarkChange,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        self.store_change(server, group, change, cx);
        self.apply_news_state(|page| page.is_of(server), tabs, cx);
    }

    /// Marks these articles read, except those that are read already: they need no write.
    pub(super) fn mark_read(
        &mut self,
        server: &NewsAuthority,
        numbers: Vec<(Vec<u8>, u64)>,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let marks = self.marks(server);
        let is_read =
            |group: &[u8], number| marks.is_some_and(|marks| marks.read(group).contains(number));
        let unread: Vec<_> = numbers
            .into_iter()
            .take(MAX_GROUPS)
            .filter(|(group, number)| !is_read(group, *number))
            .collect();
        if unread.is_empty() {
            return;
        }
        for (group, number) in unread {
            self.store_change(
                server,
                &group,
                MarkChange::Read(ArticleNumbers::range(number, number)),
                cx,
            );
        }
        self.apply_news_state(|page| page.is_of(server), tabs, cx);
    }

    /// Changes the marks of a group without applying them to the pages.
    pub(crate) fn store_change(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        change: MarkChange,
        cx: &mut Context,
    ) {
        let Self {
            servers,
            history,
            mailboxes,
            ..
        } = self;
        let state = servers.iter_mut().find(|state| state.server == *server);
        let Some(state) = state else {
            return;
        };
        if server.is_mailboxes() && !mailboxes.change(group, &change, &cx.settings.history) {
            return;
        }
        if let Some(marks) = &mut state.marks {
            let before = marks.group(group).cloned().unwrap_or_default();
            history.record(group, &before, &change);
            marks.apply(group, &change);
        }
        // An article that was read exists, so the server has more articles by now than it reported.
        if let (MarkChange::Read(numbers), Some(highest)) = (&change, state.highest.get_mut(group))
        {
            *highest = numbers
                .highest()
                .map_or(*highest, |read| read.max(*highest));
        }
        if !server.is_mailboxes() {
            state.unwritten.push((group.to_vec(), change));
        }
        if !self.is_private {
            self.write.begin(NewsEffect::Schedule, cx);
        }
    }

    /// Subscribes to a group, or unsubscribes from it if it is subscribed to by the marks that are known.
    pub(super) fn toggle_group(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let marks = self.marks(server);
        let is_subscribed = marks.is_some_and(|marks| marks.is_subscribed(group));
        self.subscribe_to(server, group, !is_subscribed, tabs, cx);
    }

    /// Subscribes to a group, or unsubscribes from it.
    pub(super) fn subscribe_to(
        &mut self,
        server: &NewsAuthority,
        group: &[u8],
        subscribed: bool,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        self.history.begin();
        self.change(server, group, MarkChange::Subscribe(subscribed), tabs, cx);
        let name = Text::new(group, Charset::default());
        let words = if subscribed {
            format!("subscribed to {name}")
        } else {
            format!("unsubscribed from {name}")
        };
        self.history.end_step(server, &words, cx);
        let is_list = |page: &Page| page.shape() == Some(Shape::Groups) && page.is_of(server);
        // The row of the group moves to its new position, and the cursor with it.
        let list = tabs.page_mut().filter(|page| is_list(page));
        if let Some(rows) = list.and_then(|page| page.view.rows_mut()) {
            rows.follows_entry = true;
        }
        tabs.finish_changed_pages(is_list, cx);
    }

    /// Writes all changes.
    pub(crate) fn write_marks(&mut self, cx: &mut Context) {
        self.write.end();
        let messages = self.mailboxes.write(&cx.settings.newsrcs);
        cx.effects.extend(messages.map(Effect::News));
        let except = std::sync::Arc::clone(&cx.settings.history.except);
        let states = self.servers.iter_mut();
        for state in states.filter(|state| !except.include_host(&state.server.host)) {
            let changes: MarkChanges = std::mem::take(&mut state.unwritten);
            let path = cx.settings.newsrcs.path(&state.server);
            if let Some(path) = path.filter(|_| !changes.is_empty()) {
                state.writing.push_back(changes.clone());
                cx.effects.push(Effect::News(NewsEffect::Marks(
                    state.server.clone(),
                    path,
                    changes,
                )));
            }
            let path = cx.settings.newsrcs.folds(&state.server);
            cx.effects.extend(state.folds.write(&state.server, path));
        }
    }

    /// Notifies the user if the server's highest number in a group is far below the numbers that were read: the server
    /// was renumbered, or a mirror that answered lags behind. The marks stay until the user resets them.
    pub(crate) fn notify_renumbered(&self, server: &NewsAuthority, group: &[u8], cx: &mut Context) {
        let lower = self.server(server).and_then(|state| {
            let highest = *state.highest.get(group)?;
            let marked = state.marks.as_ref()?.group(group)?;
            let read = marked.read.highest()?;
            marked.is_renumbered(highest).then_some((highest, read))
        });
        if let Some((highest, read)) = lower {
            let name = Text::new(group, Charset::default());
            let reset = cx.key_of(Action::ResetGroup);
            cx.notify(&format!(
                "{name} ends at {highest}, but is marked read to {read} ({reset} reset)"
            ));
        }
    }
}

impl News {
    /// Handles the file of read messages that was read, or written and read again; or the error.
    pub(super) fn messages_loaded(
        &mut self,
        changes: usize,
        result: Result<ReadMessages, String>,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        if let Err(sentence) = self.mailboxes.loaded(changes, result) {
            cx.report_error(&sentence);
        }
        for name in self.mailboxes.names() {
            self.number_read_messages(&name);
        }
        let server = NewsAuthority::mailboxes();
        self.apply_news_state(|page| page.is_of(&server), tabs, cx);
        tabs.finish_changed_pages(|page| page.is_of(&server), cx);
    }

    /// Takes the messages of a mailbox that is complete.
    pub(super) fn mailbox_finished(&mut self, url: &Url, tabs: &Tabs) {
        let is_complete = |page: &&Page| {
            page.url == *url
                && page.group().is_some()
                && page.is_of(&NewsAuthority::mailboxes())
                && !page.state.is_arriving()
        };
        // The nearest one: an older page of it may be further back, with other numbers.
        let page = tabs.pages_from_here().find(is_complete);
        let Some((name, document)) =
            page.and_then(|page| Some((page.group_name()?, page.own_document()?)))
        else {
            return;
        };
        self.mailboxes
            .complete(name.clone(), document.mailbox_messages());
        self.number_read_messages(&name);
    }

    /// Sets the read numbers of a mailbox by its read messages.
    fn number_read_messages(&mut self, name: &[u8]) {
        let Some(read) = self.mailboxes.read_numbers(name) else {
            return;
        };
        if let Some(state) = self.server_mut(&NewsAuthority::mailboxes()) {
            let marks = state.marks.get_or_insert_with(ServerMarks::default);
            marks.apply(name, &MarkChange::Reset);
            marks.apply(name, &MarkChange::Read(read));
        }
    }
}
