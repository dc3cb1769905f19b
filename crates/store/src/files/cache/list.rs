//! The list of the cached pages.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use jiff::Timestamp;
use rfc1738::Url;

use super::room::is_name;
use super::{BUFFER, Cache, PageHeader, regular};

impl Cache {
    /// Returns the URLs of all pages, cached or saved for later, as their headers say; the pages are not verified. Blocks.
    pub fn urls(&self) -> HashSet<Url> {
        let mut urls = self.saved().map_or_else(HashSet::new, Self::urls);
        if !self.is_on() {
            return urls;
        }
        let entries = fs::read_dir(self.directory());
        let entries = entries.into_iter().flatten().flatten();
        let pages = entries.filter(|entry| is_name(&entry.file_name().to_string_lossy()));
        let now = Timestamp::now();
        urls.extend(pages.filter_map(|entry| {
            let (head, since) = header(&entry.path())?;
            let age = now.duration_since(since);
            let is_expired = self.limits.age.is_some_and(|most| age > most);
            (!is_expired).then_some(head.url)
        }));
        urls
    }
}

/// Reads the header of a page and the time when it came.
pub(super) fn header(path: &Path) -> Option<(PageHeader, Timestamp)> {
    let file = regular::open(path).ok()?;
    let mut start = Vec::new();
    file.take(BUFFER as u64).read_to_end(&mut start).ok()?;
    let (head, since, _) = PageHeader::read(&start)?;
    Some((head, since))
}
