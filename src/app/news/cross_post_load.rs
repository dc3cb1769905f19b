//! A load of the overview of articles that are marked read: the cross-posts that it has found.

use geomys_page::document::{ArticleNumbers, CrossPosts};
use geomys_page::load::LoadId;

use crate::app::news::server::NewsAuthority;

/// The most octets of a line of an overview whose end has not arrived.
const MAX_LINE_BYTES: usize = 64 * 1024;

/// A load of the overview of articles that are marked read.
#[derive(Debug)]
pub(super) struct CrossPostLoad {
    pub(super) id: LoadId,
    pub(super) server: NewsAuthority,
    pub(super) group: Vec<u8>,
    pub(super) numbers: ArticleNumbers,
    /// The beginning of a line.
    pub(super) line: Vec<u8>,
    pub(super) found: CrossPosts,
}

impl CrossPostLoad {
    /// Takes the next octets of the overview.
    pub(super) fn take(&mut self, octets: &[u8]) {
        self.line.extend_from_slice(octets);
        let end = memchr::memrchr(b'\n', &self.line).map_or(0, |at| at + 1);
        let rest = self.line.split_off(end);
        for line in self.line.split(|&octet| octet == b'\n') {
            self.found.add(line, &self.numbers);
        }
        self.line = rest;
        self.line.truncate(MAX_LINE_BYTES);
    }
}
