//! Cached pages, which can be read again without a network: one file per page, in a directory of its own.
//!
//! ```text
//! file   = "geomys page 1" LF *( name SP value LF ) LF octets digest
//! name   = "url" / "shape" / "charset" / "lang" / "offset" / "since" / "title" / "published" / "highest" / "covered"
//!        / "clock" / "whole" / "end" / "real" / "etag" / "modified" / "size"
//! digest = 32OCTET                       ; SHA-256 of everything before it
//! ```
//!
//! The name of a file is the SHA-256 of its URL, in hexadecimal digits. Its modification time is the time of the last
//! use; the least recently used files are removed before the cache would become too large, and those that are too old
//! where the user has set an age. A damaged file, or a file that another
//! program has put there, is ignored. Files are readable by their owner alone, as news may come from behind a password;
//! they hold no passwords.

mod directory;
mod head;
mod release;
mod shown;

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use geomys_wire::net::TransferEnd;
use jiff::{SignedDuration, Timestamp};
use rfc1738::Url;
use ring::digest::{Context, SHA256, SHA256_OUTPUT_LEN, digest};

use self::directory::Eviction;
pub use self::head::PageHeader;
pub use self::release::lacks_room;
pub(crate) use self::shown::{PageFile, ShownText};
use super::{atomic, regular};

/// Size of the read and write buffers, in octets.
const BUFFER: usize = 256 * 1024;

/// Length of the digest at the end of a file, in octets.
const DIGEST: u64 = SHA256_OUTPUT_LEN as u64;

/// Size of a piece of a page, in octets: as much as a socket returns.
const PIECE: usize = 64 * 1024;

/// Prefix of the names of files that are being written.
const NEW: &str = "new-";

/// Bounds of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheLimits {
    /// Maximum size of all pages, in octets; 0 switches the cache off.
    pub size: u64,
    /// Maximum size of a page that is not news, in octets; 0 for no limit.
    pub page: u64,
    /// Maximum age of a page; `None` for no limit.
    pub age: Option<SignedDuration>,
    /// Maximum size of all pages that are saved for later, in octets.
    pub saved: u64,
    /// Maximum size of the pages that a sync has brought and that were not read, in octets.
    pub synced: u64,
}

/// Cache directory with its bounds.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    limits: CacheLimits,
    /// True once the files were counted by this process.
    is_counted: AtomicBool,
    /// The pages that are saved for later, in a directory of their own.
    saved: Option<Box<Self>>,
    /// The pages that a sync has brought and that were not shown, in a directory of their own.
    synced: Option<Box<Self>>,
    /// True if pages are removed to make room for others.
    evicts: bool,
    /// True if nothing tells that a page was read.
    is_discreet: bool,
}

/// Result of storing a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreOutcome {
    /// The page is the copy now.
    Stored,
    /// The page is larger than one may be.
    TooLarge,
    /// The server did not confirm the end of the page, and the copy is longer.
    Shorter,
}

/// Cached page.
#[derive(Debug)]
pub struct CachedPage {
    /// Header of the page.
    pub head: PageHeader,
    /// Time when the page came from its server, or was confirmed by it.
    pub since: Timestamp,
    octets: io::Take<BufReader<File>>,
}

impl Cache {
    /// Creates a cache in a directory, which need not exist.
    pub fn new(directory: PathBuf, limits: CacheLimits) -> Self {
        Self {
            directory,
            limits,
            is_counted: AtomicBool::new(false),
            saved: None,
            synced: None,
            evicts: true,
            is_discreet: false,
        }
    }

    /// Returns this cache for a reader who leaves no trace, as a private tab is: neither the time of the last use of a
    /// page nor its place tell that it was shown.
    #[must_use]
    pub fn discreet(&self) -> Self {
        let other = |cache: &Option<Box<Self>>| cache.as_ref().map(|it| Box::new(it.discreet()));
        Self {
            directory: self.directory.clone(),
            limits: self.limits,
            is_counted: AtomicBool::new(false),
            saved: other(&self.saved),
            synced: other(&self.synced),
            evicts: self.evicts,
            is_discreet: true,
        }
    }

