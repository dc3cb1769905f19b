//! Results of link checks and watched pages, for the query words that need them.

use std::io::{self, Write, stderr};

use geomys_store::bookmarks::Query;
use geomys_store::bookmarks::checks::{self, Checks};
use geomys_store::bookmarks::watch::{self, WatchedPages};
use jiff::Timestamp;
use rfc1738::Url;

use crate::cli::context::CliContext;
use crate::cli::error::CliError;

/// The reason why ages are not trusted.
const UNCONFIRMED: &str = "no earlier check of the last 30 days confirms the clock";

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

    /// Returns an error for a query by age if no stored check confirms the clock, which may be years ahead.
    pub(super) fn confirm_ages(&self, query: &Query) -> Result<(), CliError> {
        if query.has_age() && !self.checks.confirm(self.now) {
            let sentence = format!(
                "nothing was selected by age: {UNCONFIRMED}; run `geomys bookmarks check`, and this on a later day"
            );
            return Err(CliError::new(sentence));
        }
        Ok(())
    }

    /// Reports on standard error that listed ages may be wrong, if no stored check confirms the clock.
    pub(super) fn remark_ages(&self) -> io::Result<()> {
        if !self.checks.confirm(self.now) {
            writeln!(stderr(), "geomys: ages may be wrong: {UNCONFIRMED}")?;
        }
        Ok(())
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
