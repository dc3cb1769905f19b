//! Results of link checks and watched pages, for the query words that need them.

use jiff::Timestamp;

use crate::bookmarks::checks::{self, Checks};
use crate::bookmarks::watch::{self, WatchedPages};
use crate::cli::{CliContext, CliError};
use crate::url::Url;

/// The stored results of link checks and watched pages.
pub(super) struct LinkRecords {
    pub(super) checks: Checks,
    pub(super) watched: WatchedPages,
    pub(super) now: Timestamp,
}

impl LinkRecords {
    /// Loads the records.
    pub(super) fn load(context: &CliContext) -> Result<Self, CliError> {
        let cli_error = |error: String| CliError::new(error);
        let checks = checks::load(&context.paths.checks());
        let watched = watch::load(&context.paths.watched());
        Ok(Self {
            checks: checks.map_err(|error| cli_error(error.to_string()))?,
            watched: watched.map_err(|error| cli_error(error.to_string()))?,
            now: checks::now(),
        })
    }

    /// Returns empty records, for queries that do not need them.
    pub(super) fn empty() -> Self {
        Self {
            checks: Checks::default(),
            watched: WatchedPages::default(),
            now: checks::now(),
        }
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
