//! Bookmarks checked by keys: which are asked, how far that is, and what is known of each.

mod known;
mod running;
mod watching;

use std::sync::Arc;

use jiff::Timestamp;

pub use self::known::Mark;
pub use self::running::Running;
pub use self::watching::Watching;

use super::bulk_edit::named;
use super::choice::{Choice, Of};
use super::complete::Complete;
use super::{App, Effect, Focus};
use crate::files::bookmarks::{Bookmarks, Edit, Item};
use crate::files::checks::{Checks, Finding, Key};
use crate::files::watch::{Event, Watched};
use crate::load::LoadId;
use crate::load::check::Verdict;
use crate::text::{Text, count};
use crate::url::Url;

/// Findings that are written down at once, while a check runs.
const AT_ONCE: usize = 500;

/// So many rows are looked at one by one for the next that has a mark.
const NEAR: usize = 500;

/// What is known of the bookmarks, and the check that runs.
#[derive(Clone, Debug, Default)]
pub struct Checking {
    /// What was found out by asking; shared with who searches for it beside the loop.
    pub checks: Arc<Checks>,
    /// What was seen of those that are watched.
    pub watched: Arc<Watched>,
    /// The check that runs.
    pub running: Option<Running>,
    /// When the browser has started; nothing where nobody needs to know.
    pub started: Option<Timestamp>,
    /// What is not written down yet.
    findings: Vec<Finding>,
    events: Vec<Event>,
}

/// What a check is to ask.
#[derive(Debug)]
pub struct Round {
    /// The bookmark file.
    pub bookmarks: Bookmarks,
    /// Which of its items; those that are no bookmarks are passed over.
    pub items: Vec<usize>,
    /// What is put into each request.
    pub known: Complete,
}

/// How far a check is.
#[derive(Debug)]
pub struct Report {
    /// What has come since the last report.
    pub findings: Vec<Finding>,
    /// How many places are asked in all.
    pub total: usize,
}

impl App {
    /// Checks the bookmark under the cursor, or all of the folder, or what is marked.
    pub(super) fn check_chosen(&mut self) -> Vec<Effect> {
        if self.focus != Focus::Bookmarks {
            return self.not_here();
        }
        let meant = self.sidebar.meant();
        if meant.is_empty() {
            return Vec::new();
        }
        let items = self.sidebar.bookmarks_of(&meant);
        self.check(self.sidebar.bookmarks.clone(), items)
    }

    /// Checks all bookmarks; asks first where the cursor is in a folder, or a filter is on, which may be meant.
    pub(super) fn ask_check(&mut self) -> Vec<Effect> {
        if self.focus != Focus::Bookmarks {
            return self.not_here();
        }
        let bookmarks = &self.sidebar.bookmarks;
        let all: Vec<usize> = (0..bookmarks.len()).collect();
        let in_all = asked_of(bookmarks, all.iter().copied());
        let mut sets = vec![('a', format!("all {}", count(in_all)), all)];
        if self.sidebar.is_filtered() {
            let found = self.sidebar.rows().to_vec();
            let of_found = asked_of(bookmarks, found.iter().copied());
            if of_found > 0 && of_found < in_all {
                sets.push(('s', format!("the {} shown", count(of_found)), found));
            }
        }
        let folder = match self.sidebar.item() {
            Some(Item::Folder(folder)) => Some(folder),
            Some(Item::Bookmark(bookmark)) => bookmarks
                .parent(bookmark.index)
                .and_then(|folder| bookmarks.folder(folder)),
            None => None,
        };
        if let Some(folder) = folder {
            let inside: Vec<usize> = (folder.index..bookmarks.end(folder.index)).collect();
            let of_folder = asked_of(bookmarks, inside.iter().copied());
            if of_folder > 0 && of_folder < in_all {
                let words = format!("the {} in {}", count(of_folder), folder.name());
                sets.push(('f', words, inside));
            }
        }
        if sets.len() == 1 {
            let all = sets.pop().map_or(Vec::new(), |(_, _, all)| all);
            return self.check(bookmarks.clone(), all);
        }
        let words = sets
            .iter()
            .map(|(letter, words, _)| (*letter, words.as_str()));
        let words: Vec<_> = words.chain([('n', "none")]).collect();
        let sets = sets.iter();
        let sets = sets.map(|(letter, _, items)| (*letter, items.clone()));
        let of = Of::Check(bookmarks.clone(), sets.collect());
        let question = "Which bookmarks are to be checked?";
        self.choose(Choice::new(question, &words, of))
    }

