//! A check under way: each verdict is told as it comes and written down with others, and summed up at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write, stderr, stdout};

use super::super::query::Known;
use super::{Check, Entry, Told, trouble};
use crate::cli::{Setting, Trouble};
use crate::files::bookmarks::Bookmarks;
use crate::files::checks::{self, Finding, Key};
use crate::load::check::{Checked, Verdict};
use crate::text::count;

/// Findings that are written down at once.
const AT_ONCE: usize = 500;

/// A check under way.
pub(super) struct Round<'a> {
    check: &'a Check,
    setting: &'a Setting,
    known: Known,
    listed: BTreeSet<Key>,
    findings: Vec<Finding>,
    /// How many bookmarks there are to tell of, and of how many was told, by verdict.
    pub(super) total: usize,
    told: BTreeMap<&'static str, usize>,
    is_terminal: bool,
}

/// The word for a URL that is none.
const BAD: &str = "bad";

/// The verdicts, in the order of a summary.
const VERDICTS: [&str; 7] = [
    "alive",
    "moved",
    "gone",
    "refused",
    "no answer",
    "not asked",
    BAD,
];

impl<'a> Round<'a> {
    pub(super) fn new(
        check: &'a Check,
        setting: &'a Setting,
        bookmarks: &Bookmarks,
        known: Known,
    ) -> Self {
        let urls = bookmarks.bookmarks().filter_map(|one| one.url().ok());
        Self {
            check,
            setting,
            known,
            listed: urls.map(|url| Key::of(&url)).collect(),
            findings: Vec::new(),
            total: 0,
            told: BTreeMap::new(),
            is_terminal: stderr().is_terminal(),
        }
    }

    pub(super) fn tell_bad(&mut self, entry: &Entry, fault: &str) -> Result<(), Trouble> {
        let told = Told {
            verdict: BAD,
            words: fault.to_owned(),
            at: None,
            took: None,
            since: None,
            alive: None,
            moved: None,
        };
        self.tell(entry, &told)
    }

    /// A verdict has come for all of these bookmarks.
    pub(super) fn hear(
        &mut self,
        key: &Key,
        entries: &[Entry],
        checked: Checked,
    ) -> Result<(), Trouble> {
        let at = checks::now();
        let is_asked = !matches!(checked.verdict, Verdict::Unasked(_));
        let finding = Finding {
            key: key.clone(),
            checked,
            at,
        };
        self.known.checks.note(&finding);
        let verdict = &finding.checked.verdict;
        for entry in entries {
            let url = entry.url.as_ref().ok();
            let known = url.and_then(|url| self.known.checks.of(url));
            let known = known.filter(|_| is_asked);
            let told = Told {
                verdict: verdict.name(),
                words: verdict.words(),
                at: is_asked.then_some(at),
                took: is_asked.then_some(finding.checked.took),
                since: known.map(|known| known.since),
                alive: known.and_then(|known| known.alive),
                moved: match verdict {
                    Verdict::Moved(url) => Some(url.clone()),
                    Verdict::Alive
                    | Verdict::Gone(_)
                    | Verdict::Refused(_)
                    | Verdict::NoAnswer(_)
                    | Verdict::Unasked(_) => None,
                },
            };
            self.tell(entry, &told)?;
        }
        self.findings.push(finding);
        if self.findings.len() >= AT_ONCE {
            self.keep()?;
        }
        Ok(())
    }

    fn tell(&mut self, entry: &Entry, told: &Told) -> Result<(), Trouble> {
        *self.told.entry(told.verdict).or_default() += 1;
        self.wipe();
        let mut out = stdout().lock();
        self.check.write(entry, told, &mut out)?;
        out.flush()?;
        drop(out);
        if self.is_terminal {
            let done: usize = self.told.values().sum();
            let gone = self.told.get("gone").copied().unwrap_or_default();
            let (done, total, gone) = (count(done), count(self.total), count(gone));
            // It is an ornament: where nobody sees it, nobody misses it.
            let _ = write!(stderr(), "checked {done} of {total}, {gone} gone");
        }
        Ok(())
    }

    /// Takes the line of the progress away.
    fn wipe(&self) {
        if self.is_terminal {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }

    /// Writes down what was found out.
    pub(super) fn keep(&mut self) -> Result<(), Trouble> {
        let findings = std::mem::take(&mut self.findings);
        if findings.is_empty() {
            return Ok(());
        }
        let path = self.setting.places.checks();
        let saved = checks::save(&path, &findings, &self.listed, self.known.now);
        saved.map(drop).map_err(trouble)
    }

    /// The sum on standard error, and whether all is well.
    pub(super) fn sum_up(&self, has_ended: bool) -> Result<(), Trouble> {
        self.wipe();
        let counted = VERDICTS.iter().filter_map(|verdict| {
            let told = self.told.get(verdict)?;
            Some(format!("{} {verdict}", count(*told)))
        });
        let counted: Vec<String> = counted.collect();
        let done: usize = self.told.values().sum();
        let bookmarks = match done {
            1 => "1 bookmark".to_owned(),
            done => format!("{} bookmarks", count(done)),
        };
        let parts = if counted.is_empty() {
            String::new()
        } else {
            format!(": {}", counted.join(", "))
        };
        // Nothing is left to tell it to when standard error is closed.
        let _ = writeln!(stderr(), "{bookmarks}{parts}");
        if !has_ended {
            return Err(Trouble::new("stopped; what was found out is kept"));
        }
        let is_well = ["gone", "no answer", BAD]
            .iter()
            .all(|verdict| !self.told.contains_key(verdict));
        if is_well {
            Ok(())
        } else {
            Err(Trouble::new(""))
        }
    }
}
