//! Progress and summary of a walk.

use std::time::Duration;

use geomys_wire::net::TransferEnd;
use geomys_wire::text::{self, Text};
use serde::Serialize;

/// Summary of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeSummary {
    /// Number of fetched files.
    pub files: usize,
    /// Number of those that have replaced an older version.
    pub updated: usize,
    /// Number of deleted files, which the server does not have any more.
    pub deleted: usize,
    /// Number of entered directories, including the first one.
    pub directories: usize,
    /// Total size of the fetched files, in octets.
    pub octets: u64,
    /// Number of files that existed already.
    pub existing: usize,
    /// Number of files that stayed, as what came in their place may be cut.
    pub kept: usize,
    /// Number of pages of an earlier run that nothing links to now, and that stay: their server did not say that they
    /// are gone.
    pub unlinked: usize,
    /// Links of a site that were not followed.
    pub left_out: Box<LeftOut>,
    /// Number of links of a site whose pages do not exist.
    pub missing: usize,
    /// Number of pages of a site that ask for an answer or a certificate.
    pub unanswered: usize,
    /// Number of pages of a site that change in each run.
    pub changing: usize,
    /// Number of entries that failed or were left out.
    pub failures: usize,
    /// Names and reasons of the failures, at most a hundred thousand.
    pub failed: Vec<(Text, String)>,
    /// Steps of a dry run, a line for each file.
    pub planned: Vec<String>,
    /// Notes about entries that are not missing.
    pub notes: Vec<String>,
    /// Unconfirmed if the end of a listing or of a file is.
    pub end: TransferEnd,
}

impl TreeSummary {
    /// Formats the failures, one per line.
    pub fn failed_lines(&self) -> Vec<String> {
        let lines = self
            .failed
            .iter()
            .map(|(name, why)| format!("{name}: {why}"));
        let more = self.failures.saturating_sub(self.failed.len());
        let more = (more > 0).then(|| format!("and {} more", text::count(more)));
        lines.chain(more).collect()
    }

    /// Formats the summary as one line: `12 files, 3 directories, 45.0 MB; 1 failed`, with the duration if `time` is
    /// given.
    pub fn sentence(&self, time: Option<Duration>) -> String {
        let many = |count: usize, one: &str, more: &str| {
            format!(
                "{} {}",
                text::count(count),
                if count == 1 { one } else { more }
            )
        };
        let mut sentence = format!(
            "{}, {}, {}",
            many(self.files, "file", "files"),
            many(self.directories, "directory", "directories"),
            text::octets(self.octets)
        );
        if let Some(time) = time {
            sentence = format!("{sentence} in {} s", time.as_secs());
        }
        if self.updated > 0 {
            sentence = format!("{sentence}; {} updated", text::count(self.updated));
        }
        if self.deleted > 0 {
            sentence = format!("{sentence}; {} deleted", text::count(self.deleted));
        }
        if self.existing > 0 {
            sentence = format!("{sentence}; {} there already", text::count(self.existing));
        }
        if self.kept > 0 {
            sentence = format!("{sentence}; {} not replaced", text::count(self.kept));
        }
        if self.unlinked > 0 {
            let pages = many(self.unlinked, "page", "pages");
            sentence = format!("{sentence}; {pages} that nothing links to");
        }
        if self.changing > 0 {
            let changing = text::count(self.changing);
            sentence = format!("{sentence}; {changing} always changing");
        }
        if self.missing > 0 {
            sentence = format!("{sentence}; {} missing", text::count(self.missing));
        }
        if self.failures > 0 {
            sentence = format!("{sentence}; {} failed", text::count(self.failures));
        }
        sentence
    }
}

/// Numbers of links of a site that were not followed, each link once, by their reasons. The keys and their order are
/// those of `--json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Links to other hosts, or to pages that are not below the first one.
    pub scope: usize,
    /// Links that the rules of their host refuse.
    pub robots: usize,
    /// Links to what is no page, or needs words: searches, phone books, sessions.
    pub kind: usize,
    /// Links deeper than the limit.
    pub depth: usize,
    /// Links beyond the number of pages.
    pub pages: usize,
    /// Links whose names were excluded, or not included.
    pub excluded: usize,
    /// Links to pages of hosts that were silent.
    pub silent: usize,
    /// Links to Gopher menus that are the same with a slash at the end as without.
    pub repeated: usize,
}

impl LeftOut {
    /// Formats the numbers as one line; `None` if no link was left out.
    pub fn sentence(&self) -> Option<String> {
        let parts = [
            (self.scope, "to other places"),
            (self.robots, "refused by robots.txt"),
            (self.kind, "to searches or sessions"),
            (self.depth, "deeper than --depth"),
            (self.pages, "beyond --pages"),
            (self.excluded, "excluded by name"),
            (self.silent, "on silent hosts"),
            (self.repeated, "to repeated menus"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, why)| format!("{} {why}", text::count(count)))
            .collect();
        (!parts.is_empty()).then(|| format!("links left out: {}", parts.join(", ")))
    }
}

/// Progress of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeProgress {
    /// Number of files that were fetched, existed already or failed.
    pub done: usize,
    /// Number of files found so far.
    pub found: usize,
    /// Octets received so far, including those of the files that are being fetched.
    pub octets: u64,
    /// Octets of the files that existed already.
    pub existing: u64,
    /// Octets of the files found so far, as far as their listings tell sizes.
    pub size: u64,
    /// Current file or directory.
    pub name: Text,
    /// Time until the next attempt, and the error message.
    pub retry: Option<(Duration, String)>,
    /// An outage or a decision, as a line that is reported once.
    pub line: Option<String>,
}
