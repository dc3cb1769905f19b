//! `geomys bookmarks watch`: reports changes of the followed bookmarks; `entries`: their dated entries.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use geomys_load::check::{FetchContent, JobLimits, LinkStatus, PageContent};
use geomys_load::{FormAnswers, Purpose, Reason, Request, SaveRequest};
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::followed::{depth_of_tags, is_followed};
use geomys_store::bookmarks::url_jobs::{UrlTarget, targets};
use geomys_store::bookmarks::watch::{WatchEvent, WatchedEntry, WatchedPages};
use geomys_store::bookmarks::{Bookmark, Bookmarks, checks, watch};
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::Url;
use serde::Serialize;

use super::edit::matching;
use crate::cli::ask::agrees;
use crate::cli::context::{CliContext, run_on_each};
use crate::cli::error::{CliError, Output};
use crate::cli::locale::{stderr, stdout};
use crate::cli::url::json;

/// The limits for pages fetched at the same time.
const LIMITS: JobLimits = JobLimits {
    total: 4,
    per_host: 4,
    per_gopher: 4,
    per_gemini: 4,
    per_news: 4,
};

/// The number of events saved at once.
const BATCH: usize = 100;

#[derive(Debug, Args)]
pub(super) struct Watch {
    /// Fetch pages that were fetched today, too
    #[arg(long)]
    now: bool,

    /// Watch new URLs without a question; each is asked once
    #[arg(long)]
    confirm: bool,

    /// Fetch only bookmarks that `bookmarks list QUERY` lists
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    matching: Option<String>,
}

impl Watch {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let bookmarks = context.paths.bookmarks().load()?;
        let path = context.paths.watched();
        let mut watched = watch::load(&path)?;
        let now = checks::current_second();
        let selected = match &self.matching {
            Some(query) => matching(query, &bookmarks, context)?,
            None => (0..bookmarks.len()).collect(),
        };
        let selected = selected.into_iter();
        let selected = selected.filter_map(|index| bookmarks.bookmark(index));
        let selected: Vec<Bookmark<'_>> = selected.filter(is_followed).collect();
        let refused = self.confirm_new(&selected, &mut watched, &path, now)?;
        let (targets, total) = self.due(&selected, &watched, now, context)?;
        let mut run = WatchRun::new(&bookmarks, path, watched, now);
        let ended = run_on_each(
            FetchContent,
            context,
            &targets,
            LIMITS,
            |target, content| run.receive(target, content),
        );
        let ended = ended.and_then(|has_ended| {
            let stopped = || CliError::new("stopped; results saved");
            has_ended.then_some(()).ok_or_else(stopped)
        });
        if stderr().is_terminal() && ended.is_ok() && (refused == 0 || total > 0) {
            // The summary is only for terminals: scheduled runs report changes only.
            let text = summary(total, targets.len(), run.changed);
            let _ = writeln!(stderr(), "{text}");
        }
        run.save()?;
        ended?;
        match (refused, run.all_fetched) {
            (0, true) => Ok(()),
            (0, false) => Err(CliError::new("")),
            (refused, _) => Err(CliError::new(format!(
                "new addresses not watched ({}): --confirm watches them",
                geomys_wire::text::count(refused)
            ))),
        }
    }

    /// Returns the pages that are due, and the number of watched pages.
    fn due(
        &self,
        bookmarks: &[Bookmark<'_>],
        watched: &WatchedPages,
        now: Timestamp,
        context: &CliContext,
    ) -> Result<(Vec<UrlTarget>, usize), CliError> {
        let credentials = context.credentials()?;
        let confirmed = bookmarks.iter().filter_map(|bookmark| {
            let url = bookmark.repaired_url().ok()?;
            watched.is_confirmed(&url).then_some((bookmark.index, url))
        });
        let mut confirmed: Vec<(usize, Url)> = confirmed.collect();
        let total = confirmed.len();
        confirmed.retain(|(_, url)| self.now || watched.is_due(url, now));
        let targets = targets(confirmed.into_iter(), UrlKey::of, |url| Request {
            // The user has not seen each form.
            answers: FormAnswers::Unconfirmed,
            save: SaveRequest {
                copy: watched.known_copy(&url),
                ..SaveRequest::default()
            },
            ..context.request_with(url, Reason::Bookmark, Purpose::Save, &credentials)
        });
        Ok((targets, total))
    }

    /// Asks once about new addresses; returns the number of addresses that are not confirmed without a terminal.
    fn confirm_new(
        &self,
        bookmarks: &[Bookmark<'_>],
        watched: &mut WatchedPages,
        path: &Path,
        now: Timestamp,
    ) -> Result<usize, CliError> {
        let new: BTreeMap<UrlKey, Text> = bookmarks
            .iter()
            .filter_map(|bookmark| {
                let url = bookmark.repaired_url().ok()?;
                let is_new = !watched.is_confirmed(&url);
                is_new.then(|| (UrlKey::of(&url), Text::of(&url.masked())))
            })
            .collect();
        if new.is_empty() {
            return Ok(0);
        }
        if !self.confirm {
            for address in new.values() {
                writeln!(stderr(), "geomys: never watched: {address}")?;
            }
            match agrees("Watch them once a day?")? {
                None => return Ok(new.len()),
                Some(false) => return Ok(0),
                Some(true) => {}
            }
        }
        let events: Vec<WatchEvent> = new
            .into_keys()
            .map(|key| WatchEvent::Confirmed(key, now))
            .collect();
        *watched = watch::save(path, &events, now)?;
        Ok(0)
    }
}

/// Watches URLs to which the user has given the tag by name: no question is needed.
///
/// # Errors
/// Errors of the file of watched pages.
pub(super) fn confirm_tagged<'u>(
    context: &CliContext,
    tags: &[String],
    urls: impl IntoIterator<Item = &'u Url>,
) -> Result<(), CliError> {
    if depth_of_tags(tags.iter().map(String::as_str)).is_none() {
        return Ok(());
    }
    let now = checks::current_second();
    let urls = urls.into_iter();
    let events = urls.map(|url| WatchEvent::Confirmed(UrlKey::of(url), now));
    let events: Vec<WatchEvent> = events.collect();
    watch::save(&context.paths.watched(), &events, now)?;
    Ok(())
}

