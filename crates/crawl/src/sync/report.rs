//! What a sync has done: a line for each source, and the pages that need attention.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::time::Duration;

use geomys_wire::text;
use rfc1738::Url;
use serde::{Serialize, Serializer};
use tokio::time::Instant;

use super::page::NoPage;
use geomys_load::check::LinkStatus;
use geomys_load::{FailureCause, FailureKind, Question, Stop};
use geomys_store::files::cache::lacks_room;

/// The kind of the source of pages that are saved for later.
pub const SAVED: &str = "kept";

/// A page that was not fetched, or a draft that was not sent, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The URL, without its password; of a draft, its file.
    pub url: String,
    /// The reason.
    pub reason: String,
}

/// The result of one source. The keys and their order are those of `--json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SourceReport {
    /// The kind of source: `outbox`, `kept`, `followed`, `links` of what is followed, `group`.
    pub source: &'static str,
    /// The title.
    pub title: String,
    /// The URL; `None` for the outbox and the pages that are saved for later.
    pub url: Option<String>,
    /// The number of drafts that were sent.
    pub sent: usize,
    /// The number of pages that were stored.
    pub new: usize,
    /// The number of pages that are as their copies.
    pub same: usize,
    /// The octets that came.
    pub bytes: u64,
    /// The number of pages that a dry run would request.
    pub planned: usize,
    /// The number of pages that were asked for within a day, and whose servers cannot tell whether they have changed.
    pub today: usize,
    /// The number of pages that were left for the next run.
    pub left: usize,
    /// The day since when the source is unreachable, if that is a week ago or more.
    pub unreachable_since: Option<String>,
    /// The pages whose servers were not reached or busy: the next run asks again.
    pub later: Vec<Note>,
    /// The pages that cannot be fetched.
    pub failed: Vec<Note>,
    /// The pages that need an answer: it can be given in the browser.
    pub asks: Vec<Note>,
    /// The pages that may not be stored.
    pub not_stored: Vec<Note>,
    /// The number of pages that were requested and are not here yet.
    #[serde(skip)]
    pub(super) open: usize,
    /// The number of pages that were admitted.
    #[serde(skip)]
    pub(super) admitted: usize,
    /// The number of pages whose servers were not reached.
    #[serde(skip)]
    pub(super) unreached: usize,
    /// The hosts whose pages were left, each with the reason, and their number.
    #[serde(skip)]
    pub(super) unasked: BTreeMap<(String, String), usize>,
    /// True if nothing more comes of it.
    #[serde(skip)]
    pub(super) has_ended: bool,
    /// The time when its first page was requested.
    #[serde(skip)]
    pub(super) began: Option<Instant>,
    /// True if it took too long.
    #[serde(skip)]
    pub(super) is_late: bool,
}

/// Reason why the pages of a host are left that did not answer.
const SILENT: &str = "it was silent";

impl SourceReport {
    /// Creates the report of a source.
    pub fn new(source: &'static str, title: &str, url: Option<&Url>) -> Self {
        Self {
            source,
            title: title.to_owned(),
            url: url.map(|url| url.without_password().to_string()),
            ..Self::default()
        }
    }

    /// Returns the name of the source from one run to the next: its kind and its URL.
    pub fn key(&self) -> String {
        let url = self.url.as_deref().unwrap_or_default();
        format!("{} {url}", self.source).trim_end().to_owned()
    }

    /// Returns whether the server of the source answered; `None` if nobody was asked.
    pub(super) fn is_reached(&self) -> Option<bool> {
        let answers = self.sent + self.new + self.same + self.answers_without_page();
        if answers > 0 || self.later.len() > self.unreached {
            return Some(true);
        }
        (self.unreached > 0).then_some(false)
    }

    /// Returns the number of pages that their servers have refused, or for which they ask something.
    pub(super) fn answers_without_page(&self) -> usize {
        self.failed.len() + self.asks.len() + self.not_stored.len()
    }

    /// Returns true for the URL of the source itself.
    fn is_own(&self, url: &Url) -> bool {
        self.url.as_deref() == Some(url.without_password().as_str())
    }

    /// Returns true if a page has a note that it comes later.
    pub(super) fn is_noted(&self, url: &Url) -> bool {
        let url = url.without_password();
        self.later.iter().any(|note| note.url == url.as_str())
    }

    /// Returns true if a page cannot be fetched, or may not be stored.
    pub(super) fn is_refused(&self, url: &Url) -> bool {
        let url = url.without_password();
        let mut refused = self.failed.iter().chain(&self.not_stored);
        refused.any(|note| note.url == url.as_str())
    }

    /// Leaves a page of a host that was silent for the next run.
    pub(super) fn leave_silent(&mut self, host: &str) {
        self.leave(host, SILENT);
    }

    /// Leaves a page of a host for the next run, as its server has refused the connection with these words.
    pub(super) fn leave_refused(&mut self, host: &str, words: &str) {
        self.leave(host, words);
    }

    fn leave(&mut self, host: &str, why: &str) {
        self.left += 1;
        let key = (host.to_owned(), why.to_owned());
        *self.unasked.entry(key).or_default() += 1;
    }

