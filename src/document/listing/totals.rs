//! What a whole directory holds.

use crate::protocol::ftp::listing::{Entry, Kind};

/// What a directory holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Directories.
    pub directories: usize,
    /// Symbolic links, whatever they lead to.
    pub links: usize,
    /// All other entries.
    pub files: usize,
    /// Octets of the files whose size is told.
    pub octets: u64,
    /// Lines that are no entries.
    pub odd: usize,
}

impl Totals {
    pub(super) fn count(&mut self, entry: &Entry<'_>) {
        let kind = match entry.kind {
            Kind::Directory => &mut self.directories,
            Kind::Symlink(_) => &mut self.links,
            Kind::File | Kind::Other | Kind::Unsaid => &mut self.files,
        };
        *kind += 1;
        self.octets = self.octets.saturating_add(entry.size.unwrap_or_default());
    }
}