/// A running fetch of watched pages, saved in batches and at the end.
struct WatchRun<'a> {
    bookmarks: &'a Bookmarks,
    path: PathBuf,
    watched: WatchedPages,
    /// The events that are not saved yet.
    events: Vec<WatchEvent>,
    changed: usize,
    all_fetched: bool,
    now: Timestamp,
}

impl<'a> WatchRun<'a> {
    fn new(bookmarks: &'a Bookmarks, path: PathBuf, watched: WatchedPages, now: Timestamp) -> Self {
        Self {
            bookmarks,
            path,
            watched,
            events: Vec::new(),
            changed: 0,
            all_fetched: true,
            now,
        }
    }

    /// Processes a page that was fetched, or not: prints its change, or the failure.
    fn receive(
        &mut self,
        target: &UrlTarget,
        content: Result<Option<PageContent>, LinkStatus>,
    ) -> Result<(), CliError> {
        let bookmark = target.items.last();
        let bookmark = bookmark.and_then(|&item| self.bookmarks.bookmark(item));
        let label = bookmark
            .map(|bookmark| bookmark.label())
            .unwrap_or_default();
        if let Err(status) = &content {
            self.all_fetched = false;
            let (name, words) = (status.name(), status.words());
            // A closed standard error cannot show the failure.
            let _ = writeln!(stderr(), "geomys: {label}: {name}: {words}");
        }
        match WatchEvent::fetched(&target.key, content, checks::current_second()) {
            Some(event) => self.note(event, || {
                let url = target.request.url.masked();
                Ok(writeln!(stdout(), "{label}\t{url}")?)
            }),
            None => Ok(()),
        }
    }

