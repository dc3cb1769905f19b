//! Visited pages: one JSON object per line, the oldest first.
//!
//! ```text
//! {"time":"2026-11-22T21:03:00Z","url":"gopher://host/1/map","title":"Map","kind":"menu","reason":"bookmark"}
//! ```
//!
//! Several processes append lines to the file, each with one write under the lock of its directory. Lines that cannot
//! be parsed are ignored, and removed when the file is written again. Reading never writes; [`prune`] removes old
//! visits.

mod list;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use geomys_load::PrivateHosts;
use geomys_page::document::Shape;
use jiff::{SignedDuration, Timestamp};
use rfc1738::Url;
use serde::{Deserialize, Serialize};

pub use self::list::{History, VisitRef};
use super::age;
use super::user_file::{FileError, UserFile};
use super::{atomic, regular};

const FILE: UserFile = UserFile {
    max_bytes: regular::LIST,
    read_failed: "the history cannot be read",
    write_failed: "the history was not written",
};

/// Maximum length of a stored URL, in octets. A visit of a longer one is not stored.
const MAX_URL_BYTES: usize = 8 * 1024;

/// Maximum length of a stored title, in characters.
const MAX_TITLE_CHARS: usize = 200;

/// Maximum length of a stored reason, in characters.
const MAX_REASON_CHARS: usize = 1000;

/// Maximum length of a line that is read, in octets.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Settings of the history: which visits are stored, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistorySettings {
    /// True if visits are stored at all.
    pub is_on: bool,
    /// Maximum number of visits.
    pub size: usize,
    /// Maximum age of a visit in days; 0 for no limit.
    pub days: u32,
    /// Hosts whose pages are not stored; every host if the settings could not be read.
    pub except: Arc<PrivateHosts>,
}

impl Default for HistorySettings {
    fn default() -> Self {
        Self {
            is_on: true,
            size: 100_000,
            days: 0,
            except: Arc::default(),
        }
    }
}

impl HistorySettings {
    /// Returns true if nothing of the page of a URL is stored.
    pub fn excludes(&self, url: &Url) -> bool {
        self.except.include(url)
    }

    /// Returns true if a visit of this URL is stored.
    pub fn includes(&self, url: &Url) -> bool {
        self.is_on && !self.excludes(url) && url.as_str().len() <= MAX_URL_BYTES
    }

    /// Returns the time of the oldest visit that is not too old, in seconds since 1970.
    fn oldest(&self, now: Timestamp) -> i64 {
        let age = SignedDuration::from_hours(24 * i64::from(self.days));
        let oldest = (self.days > 0).then(|| age::oldest(now, age)).flatten();
        oldest.map_or(i64::MIN, Timestamp::as_second)
    }
}

/// Kind of a visited page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VisitKind {
    /// A Gopher menu.
    Menu,
    /// A directory of FTP or of the local disk.
    Listing,
    /// A list of news groups.
    Groups,
    /// A news group.
    Group,
    /// A news article.
    Article,
    /// The results of a search.
    Hits,
    /// A web page.
    Web,
    /// A text.
    Text,
    /// A form of a server.
    Form,
    /// A terminal session.
    Session,
    /// A page of another kind.
    #[default]
    #[serde(other)]
    Other,
}

impl VisitKind {
    /// Returns the word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Menu => "menu",
            Self::Listing => "listing",
            Self::Groups => "groups",
            Self::Group => "group",
            Self::Article => "article",
            Self::Hits => "hits",
            Self::Web => "web",
            Self::Text => "text",
            Self::Form => "form",
            Self::Session => "session",
            Self::Other => "other",
        }
    }

    /// Returns the kind of a page of this shape.
    pub fn of(shape: Shape) -> Self {
        match shape {
            Shape::Menu => Self::Menu,
            Shape::Listing { .. } => Self::Listing,
            Shape::Groups => Self::Groups,
            Shape::Group => Self::Group,
            Shape::Article => Self::Article,
            Shape::Hits | Shape::People => Self::Hits,
            Shape::Html => Self::Web,
            Shape::Text | Shape::Gemtext => Self::Text,
            Shape::Attributes
            | Shape::Json
            | Shape::Feed
            | Shape::Visits
            | Shape::Found
            | Shape::Picture => Self::Other,
        }
    }
}

/// One visit of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// Time of the visit, in whole seconds.
    #[serde(with = "seconds")]
    pub time: Timestamp,
    /// URL of the page, without its password.
    pub url: String,
    /// Title of the page.
    #[serde(default)]
    pub title: String,
    /// Kind of the page.
    #[serde(default)]
    pub kind: VisitKind,
    /// Why it was opened, in words; empty in visits of earlier versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl Visit {
    /// Creates the visit of a page; its URL loses its password.
    pub fn new(time: Timestamp, url: &Url, title: &str, kind: VisitKind) -> Self {
        let second = Timestamp::from_second(time.as_second());
        Self {
            time: second.unwrap_or(time),
            url: url.without_password().to_string(),
            title: title.chars().take(MAX_TITLE_CHARS).collect(),
            kind,
            reason: String::new(),
        }
    }

    /// Adds the reason, in words.
    #[must_use]
    pub fn with_reason(self, reason: &str) -> Self {
        let reason = reason.chars().take(MAX_REASON_CHARS).collect();
        Self { reason, ..self }
    }
}

