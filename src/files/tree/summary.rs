//! What a walk tells: how it goes, and what it came to.

use std::time::Duration;

use crate::text::{self, Text};

/// What a walk came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files fetched.
    pub files: usize,
    /// Directories entered, the first one included.
    pub directories: usize,
    /// Octets of the files that were fetched.
    pub octets: u64,
    /// Files that were there already.
    pub there: usize,
    /// How many entries failed, or were left out.
    pub failures: usize,
    /// Their names and why, no more than a thousand.
    pub failed: Vec<(Text, String)>,
    /// What else is to be known: nothing of it is missing.
    pub notes: Vec<String>,
}

impl Summary {
    /// What failed and why, line by line.
    pub fn failed_lines(&self) -> Vec<String> {
        let told = self
            .failed
            .iter()
            .map(|(name, why)| format!("{name}: {why}"));
        let more = self.failures.saturating_sub(self.failed.len());
        let more = (more > 0).then(|| format!("and {} more", text::count(more)));
        told.chain(more).collect()
    }

    /// In one line: `12 files, 3 directories, 45.0 MB; 1 failed`, with `time` where it is told how long it took.
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
        if self.there > 0 {
            sentence = format!("{sentence}; {} there already", text::count(self.there));
        }
        if self.failures > 0 {
            sentence = format!("{sentence}; {} failed", text::count(self.failures));
        }
        sentence
    }
}

/// How a walk goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Files that are here, or have failed.
    pub done: usize,
    /// Files found so far.
    pub found: usize,
    /// Octets that have come, those of the file on its way included.
    pub octets: u64,
    /// The file, or the directory, it is busy with.
    pub name: Text,
    /// It waits this long before it tries again, and why.
    pub again: Option<(Duration, String)>,
}
