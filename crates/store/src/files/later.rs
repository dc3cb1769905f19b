//! Queue of pages to read later: one line for each, the oldest first.
//!
//! ```text
//! entry  = added [ "," shown ] SP url SP title LF   ; two times, and the URL without its password
//! naming = "named-by" SP namer SP url LF            ; who named the URL of an entry, see `Namer`
//! answer = "accepted" SP authority SP url LF        ; a local address to which the URL of an entry may lead
//! ```
//!
//! A page without `shown` was not read yet. One whose page is not here is fetched by the next sync: so links wait that
//! were followed without a network.
//! Every other line is ignored and preserved. The pages are in the directory of the file, each in a file of its own,
//! see [`Cache::saved`].

use std::path::PathBuf;

use geomys_load::{Namer, Request};
use geomys_wire::net::page_url;
use jiff::Timestamp;
use rfc1738::{Dialect, Url};

use super::cache::Cache;
use super::user_file::{FileError, UserFile, complete_lines};
use super::{atomic, regular};

/// Name of the file in the directory of the pages.
const NAME: &str = "queue";

/// Header comment of a new file.
const HEAD: &[u8] =
    b"# Pages to read later: time (and time of reading), URL, title. Remove a line to forget it.
";

/// The first word of a line that says who named a URL.
const NAMED_BY: &str = "named-by ";

/// The first word of a line that says what the user has answered about a URL.
const ACCEPTED: &str = "accepted ";

const FILE: UserFile = UserFile {
    max_bytes: regular::LIST,
    read_failed: "the kept pages cannot be read",
    write_failed: "the page was not kept",
};

/// Page in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaterEntry {
    /// Time when it was put into the queue.
    pub added: Timestamp,
    /// Time when it was first shown, if it was.
    pub shown: Option<Timestamp>,
    /// URL, without a password.
    pub url: Url,
    /// Who named the URL.
    pub namer: Namer,
    /// The authorities (`host:port`) whose local addresses it may lead to, by its redirects too: the user has agreed.
    pub accepted: Vec<String>,
    /// Title.
    pub title: String,
    /// True if the page is stored.
    pub is_stored: bool,
}

impl LaterEntry {
    /// Returns true if the entry is of the page of a URL, however that is written.
    pub fn is_of(&self, url: &Url) -> bool {
        page_url(&self.url) == page_url(url)
    }

    /// Puts what the user has agreed to into a request of the page.
    pub fn accept_answers(&self, request: &mut Request) {
        for authority in &self.accepted {
            request.consents.local.accept(authority);
        }
    }

    /// Returns true if the page is here and was not shown yet.
    pub fn is_unread(&self) -> bool {
        self.is_stored && self.shown.is_none()
    }
}

/// Returns the entries of the queue. Blocks.
///
/// # Errors
/// Errors of reading.
pub fn entries(pages: &Cache) -> Result<Vec<LaterEntry>, FileError> {
    let octets = FILE.read(&path(pages))?;
    let lines = octets.split(|&octet| octet == b'\n');
    let mut entries: Vec<LaterEntry> = lines.clone().filter_map(entry).collect();
    let namings: Vec<(Namer, Url)> = lines.clone().filter_map(naming).collect();
    let answers: Vec<(&str, Url)> = lines.filter_map(answer).collect();
    for entry in &mut entries {
        if let Some((namer, _)) = namings.iter().find(|(_, url)| *url == entry.url) {
            entry.namer = namer.clone();
        }
        let own = answers.iter().filter(|(_, url)| *url == entry.url);
        entry.accepted = own.map(|(authority, _)| (*authority).to_owned()).collect();
        entry.is_stored = pages.has(&page_url(&entry.url));
    }
    Ok(entries)
}

/// Puts a page at the end of the queue, unless it is there: then the user may have become its namer. Blocks.
///
/// # Errors
/// Errors of reading and writing; nothing is written then.
pub fn add(pages: &Cache, url: &Url, title: &str, namer: &Namer) -> Result<(), FileError> {
    let path = path(pages);
    atomic::create_directory(pages.directory()).map_err(|error| FILE.write_error(&path, error))?;
    let url = url.without_password();
    let title: String = title.chars().filter(|one| !one.is_control()).collect();
    let line = format!("{} {url} {}\n", Timestamp::now(), title.trim());
    FILE.change(&path, |octets| {
        let mut lines = octets.split(|&octet| octet == b'\n');
        let known = lines.find_map(|line| entry(line).filter(|entry| entry.is_of(&url)));
        let changed = match known {
            Some(_) if *namer != Namer::User => octets,
            Some(entry) => with_namer(&octets, &entry.url, namer),
            None => {
                let added = [&complete_lines(octets, HEAD), line.as_bytes()].concat();
                with_namer(&added, &url, namer)
            }
        };
        Ok((changed, ()))
    })
}

