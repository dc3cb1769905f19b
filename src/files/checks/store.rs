//! The file of what is known, a line a URL: read whole, and written whole or not at all.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Checks, Finding, Key, Known};
use crate::files::{atomic, regular};
use crate::load::check::Verdict;
use crate::text::Text;
use crate::url::Url;

/// Why the file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading failed.
    #[error("what is known of the bookmarks cannot be read: {source} ({path})", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Writing failed; the file is as it was.
    #[error("what was found out was not written down: {source} ({path})", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    url: String,
    state: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    words: String,
    at: String,
    #[serde(default)]
    ms: u64,
    since: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alive: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    listed: Option<String>,
}

impl Line {
    pub(super) fn of(key: &Key, known: &Known) -> Self {
        Self {
            url: key.0.clone(),
            state: known.verdict.name().to_owned(),
            words: match &known.verdict {
                Verdict::Moved(url) => url.without_password().to_string(),
                verdict => verdict.words(),
            },
            at: known.at.to_string(),
            ms: u64::try_from(known.took.as_millis()).unwrap_or(u64::MAX),
            since: known.since.to_string(),
            alive: known.alive.map(|alive| alive.to_string()),
            listed: Some(known.listed.to_string()),
        }
    }

    pub(super) fn known(self) -> Option<(Key, Known)> {
        let url = Url::accept(&self.url).ok()?;
        let words = || {
            // Somebody else may have written the file.
            Text::of(&self.words).to_string()
        };
        let verdict = match self.state.as_str() {
            "alive" => Verdict::Alive,
            "moved" => Verdict::Moved(Url::accept(&self.words).ok()?),
            "gone" => Verdict::Gone(words()),
            "refused" => Verdict::Refused(words()),
            "no answer" => Verdict::NoAnswer(words()),
            _ => return None,
        };
        let time = |written: &str| written.parse::<Timestamp>().ok();
        let at = time(&self.at)?;
        let known = Known {
            verdict,
            at,
            took: Duration::from_millis(self.ms),
            since: time(&self.since)?,
            alive: self.alive.as_deref().and_then(time),
            listed: self.listed.as_deref().and_then(time).unwrap_or(at),
        };
        Some((Key::of(&url), known))
    }
}

/// Reads the file; one that does not exist holds nothing.
///
/// # Errors
/// [`Error::Read`].
pub fn load(path: &Path) -> Result<Checks, Error> {
    Ok(Checks::parse(&read(path)?))
}

/// Takes findings into the file as it is now, and forgets what has been in no list for a year; `listed` are the URLs that
/// are in one now. Gives all that is known then.
///
/// # Errors
/// Any [`Error`]; nothing is written then.
pub fn save(
    path: &Path,
    findings: &[Finding],
    listed: &BTreeSet<Key>,
    now: Timestamp,
) -> Result<Checks, Error> {
    let write = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    atomic::change(path, write, || {
        let mut checks = load(path)?;
        for finding in findings {
            checks.note(finding);
        }
        checks.forget(listed, now);
        Ok((checks.to_octets(), checks))
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    regular::read_list(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}
