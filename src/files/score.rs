//! Score rules of the user for news articles: `score.txt`, which the user edits. Its grammar is that of
//! [`crate::document::score`].

use std::io;
use std::path::{Path, PathBuf};

use super::{atomic, regular};
use crate::document::score::{RuleFault, ScoreRules};

/// Error of reading or writing the file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading failed.
    #[error("the rules cannot be read: {source} ({path})", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Writing failed; the file is unchanged.
    #[error("the rule was not written down: {source} ({path})", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

/// Reads the file: its rules and its faulty lines. A missing file has no rules; octets that are not UTF-8 match nothing.
///
/// # Errors
/// [`Error::Read`].
pub fn load(path: &Path) -> Result<(ScoreRules, Vec<RuleFault>), Error> {
    Ok(ScoreRules::parse(&text(path)?))
}

/// Adds a rule for a group at the end of the file as it is now, and returns all rules of the file.
///
/// # Errors
/// [`Error::Read`], [`Error::Write`].
pub fn add(path: &Path, group: &str, rule: &str) -> Result<ScoreRules, Error> {
    let write = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    atomic::change(path, write, || {
        let octets = read(path)?;
        let before = String::from_utf8_lossy(&octets).into_owned();
        let section = format!("[{group}]");
        let mut sections = before.lines().map(str::trim);
        let last = sections.rfind(|line| line.starts_with('['));
        let mut added = String::new();
        if !before.is_empty() && !before.ends_with('\n') {
            added.push('\n');
        }
        if last != Some(section.as_str()) {
            added.push_str(&section);
            added.push('\n');
        }
        added.push_str(rule);
        added.push('\n');
        let (rules, _) = ScoreRules::parse(&format!("{before}{added}"));
        // Existing octets are preserved, also if they are not UTF-8.
        Ok(([octets.as_slice(), added.as_bytes()].concat(), rules))
    })
}

fn text(path: &Path) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&read(path)?).into_owned())
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let octets = regular::read_if_any(path, regular::BY_HAND).map(Option::unwrap_or_default);
    octets.map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_rule_is_added_below_its_group() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config/score.txt");
        assert!(load(&path).unwrap().1.is_empty());
        add(&path, "a.b", "-9999 From: x").unwrap();
        add(&path, "a.b", "+100 Subject: y").unwrap();
        fs::write(
            &path,
            [&fs::read(&path).unwrap(), b"# caf\xe9".as_slice()].concat(),
        )
        .unwrap();
        let rules = add(&path, "c.d", "+1 From: z").unwrap();
        let expected =
            b"[a.b]\n-9999 From: x\n+100 Subject: y\n# caf\xe9\n[c.d]\n+1 From: z\n".as_slice();
        assert_eq!(fs::read(&path).unwrap(), expected);
        assert_eq!(load(&path).unwrap().0, rules);
        assert!(!rules.is_empty_for(b"c.d") && rules.is_empty_for(b"e.f"));
    }
}
