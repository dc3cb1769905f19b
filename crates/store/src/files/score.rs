//! Score rules of the user for news articles: `score.txt`, which the user edits. Its grammar is that of
//! [`geomys_page::document::score`].

use std::path::Path;

use geomys_page::document::score::{NewRule, RuleFault, ScoreRules};
use jiff::Zoned;
use jiff::civil::Date;

use super::regular;
use super::user_file::{FileError, UserFile, complete_lines};

const FILE: UserFile = UserFile {
    max_bytes: regular::BY_HAND,
    read_failed: "the rules cannot be read",
    write_failed: "the rule was not saved",
};

/// Reads the file: its rules and its faulty lines. A missing file has no rules; octets that are not UTF-8 match nothing.
///
/// # Errors
/// Errors of reading.
pub fn load(path: &Path) -> Result<(ScoreRules, Vec<RuleFault>), FileError> {
    let octets = FILE.read(path)?;
    let (rules, faults) = ScoreRules::parse(&String::from_utf8_lossy(&octets));
    Ok((rules.on(today), faults))
}

fn today() -> Date {
    Zoned::now().date()
}

/// Adds a rule for the groups of a wildmat at the end of the file as it is now, and returns all rules of the file.
///
/// # Errors
/// Errors of reading and writing; nothing is written then.
pub fn add(path: &Path, wildmat: &str, rule: &NewRule) -> Result<ScoreRules, FileError> {
    FILE.change(path, |octets| {
        // Existing octets are preserved, also if they are not UTF-8.
        let mut octets = complete_lines(octets, b"");
        let section = format!("[{wildmat}]");
        let before = String::from_utf8_lossy(&octets);
        let mut sections = before.lines().map(str::trim);
        if sections.rfind(|line| line.starts_with('[')) != Some(&section) {
            octets.extend(format!("{section}\n").into_bytes());
        }
        octets.extend(format!("{}\n", rule.line(today())).into_bytes());
        let (rules, _) = ScoreRules::parse(&String::from_utf8_lossy(&octets));
        Ok((octets, rules.on(today)))
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
        let rule = |score, header, text| NewRule::new(score, header, text).unwrap();
        add(&path, "a.b", &rule(-9999, "From", "xxx")).unwrap();
        add(&path, "a.b", &rule(100, "Subject", "yyy")).unwrap();
        fs::write(
            &path,
            [&fs::read(&path).unwrap(), b"# caf\xe9".as_slice()].concat(),
        )
        .unwrap();
        let rules = add(&path, "c.d", &rule(1, "From", "zzz")).unwrap();
        let expected =
            b"[a.b]\n-9999 From: xxx\n+100 Subject: yyy\n# caf\xe9\n[c.d]\n+1 From: zzz\n"
                .as_slice();
        assert_eq!(fs::read(&path).unwrap(), expected);
        assert_eq!(load(&path).unwrap().0, rules);
        assert!(!rules.is_empty_for(b"c.d") && rules.is_empty_for(b"e.f"));
        // A rule that has expired stays in the file, and counts no more.
        fs::write(&path, "[e.f]\n+1 until 2001-01-01 From: zzz\n").unwrap();
        assert!(load(&path).unwrap().0.is_empty_for(b"e.f"));
    }
}
