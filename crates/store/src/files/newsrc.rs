//! Read articles and subscribed groups: a `.newsrc`, in the format of tin, slrn and others.
//!
//! ```text
//! line  = group / other
//! group = name ( ":" / "!" ) *blank [ numbers ] [ CR ] LF      ; ":" when it is subscribed to, "!" when not
//! other = *octet                                              ; options, comments, unknown lines
//! ```
//!
//! The order of lines and every octet of unchanged lines are preserved. The first line of a group counts. A
//! change is applied to the file as it is at that moment, see [`SharedNewsrc`].

mod shared;

use std::path::Path;
use std::sync::Arc;

use geomys_page::document::ArticleNumbers;
use geomys_page::document::marks::ServerMarks;

pub use self::shared::SharedNewsrc;
use super::regular;
use super::user_file::{FileError, UserFile};
pub use geomys_page::document::marks::{GroupMarks, MarkChange};

const FILE: UserFile = UserFile {
    max_bytes: regular::LIST,
    read_failed: "read marks cannot be read",
    write_failed: "read marks were not saved",
};

/// Suffix of the backup file.
const BACKUP: &str = ".geomys-backup";

/// Parsed `.newsrc` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Newsrc {
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// Octets of the line, with its line end.
    octets: Vec<u8>,
    /// Name and marks of the group; `None` for another line.
    group: Option<(Vec<u8>, GroupMarks)>,
}

impl Line {
    fn of(octets: &[u8]) -> Self {
        Self {
            octets: octets.to_vec(),
            group: group(octets),
        }
    }

    fn is(&self, name: &[u8]) -> bool {
        self.group.as_ref().is_some_and(|(own, _)| own == name)
    }
}

/// Parses the line of a group.
fn group(line: &[u8]) -> Option<(Vec<u8>, GroupMarks)> {
    let at = line.iter().position(|octet| matches!(octet, b':' | b'!'))?;
    let (name, rest) = line.split_at_checked(at)?;
    let (mark, numbers) = rest.split_first()?;
    let is_name = !name.is_empty() && !name.iter().any(u8::is_ascii_whitespace);
    let read = ArticleNumbers::parse(numbers.trim_ascii()).filter(|_| is_name)?;
    let is_subscribed = *mark == b':';
    let group = GroupMarks {
        is_subscribed,
        read: Arc::new(read),
    };
    Some((name.to_vec(), group))
}

impl Newsrc {
    /// Parses a file; any octets are accepted.
    pub fn parse(octets: &[u8]) -> Self {
        let lines = octets.split_inclusive(|&octet| octet == b'\n');
        Self {
            lines: lines.map(Line::of).collect(),
        }
    }

