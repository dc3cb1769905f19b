//! The directory of the cached pages: its list, and the size of all of them, which several processes may use.
//!
//! Beside the file of a page that its server has confirmed since it came is an empty one with the extension
//! `confirmed`: its modification time is that of the latest confirmation. So an unchanged page is not written again.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::{fs, io};

use geomys_page::document::parallel;
use jiff::Timestamp;
use rfc1738::Url;
use ring::digest::SHA256_OUTPUT_LEN;

use super::shown::{PageFile, is_orphan, text_of};
use super::{BUFFER, Cache, NEW, PageHeader, atomic, regular};
use crate::files::age;
use crate::files::locked_file::LockedFile;

/// Name of the directory in which earlier versions have kept a copy that was much larger than the latest one. It is
/// read where there is no other copy, and evicted as the others are.
const FORMER: &str = "former";

/// Extension of the name of the file that tells when a page was confirmed.
const CONFIRMED: &str = "confirmed";

/// Number of files that are worth a thread.
const PARALLEL: usize = 1000;

/// Name of the file with the size of all pages.
const SIZE: &str = "size";

/// The size of all pages for a page that is about to be added. The other processes wait until it is dropped.
///
/// The file `size` has the sum of the sizes of all pages, in octets. It is locked while a page is added, so that the
/// pages of all processes together never exceed the bound. A process that is killed leaves a sum that is too large,
/// never one that is too small; the files are counted by each new process, and whenever the sum exceeds the bound.
pub(super) struct CacheSize {
    sum: LockedFile,
    /// Size of all pages with the new one, in octets.
    used: u64,
}

impl CacheSize {
    /// Notes that the page was added.
    pub(super) fn taken(mut self) -> io::Result<()> {
        write_sum(&mut self.sum, self.used)
    }
}

/// What may be removed to make room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Eviction {
    /// The least recently used pages, with their texts.
    Pages,
    /// The texts of the least recently used pages: they can be made again.
    Texts,
    /// Nothing.
    Nothing,
}

