//! The Message-IDs of the user's articles, by which replies to them are known.
//!
//! ```text
//! file = *( "<" id ">" LF )       ; the oldest first
//! ```

use std::io;
use std::path::{Path, PathBuf};

use super::SendRecord;
use crate::files::atomic::{self, WriteStep};
use crate::files::regular;

/// The name of the file beside the directory of drafts.
const FILE: &str = "posted.txt";

/// Maximum size of the file, in octets.
const MAX_BYTES: u64 = 1024 * 1024;

/// Maximum number of articles; the oldest are left out.
const MAX_ARTICLES: usize = 5000;

/// Returns the file beside a directory of drafts.
pub fn posted_beside(drafts: &Path) -> PathBuf {
    drafts.with_file_name(FILE)
}

/// Reads the Message-IDs, with their brackets. A file that cannot be read has none.
pub fn posted_ids(path: &Path) -> Vec<String> {
    read(path).unwrap_or_default()
}

fn read(path: &Path) -> io::Result<Vec<String>> {
    let octets = regular::read_if_any(path, MAX_BYTES)?;
    let text = String::from_utf8_lossy(octets.as_deref().unwrap_or_default()).into_owned();
    let ids = text.lines().map(str::trim);
    let ids = ids.filter(|id| id.starts_with('<'));
    Ok(ids.map(str::to_owned).collect())
}

/// Adds the Message-ID of a sent draft, as its record tells it. An error is ignored, as the article itself is posted; a
/// file that cannot be read stays as it is.
pub(crate) fn note_posted(draft: &Path) {
    note_by(draft, |_| {});
}

/// Like [`note_posted`], with `reached` called after every step. Another process may note an article at the same time.
fn note_by(draft: &Path, reached: impl Fn(WriteStep)) {
    let (Some(id), Some(drafts)) = (SendRecord::load(draft).id, draft.parent()) else {
        return;
    };
    let path = posted_beside(drafts);
    let _ = atomic::change_by(
        &path,
        reached,
        |error| error,
        || {
            let mut ids = read(&path)?;
            if ids.contains(&id) {
                return Ok((None, ()));
            }
            ids.push(id.clone());
            let left_out = ids.len().saturating_sub(MAX_ARTICLES);
            let lines = ids.iter().skip(left_out).map(|id| format!("{id}\n"));
            Ok((Some(lines.collect::<String>()), ()))
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posted_articles_are_noted_once() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = directory.path().join("drafts");
        std::fs::create_dir(&drafts).unwrap();
        let path = posted_beside(&drafts);
        assert_eq!(posted_ids(&path), [""; 0]);
        for id in ["<1@x>", "<2@x>", "<1@x>"] {
            let draft = drafts.join("a.eml");
            let record = SendRecord {
                id: Some(id.to_owned()),
                ..SendRecord::default()
            };
            record.save(&draft).unwrap();
            note_posted(&draft);
        }
        note_posted(&drafts.join("none.eml"));
        assert_eq!(posted_ids(&path), ["<1@x>", "<2@x>"]);
    }

    #[test]
    fn article_that_another_process_notes_meanwhile_stays() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = directory.path().join("drafts");
        std::fs::create_dir(&drafts).unwrap();
        let path = posted_beside(&drafts);
        let note = |id: &str, reached: &dyn Fn(WriteStep)| {
            let draft = drafts.join(format!("{}.eml", id.trim_matches(['<', '>'])));
            let record = SendRecord {
                id: Some(id.to_owned()),
                ..SendRecord::default()
            };
            record.save(&draft).unwrap();
            note_by(&draft, reached);
        };
        let is_noted = std::cell::Cell::new(false);
        note("<1@x>", &|_| {
            if !is_noted.replace(true) {
                std::fs::write(&path, "<2@x>\n").unwrap();
            }
        });
        assert_eq!(posted_ids(&path), ["<2@x>", "<1@x>"]);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let note = &note;
                scope.spawn(move || {
                    for number in 0..20 {
                        note(&format!("<{thread}.{number}@y>"), &|_| {});
                    }
                });
            }
        });
        assert_eq!(posted_ids(&path).len(), 82);
    }

    #[test]
    fn file_that_cannot_be_read_stays_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let drafts = directory.path().join("drafts");
        std::fs::create_dir(&drafts).unwrap();
        let draft = drafts.join("a.eml");
        let record = SendRecord {
            id: Some("<1@x>".to_owned()),
            ..SendRecord::default()
        };
        record.save(&draft).unwrap();
        let path = posted_beside(&drafts);
        let long = "<0@x>\n".repeat(usize::try_from(MAX_BYTES).unwrap() / 6 + 1);
        std::fs::write(&path, &long).unwrap();
        note_posted(&draft);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), long);
    }
}