    /// Starts a check of the bookmarks among these items of the file, as it was when they were chosen.
    pub(super) fn check(&mut self, from: Bookmarks, items: Vec<usize>) -> Vec<Effect> {
        if self.settings.offline {
            self.tell("offline: nobody is asked");
            return Vec::new();
        }
        if self.checking.running.is_some() {
            self.tell("a check is running: wait for its end, or stop it");
            return Vec::new();
        }
        let total = asked_of(&from, items.iter().copied());
        if total == 0 {
            self.tell("there is nothing to ask: no bookmark with an address that can be read");
            return Vec::new();
        }
        let load = self.next_load();
        self.checking.running = Some(Running::new(load, total));
        let round = Round {
            bookmarks: from,
            items,
            known: self.completing(),
        };
        vec![Effect::Check(load, Box::new(round))]
    }

    fn not_here(&mut self) -> Vec<Effect> {
        self.tell("this is done in the bookmarks");
        Vec::new()
    }

    /// A check has found something out.
    pub(super) fn checked(&mut self, load: LoadId, report: Report) -> Vec<Effect> {
        let Checking {
            running: Some(running),
            checks,
            findings,
            ..
        } = &mut self.checking
        else {
            return Vec::new();
        };
        if running.load != load {
            return Vec::new();
        }
        running.total = report.total;
        for finding in report.findings {
            let verdict = &finding.checked.verdict;
            running.hear(verdict);
            Arc::make_mut(checks).note(&finding);
            if running.total == 1 && matches!(verdict, Verdict::Unasked(_) | Verdict::Alive) {
                // Of the only one that was asked the words are wanted, though no mark says them.
                let words = verdict.words();
                let words = Some(words).filter(|words| !words.is_empty());
                let words = words.map_or(String::new(), |words| format!(": {words}"));
                let sentence = Text::of(&format!("{}{words}", verdict.name()));
                self.notice = Some(super::Notice {
                    text: sentence,
                    is_fault: false,
                });
            }
            findings.push(finding);
        }
        self.refresh_filter(false)
    }

    /// A check has asked all that it was to ask.
    pub(super) fn check_ended(&mut self, load: LoadId) -> Vec<Effect> {
        let ended = self
            .checking
            .running
            .take_if(|running| running.load == load);
        if let Some(running) = ended.filter(|running| running.total > 1) {
            self.tell(&running.summary());
        }
        if ended.is_some() {
            return self.refresh_filter(true);
        }
        Vec::new()
    }

    /// Stops the check that runs; what it has found out is kept.
    pub(super) fn stop_check(&mut self) -> Option<Vec<Effect>> {
        let running = self.checking.running.take()?;
        let (done, total) = (count(running.done), count(running.total));
        self.tell(&format!(
            "stopped: {done} of {total} were checked, and that is kept"
        ));
        let mut effects = vec![Effect::Drop(running.load)];
        effects.extend(self.refresh_filter(true));
        Some(effects)
    }

    /// Asks for what is known of the bookmarks: of many that is much, and the first screen does not wait for it.
    pub(super) fn read_known(&self) -> Vec<Effect> {
        let is_wanted = self.checking.started.is_some();
        is_wanted.then_some(Effect::Known).into_iter().collect()
    }

    /// What is known of the bookmarks is here, or why not. What is watched and due is fetched from now on, where a person
    /// wants that.
    pub(super) fn known_before(&mut self, known: Result<(Checks, Watched), String>) -> Vec<Effect> {
        let (mut checks, watched) = match known {
            Ok(known) => known,
            Err(sentence) => {
                // Nothing is fetched: nobody could tell whether it is due.
                self.complain(&sentence);
                return Vec::new();
            }
        };
        for finding in &self.checking.findings {
            checks.note(finding);
        }
        self.checking.checks = Arc::new(checks);
        self.checking.watched = Arc::new(watched);
        let mut effects = self.refresh_filter(true);
        let is_wanted = self.settings.watch && !self.settings.offline;
        if is_wanted && self.checking.started.is_some() {
            effects.push(self.watch(None));
        }
        effects
    }

    /// Watched bookmarks were fetched.
    pub(super) fn watched(&mut self, events: Vec<Event>) -> Vec<Effect> {
        let watched = Arc::make_mut(&mut self.checking.watched);
        for event in &events {
            watched.note(event);
        }
        self.checking.events.extend(events);
        self.refresh_filter(false)
    }

