//! Stored drafts: postponed drafts, drafts that wait for a sync, and drafts that no server accepted.
//!
//! The reason of a refusal is stored next to the draft, in a file with the extension `.why`.

use geomys_load::Namer;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::record::{SendRecord, State, forget, record_of};
use super::{DeliveryMethod, Draft, UPLOAD_TO, create_free, read};
use crate::files::{atomic, regular};

/// Maximum size of a reason file, in octets.
const REASON: u64 = 4096;

/// Maximum number of listed drafts; the newest are listed.
const MAX_DRAFTS: usize = 500;

/// Draft in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDraft {
    /// Path of the file.
    pub path: PathBuf,
    /// Delivery method.
    pub delivery: DeliveryMethod,
    /// Subject; empty if there is none.
    pub subject: String,
    /// Newsgroups, or recipients of a letter.
    pub to: String,
    /// Last modification of the file, in local time.
    pub when: String,
    /// Reason why the draft was refused or cannot be read; `None` if it was never sent.
    pub refusal: Option<String>,
    /// State of the draft.
    pub state: State,
    /// Who named the URL of its server.
    pub namer: Namer,
}

impl Draft {
    /// Returns the delivery method, by the headers of the draft.
    pub fn delivery(&self) -> DeliveryMethod {
        if self.header(UPLOAD_TO).is_some() {
            DeliveryMethod::Upload
        } else if self.header("Newsgroups").is_none() && self.is_letter() {
            DeliveryMethod::Mail
        } else {
            DeliveryMethod::Post
        }
    }

    /// Returns true if the draft has recipients, or a place for them.
    fn is_letter(&self) -> bool {
        let mut headers = self.headers.iter();
        headers.any(|(name, _)| name.eq_ignore_ascii_case("To"))
    }
}

/// Lists the drafts in `directory`, the newest first; empty if the directory does not exist.
///
/// # Errors
/// A sentence.
pub fn list_stored(directory: &Path) -> Result<Vec<StoredDraft>, String> {
    let failure = |error: io::Error| {
        format!(
            "the drafts in {} cannot be read: {error}",
            directory.display()
        )
    };
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failure(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(failure)?.path();
        if path.extension().is_some_and(|extension| extension == "eml") {
            let written = fs::metadata(&path).and_then(|metadata| metadata.modified());
            files.push((written.unwrap_or(SystemTime::UNIX_EPOCH), path));
        }
    }
    files.sort_unstable_by(|one, other| other.cmp(one));
    files.truncate(MAX_DRAFTS);
    Ok(files
        .into_iter()
        .map(|(written, path)| read_stored(path, written))
        .collect())
}

fn read_stored(path: PathBuf, written: SystemTime) -> StoredDraft {
    let when = Timestamp::try_from(written).map_or(String::new(), |written| {
        let when = written.to_zoned(TimeZone::system());
        when.strftime("%Y-%m-%d %H:%M").to_string()
    });
    let reason = regular::read(&reason_of(&path), REASON).ok();
    let reason = reason.map(|octets| String::from_utf8_lossy(&octets).trim().to_owned());
    let (draft, refusal) = match read(&path) {
        Ok(draft) => (draft, reason),
        Err(sentence) => (Draft::default(), Some(sentence)),
    };
    let record = SendRecord::load(&path);
    let line = record.line();
    let lines: Vec<String> = line.into_iter().chain(refusal).collect();
    let refusal = (!lines.is_empty()).then(|| lines.join("\n"));
    let delivery = draft.delivery();
    let to = match delivery {
        DeliveryMethod::Post => draft.header("Newsgroups"),
        DeliveryMethod::Mail => draft.header("To"),
        DeliveryMethod::Upload => draft.header(UPLOAD_TO),
    };
    StoredDraft {
        delivery,
        subject: draft.header("Subject").unwrap_or_default().to_owned(),
        to: to.unwrap_or_default().to_owned(),
        when,
        refusal,
        state: record.state,
        namer: record.namer,
        path,
    }
}

/// Writes the reason why a draft was refused. An error is ignored: the draft itself is safe.
pub fn note_refusal(path: &Path, refusal: &str) {
    let _ = atomic::replace(&reason_of(path), refusal.as_bytes());
}

/// Moves a sent draft to the directory `sent`.
///
/// # Errors
/// A sentence.
pub fn put_away(path: &Path) -> Result<(), String> {
    let failure =
        |error: io::Error| format!("sent, but {} could not be moved: {error}", path.display());
    let (Some(directory), Some(name)) = (path.parent().and_then(Path::parent), path.file_name())
    else {
        return Ok(());
    };
    let sent = directory.join("sent");
    atomic::create_directory(&sent).map_err(failure)?;
    // The new name is reserved first, so that no earlier sent draft is overwritten. A process that was killed may have
    // reserved it.
    let reserved = sent.join(name);
    let target = match fs::symlink_metadata(&reserved) {
        Ok(found) if found.is_file() && found.len() == 0 => reserved,
        _ => {
            create_free(&sent, &name.to_string_lossy())
                .map_err(failure)?
                .0
        }
    };
    if let Err(error) = fs::rename(path, &target) {
        // What is reserved is empty: if it stays, the next attempt takes it.
        let _ = fs::remove_file(target);
        return Err(failure(error));
    }
    forget_refusal(path);
    Ok(())
}

/// Removes the notes of drafts that are not there any more, which a killed process may leave. An error is ignored: the
/// notes belong to nothing.
pub fn sweep_notes(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        let draft = path.with_extension("eml");
        let is_note = path == reason_of(&draft) || path == record_of(&draft);
        if is_note && matches!(draft.try_exists(), Ok(false)) {
            forget_refusal(&draft);
        }
    }
}

/// Removes the reason of a refusal and the send record of a draft.
pub(super) fn forget_refusal(path: &Path) {
    // Most drafts have no such file.
    let _ = fs::remove_file(reason_of(path));
    forget(path);
}

/// Removes a draft and its other files permanently.
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
