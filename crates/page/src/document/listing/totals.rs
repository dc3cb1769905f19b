//! The totals of a directory listing.

use geomys_wire::protocol::ftp::listing::{Entry, Kind};

/// The number of entries of a directory, by kind, and their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListingTotals {
    /// The number of directories.
    pub directories: usize,
    /// The number of symbolic links, of any target.
    pub links: usize,
    /// The number of other entries.
    pub files: usize,
    /// The total size of the entries with a stated size, in octets.
    pub octets: u64,
    /// The number of malformed lines.
    pub malformed: usize,
}

impl ListingTotals {
    pub(super) fn count(&mut self, entry: &Entry<'_>) {
        let kind = match entry.kind {
            Kind::Directory => &mut self.directories,
            Kind::Symlink(_) => &mut self.links,
            Kind::File | Kind::Other | Kind::Unknown => &mut self.files,
        };
        *kind += 1;
        self.octets = self.octets.saturating_add(entry.size.unwrap_or_default());
    }
}
