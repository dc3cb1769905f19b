//! The archives that were opened last, in memory: opening one member after another needs one request.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use geomys_wire::net::compared_url;
use rfc1738::Url;

use super::PageHead;
use super::file::mailbox::FoundMessages;
use geomys_page::archive::{KnownParts, Spool};

/// The most octets of an archive that is stored.
pub(super) const MAX_ARCHIVE_BYTES: usize = 64 * 1024 * 1024;

/// The most octets of all stored archives.
const MAX_STORE_BYTES: usize = 128 * 1024 * 1024;

/// The most archives of which parts are stored.
const MAX_PARTIAL_ARCHIVES: usize = 4;

/// The archives that were opened last, which all requests with the same store share.
pub struct ArchiveStore {
    is_on: bool,
    /// The archives, the last one that was used at the end.
    archives: Mutex<Vec<StoredArchive>>,
    /// The octets of members that were saved, by the URLs of their archives.
    saved: Mutex<HashMap<Url, u64>>,
    /// The archives of which parts are known, the last one at the end.
    parts: Mutex<Vec<(Url, ArchiveParts)>>,
    /// The archives that were unpacked whole, by their URLs.
    spools: Mutex<HashMap<Url, Arc<SpooledArchive>>>,
    /// The messages of local mailboxes, which are read from their offsets.
    pub(super) mailboxes: FoundMessages,
}

/// An archive on a server, of which parts are known.
#[derive(Clone, Debug)]
pub(super) struct ArchiveParts {
    pub(super) head: PageHead,
    pub(super) known: KnownParts,
}

/// An archive that was unpacked whole.
#[derive(Debug)]
pub(super) struct SpooledArchive {
    pub(super) head: PageHead,
    pub(super) spool: Spool,
}

/// A stored archive.
struct StoredArchive {
    url: Url,
    head: PageHead,
    octets: Vec<u8>,
}

impl ArchiveStore {
    /// Creates a store that stores nothing.
    pub(super) fn disabled() -> Self {
        Self {
            is_on: false,
            ..Self::default()
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Stores an archive instead of its last version, and forgets those that were used longest ago.
    pub(super) fn put(&self, url: &Url, head: PageHead, octets: Vec<u8>) {
        let url = compared_url(url);
        let mut archives = self.archives.lock().unwrap_or_else(PoisonError::into_inner);
        archives.retain(|archive| archive.url != url);
        archives.push(StoredArchive { url, head, octets });
        let mut room = MAX_STORE_BYTES;
        let fitting = archives.iter().rev().take_while(|archive| {
            let rest = room.checked_sub(archive.octets.len());
            room = rest.unwrap_or_default();
            rest.is_some()
        });
        let first = archives.len() - fitting.count();
        archives.drain(..first);
    }

    /// Stores the parts of an archive that are known: the list of its members.
    pub(super) fn put_parts(&self, url: &Url, parts: ArchiveParts) {
        if !self.is_on {
            return;
        }
        let url = compared_url(url);
        let mut stored = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        stored.retain(|(other, _)| *other != url);
        stored.push((url, parts));
        let first = stored.len().saturating_sub(MAX_PARTIAL_ARCHIVES);
        stored.drain(..first);
    }

    /// Returns the known parts of an archive, and forgets them.
    pub(super) fn take_parts(&self, url: &Url) -> Option<ArchiveParts> {
        let url = compared_url(url);
        let mut stored = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let at = stored.iter().position(|(other, _)| *other == url)?;
        Some(stored.remove(at).1)
    }

    /// Stores an archive that was unpacked whole.
    pub(super) fn put_spool(&self, url: &Url, archive: SpooledArchive) {
        let mut spools = self.spools.lock().unwrap_or_else(PoisonError::into_inner);
        spools.insert(compared_url(url), Arc::new(archive));
    }

    /// Forgets an archive that was unpacked whole, whose members take room on the disk.
    pub fn forget_spool(&self, url: &Url) {
        let mut spools = self.spools.lock().unwrap_or_else(PoisonError::into_inner);
        spools.remove(&compared_url(&url.without_fragment()));
    }

    /// Returns an archive that was unpacked whole.
    pub(super) fn spooled(&self, url: &Url) -> Option<Arc<SpooledArchive>> {
        let spools = self.spools.lock().unwrap_or_else(PoisonError::into_inner);
        spools.get(&compared_url(url)).map(Arc::clone)
    }

    /// Counts octets of members of an archive that are saved, and returns those of all its members.
    pub(super) fn count_saved(&self, url: &Url, octets: u64) -> u64 {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        let count = saved.entry(compared_url(url)).or_default();
        *count = count.saturating_add(octets);
        *count
    }

    /// Returns the head and the octets of a stored archive.
    pub(super) fn get(&self, url: &Url) -> Option<(PageHead, Vec<u8>)> {
        let url = compared_url(url);
        let mut archives = self.archives.lock().unwrap_or_else(PoisonError::into_inner);
        let at = archives.iter().position(|archive| archive.url == url)?;
        let archive = archives.remove(at);
        let found = (archive.head.clone(), archive.octets.clone());
        archives.push(archive);
        Some(found)
    }
}

impl Default for ArchiveStore {
    fn default() -> Self {
        Self {
            is_on: true,
            archives: Mutex::default(),
            saved: Mutex::default(),
            parts: Mutex::default(),
            spools: Mutex::default(),
            mailboxes: FoundMessages::default(),
        }
    }
}

impl fmt::Debug for ArchiveStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArchiveStore").finish_non_exhaustive()
    }
}
