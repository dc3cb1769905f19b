//! Files of facts about URLs: one JSON object per line, read whole, and written whole or not at all.
//!
//! The results of link checks, the states of watched pages and the dates of bookmarks are such files. A file is changed
//! as it is then, so that two processes lose nothing of each other. Damaged lines are ignored and removed. The number
//! of lines is bounded, and no fact is removed for its age.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;

use super::checks::UrlKey;
use crate::files::user_file::{FileError, UserFile};

/// Maximum number of lines; the facts that were needed longest ago are removed first.
const MAX_LINES: usize = 1_000_000;

/// Facts by URL.
pub(super) type Facts<F> = BTreeMap<UrlKey, F>;

/// Statement of one line of a file about its URL.
pub(super) trait Fact: Sized {
    /// File of these facts.
    const FILE: UserFile;

    /// Returns the line of the fact.
    fn to_line(&self, key: &UrlKey) -> impl Serialize;

    /// Parses a line; `None` for a damaged one.
    fn from_line(line: &[u8]) -> Option<(UrlKey, Self)>;

    /// Time when the fact was last needed; `None` for a fact that does not age.
    fn last_needed(&self) -> Option<Timestamp>;
}

/// Parses a file; any octets are accepted.
pub(super) fn parse<F: Fact>(octets: &[u8]) -> Facts<F> {
    let lines = octets.split(|&octet| octet == b'\n');
    lines.filter_map(F::from_line).collect()
}

/// Formats a file.
pub(super) fn format<F: Fact>(facts: &Facts<F>) -> Vec<u8> {
    let mut octets = Vec::new();
    for (key, fact) in facts {
        // A line holds strings and numbers alone, so serializing cannot fail.
        if serde_json::to_writer(&mut octets, &fact.to_line(key)).is_ok() {
            octets.push(b'\n');
        }
    }
    octets
}

/// Reads a file; a missing file has no facts.
///
/// # Errors
/// A `FileError` of reading.
pub(super) fn load<F: Fact>(path: &Path) -> Result<Facts<F>, FileError> {
    Ok(parse(&F::FILE.read(path)?))
}

/// Changes the facts in a file as it is now by `edit`, and returns them all.
///
/// # Errors
/// A `FileError`; nothing is written then.
pub(super) fn change<F: Fact>(
    path: &Path,
    edit: impl Fn(Facts<F>) -> Facts<F>,
) -> Result<Facts<F>, FileError> {
    F::FILE.change(path, |octets| {
        let mut facts = edit(parse::<F>(&octets));
        bound(&mut facts);
        Ok((format(&facts), facts))
    })
}

/// Removes the facts that were needed longest ago if there are too many.
fn bound<F: Fact>(facts: &mut Facts<F>) {
    let over = facts.len().saturating_sub(MAX_LINES);
    if over > 0 {
        let times = facts.iter();
        let times = times.map(|(key, fact)| (fact.last_needed(), key.clone()));
        let mut times: Vec<(Option<Timestamp>, UrlKey)> = times.collect();
        times.sort_unstable();
        for (_, key) in times.into_iter().take(over) {
            facts.remove(&key);
        }
    }
}