    /// Reads the file; a missing file is empty.
    ///
    /// # Errors
    /// Errors of reading.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        Ok(Self::parse(&FILE.read(path)?))
    }

    /// Returns the content of the file.
    pub fn octets(&self) -> Vec<u8> {
        let lines: Vec<&[u8]> = self
            .lines
            .iter()
            .map(|line| line.octets.as_slice())
            .collect();
        lines.concat()
    }

    /// Returns the marks of a group, if it is in the file.
    pub fn group(&self, name: &[u8]) -> Option<&GroupMarks> {
        let line = self.lines.iter().find(|line| line.is(name))?;
        line.group.as_ref().map(|(_, group)| group)
    }

    /// Returns all groups with their names, in the order of the file.
    pub fn groups(&self) -> impl Iterator<Item = (&[u8], &GroupMarks)> {
        let groups = self.lines.iter().filter_map(|line| line.group.as_ref());
        groups.map(|(name, group)| (name.as_slice(), group))
    }

    /// Returns the marks of all groups as a map, for fast lookups.
    pub fn marks(&self) -> ServerMarks {
        let groups = self.groups();
        ServerMarks::new(groups.map(|(name, group)| (name.to_vec(), group.clone())))
    }

    /// Applies a change. A new group is added at the end of the file; a group whose name does not fit a line is
    /// ignored.
    pub fn apply(&mut self, name: &[u8], change: &MarkChange) {
        let at = self.lines.iter().position(|line| line.is(name));
        let old = at.and_then(|at| self.lines.get(at)?.group.as_ref());
        let mut changed = old.map_or_else(GroupMarks::default, |(_, group)| group.clone());
        changed.apply(change);
        if old.is_some_and(|(_, group)| *group == changed) {
            return;
        }
        let mark = if changed.is_subscribed { ":" } else { "!" };
        let end = self.end();
        let numbers = changed.read.to_string();
        let blank = if numbers.is_empty() { "" } else { " " };
        let written = [name, format!("{mark}{blank}{numbers}{end}").as_bytes()].concat();
        let line = Line::of(&written);
        if !line.is(name) {
            return;
        }
        match at.and_then(|at| self.lines.get_mut(at)) {
            Some(old) => *old = line,
            None => {
                // A last line without a line end would run into the new one.
                if let Some(last) = self.lines.last_mut()
                    && !last.octets.ends_with(b"\n")
                {
                    last.octets.extend_from_slice(end.as_bytes());
                }
                self.lines.push(line);
            }
        }
    }

    /// Returns the line end of this file.
    fn end(&self) -> &'static str {
        let first = self.lines.first();
        if first.is_some_and(|line| line.octets.ends_with(b"\r\n")) {
            "\r\n"
        } else {
            "\n"
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &[u8] = b"options -q\n\
        local.burrow: 1-5,7\n\
        local.test!\n\
        # not: a group\n\
        caf\xe9.latin: 1-2\n\
        local.burrow: 99\n\
        odd: 1-x";

    fn after(name: &str, change: &MarkChange) -> String {
        let mut newsrc = Newsrc::parse(FILE);
        newsrc.apply(name.as_bytes(), change);
        let before = String::from_utf8_lossy(FILE).into_owned();
        let after = String::from_utf8_lossy(&newsrc.octets()).into_owned();
        let new: Vec<&str> = after
            .split('\n')
            .filter(|line| !line.is_empty() && !before.split('\n').any(|old| old == *line))
            .collect();
        new.join("|")
    }

    #[test]
    fn a_group_is_subscribed_to_and_read() {
        let newsrc = Newsrc::parse(FILE);
        let burrow = newsrc.group(b"local.burrow").unwrap();
        assert!(burrow.is_subscribed && burrow.read.contains(7) && !burrow.read.contains(6));
        assert!(!newsrc.group(b"local.test").unwrap().is_subscribed);
        assert!(newsrc.group(b"caf\xe9.latin").is_some());
        assert_eq!(newsrc.group(b"odd"), None);
        let names: Vec<&[u8]> = newsrc.groups().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 4, "a second line of a group is kept");
        assert_eq!(newsrc.octets(), FILE);
    }

    #[test]
    fn a_change_touches_one_line() {
        let six = || ArticleNumbers::range(6, 6);
        assert_eq!(
            after("local.burrow", &MarkChange::Read(six())),
            "local.burrow: 1-7"
        );
        assert_eq!(
            after(
                "local.burrow",
                &MarkChange::Unread(ArticleNumbers::range(2, 9))
            ),
            "local.burrow: 1"
        );
        assert_eq!(
            after("local.test", &MarkChange::Subscribe(true)),
            "local.test:"
        );
        assert_eq!(after("local.burrow", &MarkChange::Reset), "local.burrow:");
        // The last line gets a line end.
        assert_eq!(after("new.group", &MarkChange::Read(six())), "new.group! 6");
        assert_eq!(after("new group", &MarkChange::Read(six())), "");
        assert_eq!(after("", &MarkChange::Subscribe(true)), "");
    }

    proptest! {
        #[test]
        fn any_octets_come_back_as_they_are(octets: Vec<u8>) {
            prop_assert_eq!(Newsrc::parse(&octets).octets(), octets);
        }

        #[test]
        fn a_change_leaves_every_other_line(
            file in "([a-c.]{1,3}[:!] ?[0-9,-]{0,6}\n|options x\n){0,6}",
            name in "[a-c.]{1,3}",
            first in 0..20_u64,
        ) {
            let mut newsrc = Newsrc::parse(file.as_bytes());
            let before = newsrc.clone();
            newsrc.apply(name.as_bytes(), &MarkChange::Read(ArticleNumbers::range(first, first + 3)));
            prop_assert!(newsrc.group(name.as_bytes()).unwrap().read.contains(first));
            let others = |newsrc: &Newsrc| -> Vec<Vec<u8>> {
                let others = newsrc.lines.iter().filter(|line| !line.is(name.as_bytes()));
                others.map(|line| line.octets.clone()).collect()
            };
            prop_assert_eq!(others(&newsrc), others(&before));
            // Applying a change twice has the same result.
            let once = newsrc.octets();
            newsrc.apply(name.as_bytes(), &MarkChange::Read(ArticleNumbers::range(first, first + 3)));
            prop_assert_eq!(newsrc.octets(), once);
        }
    }
}
