//! The drafts that are kept: those that were put off, and those that nobody took.
//!
//! Why a draft was not taken stands beside it, in a file of its name that ends in `.why`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::attempt::{self, Record};
use super::{Draft, Way, read};
use crate::files::{atomic, regular};

/// The longest reason that is read, in octets.
const WHY: u64 = 4096;

/// Drafts that are listed at most, the newest.
const MOST: usize = 500;

/// A draft in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// How it is to go out.
    pub way: Way,
    /// Its subject; empty where it has none.
    pub subject: String,
    /// Its groups, or whom it is for.
    pub to: String,
    /// When its file was last written, in the time of this machine.
    pub when: String,
    /// Why it was not taken, or cannot be read; nothing where nobody was asked.
    pub why: Option<String>,
}

impl Draft {
    /// How it is to go out, by what stands in it.
    pub fn way(&self) -> Way {
        if self.header("Newsgroups").is_none() && self.header("To").is_some() {
            Way::Mail
        } else {
            Way::Post
        }
    }
}

/// The drafts in `directory`, the newest first; none where there is no such directory.
///
/// # Errors
/// A sentence.
pub fn kept(directory: &Path) -> Result<Vec<Kept>, String> {
    let told = |error: io::Error| {
        format!(
            "the drafts in {} cannot be read: {error}",
            directory.display()
        )
    };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(told(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(told)?.path();
        if path.extension().is_some_and(|extension| extension == "eml") {
            let written = fs::metadata(&path).and_then(|metadata| metadata.modified());
            files.push((written.unwrap_or(SystemTime::UNIX_EPOCH), path));
        }
    }
    files.sort_unstable_by(|one, other| other.cmp(one));
    files.truncate(MOST);
    Ok(files
        .into_iter()
        .map(|(written, path)| kept_in(path, written))
        .collect())
}

fn kept_in(path: PathBuf, written: SystemTime) -> Kept {
    let when = Timestamp::try_from(written)
        .map(|written| written.to_zoned(TimeZone::system()))
        .map_or(String::new(), |when| {
            when.strftime("%Y-%m-%d %H:%M").to_string()
        });
    let reason = regular::read(&reason_of(&path), WHY).ok();
    let reason = reason.map(|octets| String::from_utf8_lossy(&octets).trim().to_owned());
    let (draft, why) = match read(&path) {
        Ok(draft) => (draft, reason),
        Err(sentence) => (Draft::default(), Some(sentence)),
    };
    let line = Record::load(&path).line();
    let why = match (why, line) {
        (Some(why), Some(line)) => Some(format!("{line}\n{why}")),
        (why, line) => why.or(line),
    };
    let way = draft.way();
    let to = match way {
        Way::Post => draft.header("Newsgroups"),
        Way::Mail => draft.header("To"),
    };
    Kept {
        way,
        subject: draft.header("Subject").unwrap_or_default().to_owned(),
        to: to.unwrap_or_default().to_owned(),
        when,
        why,
        path,
    }
}

/// Writes down why a draft was not taken. Where that fails the draft is none the worse.
pub fn note_refusal(path: &Path, why: &str) {
    let _ = atomic::replace(&reason_of(path), why.as_bytes(), &|_| {});
}

/// Forgets why a draft was not taken, and how often it was sent.
pub(super) fn forget_refusal(path: &Path) {
    // Mostly there is none.
    let _ = fs::remove_file(reason_of(path));
    attempt::forget(path);
}

/// Removes a draft for good.
///
/// # Errors
/// A sentence.
pub fn remove(path: &Path) -> Result<(), String> {
    fs::remove_file(path)
        .map_err(|error| format!("{} could not be removed: {error}", path.display()))?;
    forget_refusal(path);
    Ok(())
}

fn reason_of(path: &Path) -> PathBuf {
    path.with_extension("why")
}