    /// Adds the directory of the pages that are saved for later, which need not exist. They have no maximum age, and
    /// none is removed to make room: the user keeps them.
    #[must_use]
    pub fn with_saved(mut self, directory: PathBuf) -> Self {
        let limits = CacheLimits {
            size: self.limits.saved,
            ..CacheLimits::default()
        };
        let saved = Self {
            evicts: false,
            ..Self::new(directory, limits)
        };
        self.saved = Some(Box::new(saved));
        self
    }

    /// Adds the directory of the pages that a sync has brought, which need not exist. They have no maximum age, and
    /// none is removed to make room: a page stays until it is shown, see [`Cache::mark_shown`], or was read otherwise,
    /// see [`Cache::release`].
    #[must_use]
    pub fn with_synced(mut self, directory: PathBuf) -> Self {
        let limits = CacheLimits {
            size: self.limits.synced,
            ..CacheLimits::default()
        };
        let synced = Self {
            evicts: false,
            ..Self::new(directory, limits)
        };
        self.synced = Some(Box::new(synced));
        self
    }

    /// Returns the pages that a sync has brought and that were not shown.
    pub fn synced(&self) -> Option<&Self> {
        self.synced.as_deref()
    }

    /// Records that a page was shown: one that a sync has brought is a page of the cache from now on. Blocks.
    ///
    /// # Errors
    /// Errors of the system; the page stays where it was then.
    pub fn mark_shown(&self, url: &Url) -> io::Result<()> {
        let synced = self.synced().filter(|_| !self.is_discreet);
        let Some(from) = synced.map(|synced| synced.path(url)) else {
            return Ok(());
        };
        match fs::metadata(&from) {
            Ok(_) if self.is_on() => self.take_file(&from, &self.path(url)),
            Ok(_) => directory::remove(&from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns the pages that are saved for later.
    pub fn saved(&self) -> Option<&Self> {
        self.saved.as_deref()
    }

    /// Returns the directory.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the maximum age of a page; `None` for no limit.
    pub fn max_age(&self) -> Option<SignedDuration> {
        self.limits.age
    }

    /// Returns true if the cache is switched on.
    pub fn is_on(&self) -> bool {
        self.limits.size > 0
    }

    /// Returns the page of a URL, cached or saved for later; `None` if there is none or it cannot be read. Blocks: the
    /// whole file is read to verify its digest.
    pub fn page(&self, url: &Url) -> Option<CachedPage> {
        let page = self.unused_page(url)?;
        if self.is_discreet {
            return Some(page);
        }
        // Without this time the page only looks older than it is.
        let _ = page
            .octets
            .get_ref()
            .get_ref()
            .set_modified(SystemTime::now());
        Some(page)
    }

    /// Returns the same page without a change of the time of its last use, as nobody reads it. Blocks.
    pub fn unused_page(&self, url: &Url) -> Option<CachedPage> {
        let saved = || self.saved()?.unused_page(url);
        // What a sync has brought is the latest.
        let synced = self.synced().and_then(|synced| synced.unused_page(url));
        synced.or_else(|| self.own_page(url)).or_else(saved)
    }

    fn own_page(&self, url: &Url) -> Option<CachedPage> {
        if !self.is_on() {
            return None;
        }
        let path = self.path(url);
        let mut paths = [self.former(&path), path].into_iter().rev();
        let page = paths.find_map(|path| {
            let page = verify(&path, url).ok()??;
            let since = directory::since(&path, page.since);
            Some(CachedPage { since, ..page })
        })?;
        let now = Timestamp::now();
        let age = now.duration_since(page.since);
        let is_expired = self.limits.age.is_some_and(|max_age| age > max_age);
        (!is_expired).then_some(page)
    }

    /// Stores a page that came from its server at `since`, replacing the cached page of its URL. Removes other pages to
    /// make room. A page that is too large is not stored, nor one whose end is unconfirmed instead of a longer one.
    /// Blocks.
    ///
    /// # Errors
    /// Errors of writing; the old cached page is unchanged then.
    pub fn store<'a>(
        &self,
        head: &PageHeader,
        since: Timestamp,
        octets: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<StoreOutcome> {
        let stored = self.store_for(self, head, since, octets)?;
        // The browser has fetched and shown the page again.
        if let Some(synced) = self.synced().filter(|_| stored == StoreOutcome::Stored) {
            directory::remove(&synced.path(&head.url))?;
        }
        Ok(stored)
    }

    /// Stores a page that a sync has brought, as [`Cache::store`] does. Blocks.
    ///
    /// # Errors
    /// Errors of writing; the copies are unchanged then.
    pub fn store_synced<'a>(
        &self,
        head: &PageHeader,
        since: Timestamp,
        octets: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<StoreOutcome> {
        let synced = self.synced();
        let synced = synced.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        synced.store_for(self, head, since, octets)
    }

    /// Records that the server of a page has said at `time` that its copy is as the page is now. Whether and when the
    /// copy was read does not change. Blocks.
    ///
    /// # Errors
    /// Errors of the system; the copy only looks older than it is then.
    pub fn confirm(&self, url: &Url, time: Timestamp) -> io::Result<()> {
        let all = [self.synced(), Some(self), self.saved()];
        let paths = all.into_iter().flatten().map(|pages| pages.path(url));
        let found = paths.into_iter().find(|path| path.exists());
        found.map_or(Ok(()), |path| directory::confirm(&path, time))
    }

    /// Stores a page in the directory of this cache, which is one of `all`.
    fn store_for<'a>(
        &self,
        all: &Self,
        head: &PageHeader,
        since: Timestamp,
        octets: impl Iterator<Item = &'a [u8]>,
    ) -> io::Result<StoreOutcome> {
        if !self.is_on() {
            return Ok(StoreOutcome::TooLarge);
        }
        let dated = all.with_known_date(head);
        let head = dated.as_ref().unwrap_or(head);
        let max_bytes = self.max_page_bytes(head);
        atomic::create_directory(&self.directory)?;
        // Another process removes an unlocked file, and waits until this one is locked.
        let sum = self.lock_sum()?;
        // A file for its owner alone, which is removed again after an error.
        let mut file = tempfile::Builder::new()
            .prefix(NEW)
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(&self.directory)?;
        // On a file system without locks no abandoned file remains.
        let _ = file.as_file().try_lock();
        drop(sum);
        let mut sum = Context::new(&SHA256);
        let mut length = DIGEST;
        let mut out = BufWriter::with_capacity(BUFFER, file.as_file_mut());
        let mut write = |octets: &[u8]| {
            length += octets.len() as u64;
            sum.update(octets);
            out.write_all(octets)?;
            io::Result::Ok(length <= max_bytes)
        };
        let before = all.longer_before(head);
        let mut came = 0;
        let mut has_room = write(&head.write(since))?;
        for octets in octets {
            came += octets.len() as u64;
            has_room = has_room && write(octets)?;
        }
        if !has_room {
            return Ok(StoreOutcome::TooLarge);
        }
        if came < before {
            return Ok(StoreOutcome::Shorter);
        }
        out.write_all(sum.finish().as_ref())?;
        out.flush()?;
        drop(out);
        let path = self.path(&head.url);
        let room = self.make_room(&path, length, self.eviction())?;
        directory::remove_if_any(&shown::text_of(&path))?;
        directory::remove_if_any(&directory::confirmed_of(&path))?;
        // The clock of the system that stores the file may be another one.
        file.as_file().set_modified(SystemTime::now())?;
        file.persist(&path).map_err(|error| error.error)?;
        room.taken()?;
        self.make_text(&path);
        Ok(StoreOutcome::Stored)
    }

    /// Returns the header with the time of publication that is known of its copy; `None` if there is nothing to add.
    fn with_known_date(&self, head: &PageHeader) -> Option<PageHeader> {
        if head.published.is_some() {
            return None;
        }
        let (before, _) = self.header(&head.url)?;
        let published = Some(before.published?);
        Some(PageHeader {
            published,
            ..head.clone()
        })
    }

    /// Returns the size in octets of the cached page that a page may not replace if it is shorter; 0 if it may be
    /// replaced.
    fn longer_before(&self, head: &PageHeader) -> u64 {
        let page = head.end.may_be_cut().then(|| self.unused_page(&head.url));
        // Of a server that leaves out the final dot the page is as whole as before.
        let page = page.flatten().filter(|page| {
            head.end != TransferEnd::Undotted || page.head.end == TransferEnd::Confirmed
        });
        page.map_or(0, |page| page.octets.limit())
    }

    /// Returns the header of the cached page of a URL and the time when it came or was confirmed, without verifying the
    /// page. Blocks.
    pub fn header(&self, url: &Url) -> Option<(PageHeader, Timestamp)> {
        if let Some(found) = self.synced().and_then(|synced| synced.header(url)) {
            return Some(found);
        }
        if !self.is_on() {
            return None;
        }
        directory::header(&self.path(url)).filter(|(head, _)| head.url == *url)
    }

    /// Returns true if there is a page of a URL, which was not read.
    pub fn has(&self, url: &Url) -> bool {
        self.is_on() && self.path(url).exists() || self.synced().is_some_and(|pages| pages.has(url))
    }

    /// Returns the file of the page of a URL, cached, synced or saved for later; `None` if there is none.
    pub(crate) fn page_file(&self, url: &Url) -> Option<PageFile<'_>> {
        let mut all = [self.synced(), Some(self), self.saved()]
            .into_iter()
            .flatten();
        all.find_map(|pages| PageFile::at(pages, pages.path(url), None))
    }

    /// Returns the time when the page of a URL was stored or read last; `None` if there is none.
    pub fn last_used(&self, url: &Url) -> Option<Timestamp> {
        Timestamp::try_from(self.page_file(url)?.used).ok()
    }

    /// Removes the page of a URL, if there is one. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn remove(&self, url: &Url) -> io::Result<()> {
        let path = self.path(url);
        let synced = self.synced().map(|synced| synced.path(url));
        let own = [self.former(&path), path];
        for path in own.into_iter().chain(synced) {
            directory::remove(&path)?;
        }
        Ok(())
    }

