//! Folded threads and score rules: what the user says about the articles of a news server.

use std::path::Path;
use std::sync::Arc;

use geomys_page::document::Fold;
use geomys_page::document::folds::{FoldChange, GroupFolds, is_word};
use geomys_page::document::score::{NewRule, RuleFault, ScoreRules};
use geomys_wire::protocol::octets;
use jiff::Zoned;
use jiff::civil::Date;

use super::regular;
use super::user_file::{FileError, UserFile, complete_lines};

/// Maximum number of stored groups.
const MAX_GROUPS: usize = 1000;

/// Maximum length of a group name, in octets.
const MAX_NAME_BYTES: usize = 1000;

const FILE: UserFile = UserFile {
    // More than the maximum number of groups needs.
    max_bytes: 128 << 20,
    read_failed: "folded threads cannot be read",
    write_failed: "folded threads were not saved",
};

/// Folded threads in the groups of a news server: one file per server.
///
/// ```text
/// line  = rule " " group LF             ; state of the threads of a group
///       / " " id LF                     ; a thread of that group in the opposite state, by its first Message-ID
///       / *octet LF                     ; ignored
/// rule  = "open" / "folded"
/// ```
///
/// A change is applied to the file as it is at that moment, so that changes of another Geomys process are not lost.
///
/// Folds of all groups of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFolds {
    /// Groups with folded threads, the one changed longest ago first.
    groups: Vec<(Vec<u8>, Arc<GroupFolds>)>,
}

impl ServerFolds {
    /// Parses a file; any bytes are accepted.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut folds = Self::default();
        let mut group = None;
        for line in octets::lines(bytes) {
            if let Some(id) = line.strip_prefix(b" ") {
                if let Some((name, all)) = group {
                    folds.apply(name, &FoldChange::Thread(id.to_vec(), Fold::toggled(all)));
                }
                continue;
            }
            let open = line.strip_prefix(b"open ").map(|name| (name, Fold::Open));
            let folded = || line.strip_prefix(b"folded ");
            // Threads below an unrecognized line belong to no group.
            group = open.or_else(|| folded().map(|name| (name, Fold::Closed)));
            if let Some((name, all)) = group {
                folds.apply(name, &FoldChange::All(all));
            }
        }
        folds
    }

    /// Returns the content of the file.
    pub fn octets(&self) -> Vec<u8> {
        let mut octets = Vec::new();
        for (name, folds) in &self.groups {
            let rule: &[u8] = match folds.all() {
                Fold::Open => b"open ",
                Fold::Closed => b"folded ",
            };
            octets.extend([rule, name, b"\n"].concat());
            for id in folds.except() {
                octets.extend([b" ", id.as_slice(), b"\n"].concat());
            }
        }
        octets
    }

    /// Returns the folds of a group.
    pub fn of(&self, group: &[u8]) -> Arc<GroupFolds> {
        let mut groups = self.groups.iter();
        let found = groups.find(|(name, _)| name == group);
        found.map_or_else(Arc::default, |(_, folds)| Arc::clone(folds))
    }

    /// Applies a change to the folds of a group. If there are too many groups then, the oldest is removed. A group
    /// whose name does not fit a line is ignored.
    pub fn apply(&mut self, group: &[u8], change: &FoldChange) {
        if !is_word(group) || group.len() > MAX_NAME_BYTES {
            return;
        }
        let at = self.groups.iter().rposition(|(name, _)| name == group);
        let existing = at.map(|at| self.groups.remove(at));
        let (name, mut folds) = existing.unwrap_or_else(|| (group.to_vec(), Arc::default()));
        Arc::make_mut(&mut folds).apply(change);
        if *folds != GroupFolds::default() {
            self.groups.push((name, folds));
            let too_many = self.groups.len().saturating_sub(MAX_GROUPS);
            self.groups.drain(..too_many);
        }
    }

    /// Reads the file; a missing file gives an empty set.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        Ok(Self::parse(&FILE.read(path)?))
    }

    /// Applies changes to the file as it is now, each to the group of that name, and returns the new content.
    ///
    /// # Errors
    /// Errors of reading and writing; nothing is written then.
    pub fn change(path: &Path, changes: &[(Vec<u8>, FoldChange)]) -> Result<Self, FileError> {
        FILE.change(path, |octets| {
            let mut folds = Self::parse(&octets);
            for (group, change) in changes {
                folds.apply(group, change);
            }
            Ok((folds.octets(), folds))
        })
    }
}

const SCORE_FILE: UserFile = UserFile {
    max_bytes: regular::BY_HAND,
    read_failed: "the rules cannot be read",
    write_failed: "the rule was not saved",
};

