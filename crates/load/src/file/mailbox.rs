//! Mailboxes that are local files: their messages are found once, and each is read from its offset.

use std::fs::{File as Opened, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use geomys_page::archive::mailbox::MboxReader;

/// The most mailboxes whose messages are remembered.
const MAX_MAILBOXES: usize = 8;

/// The messages that were found in the mailboxes that were read last.
#[derive(Debug, Default)]
pub(crate) struct FoundMessages(Mutex<Vec<(Version, Found)>>);

/// The content of a file, as far as it is known without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    device: u64,
    inode: u64,
    size: u64,
    /// The time of the last change, in seconds and nanoseconds.
    changed: (i64, i64),
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// Messages of a mailbox, from the first one on.
#[derive(Clone, Debug)]
struct Found {
    /// The offsets of their `From ` lines, in octets.
    offsets: Arc<[u64]>,
    /// True if the mailbox has no others.
    are_all: bool,
}

impl FoundMessages {
    fn of(&self, version: &Version) -> Option<Found> {
        let found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = found.iter();
        let (_, found) = found.find(|(other, _)| other == version)?;
        Some(found.clone())
    }

    /// Remembers what was found, unless more is known.
    fn remember(&self, version: Version, offsets: &[u64], are_all: bool) {
        let mut found = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = found.iter().position(|(other, _)| *other == version);
        let known = known.map(|at| found.remove(at));
        let new = Found {
            offsets: offsets.into(),
            are_all,
        };
        let is_better = |known: &Found| known.are_all || known.offsets.len() > offsets.len();
        let known = known.filter(|(_, known)| !are_all && is_better(known));
        let known = known.map(|(_, known)| known);
        // An earlier version of the file is never read again.
        found.retain(|(other, _)| (other.device, other.inode) != (version.device, version.inode));
        found.push((version, known.unwrap_or(new)));
        let first = found.len().saturating_sub(MAX_MAILBOXES);
        found.drain(..first);
    }

    /// Remembers the messages of a mailbox that was read to its end.
    pub(super) fn remember_all<R: Read>(&self, metadata: &Metadata, mailbox: &MboxReader<R>) {
        self.remember(Version::of(metadata), mailbox.found(), true);
    }

    /// Reads a message of a mailbox by its number, from 1; `None` if there is none. Looks for it from the last message
    /// before it that is known.
    pub(super) fn read(&self, mailbox: &Path, number: u64) -> io::Result<Option<Vec<u8>>> {
        let mut file = Opened::open(mailbox)?;
        let version = Version::of(&file.metadata()?);
        let found = self.of(&version);
        let offsets = found.as_ref().map_or(&[][..], |found| &found.offsets);
        let are_all = found.as_ref().is_some_and(|found| found.are_all);
        let Some(index) = number
            .checked_sub(1)
            .and_then(|index| usize::try_from(index).ok())
        else {
            return Ok(None);
        };
        let start = offsets.get(index).copied();
        let end = offsets.get(index.saturating_add(1)).copied();
        let end = end.or(are_all.then_some(version.size));
        if let Some((start, end)) = start.zip(end) {
            file.seek(SeekFrom::Start(start))?;
            return MboxReader::single(file.take(end.saturating_sub(start))).message(1);
        }
        if are_all {
            return Ok(None);
        }
        let before = offsets.get(..=index).unwrap_or(offsets).to_vec();
        file.seek(SeekFrom::Start(before.last().copied().unwrap_or_default()))?;
        let mut reader = MboxReader::at_last(file, before);
        let message = reader.message(number)?;
        self.remember(version, reader.found(), false);
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn text(numbers: std::ops::Range<usize>) -> String {
        let messages =
            numbers.map(|number| format!("From x\nSubject: {number}\n\nText {number}.\n\n"));
        messages.collect::<Vec<_>>().concat()
    }

    fn count(found: &FoundMessages) -> Vec<(usize, bool)> {
        let found = found.0.lock().unwrap();
        let counts = found
            .iter()
            .map(|(_, one)| (one.offsets.len(), one.are_all));
        counts.collect()
    }

    #[test]
    fn message_is_looked_for_from_the_last_one_that_is_known() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("box");
        fs::write(&path, text(1..9)).unwrap();
        let found = FoundMessages::default();
        let read = |number| found.read(&path, number).unwrap();
        let message =
            |number: u64| Some(format!("Subject: {number}\n\nText {number}.\n\n").into_bytes());
        assert_eq!(read(3), message(3));
        // The next one was met.
        assert_eq!(count(&found), [(4, false)]);
        for number in [2, 4, 7, 1, 8] {
            assert_eq!(read(number), message(number), "{number}");
        }
        assert_eq!((read(0), read(9)), (None, None));
        let mut all = MboxReader::new(Opened::open(&path).unwrap());
        while !all.overview().unwrap().is_empty() {}
        found.remember_all(&path.metadata().unwrap(), &all);
        assert_eq!(count(&found), [(8, true)]);
        for number in 1..9 {
            assert_eq!(read(number), message(number), "{number}");
        }
        assert_eq!(read(9), None);
        // What stands before a message is not read.
        let metadata = path.metadata().unwrap();
        let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all(b"From x\nSubject: 1\n\n\nFrom x\nA:")
            .unwrap();
        file.set_modified(metadata.modified().unwrap()).unwrap();
        assert_eq!(read(8), message(8));
        // A file that has changed is another one.
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(text(9..10).as_bytes()).unwrap();
        assert_eq!(read(9), message(9));
        assert_eq!(count(&found), [(9, false)]);
    }
}
