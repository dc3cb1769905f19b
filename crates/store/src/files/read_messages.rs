//! The messages of mailboxes that were read. A message has no number that stays: its mailbox may be sorted, and the
//! same messages stand in other files too. So it is known by its Message-ID, of which only a hash is stored.
//!
//! ```text
//! file = *( 16HEXDIG LF )       ; the first octets of the SHA-256 of a Message-ID, the oldest mark first
//! ```

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use ring::digest::{SHA256, digest};

use super::user_file::{FileError, UserFile};

/// The most messages; the oldest marks are left out.
const MAX_MESSAGES: usize = 1_000_000;

/// The octets of a line.
const LINE: u64 = 17;

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
        let id = id.trim_ascii();
        let id = id.strip_prefix(b"<").unwrap_or(id);
        let id = id.strip_suffix(b">").unwrap_or(id);
        let digest = digest(&SHA256, id);
        let first = digest.as_ref().first_chunk().filter(|_| !id.is_empty())?;
        Some(Self(u64::from_be_bytes(*first)))
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line.trim_ascii()).ok()?;
        let number = u64::from_str_radix(text, 16).ok()?;
        (text.len() == 16).then_some(Self(number))
    }
}

/// A change of the mark of a message: true for read.
pub type MessageMark = (MessageKey, bool);

/// The messages that were read. A clone is cheap.
#[derive(Clone, Debug, Default)]
pub struct ReadMessages(Arc<HashSet<MessageKey>>);

impl ReadMessages {
    /// Reads the file; a missing one is empty, and a line that is no message is passed over.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        Ok(keys(&FILE.read(path)?).collect())
    }

    /// Changes marks in the file as it is now, and returns all of them.
    ///
    /// # Errors
    /// Errors of reading and writing; nothing is written then.
    pub fn change(path: &Path, marks: &[MessageMark]) -> Result<Self, FileError> {
        FILE.change(path, |octets| {
            let changed: HashSet<MessageKey> = marks.iter().map(|(key, _)| *key).collect();
            let mut all: Vec<MessageKey> =
                keys(&octets).filter(|key| !changed.contains(key)).collect();
            let mut read = Self::default();
            read.apply(marks);
            // In the order of the marks.
            let mut new = HashSet::new();
            let marked = marks.iter().map(|(key, _)| *key);
            all.extend(marked.filter(|key| read.contains(*key) && new.insert(*key)));
            let left_out = all.len().saturating_sub(MAX_MESSAGES);
            let kept = all.iter().skip(left_out);
            let mut lines = String::new();
            for key in kept.clone() {
                // Writing to a string cannot fail.
                let _ = writeln!(lines, "{:016x}", key.0);
            }
            Ok((lines.into_bytes(), kept.copied().collect()))
        })
    }

    /// Changes marks, the last one of a message counts.
    pub fn apply(&mut self, marks: &[MessageMark]) {
        let all = Arc::make_mut(&mut self.0);
        for (key, is_read) in marks {
            if *is_read {
                all.insert(*key);
            } else {
                all.remove(key);
            }
        }
    }

    /// Returns true if the message was read.
    pub fn contains(&self, message: MessageKey) -> bool {
        self.0.contains(&message)
    }
}

impl FromIterator<MessageKey> for ReadMessages {
    fn from_iter<I: IntoIterator<Item = MessageKey>>(keys: I) -> Self {
        Self(Arc::new(keys.into_iter().collect()))
    }
}

fn keys(octets: &[u8]) -> impl Iterator<Item = MessageKey> {
    let lines = octets.split(|octet| *octet == b'\n');
    lines.filter_map(MessageKey::parse)
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
        ReadMessages::change(&path, &[(key("1@x"), true)]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("# mine\n\n{text}ffff\n\u{fe}\n")).unwrap();
        let read = ReadMessages::change(&path, &[(key("2@x"), true)]).unwrap();
        assert!(read.contains(key("1@x")) && read.contains(key("2@x")));
    }

    proptest! {
        #[test]
        fn file_has_the_last_mark_of_each_message(
            marks in prop::collection::vec((0..12_u64, any::<bool>()), 0..40),
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
                prop_assert_eq!(read.contains(MessageKey(number)), last.is_some_and(|(_, is_read)| *is_read));
            }
        }
    }
}
