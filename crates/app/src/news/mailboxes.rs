//! The read marks of mailboxes: while a mailbox is shown its messages are marked by their numbers, as the articles of a
//! group are; stored is the mark of each Message-ID.

use std::collections::{HashMap, VecDeque};

use geomys_page::document::marks::{MarkChange, ServerMarks};
use geomys_page::document::{ArticleNumbers, Shape};
use geomys_store::files::history::HistorySettings;
use geomys_store::files::read_messages::{MessageKey, MessageMark, ReadMessages};
use rfc1738::{Dialect, Url};

use crate::news::server::{NewsAuthority, Newsrcs};
use crate::view::context::State;
use crate::{Context, Effect, News, NewsEffect, Page, Tabs};

/// The messages of mailboxes.
#[derive(Debug, Default)]
pub(super) struct Mailboxes {
    /// The messages that were read; `None` while their file is read.
    read: Option<ReadMessages>,
    /// The messages of each complete mailbox, by their numbers.
    messages: HashMap<Vec<u8>, Vec<(u64, MessageKey)>>,
    /// Changes that are not written yet.
    unwritten: Vec<MessageMark>,
    /// Changes that are being written.
    writing: VecDeque<Vec<MessageMark>>,
}

impl Mailboxes {
    /// Takes a change of the marks of a mailbox, to be written soon if its host may be recorded. Returns false if the
    /// mailbox is not complete.
    pub(super) fn change(
        &mut self,
        mailbox: &[u8],
        change: &MarkChange,
        history: &HistorySettings,
    ) -> bool {
        let (Some(messages), Some(read)) = (self.messages.get(mailbox), &mut self.read) else {
            return false;
        };
        let all = || messages.iter();
        let marks: Vec<MessageMark> = match change {
            MarkChange::Read(numbers) => of_numbers(messages, numbers, true),
            MarkChange::Unread(numbers) => of_numbers(messages, numbers, false),
            MarkChange::Reset => all().map(|(_, key)| (*key, false)).collect(),
            MarkChange::Subscribe(_) => return false,
        };
        read.apply(&marks);
        let url = Dialect::Extended.parse(mailbox);
        if url.is_ok_and(|url| history.includes(&url)) {
            self.unwritten.extend(marks);
        }
        true
    }

    /// Writes all changes.
    pub(super) fn write(&mut self, newsrcs: &Newsrcs, effects: &mut Vec<Effect>) {
        if self.unwritten.is_empty() {
            return;
        }
        let marks = std::mem::take(&mut self.unwritten);
        if let Some(path) = newsrcs.messages() {
            self.writing.push_back(marks.clone());
            effects.push(Effect::News(NewsEffect::Messages(path, marks)));
        }
    }

    /// The numbers of the messages of a mailbox that were read; `None` if that is not known yet.
    fn read_numbers(&self, mailbox: &[u8]) -> Option<ArticleNumbers> {
        let (messages, read) = (self.messages.get(mailbox)?, self.read.as_ref()?);
        let mut numbers = ArticleNumbers::default();
        for (number, key) in messages {
            if read.contains(*key) {
                numbers.insert(*number, *number);
            }
        }
        Some(numbers)
    }
}

/// Returns the marks of the messages with these numbers.
fn of_numbers(
    messages: &[(u64, MessageKey)],
    numbers: &ArticleNumbers,
    is_read: bool,
) -> Vec<MessageMark> {
    let marked = numbers.ranges().flat_map(|(first, last)| {
        let from = messages.partition_point(|(number, _)| *number < first);
        let to = messages.partition_point(|(number, _)| *number <= last);
        messages.get(from..to).unwrap_or_default()
    });
    marked.map(|(_, key)| (*key, is_read)).collect()
}

impl News {
    /// Reads the messages of mailboxes that were read.
    pub(super) fn read_messages(&mut self, cx: &mut Context) {
        match cx.settings.newsrcs.messages() {
            Some(path) => cx.emit(NewsEffect::Messages(path, Vec::new())),
            None => self.mailboxes.read = Some(ReadMessages::default()),
        }
    }

    /// Handles the file of read messages that was read, or written and read again; or the error.
    pub(super) fn messages_loaded(
        &mut self,
        changes: usize,
        result: Result<ReadMessages, String>,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let boxes = &mut self.mailboxes;
        let written = if changes > 0 {
            boxes.writing.pop_front().unwrap_or_default()
        } else {
            Vec::new()
        };
        match result {
            Ok(mut read) => {
                boxes.writing.iter().for_each(|marks| read.apply(marks));
                read.apply(&boxes.unwritten);
                boxes.read = Some(read);
            }
            Err(sentence) => {
                // These changes are written again with the next ones.
                boxes.unwritten.splice(..0, written);
                boxes.read.get_or_insert_default();
                cx.report_error(&sentence);
            }
        }
        let names: Vec<Vec<u8>> = self.mailboxes.messages.keys().cloned().collect();
        for name in names {
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
                && page.shape() == Some(Shape::Group)
                && page.is_of(&NewsAuthority::mailboxes())
                && !matches!(page.state, State::Arriving(_))
        };
        let page = tabs.pages().find(is_complete);
        let Some((name, document)) =
            page.and_then(|page| Some((page.group_name()?, page.own_document()?)))
        else {
            return;
        };
        let keys = document.numbered_ids();
        let mut messages: Vec<(u64, MessageKey)> = keys
            .filter_map(|(number, id)| Some((number, MessageKey::of(id)?)))
            .collect();
        messages.sort_unstable_by_key(|(number, _)| *number);
        self.mailboxes.messages.insert(name.clone(), messages);
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
