//! Score rules of the user for news articles: `score.txt`, which the user edits. Its grammar is that of
//! [`crate::document::score`].

use std::path::Path;

use super::regular;
use super::user_file::{FileError, UserFile, complete_lines};
use crate::document::score::{RuleFault, ScoreRules};

const FILE: UserFile = UserFile {
    most: regular::BY_HAND,
    read_failed: "the rules cannot be read",
    write_failed: "the rule was not written down",
};

/// Reads the file: its rules and its faulty lines. A missing file has no rules; octets that are not UTF-8 match nothing.
///
/// # Errors
/// Errors of reading.
pub fn load(path: &Path) -> Result<(ScoreRules, Vec<RuleFault>), FileError> {
    let octets = FILE.read(path)?;
    Ok(ScoreRules::parse(&String::from_utf8_lossy(&octets)))
}

/// Adds a rule for a group at the end of the file as it is now, and returns all rules of the file.
///
/// # Errors
/// Errors of reading and writing; nothing is written then.
pub fn add(path: &Path, group: &str, rule: &str) -> Result<ScoreRules, FileError> {
    FILE.change(path, |octets| {
        // Existing octets are preserved, also if they are not UTF-8.
        let mut octets = complete_lines(octets, b"");
        let section = format!("[{group}]");
        let before = String::from_utf8_lossy(&octets);
        let mut sections = before.lines().map(str::trim);
        if sections.rfind(|line| line.starts_with('[')) != Some(&section) {
            octets.extend(format!("{section}\n").into_bytes());
        }
        octets.extend(format!("{rule}\n").into_bytes());
        let (rules, _) = ScoreRules::parse(&String::from_utf8_lossy(&octets));
        Ok((octets, rules))
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