/// Notes that the user has agreed to the local address of an authority (`host:port`), to which a page of the queue
/// leads by itself or by its redirects. Blocks.
///
/// # Errors
/// Errors of reading and writing; nothing is written then.
pub fn agree(pages: &Cache, url: &Url, authority: &str) -> Result<(), FileError> {
    let path = path(pages);
    let accepted = format!("{ACCEPTED}{authority} {url}");
    let is_queued = |line: &[u8]| entry(line).is_some_and(|entry| entry.url == *url);
    FILE.change(&path, |octets| {
        let mut lines = octets.split(|&octet| octet == b'\n');
        let is_known = lines.clone().any(|line| line == accepted.as_bytes());
        // What cannot be read again is not written.
        if is_known || answer(accepted.as_bytes()).is_none() || !lines.any(is_queued) {
            return Ok((octets, ()));
        }
        let mut changed = complete_lines(octets, HEAD);
        changed.extend_from_slice(format!("{accepted}\n").as_bytes());
        Ok((changed, ()))
    })
}

/// Returns the content of the file with this namer of a URL, instead of an earlier one.
fn with_namer(octets: &[u8], url: &Url, namer: &Namer) -> Vec<u8> {
    let lines = octets.split_inclusive(|&octet| octet == b'\n');
    let is_other =
        |line: &&[u8]| naming(line.trim_ascii_end()).is_none_or(|(_, named)| named != *url);
    let mut kept = lines.filter(is_other).collect::<Vec<_>>().concat();
    if let Some(stored) = namer.to_stored() {
        kept.extend_from_slice(format!("{NAMED_BY}{stored} {url}\n").as_bytes());
    }
    kept
}

/// Notes that a page of the queue was shown now, unless it was before. Blocks.
///
/// # Errors
/// Errors of reading and writing; nothing is written then.
pub fn mark_shown(pages: &Cache, url: &Url) -> Result<(), FileError> {
    FILE.change(&path(pages), |octets| {
        let lines = octets.split_inclusive(|&octet| octet == b'\n');
        let mut marked = Vec::with_capacity(octets.len());
        for line in lines {
            let is_unread = |entry: &LaterEntry| entry.shown.is_none() && entry.is_of(url);
            let unread = entry(line.trim_ascii_end()).filter(is_unread);
            let time = memchr::memchr(b' ', line).filter(|_| unread.is_some());
            match time.and_then(|end| line.split_at_checked(end)) {
                Some((added, rest)) => {
                    let now = Timestamp::now();
                    marked.extend_from_slice(added);
                    marked.extend_from_slice(format!(",{now}").as_bytes());
                    marked.extend_from_slice(rest);
                }
                None => marked.extend_from_slice(line),
            }
        }
        Ok((marked, ()))
    })
}

/// Removes a page from the queue, and its file. Blocks.
///
/// # Errors
/// Errors of reading and writing; nothing is removed then.
pub fn remove(pages: &Cache, url: &Url) -> Result<(), FileError> {
    let path = path(pages);
    FILE.change(&path, |octets| {
        let lines = octets.split_inclusive(|&octet| octet == b'\n');
        let is_other = |line: &&[u8]| {
            let line = line.trim_ascii_end();
            entry(line).is_none_or(|entry| !entry.is_of(url))
                && answer(line).is_none_or(|(_, of)| page_url(&of) != page_url(url))
        };
        let left = lines.filter(is_other).collect::<Vec<_>>().concat();
        Ok((with_namer(&left, url, &Namer::Unknown), ()))
    })?;
    let removed = pages.remove(&page_url(url));
    removed.map_err(|error| FILE.write_error(&path, error))
}

fn path(pages: &Cache) -> PathBuf {
    pages.directory().join(NAME)
}