    /// Processes a fetched page; `print` reports a change. A change that could not be printed is not saved, and is
    /// reported the next time.
    fn note(
        &mut self,
        event: WatchEvent,
        print: impl FnOnce() -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        if self.watched.note(&event) {
            self.changed += 1;
            print()?;
        }
        self.events.push(event);
        if self.events.len() >= BATCH {
            self.save()?;
        }
        Ok(())
    }

    /// Saves the events so far.
    fn save(&mut self) -> Result<(), CliError> {
        let events = std::mem::take(&mut self.events);
        if events.is_empty() {
            return Ok(());
        }
        watch::save(&self.path, &events, self.now)?;
        Ok(())
    }
}

/// Returns a summary in one sentence.
fn summary(total: usize, fetched: usize, changed: usize) -> String {
    match (total, fetched) {
        (0, _) => "no bookmark has the tag #follow".to_owned(),
        (_, 0) => "all were fetched within a day (--now fetches them anyway)".to_owned(),
        _ => format!("{fetched} of {total} watched were due, {changed} changed"),
    }
}

#[derive(Debug, Args)]
pub(super) struct Entries {
    /// Print one JSON object a line for each entry
    #[arg(long)]
    json: bool,

    /// List the entries that are not new, too
    #[arg(long)]
    all: bool,
}

impl Entries {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let watched = watch::load(&context.paths.watched())?;
        let labels = watch::labels(&context.paths.bookmarks().load()?);
        let mut out = Output::new();
        for (page, entry) in watched.entries() {
            let Some(label) = labels.get(page).filter(|_| self.all || entry.is_new) else {
                continue;
            };
            let WatchedEntry { date, title, .. } = entry;
            let (url, page) = (entry.key.as_str(), page.as_str());
            if self.json {
                let entry = Entry {
                    date: date.to_string(),
                    title,
                    url,
                    bookmark: label.as_str(),
                    page,
                    first_seen: entry.first_seen.to_string(),
                    new: entry.is_new,
                };
                json::line(&entry, &mut out)?;
            } else {
                writeln!(out, "{date}\t{title}\t{url}\t{label}")?;
            }
        }
        Ok(out.end()?)
    }
}

/// All keys in order, as scripts read them.
#[derive(Serialize)]
struct Entry<'a> {
    date: String,
    title: &'a str,
    url: &'a str,
    /// The title of the bookmark.
    bookmark: &'a str,
    /// The URL of the bookmark.
    page: &'a str,
    first_seen: String,
    new: bool,
}

#[cfg(test)]
mod tests {
    use geomys_load::KnownCopy;
    use geomys_wire::net::{Fingerprint, TransferEnd};
    use rfc1738::Dialect;

    use super::*;

    fn fetched(number: usize, content: &str) -> WatchEvent {
        let url = Dialect::Extended
            .parse(&format!("gopher://example.org/0/{number}"))
            .unwrap();
        let content = PageContent {
            fingerprint: Fingerprint::of(content.as_bytes()),
            entries: Vec::new(),
            octets: 0,
            end: TransferEnd::Confirmed,
            copy: KnownCopy::none(url.clone()),
        };
        WatchEvent::Fetched(UrlKey::of(&url), Some(content), checks::current_second())
    }

    #[test]
    fn much_is_written_down_before_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("watched.jsonl");
        let bookmarks = Bookmarks::parse(b"");
        let mut run = WatchRun::new(
            &bookmarks,
            path.clone(),
            WatchedPages::default(),
            checks::current_second(),
        );
        for number in 0..BATCH - 1 {
            run.note(fetched(number, "one"), || Ok(())).unwrap();
        }
        assert!(!path.exists());
        run.note(fetched(200, "one"), || Ok(())).unwrap();
        let lines = |path| std::fs::read_to_string(path).unwrap().lines().count();
        assert_eq!(lines(&path), BATCH);
        // A change that could not be printed is reported the next time.
        let closed = || Err(CliError::new("nobody reads"));
        assert!(run.note(fetched(0, "two"), closed).is_err());
        run.save().unwrap();
        let mut watched = watch::load(&path).unwrap();
        assert!(watched.note(&fetched(0, "two")));
    }
}
