//! Former copies: a page that is much smaller than its copy may be another one, as a notice about cookies, a login or
//! an error that is served as the page. It becomes the copy, and the former one stays in the directory `former` until a
//! page comes that is not much smaller, or the cache needs the space.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rfc1738::Url;

use super::head::PageHeader;
use super::shown::text_of;
use super::{BUFFER, Cache, CacheLimits, CachedPage, DIGEST, atomic, directory, regular};

/// Minimum size of a copy that is kept, in octets: nothing is hidden in the place of a smaller one.
const MIN_BYTES: u64 = 1024;

/// A page with less than this part of the octets of its copy is much smaller: who edits a page rarely removes three
/// quarters of it at once, and a notice is a few lines in the place of an article.
const MUCH_SMALLER: u64 = 4;

/// Part of the size of the cache that former copies may have beside it.
const SHARE: u64 = 4;

impl Cache {
    /// Returns the former copies, in a directory of their own; `None` for a cache that is one of another.
    fn former(&self) -> Option<Self> {
        self.synced()?;
        let limits = CacheLimits {
            size: self.limits.size / SHARE,
            age: self.limits.age,
            ..CacheLimits::default()
        };
        Some(Self::new(self.directory.join("former"), limits))
    }

    /// Returns the largest copy of a page, if the latest one is much smaller. Blocks.
    pub fn larger_page(&self, url: &Url) -> Option<CachedPage> {
        let latest = self.page_file(url)?.path().to_owned();
        let length = page_bytes(&latest)?;
        let former = self.former()?;
        let others = [Some(self), self.saved(), Some(&former)];
        let larger = others.into_iter().flatten().filter_map(|pages| {
            let path = pages.path(url);
            let bytes = page_bytes(&path).filter(|_| path != latest)?;
            is_much_smaller(length, bytes).then_some((bytes, pages))
        });
        let (_, pages) = larger.max_by_key(|(bytes, _)| *bytes)?;
        pages.own_page(url)
    }

    /// Keeps the copy of a page that one of `length` octets is about to replace, if that is much smaller; removes a
    /// former copy that is no longer larger.
    pub(super) fn keep_former(&self, url: &Url, length: u64) -> io::Result<()> {
        // The articles of a group become fewer by themselves.
        let Some(former) = self.former().filter(|_| !url.base_parts().is_news()) else {
            return Ok(());
        };
        let to = former.path(url);
        let is_larger =
            |path: &Path| page_bytes(path).is_some_and(|before| is_much_smaller(length, before));
        let copies = [self.synced(), Some(self)].into_iter().flatten();
        let mut copies = copies.map(|pages| pages.path(url));
        match copies.find(|path| is_larger(path)) {
            Some(copy) => former.take_file(&copy, &to),
            None if is_larger(&to) => Ok(()),
            None => directory::remove(&to),
        }
    }

    /// Returns the file of the former copy of a page, which need not exist.
    pub(super) fn former_file(&self, url: &Url) -> Option<PathBuf> {
        Some(self.former()?.path(url))
    }

    /// Moves the file of a page into the directory, and removes others to make room.
    pub(super) fn take_file(&self, from: &Path, to: &Path) -> io::Result<()> {
        let length = directory::footprint(from)?;
        if length > self.limits.size {
            return Ok(());
        }
        atomic::create_directory(&self.directory)?;
        let room = self.make_room(to, length, self.eviction())?;
        directory::remove_file(&text_of(to))?;
        match fs::rename(from, to) {
            // The directories are on two file systems.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                fs::copy(from, to)?;
                directory::remove(from)?;
            }
            renamed => {
                renamed?;
                // Without it the next search makes the text again.
                let _ = fs::rename(text_of(from), text_of(to));
            }
        }
        room.taken()
    }
}

/// Returns true if a page is much smaller than its copy, by their octets.
fn is_much_smaller(length: u64, before: u64) -> bool {
    before >= MIN_BYTES && length < before / MUCH_SMALLER
}

/// Returns the size of the page in a file, in octets.
fn page_bytes(path: &Path) -> Option<u64> {
    let file: File = regular::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let mut start = Vec::new();
    file.take(BUFFER as u64).read_to_end(&mut start).ok()?;
    let (_, _, header) = PageHeader::read(&start)?;
    length.checked_sub(DIGEST)?.checked_sub(header)
}