    /// Adds a line for each host whose pages were left.
    pub(super) fn note_unasked(&mut self) {
        for ((host, why), pages) in std::mem::take(&mut self.unasked) {
            let pages = text::count(pages);
            self.unreached += usize::from(why == SILENT);
            self.later.push(Note {
                url: host,
                reason: format!("{why}: {pages} left"),
            });
        }
    }

    /// Returns true if there is nothing to say of it.
    pub fn is_idle(&self) -> bool {
        self.counts().is_empty()
    }

    /// Returns the time until which its open pages may take.
    pub(super) fn deadline(&self, limit: Duration) -> Option<Instant> {
        let began = self.began.filter(|_| self.open > 0 && !self.is_late);
        began.map(|began| began + limit)
    }

    /// Notes that it takes longer than this.
    pub(super) fn give_up(&mut self, limit: Duration) {
        self.is_late = true;
        self.later.push(Note {
            url: self.url.clone().unwrap_or_default(),
            reason: format!("it takes longer than {} s", limit.as_secs()),
        });
    }

    /// Adds a page that did not come. Returns true if its server was not reached.
    pub fn note(&mut self, url: &Url, why: &NoPage) -> bool {
        if why.is_left() {
            self.left += 1;
            return false;
        }
        let (list, is_unreachable) = match why {
            NoPage::NotStored(_) => (&mut self.not_stored, false),
            NoPage::Skipped(status) => match status {
                LinkStatus::Unreachable(_) => (&mut self.later, true),
                LinkStatus::Local(_) => (&mut self.later, false),
                LinkStatus::NotChecked(_) => (&mut self.asks, false),
                LinkStatus::Alive
                | LinkStatus::Moved(_)
                | LinkStatus::Dead(_)
                | LinkStatus::Refused(_) => (&mut self.failed, false),
            },
            NoPage::Stopped(stop) => match &**stop {
                // A search is no page, and no answer to it would be the one that is wanted.
                Stop::Needs(Question::Search | Question::Input { .. } | Question::Form(_)) => {
                    (&mut self.not_stored, false)
                }
                Stop::Needs(_) => (&mut self.asks, false),
                Stop::Truncated(_) => (&mut self.not_stored, false),
                Stop::Closed => (&mut self.later, false),
                // An article that was cancelled or has expired is nothing to read; a group that is gone is told.
                Stop::Failed(failure)
                    if failure.kind == FailureKind::Missing
                        && self.source == "group"
                        && !self.is_own(url) =>
                {
                    return false;
                }
                Stop::Failed(failure) => match failure.kind {
                    FailureKind::Permanent | FailureKind::Missing | FailureKind::ResumeMismatch => {
                        (&mut self.failed, false)
                    }
                    kind => (&mut self.later, kind == FailureKind::Unreachable),
                },
            },
        };
        list.push(Note {
            url: url.without_password().to_string(),
            reason: why.sentence(),
        });
        let is_silent = why.cause() == Some(FailureCause::Silence);
        self.unreached += usize::from(is_unreachable || is_silent);
        is_unreachable
    }

    /// Returns the pages that did not come, each with the word for its kind.
    pub fn notes(&self) -> impl Iterator<Item = (&'static str, &Note)> {
        let kinds = KINDS.into_iter();
        kinds.flat_map(|(word, notes)| notes(self).iter().map(move |note| (word, note)))
    }

    /// Returns the counts as one line.
    pub fn line(&self) -> String {
        let counts = match self.counts() {
            counts if counts.is_empty() => "nothing to fetch".to_owned(),
            counts => counts,
        };
        format!("{}: {counts}", self.title)
    }

    /// Returns the counts that are not zero.
    fn counts(&self) -> String {
        let is_outbox = self.source == "outbox";
        let counts = [
            (self.planned, if is_outbox { "to send" } else { "to fetch" }),
            (self.sent, "sent"),
            (self.new, "new"),
            (self.same, "unchanged"),
            (self.today, "asked today"),
            (self.later.len(), "later"),
            (self.failed.len(), "failed"),
            (self.asks.len(), ASKS),
            (self.not_stored.len(), "not stored"),
            (self.left, "left"),
        ];
        in_words(&counts)
    }
}

/// The word for pages that cannot be fetched, and drafts that cannot be sent.
pub const FAILED: &str = "failed";

/// The word for pages that need an answer.
pub const ASKS: &str = "to answer";

type NotesOf = fn(&SourceReport) -> &Vec<Note>;

/// The kinds of pages that did not come, each with its word.
const KINDS: [(&str, NotesOf); 4] = [
    (FAILED, |report| &report.failed),
    ("later", |report| &report.later),
    (ASKS, |report| &report.asks),
    ("not stored", |report| &report.not_stored),
];

