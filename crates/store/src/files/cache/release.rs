//! Room for the pages of a sync: those that the user has read need no place of their own, and become pages of the
//! cache.

use std::io;
use std::path::Path;

use jiff::Timestamp;
use rfc1738::Url;

use super::directory::{self, header};
use super::{Cache, PathBuf};

/// Returns true for the error of a cache whose own limit is reached. It has no error of the system.
pub fn lacks_room(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::StorageFull && error.raw_os_error().is_none()
}

impl Cache {
    /// Makes synced pages pages of the cache, the least recently used first, until `length` octets fit and an eighth
    /// of the space is free. Pages that `stays` holds for stay. A process that is killed in between has moved some.
    /// Returns true if a page was moved. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn release(
        &self,
        length: u64,
        stays: &dyn Fn(&Url, Timestamp) -> bool,
    ) -> io::Result<bool> {
        let Some(synced) = self.synced() else {
            return Ok(false);
        };
        if !synced.directory.exists() {
            return Ok(false);
        }
        let pages = synced.files_by_use()?;
        let size = synced.limits.size;
        let target = (size - size / 8).saturating_sub(length);
        let mut used: u64 = pages.iter().map(|(_, length, _)| length).sum();
        let mut has_moved = false;
        for (used_at, length, path) in pages {
            if used <= target {
                break;
            }
            let Some((head, _)) = header(&path) else {
                continue;
            };
            if !stays(&head.url, used_at) {
                self.take_page(&path, &head.url)?;
                used = used.saturating_sub(length);
                has_moved = true;
            }
        }
        Ok(has_moved)
    }

    /// Makes the file of a synced page one of the cache. One for which the cache has no room is removed.
    fn take_page(&self, from: &Path, url: &Url) -> io::Result<()> {
        if self.is_on() {
            self.take_file(from, &self.path(url))?;
        }
        directory::remove(from)
    }

    /// Returns the octets that are free of the space of the cache. Blocks.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn room(&self) -> io::Result<u64> {
        if !self.directory.exists() {
            return Ok(self.limits.size);
        }
        let used = self.files_by_use()?;
        let used: u64 = used.iter().map(|(_, length, _)| length).sum();
        Ok(self.limits.size.saturating_sub(used))
    }

    /// Returns the files of all pages with the times of their last use and their sizes, the least recently used first.
    fn files_by_use(&self) -> io::Result<Vec<(Timestamp, u64, PathBuf)>> {
        let sum = self.lock_sum()?;
        let mut pages = self.pages_without(Path::new(""), Timestamp::now())?;
        drop(sum);
        pages.sort_unstable();
        let pages = pages.into_iter();
        Ok(pages
            .map(|page| (page.used_at, page.length, page.path))
            .collect())
    }
}
