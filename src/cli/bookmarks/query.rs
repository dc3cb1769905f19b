//! Results of link checks and watched pages, for the query words that need them.

use geomys_store::bookmarks::checks::{self, Checks};
use geomys_store::bookmarks::watch::{self, WatchedPages};
use jiff::Timestamp;
use rfc1738::Url;

use crate::cli::context::CliContext;
use crate::cli::error::CliError;

/// The stored results of link checks and watched pages. A query without state words needs none.
#[derive(Default)]
pub(super) struct LinkRecords {
    pub(super) checks: Checks,
    pub(super) watched: WatchedPages,
    pub(super) now: Timestamp,
}

impl LinkRecords {
    /// Loads the records.
    pub(super) fn load(context: &CliContext) -> Result<Self, CliError> {
        Ok(Self {
            checks: checks::load(&context.paths.checks())?,
            watched: watch::load(&context.paths.watched())?,
            now: checks::now(),
        })
    }

    /// Returns true if a URL matches a query word about link checks or watched pages.
    pub(super) fn matches(&self, word: &str, url: Option<&Url>) -> bool {
        // There are no records for an invalid URL.
        let result = url.and_then(|url| {
            let result = self.checks.matches(word, url, self.now);
            result.or_else(|| self.watched.matches(word, url))
        });
        result.unwrap_or(false)
    }
}
