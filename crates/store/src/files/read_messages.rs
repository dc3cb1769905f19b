//! The messages of mailboxes that were read. A message has no number that stays: its mailbox may be sorted, and the
//! same messages stand in other files too. So it is known by its Message-ID, of which only a hash is stored.
//!
//! ```text
//! file = *( [ "-" ] 16HEXDIG LF )       ; the first octets of the SHA-256 of a Message-ID, the oldest mark first
//! ```
//!
//! A message with `-` is unread although its mailbox says that another program has shown it.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use geomys_wire::protocol::nntp::bare_id;
use ring::digest::{SHA256, digest};

use super::user_file::{FileError, UserFile};

/// The most messages; the oldest marks are left out.
const MAX_MESSAGES: usize = 1_000_000;

/// The most octets of a line.
const LINE: u64 = 18;

const FILE: UserFile = UserFile {
    // A file of a later version may hold more.
    max_bytes: 2 * LINE * MAX_MESSAGES as u64,
    read_failed: "the read messages cannot be read",
    write_failed: "the read messages were not saved",
};

/// A message, by its Message-ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageKey(u64);

impl MessageKey {
    /// The key of a Message-ID, with or without its brackets; `None` for an empty one.
    pub fn of(id: &[u8]) -> Option<Self> {
        let id = bare_id(id);
        let digest = digest(&SHA256, id);
        let first = digest.as_ref().first_chunk().filter(|_| !id.is_empty())?;
        Some(Self(u64::from_be_bytes(*first)))
    }
}

/// A change of the mark of a message: true for read; `None` for what its mailbox says.
pub type MessageMark = (MessageKey, Option<bool>);

/// The messages that were read or marked unread. A clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct ReadMessages(Arc<HashMap<MessageKey, bool>>);

impl ReadMessages {
    /// Reads the file; a missing one is empty, and a line that is no message is passed over.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let marks: Vec<MessageMark> = marks(&FILE.read(path)?).collect();
        let mut read = Self::default();
        read.apply(&marks);
        Ok(read)
    }

    /// Changes marks in the file as it is now, and returns all of them.
    ///
    /// # Errors
    /// Errors of reading and writing; nothing is written then.
    pub fn change(path: &Path, changes: &[MessageMark]) -> Result<Self, FileError> {
        FILE.change(path, |octets| {
            let changed: HashSet<MessageKey> = changes.iter().map(|(key, _)| *key).collect();
            let stored = marks(&octets).filter(|(key, _)| !changed.contains(key));
            // Of a message the last mark counts, in the order of the first ones.
            let all: Vec<MessageMark> = stored.chain(changes.iter().copied()).collect();
            let mut read = Self::default();
            read.apply(&all);
            let mut new = HashSet::new();
            let kept = all
                .iter()
                .filter_map(|(key, _)| Some((*key, *read.0.get(key)?)));
            let kept: Vec<(MessageKey, bool)> = kept.filter(|(key, _)| new.insert(*key)).collect();
            let left_out = kept.len().saturating_sub(MAX_MESSAGES);
            let kept = kept.get(left_out..).unwrap_or_default();
            let mut lines = String::new();
            for (key, is_read) in kept {
                let sign = if *is_read { "" } else { "-" };
                // Writing to a string cannot fail.
                let _ = writeln!(lines, "{sign}{:016x}", key.0);
            }
            let read = Self(Arc::new(kept.iter().copied().collect()));
            Ok((lines.into_bytes(), read))
        })
    }

    /// Changes marks, the last one of a message counts.
    pub fn apply(&mut self, marks: &[MessageMark]) {
        let all = Arc::make_mut(&mut self.0);
        for (key, is_read) in marks {
            match is_read {
                Some(is_read) => all.insert(*key, *is_read),
                None => all.remove(key),
            };
        }
    }

    /// Returns true if the message was read; `is_seen` is what its mailbox says.
    pub fn has_read(&self, message: MessageKey, is_seen: bool) -> bool {
        self.0.get(&message).copied().unwrap_or(is_seen)
    }
}

/// The marks in the octets of a file. A line that is none is passed over.
fn marks(octets: &[u8]) -> impl Iterator<Item = MessageMark> {
    let lines = octets.split(|octet| *octet == b'\n');
    lines.filter_map(|line| {
        let text = std::str::from_utf8(line.trim_ascii()).ok()?;
        let (is_read, digits) = match text.strip_prefix('-') {
            Some(digits) => (false, digits),
            None => (true, text),
        };
        let number = u64::from_str_radix(digits, 16).ok()?;
        (digits.len() == 16).then_some((MessageKey(number), Some(is_read)))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(id: &str) -> MessageKey {
        MessageKey::of(id.as_bytes()).unwrap()
    }

    #[test]
    fn message_is_known_with_and_without_brackets() {
        assert_eq!(key("<a@b>"), key(" a@b "));
        assert_ne!(key("<a@b>"), key("<A@b>"));
        assert_eq!(MessageKey::of(b" <> "), None);
    }

    #[test]
    fn lines_of_a_hand_are_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("messages");
        ReadMessages::change(&path, &[(key("1@x"), Some(true))]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("# mine\n\n{text}ffff\n\u{fe}\n")).unwrap();
        let read = ReadMessages::change(&path, &[(key("2@x"), Some(true))]).unwrap();
        assert!(read.has_read(key("1@x"), false) && read.has_read(key("2@x"), false));
    }

    proptest! {
        #[test]
        fn file_has_the_last_mark_of_each_message(
            marks in prop::collection::vec((0..12_u64, any::<Option<bool>>()), 0..40),
            size in 1..9_usize,
        ) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("messages");
            let marks: Vec<MessageMark> = marks.into_iter().map(|(key, is_read)| (MessageKey(key), is_read)).collect();
            for some in marks.chunks(size) {
                ReadMessages::change(&path, some).unwrap();
            }
            let read = ReadMessages::load(&path).unwrap();
            for number in 0..12 {
                let last = marks.iter().rev().find(|(key, _)| key.0 == number);
                for is_seen in [false, true] {
                    let mark = last.and_then(|(_, is_read)| *is_read).unwrap_or(is_seen);
                    prop_assert_eq!(read.has_read(MessageKey(number), is_seen), mark);
                }
            }
        }
    }
}