impl Cache {
    /// Opens and locks the file with the size of all pages.
    pub(super) fn lock_sum(&self) -> io::Result<LockedFile> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let sum = options.mode(0o600).open(self.directory.join(SIZE))?;
        Ok(LockedFile::wait_if_possible(sum))
    }

    /// Makes room for a page with its text, of `length` octets together, which replace those at `path`.
    pub(super) fn make_room(
        &self,
        path: &Path,
        length: u64,
        eviction: Eviction,
    ) -> io::Result<CacheSize> {
        self.make_room_in(self.lock_sum()?, path, length, eviction)
    }

    /// Makes room as [`Cache::make_room`], with the size that is locked already.
    pub(super) fn make_room_in(
        &self,
        mut sum: LockedFile,
        path: &Path,
        length: u64,
        eviction: Eviction,
    ) -> io::Result<CacheSize> {
        let replaced = footprint(path).unwrap_or_default();
        let is_counted = self.is_counted.swap(true, Ordering::Relaxed);
        let stored = read_sum(&mut sum).filter(|_| is_counted);
        let others = stored.and_then(|stored| stored.checked_sub(replaced));
        let fits = |others: u64| others.saturating_add(length) <= self.limits.size;
        let others = match others {
            Some(others) if fits(others) || eviction == Eviction::Nothing => others,
            Some(_) | None => self.evict(path, length, eviction)?,
        };
        if eviction == Eviction::Nothing && !fits(others) {
            write_sum(&mut sum, others.saturating_add(replaced))?;
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        // If this process is killed before the page is in its place, the sum is too large.
        write_sum(&mut sum, others + length.max(replaced))?;
        Ok(CacheSize {
            sum,
            used: others + length,
        })
    }

    /// Removes pages that are too old, and the least recently used ones until `length` octets fit. Returns the size of
    /// the rest without the page at `replaced`, in octets.
    fn evict(&self, replaced: &Path, length: u64, eviction: Eviction) -> io::Result<u64> {
        let mut pages = self.pages_without(replaced, Timestamp::now())?;
        pages.sort_unstable();
        self.expire(&mut pages, Timestamp::now())?;
        let mut used = pages.iter().map(|page| page.length).sum::<u64>();
        let size = self.limits.size;
        if used.saturating_add(length) <= size {
            return Ok(used);
        }
        match eviction {
            Eviction::Pages => {}
            Eviction::Texts => return drop_texts(&pages, used, size.saturating_sub(length)),
            Eviction::Nothing => return Ok(used),
        }
        // Frees more than necessary, so that the files are not counted again for every new page.
        let target = (size - size / 8).saturating_sub(length);
        for page in pages {
            if used <= target {
                break;
            }
            remove(&page.path)?;
            used -= page.length;
        }
        Ok(used)
    }

    /// Returns the pages but the one at `replaced`. Removes the files of killed processes.
    pub(super) fn pages_without(
        &self,
        replaced: &Path,
        now: Timestamp,
    ) -> io::Result<Vec<StoredPage>> {
        let mut pages = Vec::new();
        let former = fs::read_dir(self.directory.join(FORMER))
            .into_iter()
            .flatten();
        for entry in fs::read_dir(&self.directory)?.chain(former).flatten() {
            let (Ok(of), name) = (entry.metadata(), entry.file_name()) else {
                continue;
            };
            let (path, name) = (entry.path(), name.to_string_lossy());
            if !is_name(&name) {
                if name.starts_with(NEW) && is_abandoned(&path) || is_orphan(&path) {
                    let _ = fs::remove_file(path);
                }
            } else if path != replaced {
                let used_at = of.modified().ok();
                let used_at = used_at.and_then(|time| Timestamp::try_from(time).ok());
                let mut used_at = used_at.unwrap_or(now);
                if used_at > now {
                    // The clock was ahead. Without this time the page only looks younger than it is.
                    let _ = regular::open(&path).and_then(|file| file.set_modified(now.into()));
                    used_at = now;
                }
                pages.push(StoredPage {
                    used_at,
                    length: footprint(&path).unwrap_or_default(),
                    path,
                });
            }
        }
        Ok(pages)
    }

    /// Moves the file of a page into the directory, and removes others to make room.
    pub(super) fn take_file(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut length = footprint(from)?;
        if length > self.limits.size {
            remove_if_any(&text_of(from))?;
            length = footprint(from)?;
        }
        if length > self.limits.size {
            return Ok(());
        }
        atomic::create_directory(&self.directory)?;
        let room = self.make_room(to, length, self.eviction())?;
        remove_if_any(&text_of(to))?;
        match confirmed_at(from) {
            Some(time) => confirm(to, time)?,
            None => remove_if_any(&confirmed_of(to))?,
        }
        match fs::rename(from, to) {
            // The directories are on two file systems.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                fs::copy(from, to)?;
                remove(from)?;
            }
            renamed => {
                renamed?;
                // Without it the next search makes the text again.
                let _ = fs::rename(text_of(from), text_of(to));
                remove_if_any(&confirmed_of(from))?;
            }
        }
        room.taken()
    }

    /// Removes pages that are too old; `pages` begins with the oldest ones.
    fn expire(&self, pages: &mut Vec<StoredPage>, now: Timestamp) -> io::Result<()> {
        let Some(age) = self.limits.age else {
            return Ok(());
        };
        let Some(oldest) = age::oldest(now, age) else {
            return Ok(());
        };
        let count = pages.partition_point(|page| page.used_at < oldest);
        for page in pages.drain(..count) {
            remove(&page.path)?;
        }
        Ok(())
    }
}

/// Page in the directory; the least recently used one is the first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoredPage {
    pub(super) used_at: Timestamp,
    pub(super) length: u64,
    pub(super) path: PathBuf,
}

/// Removes the texts of pages until these use no more than `room` octets. Returns what they use, in octets.
fn drop_texts(pages: &[StoredPage], mut used: u64, room: u64) -> io::Result<u64> {
    let bytes = |page: &StoredPage| fs::metadata(text_of(&page.path)).map_or(0, |text| text.len());
    let all: u64 = pages.iter().map(bytes).sum();
    if used.saturating_sub(all) > room {
        return Err(io::Error::from(io::ErrorKind::StorageFull));
    }
    for page in pages {
        let freed = bytes(page);
        remove_if_any(&text_of(&page.path))?;
        used = used.saturating_sub(freed);
        if used <= room {
            break;
        }
    }
    Ok(used)
}

/// Removes the file of a page, and what belongs to it: last, as that is only stored beside its page.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    remove_if_any(path)?;
    remove_if_any(&confirmed_of(path))?;
    remove_if_any(&text_of(path))
}

/// Returns the file that tells when the page in a file was confirmed.
pub(super) fn confirmed_of(page: &Path) -> PathBuf {
    page.with_extension(CONFIRMED)
}