impl Visit {
    fn by_ref(&self) -> VisitRef<'_> {
        VisitRef {
            second: self.time.as_second(),
            url: &self.url,
            title: &self.title,
            kind: self.kind,
            reason: &self.reason,
        }
    }
}

/// Times as `2026-11-22T21:03:00Z`.
mod seconds {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(time)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        let written = std::borrow::Cow::<str>::deserialize(from)?;
        written.parse().map_err(serde::de::Error::custom)
    }
}

/// Appends a visit.
///
/// # Errors
/// Errors of the system.
pub fn append(path: &Path, visit: &Visit) -> Result<(), FileError> {
    let written = serde_json::to_vec(visit).map_err(io::Error::other);
    let appended = written.and_then(|mut line| {
        line.push(b'\n');
        atomic::append_line(path, &line)
    });
    appended.map_err(|source| FILE.write_error(path, source))
}

/// Reads the visits that are neither too old nor too many.
///
/// # Errors
/// Errors of reading.
pub fn load(path: &Path, settings: &HistorySettings, now: Timestamp) -> Result<History, FileError> {
    let mut history = read_all(path)?;
    history.keep_newest(settings.oldest(now), settings.size);
    Ok(history)
}

/// Reads the visits like [`load`]. Those that are too old are removed from the file; those that are too many when they
/// are a tenth.
///
/// # Errors
/// Errors of reading; errors of writing when visits are removed.
pub fn prune(
    path: &Path,
    settings: &HistorySettings,
    now: Timestamp,
) -> Result<History, FileError> {
    let mut history = read_all(path)?;
    let (oldest, found) = (settings.oldest(now), history.len());
    let has_old = history.iter().any(|visit| visit.second < oldest);
    history.keep_newest(oldest, settings.size);
    if has_old || found - history.len() > history.len() / 10 {
        FILE.change(path, |octets| {
            let mut visits = visits_of(&octets);
            visits.retain(|visit| visit.time.as_second() >= oldest);
            visits.drain(..visits.len().saturating_sub(settings.size));
            Ok((to_octets(&visits)?, ()))
        })?;
    }
    Ok(history)
}

/// Reads all visits of the file.
fn read_all(path: &Path) -> Result<History, FileError> {
    let mut history = History::default();
    read(path, |visit| history.push(visit))?;
    Ok(history)
}

/// Removes the visits that `is_removed` returns true for. Returns their number.
///
/// # Errors
/// Errors of reading and writing; nothing is removed then.
pub fn remove(path: &Path, is_removed: impl Fn(VisitRef<'_>) -> bool) -> Result<usize, FileError> {
    FILE.change(path, |octets| {
        let mut visits = visits_of(&octets);
        let before = visits.len();
        visits.retain(|visit| !is_removed(visit.by_ref()));
        Ok((to_octets(&visits)?, before - visits.len()))
    })
}

fn visits_of(octets: &[u8]) -> Vec<Visit> {
    let lines = octets.split(|&octet| octet == b'\n');
    lines.filter_map(parse).collect()
}

fn to_octets(visits: &[Visit]) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    for visit in visits {
        serde_json::to_writer(&mut octets, visit)?;
        octets.push(b'\n');
    }
    Ok(octets)
}

fn parse(line: &[u8]) -> Option<Visit> {
    serde_json::from_slice(line).ok()
}

/// Reads the file line by line, so that it is never in memory as a whole. A missing file is empty.
fn read(path: &Path, mut take: impl FnMut(&Visit)) -> Result<(), FileError> {
    let read_error = |source| FILE.read_error(path, source);
    let file = match regular::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file.map_err(read_error)?,
    };
    let mut lines = VisitLines(BufReader::new(file));
    let mut line = Vec::new();
    while lines.next(&mut line).map_err(read_error)? {
        if let Some(visit) = parse(&line) {
            take(&visit);
        }
    }
    Ok(())
}

/// Lines of a file, of which only the beginning of a very long one is in memory.
struct VisitLines(BufReader<File>);

impl VisitLines {
    /// Reads the next line, and returns false at the end of the file.
    fn next(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        use io::Read;
        line.clear();
        let count = (&mut self.0).take(MAX_LINE_BYTES).read_until(b'\n', line)?;
        if count > 0 && line.last() != Some(&b'\n') {
            // The rest of a line that is too long.
            self.0.skip_until(b'\n')?;
        }
        Ok(count > 0)
    }
}