    /// Returns what may be removed to make room for a page.
    fn eviction(&self) -> Eviction {
        if self.evicts {
            Eviction::Pages
        } else {
            Eviction::Texts
        }
    }

    /// Returns the maximum size of the file of a page, in octets.
    fn max_page_bytes(&self, head: &PageHeader) -> u64 {
        match self.limits.page {
            0 => self.limits.size,
            _ if head.url.base_parts().is_news() => self.limits.size,
            limit => limit.min(self.limits.size),
        }
    }

    fn path(&self, url: &Url) -> PathBuf {
        let name = digest(&SHA256, url.as_str().as_bytes());
        let digits = name.as_ref().iter().map(|octet| format!("{octet:02x}"));
        self.directory.join(digits.collect::<String>())
    }
}

impl CachedPage {
    /// Reads the next octets; `None` at the end. Blocks.
    ///
    /// # Errors
    /// Errors of reading the file.
    pub fn octets(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut piece = Vec::with_capacity(PIECE);
        let mut start = self.octets.by_ref().take(PIECE as u64);
        let read = start.read_to_end(&mut piece)?;
        Ok((read > 0).then_some(piece))
    }
}

/// Reads and verifies a whole file, and returns it at the start of its page; `None` if it is damaged or belongs to
/// another URL.
fn verify(path: &Path, url: &Url) -> io::Result<Option<CachedPage>> {
    let file = regular::open(path)?;
    let length = file.metadata()?.len();
    let Some(end) = length.checked_sub(DIGEST) else {
        return Ok(None);
    };
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let mut sum = Context::new(&SHA256);
    let mut header = None;
    let mut left = end;
    let mut piece = Vec::with_capacity(BUFFER);
    while left > 0 {
        piece.clear();
        let length = left.min(BUFFER as u64);
        let read = reader.by_ref().take(length).read_to_end(&mut piece)?;
        if read == 0 {
            return Ok(None);
        }
        if header.is_none() {
            // The header is in the first block, or the file is invalid.
            header = PageHeader::read(&piece).filter(|(head, ..)| head.url == *url);
            if header.is_none() {
                return Ok(None);
            }
        }
        sum.update(&piece);
        left -= read as u64;
    }
    let mut written = Vec::new();
    reader.read_to_end(&mut written)?;
    let is_good = sum.finish().as_ref() == written.as_slice();
    let Some((head, since, start)) = header.filter(|_| is_good) else {
        return Ok(None);
    };
    reader.seek(SeekFrom::Start(start))?;
    Ok(Some(CachedPage {
        head,
        since,
        octets: reader.take(end - start),
    }))
}