/// Reads the file: its rules and its faulty lines. A missing file has no rules; octets that are not UTF-8 match
/// nothing.
///
/// # Errors
/// Errors of reading.
pub fn load_score(path: &Path) -> Result<(ScoreRules, Vec<RuleFault>), FileError> {
    let octets = SCORE_FILE.read(path)?;
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
pub fn add_score_rule(path: &Path, wildmat: &str, rule: &NewRule) -> Result<ScoreRules, FileError> {
    SCORE_FILE.change(path, |octets| {
        // Existing octets are preserved, also if they are not UTF-8.
        let mut octets = complete_lines(octets, b"");
        let section = format!("[{wildmat}]");
        let before = String::from_utf8_lossy(&octets);
        let mut sections = before.lines().map(str::trim);
        if sections.rfind(|line| line.starts_with('[')) != Some(&section) {
            octets.extend(format!("{section}\n").into_bytes());
        }
        octets.extend(format!("{}\n", rule.lines(today())).into_bytes());
        let (rules, _) = ScoreRules::parse(&String::from_utf8_lossy(&octets));
        Ok((octets, rules.on(today)))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;

    use super::*;

    fn thread(id: &str, fold: Fold) -> FoldChange {
        FoldChange::Thread(id.as_bytes().to_vec(), fold)
    }

    #[test]
    fn folds_are_merged_with_what_another_process_wrote() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("newsrc/h_119.folds");
        let change = |group: &str, change| {
            ServerFolds::change(&path, &[(group.as_bytes().to_vec(), change)]).unwrap()
        };
        change("a.b", thread("<1@x>", Fold::Closed));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        fs::write(
            &path,
            "later: x\n <0@x>\nfolded c.d\n <9@x>\nopen a.b\n <2@x>\n",
        )
        .unwrap();
        let folds = change("a.b", thread("<1@x>", Fold::Closed));
        let written = "folded c.d\n <9@x>\nopen a.b\n <2@x>\n <1@x>\n";
        assert_eq!(fs::read_to_string(&path).unwrap(), written);
        assert_eq!(ServerFolds::load(&path).unwrap(), folds);
        // A group in the default state needs no line.
        change("a.b", FoldChange::All(Fold::Open));
        change("c.d", thread("<9@x>", Fold::Closed));
        assert_eq!(fs::read_to_string(&path).unwrap(), "folded c.d\n");
    }

    #[test]
    fn oldest_folds_are_dropped_from_a_full_group() {
        let folded = |ids: &mut dyn Iterator<Item = String>| {
            let mut folds = ServerFolds::default();
            ids.for_each(|id| folds.apply(b"a.b", &thread(&id, Fold::Closed)));
            let except = folds.of(b"a.b").except().to_vec();
            let bytes: usize = except.iter().map(Vec::len).sum();
            (except.len(), bytes, except.last().cloned().unwrap())
        };
        let (count, _, last) = folded(&mut (0..1500).map(|n| format!("<{n}@x>")));
        assert_eq!((count, &last[..]), (1000, &b"<1499@x>"[..]));
        let (count, bytes, last) = folded(&mut (0..1500).map(|n| format!("<{n:0>250}@x>")));
        assert!(count < 300 && bytes <= 64 * 1024, "{count} {bytes}");
        assert!(last.ends_with(b"1499@x>"));
        // A thread that is folded again is a new one.
        let mut folds = ServerFolds::default();
        for n in 0..1000 {
            folds.apply(b"a.b", &thread(&format!("<{n}@x>"), Fold::Closed));
        }
        folds.apply(b"a.b", &thread("<0@x>", Fold::Closed));
        folds.apply(b"a.b", &thread("<new@x>", Fold::Closed));
        let except = folds.of(b"a.b").except().to_vec();
        assert!(except.contains(&b"<0@x>".to_vec()) && !except.contains(&b"<1@x>".to_vec()));
    }

    fn change() -> impl Strategy<Value = (Vec<u8>, FoldChange)> {
        let fold = || prop_oneof![Just(Fold::Open), Just(Fold::Closed)];
        let word = || {
            prop_oneof![
                "[a-c]{1,2}".prop_map(String::into_bytes),
                proptest::collection::vec(any::<u8>(), 0..4),
            ]
        };
        let change = prop_oneof![
            1 => fold().prop_map(FoldChange::All),
            4 => (word(), fold()).prop_map(|(id, fold)| FoldChange::Thread(id, fold)),
        ];
        (word(), change)
    }

    proptest! {
        #[test]
        fn any_folds_come_back_as_they_were_written(changes in proptest::collection::vec(change(), 0..40)) {
            let mut folds = ServerFolds::default();
            for (group, change) in &changes {
                folds.apply(group, change);
            }
            prop_assert_eq!(ServerFolds::parse(&folds.octets()), folds);
        }

        #[test]
        fn any_bytes_are_a_file(
            bytes: Vec<u8>,
            lines in "((open|folded) [a-c ]{0,2}\r?\n| [<a-c>\u{e9}]{0,2}\n|[a-c \t]{0,3}\n){0,12}",
        ) {
            for bytes in [&bytes[..], lines.as_bytes()] {
                let folds = ServerFolds::parse(bytes);
                prop_assert_eq!(ServerFolds::parse(&folds.octets()), folds);
            }
        }
    }

    #[test]
    fn a_rule_is_added_below_its_group() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config/score.txt");
        assert!(load_score(&path).unwrap().1.is_empty());
        let rule = |score, header, text| NewRule::new(score, header, text).unwrap();
        add_score_rule(&path, "a.b", &rule(-9999, "From", "xxx")).unwrap();
        add_score_rule(&path, "a.b", &rule(100, "Subject", "yyy")).unwrap();
        fs::write(
            &path,
            [&fs::read(&path).unwrap(), b"# caf\xe9".as_slice()].concat(),
        )
        .unwrap();
        let rules = add_score_rule(&path, "c.d", &rule(1, "From", "zzz")).unwrap();
        let expected =
            b"[a.b]\n-9999 From: xxx\n+100 Subject~ ^((re|aw|sv|vs|antw|odp)[\\d\\[\\]^]*:\\s*)*yyy$\n# caf\xe9\n[c.d]\n+1 From: zzz\n"
                .as_slice();
        assert_eq!(fs::read(&path).unwrap(), expected);
        assert_eq!(load_score(&path).unwrap().0, rules);
        assert!(!rules.is_empty_for(b"c.d") && rules.is_empty_for(b"e.f"));
        // A rule that has expired stays in the file, and counts no more.
        fs::write(&path, "[e.f]\n+1 until 2001-01-01 From: zzz\n").unwrap();
        assert!(load_score(&path).unwrap().0.is_empty_for(b"e.f"));
    }
}
