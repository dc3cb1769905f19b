//! The read marks of mailboxes: while a mailbox is shown its messages are marked by their numbers, as the articles of a
//! group are; stored is the mark of each Message-ID. A message that another program has shown is read from the start.

use std::collections::{HashMap, VecDeque};

use geomys_page::document::ArticleNumbers;
use geomys_page::document::marks::MarkChange;
use geomys_store::files::history::HistorySettings;
use geomys_store::files::read_messages::{MessageKey, MessageMark, ReadMessages};
use geomys_wire::protocol::nntp::MailboxMessage;
use rfc1738::Dialect;

use crate::news::message::NewsEffect;
use crate::news::server::Newsrcs;

/// A message of a mailbox.
#[derive(Clone, Copy, Debug)]
struct ListedMessage {
    number: u64,
    key: MessageKey,
    /// True if another program has shown it.
    is_seen: bool,
}

impl ListedMessage {
    /// Returns the change that makes the message read or unread. What the mailbox says is not stored.
    fn mark(self, is_read: bool) -> MessageMark {
        let mark = (is_read || self.is_seen).then_some(is_read);
        (self.key, mark)
    }
}

/// The messages of mailboxes.
#[derive(Debug, Default)]
pub(super) struct Mailboxes {
    /// The messages that were read; `None` while their file is read.
    read: Option<ReadMessages>,
    /// The messages of each complete mailbox, by their numbers.
    messages: HashMap<Vec<u8>, Vec<ListedMessage>>,
    /// Changes that are never written, as the hosts of their mailboxes are not recorded.
    unrecorded: Vec<MessageMark>,
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
        let marks: Vec<MessageMark> = match change {
            MarkChange::Read(numbers) => of_numbers(messages, numbers, true),
            MarkChange::Unread(numbers) => of_numbers(messages, numbers, false),
            MarkChange::Reset => messages.iter().map(|one| one.mark(false)).collect(),
            MarkChange::Subscribe(_) => return false,
        };
        read.apply(&marks);
        let url = Dialect::Extended.parse(mailbox);
        if url.is_ok_and(|url| history.excludes(&url)) {
            self.unrecorded.extend(marks);
        } else {
            self.unwritten.extend(marks);
        }
        true
    }

    /// Returns the effect that writes all changes, if there are any.
    pub(super) fn write(&mut self, newsrcs: &Newsrcs) -> Option<NewsEffect> {
        let path = newsrcs.messages().filter(|_| !self.unwritten.is_empty())?;
        let marks = std::mem::take(&mut self.unwritten);
        self.writing.push_back(marks.clone());
        Some(NewsEffect::Messages(path, marks))
    }

    /// Returns the effect that reads the messages that were read; without a file none was.
    pub(super) fn load(&mut self, newsrcs: &Newsrcs) -> Option<NewsEffect> {
        let path = newsrcs.messages();
        if path.is_none() {
            self.read = Some(ReadMessages::default());
        }
        Some(NewsEffect::Messages(path?, Vec::new()))
    }

    /// Takes the file of read messages that was read, or written and read again.
    ///
    /// # Errors
    /// The sentence of the error; the changes are written again with the next ones.
    pub(super) fn loaded(
        &mut self,
        changes: usize,
        result: Result<ReadMessages, String>,
    ) -> Result<(), String> {
        let written = if changes > 0 {
            self.writing.pop_front().unwrap_or_default()
        } else {
            Vec::new()
        };
        match result {
            Ok(mut read) => {
                self.writing.iter().for_each(|marks| read.apply(marks));
                read.apply(&self.unwritten);
                read.apply(&self.unrecorded);
                self.read = Some(read);
                Ok(())
            }
            Err(sentence) => {
                self.unwritten.splice(..0, written);
                self.read.get_or_insert_default();
                Err(sentence)
            }
        }
    }

    /// Takes the messages of a complete mailbox.
    pub(super) fn complete<'m>(
        &mut self,
        mailbox: Vec<u8>,
        messages: impl Iterator<Item = MailboxMessage<'m>>,
    ) {
        let messages = messages.filter_map(|message| {
            Some(ListedMessage {
                number: message.number,
                key: MessageKey::of(message.id)?,
                is_seen: message.is_seen,
            })
        });
        let mut messages: Vec<ListedMessage> = messages.collect();
        messages.sort_unstable_by_key(|message| message.number);
        self.messages.insert(mailbox, messages);
    }

    /// The names of the complete mailboxes.
    pub(super) fn names(&self) -> Vec<Vec<u8>> {
        self.messages.keys().cloned().collect()
    }

    /// The numbers of the messages of a mailbox that were read; `None` if that is not known yet.
    pub(super) fn read_numbers(&self, mailbox: &[u8]) -> Option<ArticleNumbers> {
        let (messages, read) = (self.messages.get(mailbox)?, self.read.as_ref()?);
        let mut numbers = ArticleNumbers::default();
        for message in messages {
            if read.has_read(message.key, message.is_seen) {
                numbers.insert(message.number, message.number);
            }
        }
        Some(numbers)
    }
}

/// Returns the marks of the messages with these numbers.
fn of_numbers(
    messages: &[ListedMessage],
    numbers: &ArticleNumbers,
    is_read: bool,
) -> Vec<MessageMark> {
    let marked = numbers.ranges().flat_map(|(first, last)| {
        let from = messages.partition_point(|message| message.number < first);
        let to = messages.partition_point(|message| message.number <= last);
        messages.get(from..to).unwrap_or_default()
    });
    marked.map(|message| message.mark(is_read)).collect()
}