    /// What is watched and was new has been opened.
    pub(super) fn note_opened(&mut self, url: &Url) {
        if self.checking.watched.is_new(url) {
            let event = Event::Opened(Key::of(url));
            Arc::make_mut(&mut self.checking.watched).note(&event);
            self.checking.events.push(event);
        }
    }

    /// Has written down what was found out: in portions while a check runs, the rest when it does not any more.
    pub(super) fn write_findings(&mut self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let checking = &mut self.checking;
        let is_over = self.is_over || checking.running.is_none();
        let is_due = checking.findings.len() >= AT_ONCE || is_over;
        if is_due && !checking.findings.is_empty() {
            let findings = std::mem::take(&mut checking.findings);
            effects.push(Effect::Findings(findings, self.sidebar.bookmarks.clone()));
        }
        if !checking.events.is_empty() {
            effects.push(Effect::Seen(std::mem::take(&mut checking.events)));
        }
        effects
    }

    /// To the next bookmark below the cursor of which something is to be said, from the top again after the last. Closed
    /// folders are passed over.
    pub(super) fn go_to_gone(&mut self) -> Vec<Effect> {
        if self.focus != Focus::Bookmarks {
            return self.not_here();
        }
        match self.next_marked() {
            Some(row) => {
                self.sidebar.cursor = row;
                self.reveal_all();
            }
            None => self.tell("nothing is known to be gone, moved, refused, silent or new"),
        }
        Vec::new()
    }

    /// The row that this goes to.
    fn next_marked(&self) -> Option<usize> {
        let bookmarks = &self.sidebar.bookmarks;
        let visible = self.sidebar.rows();
        let is_marked = |row: usize| {
            let bookmark = visible
                .get(row)
                .and_then(|&index| bookmarks.bookmark(index));
            let url = bookmark.and_then(|bookmark| bookmark.url().ok());
            url.is_some_and(|url| self.checking.mark(&url).is_some())
        };
        let below = self.sidebar.cursor + 1;
        let mut rows = (below..visible.len()).chain(0..below.min(visible.len()));
        let near = rows.by_ref().take(NEAR).find(|&row| is_marked(row));
        near.or_else(|| {
            // It is far: no URL is read for a row that cannot have a mark.
            let may_be = bookmarks.may_be_to_any(self.checking.marked().map(Key::as_str));
            let is_one = |row: usize| visible.get(row).is_some_and(|&index| may_be(index));
            rows.find(|&row| is_one(row) && is_marked(row))
        })
    }

    /// Gives the bookmark under the cursor the address that it has moved to.
    pub(super) fn take_moved(&mut self) -> Vec<Effect> {
        let bookmark = self.sidebar.bookmark();
        let bookmark = bookmark.filter(|_| self.focus == Focus::Bookmarks);
        let moved = bookmark.and_then(|bookmark| {
            let url = bookmark.url().ok()?;
            match &self.checking.checks.of(&url)?.verdict {
                Verdict::Moved(to) => Some((bookmark.index, to.clone())),
                Verdict::Alive
                | Verdict::Gone(_)
                | Verdict::Refused(_)
                | Verdict::NoAnswer(_)
                | Verdict::Unasked(_) => None,
            }
        });
        let Some((index, to)) = moved else {
            self.tell("this is no bookmark that is known to have moved");
            return Vec::new();
        };
        let edit = Edit {
            url: Some(to),
            ..Edit::default()
        };
        let change = self.sidebar.bookmarks.editing(&[(index, edit)]);
        let words = format!(
            "{} has its new address",
            named(&self.sidebar.bookmarks, index)
        );
        self.do_to_bookmarks(change, &words)
    }

    /// What tells whether a URL fits a word of a filter that is about what is known of it: `is:gone`, `is:new`, `gone>30d`
    /// and their like, as [`Checks::fits`] has them. It may go to a task of its own.
    pub fn fits(&self) -> impl Fn(&str, Option<&Url>) -> bool + Send + Sync + use<> {
        let now = self.time();
        let checks = Arc::clone(&self.checking.checks);
        let watched = Arc::clone(&self.checking.watched);
        move |word, url| {
            // Of what is no URL nothing can be known.
            let fits = url.and_then(|url| {
                let fits = checks.fits(word, url, now);
                fits.or_else(|| watched.fits(word, url))
            });
            fits.unwrap_or(false)
        }
    }
}

/// How many of these items are bookmarks that can be asked: with an address that can be read.
fn asked_of(bookmarks: &Bookmarks, items: impl Iterator<Item = usize>) -> usize {
    items
        .filter_map(|index| bookmarks.bookmark(index))
        .filter(|bookmark| !bookmark.has_fault)
        .count()
}