/// Returns the pages and drafts of all sources that need attention, each with the word for its kind. Pages of one
/// server with the same reason are one line, with the number of the others.
pub fn notes(reports: &[SourceReport]) -> Vec<(&'static str, Note)> {
    let mut lines: Vec<(&'static str, Note, usize)> = Vec::new();
    let mut known: HashMap<(&str, String, &str), usize> = HashMap::new();
    for (word, notes) in KINDS {
        for note in reports.iter().flat_map(notes) {
            let key = (word, server(&note.url), note.reason.as_str());
            match known.get(&key).and_then(|&line| lines.get_mut(line)) {
                Some((.., others)) => *others += 1,
                None => {
                    known.insert(key, lines.len());
                    lines.push((word, note.clone(), 0));
                }
            }
        }
    }
    let lines = lines.into_iter().map(|(word, mut note, others)| {
        if others > 0 {
            note.reason = format!("{} (and {} more there)", note.reason, text::count(others));
        }
        (word, note)
    });
    lines.collect()
}

/// Returns the scheme and the server of a URL; of a draft, its file.
fn server(url: &str) -> String {
    url.match_indices('/')
        .nth(2)
        .map_or(url, |(end, _)| url.get(..end).unwrap_or(url))
        .to_owned()
}

/// Returns the counts that are not zero: `2 new, 1 later`.
fn in_words(counts: &[(usize, &str)]) -> String {
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, word)| format!("{} {word}", text::count(*count)));
    counts.collect::<Vec<_>>().join(", ")
}

/// The result of a run. The keys and their order are those of `--json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SyncSummary {
    /// The number of sources.
    pub sources: usize,
    /// The number of drafts that were sent.
    pub sent: usize,
    /// The number of pages that were stored.
    pub new: usize,
    /// The number of pages that are as their copies.
    pub same: usize,
    /// The octets that came.
    pub bytes: u64,
    /// The number of pages whose servers were not reached or busy.
    pub later: usize,
    /// The number of pages that cannot be fetched, and of drafts that cannot be sent.
    pub failed: usize,
    /// The number of pages and drafts that need an answer.
    pub asks: usize,
    /// The number of pages that may not be stored.
    pub not_stored: usize,
    /// The number of pages that were asked for within a day.
    pub today: usize,
    /// The number of pages that were left for the next run.
    pub left: usize,
    /// The reason why the run ended early.
    pub stopped: Option<EarlyEnd>,
}

impl SyncSummary {
    /// Creates the summary of a run in which so many octets came.
    pub(super) fn new(reports: &[SourceReport], bytes: u64, end: Option<&EarlyEnd>) -> Self {
        let sum = |count: fn(&SourceReport) -> usize| reports.iter().map(count).sum();
        Self {
            sources: reports.len(),
            sent: sum(|report| report.sent),
            new: sum(|report| report.new),
            same: sum(|report| report.same),
            bytes,
            later: sum(|report| report.later.len()),
            failed: sum(|report| report.failed.len()),
            asks: sum(|report| report.asks.len()),
            not_stored: sum(|report| report.not_stored.len()),
            today: sum(|report| report.today),
            left: sum(|report| report.left),
            stopped: end.cloned(),
        }
    }

    /// Returns the counts in words: `12 new, 1 sent, 2 to answer`.
    pub fn sentence(&self) -> String {
        let words = in_words(&[
            (self.new, "new"),
            (self.sent, "sent"),
            (self.failed, "failed"),
            (self.asks, ASKS),
            (self.later, "later"),
            (self.left, "left"),
        ]);
        if words.is_empty() {
            "nothing new".to_owned()
        } else {
            words
        }
    }
}

/// The reason why a run ended before all its pages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EarlyEnd {
    /// The run has fetched as much as it may.
    #[error("stopped at [sync] size: the rest follows in the next run")]
    Size,
    /// The pages that were not read fill their space.
    #[error("stopped: the pages that were not read yet fill [sync] unread")]
    Full,
    /// The pages that are saved for later fill their space; everything else was fetched.
    #[error("the pages that you keep fill [cache] kept: the others wait")]
    SavedFull,
    /// The disk has less free space than the reserve, in octets.
    #[error("stopped: less than {} free on the disk", mebibytes(*.0))]
    Reserve(u64),
    /// The disk has no space.
    #[error("stopped: no space is left on the disk")]
    DiskFull,
    /// The system has no way to any host.
    #[error("stopped: the network is down")]
    Offline,
    /// This machine lacks something.
    #[error("stopped: {0}")]
    Local(String),
    /// Storing failed.
    #[error("stopped: a page cannot be stored: {0}")]
    Disk(String),
}

/// Returns a number of octets in MiB, as a setting has it.
fn mebibytes(octets: u64) -> String {
    format!(
        "{} MiB",
        text::count(usize::try_from(octets >> 20).unwrap_or(usize::MAX))
    )
}

impl EarlyEnd {
    /// Returns the end for an error of storing a page.
    pub(super) fn of(error: &io::Error) -> Self {
        match error.kind() {
            _ if lacks_room(error) => Self::Full,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ if FailureCause::of_io(error) == FailureCause::Local => {
                Self::Local(text::system_message(error))
            }
            _ => Self::Disk(text::system_message(error)),
        }
    }
}

impl From<io::Error> for EarlyEnd {
    fn from(error: io::Error) -> Self {
        Self::of(&error)
    }
}

impl Serialize for EarlyEnd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