/// Returns the time when the server of the page in a file has confirmed it last; `None` if it did not since it came.
fn confirmed_at(page: &Path) -> Option<Timestamp> {
    let file = fs::metadata(confirmed_of(page)).ok()?;
    Timestamp::try_from(file.modified().ok()?).ok()
}

/// Records the time when the server of the page in a file has confirmed it.
pub(super) fn confirm(page: &Path, time: Timestamp) -> io::Result<()> {
    // Of two processes the later time stays.
    let time = since(page, time);
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    let file = options.mode(0o600).open(confirmed_of(page))?;
    file.set_modified(time.into())
}

/// Returns the time at which the page in a file was as its server has it: when it came, or was confirmed last.
pub(super) fn since(page: &Path, came: Timestamp) -> Timestamp {
    confirmed_at(page).map_or(came, |confirmed| confirmed.max(came))
}

/// Removes a file; the user may have removed it first.
pub(super) fn remove_if_any(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns the size of the file of a page and of its text, in octets.
pub(super) fn footprint(path: &Path) -> io::Result<u64> {
    let text = fs::metadata(text_of(path)).map_or(0, |text| text.len());
    Ok(fs::metadata(path)?.len() + text)
}

/// Reads the sum; `None` if the file holds none, as a new one.
fn read_sum(file: &mut File) -> Option<u64> {
    let mut written = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.take(32).read_to_string(&mut written).ok()?;
    written.strip_suffix('\n')?.parse().ok()
}

fn write_sum(file: &mut File, sum: u64) -> io::Result<()> {
    // A fixed width, so that the file is never shorter than the sum.
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{sum:020}\n").as_bytes())
}

/// Returns true if the process that wrote a temporary file was killed: its lock on the file is free.
fn is_abandoned(path: &Path) -> bool {
    regular::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// Returns true if a file has the name of a page: 64 hexadecimal digits.
pub(super) fn is_name(name: &str) -> bool {
    name.len() == 2 * SHA256_OUTPUT_LEN
        && name
            .bytes()
            .all(|octet| matches!(octet, b'0'..=b'9' | b'a'..=b'f'))
}

impl Cache {
    /// Returns the space in octets that is free where a sync puts its pages; `None` if the system does not tell it.
    pub fn free_bytes(&self) -> Option<u64> {
        let directory = self.synced()?.directory();
        // It need not exist.
        let system = directory
            .ancestors()
            .find_map(|directory| rustix::fs::statvfs(directory).ok())?;
        Some(system.f_bavail.saturating_mul(system.f_frsize))
    }

    /// Returns the file in which an earlier version may have kept another copy of the page in a file.
    pub(super) fn former(&self, path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default();
        self.directory().join(FORMER).join(name)
    }

    /// Returns the URLs of all pages, cached, synced or saved for later, as their headers say; the pages are not
    /// verified. Blocks.
    pub fn urls(&self) -> HashSet<Url> {
        let files = self.page_files();
        let pages = files.iter().filter_map(PageFile::url);
        pages.collect()
    }

    /// Returns the files of all pages, cached, synced or saved for later. Blocks.
    pub(crate) fn page_files(&self) -> Vec<PageFile<'_>> {
        let all = [Some(self), self.saved(), self.synced()];
        let pages = all.into_iter().flatten().flat_map(Self::own_files);
        pages.collect()
    }

    fn own_files(&self) -> impl Iterator<Item = PageFile<'_>> {
        let age = self.limits.age;
        let oldest = age.and_then(|age| Timestamp::now().checked_sub(age).ok());
        let entries = self.is_on().then(|| fs::read_dir(self.directory()));
        let entries = entries.into_iter().flatten().flatten().flatten();
        let pages = entries.filter(|entry| is_name(&entry.file_name().to_string_lossy()));
        let paths: Vec<PathBuf> = pages.map(|entry| entry.path()).collect();
        // The system is asked about each file.
        let parts = parallel::map(parallel::ranges(paths.len(), PARALLEL), |range| {
            let paths = paths.get(range).unwrap_or_default().iter();
            let files = paths.filter_map(|path| PageFile::at(self, path.clone(), oldest));
            files.collect::<Vec<_>>()
        });
        parts.into_iter().flatten()
    }
}

/// Reads the header of a page and the time when it came, or was confirmed.
pub(super) fn header(path: &Path) -> Option<(PageHeader, Timestamp)> {
    let file = regular::open(path).ok()?;
    let mut start = Vec::new();
    file.take(BUFFER as u64).read_to_end(&mut start).ok()?;
    let (head, came, _) = PageHeader::read(&start)?;
    Some((head, since(path, came)))
}