fn entry(line: &[u8]) -> Option<LaterEntry> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.splitn(3, ' ');
    let times = words.next()?;
    let (added, shown) = match times.split_once(',') {
        Some((added, shown)) => (added, Some(shown.parse().ok()?)),
        None => (times, None),
    };
    Some(LaterEntry {
        added: added.parse().ok()?,
        shown,
        url: Dialect::Extended.parse(words.next()?).ok()?,
        namer: Namer::Unknown,
        accepted: Vec::new(),
        title: words.next().unwrap_or_default().to_owned(),
        is_stored: false,
    })
}

/// Parses a line that says who named a URL.
fn naming(line: &[u8]) -> Option<(Namer, Url)> {
    let line = std::str::from_utf8(line).ok()?;
    let (namer, url) = line.strip_prefix(NAMED_BY)?.split_once(' ')?;
    let url = Dialect::Extended.parse(url).ok()?;
    Some((Namer::from_stored(Some(namer)), url))
}

/// Parses a line that says what the user has agreed to: the authority, and the URL that leads there.
fn answer(line: &[u8]) -> Option<(&str, Url)> {
    let line = std::str::from_utf8(line).ok()?;
    let (authority, url) = line.strip_prefix(ACCEPTED)?.split_once(' ')?;
    Some((authority, Dialect::Extended.parse(url).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::cache::CacheLimits;

    #[test]
    fn entries_are_added_once_and_removed() {
        let directory = tempfile::tempdir().unwrap();
        let limits = CacheLimits {
            size: 1 << 20,
            ..CacheLimits::default()
        };
        let pages = Cache::new(directory.path().join("later"), limits);
        assert_eq!(entries(&pages).unwrap(), []);
        let url = |name: &str| {
            Dialect::Extended
                .parse(&format!("gopher://example.org/0/{name}"))
                .unwrap()
        };
        let (one, two) = (url("one"), url("two"));
        add(&pages, &one, "The first\n one", &Namer::User).unwrap();
        add(&pages, &two, "", &Namer::User).unwrap();
        add(&pages, &one, "again", &Namer::User).unwrap();
        let titles = |pages: &Cache| -> Vec<(Url, String)> {
            let entries = entries(pages).unwrap().into_iter();
            entries.map(|entry| (entry.url, entry.title)).collect()
        };
        let first = (one.clone(), "The first one".to_owned());
        assert_eq!(titles(&pages), [first, (two.clone(), String::new())]);
        mark_shown(&pages, &url("one#end")).unwrap();
        let shown = |pages: &Cache| -> Vec<_> {
            let entries = entries(pages).unwrap().into_iter();
            entries.map(|entry| entry.shown).collect()
        };
        let first = shown(&pages);
        assert!(first[0].is_some() && first[1].is_none(), "{first:?}");
        mark_shown(&pages, &one).unwrap();
        assert_eq!(shown(&pages), first, "the first time stays");
        remove(&pages, &one).unwrap();
        assert_eq!(titles(&pages), [(two, String::new())]);
    }

    #[test]
    fn namer_and_answers_of_an_entry_are_kept_until_it_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let limits = CacheLimits {
            size: 1 << 20,
            ..CacheLimits::default()
        };
        let pages = Cache::new(directory.path().join("later"), limits);
        let url = |name: &str| Url::parse(&format!("gopher://example.org/{name}")).unwrap();
        let (one, page) = (url("0/one"), Namer::Page(url("1/")));
        let namers = || -> Vec<Namer> {
            let entries = entries(&pages).unwrap().into_iter();
            entries.map(|entry| entry.namer).collect()
        };
        add(&pages, &one, "One", &page).unwrap();
        assert_eq!(namers(), vec![page.clone()]);
        add(&pages, &one, "One", &Namer::Unknown).unwrap();
        assert_eq!(namers(), [page]);
        let answers = || -> Vec<Vec<String>> {
            let entries = entries(&pages).unwrap().into_iter();
            entries.map(|entry| entry.accepted).collect()
        };
        for authority in ["127.0.0.1:70", "127.0.0.1:70", "[::1]:71", "a b"] {
            agree(&pages, &one, authority).unwrap();
        }
        agree(&pages, &url("0/other"), "127.0.0.1:72").unwrap();
        assert_eq!(answers(), [["127.0.0.1:70", "[::1]:71"]]);
        assert!(namers()[0].page().is_some());
        remove(&pages, &one).unwrap();
        add(&pages, &one, "One", &Namer::Unknown).unwrap();
        assert_eq!(answers(), [[""; 0]]);
        assert_eq!(
            namers(),
            [Namer::Unknown],
            "of a file of an earlier version"
        );
    }
}
