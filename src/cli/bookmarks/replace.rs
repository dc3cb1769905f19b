//! `geomys bookmarks repair` and `accept-move`: other URLs for bookmarks; `fetch-titles`: their titles from their
//! pages.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use clap::Args;
use geomys_load::check::{CheckLink, FetchTitle, FetchedTitle, JobLimits, LinkStatus};
use geomys_store::bookmarks::checks::{self, CheckResult};
use geomys_store::bookmarks::moves::{Move, split_moves};
use geomys_store::bookmarks::records::BookmarkRecords;
use geomys_store::bookmarks::url_jobs::UrlTarget;
use geomys_store::bookmarks::{Bookmark, BookmarkEdit, Bookmarks, Store};
use geomys_wire::text::Text;
use rfc1738::Url;
use serde::Serialize;

use super::check::check_targets;
use super::edit::SelectedBookmarks;
use super::resolve::{BookmarkObject, LinkRecords, check_conflicts, describe, save_with_records};
use crate::cli::context::{CliContext, run_on_each};
use crate::cli::error::CliError;
use crate::cli::locale::{stderr, stdout};
use crate::cli::url::json::line as json_line;

#[derive(Debug, Args)]
pub(super) struct Repair {
    #[command(flatten)]
    replacement: Replacement,
}

impl Repair {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let repaired = |bookmark: &Bookmark<'_>| {
            let has_fault = bookmark.has_fault;
            has_fault.then(|| bookmark.repaired_url().ok()).flatten()
        };
        let all = |_: &Bookmarks, urls| Ok(urls);
        let file = store.load()?;
        let selected = self.replacement.selection.resolve(&file, context)?;
        let no_records = |_: &Bookmarks, _: &[(usize, Url)]| BookmarkRecords::default();
        let replacing = Replacing {
            verb: "repaired",
            new_url: &repaired,
            choose: &all,
            records: &no_records,
        };
        self.replacement.run(store, &file, &selected, &replacing)
    }
}

#[derive(Debug, Args)]
pub(super) struct AcceptMove {
    #[command(flatten)]
    replacement: Replacement,
}

impl AcceptMove {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let mut records = LinkRecords::load(context)?;
        let file = store.load()?;
        let mut selected = self.replacement.selection.resolve(&file, context)?;
        if !self.replacement.dry_run {
            check_again(&file, &mut selected, &mut records, context)?;
        }
        let moved = |bookmark: &Bookmark<'_>| {
            let url = bookmark.repaired_url().ok()?;
            records.checks.moved_to(&url)
        };
        let believed = |file: &Bookmarks, urls: Vec<(usize, Url)>| {
            let from = |index: usize| file.bookmark(index)?.repaired_url().ok();
            let moves = urls.into_iter();
            let moves = moves.filter_map(|(index, to)| {
                let from = from(index)?;
                Some(Move { index, from, to })
            });
            let (sure, doubtful) = split_moves(moves.collect());
            for one in doubtful {
                let old = file.bookmark(one.index);
                let old = old.map_or(String::new(), |bookmark| describe(file, &bookmark));
                writeln!(
                    stderr(),
                    "geomys: perhaps gone, {old} -> <URL:{}>: accept it alone",
                    one.to.masked()
                )?;
            }
            Ok(sure)
        };
        let replacing = Replacing {
            verb: "moved",
            new_url: &moved,
            choose: &believed,
            records: &|file: &Bookmarks, urls: &[(usize, Url)]| {
                file.moved_records(urls, records.now)
            },
        };
        self.replacement.run(store, &file, &selected, &replacing)
    }
}

/// Checks the moves again that were found more than a day ago, and stores the results. A bookmark whose server does not
/// answer is told, and is selected no more: its move stays known.
fn check_again(
    file: &Bookmarks,
    selected: &mut Vec<usize>,
    records: &mut LinkRecords,
    context: &CliContext,
) -> Result<(), CliError> {
    let url = |index: usize| file.bookmark(index)?.repaired_url().ok();
    let is_old = |url: &Url| {
        let state = records.checks.of(url);
        let has_moved = records.checks.moved_to(url).is_some();
        has_moved && state.is_some_and(|state| !state.is_recent(records.now))
    };
    let old = selected
        .iter()
        .filter_map(|&index| Some((index, url(index)?)));
    let old: Vec<(usize, Url)> = old.filter(|(_, url)| is_old(url)).collect();
    if old.is_empty() {
        return Ok(());
    }
    let targets = check_targets(old.into_iter(), context)?;
    let mut results = Vec::new();
    let limits = JobLimits::default();
    let has_ended = run_on_each(CheckLink, context, &targets, limits, |target, checked| {
        if let LinkStatus::Unreachable(why) | LinkStatus::NotChecked(why) | LinkStatus::Local(why) =
            &checked.verdict
        {
            for bookmark in target.items.iter().filter_map(|&it| file.bookmark(it)) {
                let old = describe(file, &bookmark);
                writeln!(stderr(), "geomys: not checked again, {old}: {why}")?;
            }
            selected.retain(|index| !target.items.contains(index));
            return Ok(());
        }
        let at = checks::current_second();
        let key = target.key.clone();
        results.push(CheckResult { key, checked, at });
        Ok(())
    })?;
    let path = context.paths.checks();
    records.checks = checks::save(&path, &results, &BTreeSet::new(), records.now)?;
    if has_ended {
        Ok(())
    } else {
        Err(CliError::new("stopped; nothing moved"))
    }
}

/// The index of a bookmark, and its new URL.
type NewUrl = (usize, Url);

/// Returns the new URLs that are believed.
type Choice<'a> = dyn Fn(&Bookmarks, Vec<NewUrl>) -> Result<Vec<NewUrl>, CliError> + 'a;

/// What is replaced by a command, and how it is told.
struct Replacing<'a> {
    /// The word for a bookmark that has another URL now.
    verb: &'a str,
    /// Returns the new URL of a bookmark.
    new_url: &'a dyn Fn(&Bookmark<'_>) -> Option<Url>,
    /// The choice of those that are believed.
    choose: &'a Choice<'a>,
    /// Returns the records that the change brings.
    records: &'a dyn Fn(&Bookmarks, &[NewUrl]) -> BookmarkRecords,
}

#[derive(Debug, Args)]
struct Replacement {
    #[command(flatten)]
    selection: SelectedBookmarks,

    /// Print the new URLs, and change nothing
    #[arg(long)]
    dry_run: bool,

    /// Print one JSON object per bookmark: the bookmark, and its new URL
    #[arg(long)]
    json: bool,
}

/// A bookmark with its new URL.
#[derive(Serialize)]
struct ReplacedObject<'a> {
    #[serde(flatten)]
    bookmark: BookmarkObject,
    new: Cow<'a, str>,
}

impl Replacement {
    /// Gives the selected bookmarks their new URLs, as far as they are believed, and prints the old and the new ones.
    fn run(
        &self,
        store: &Store,
        file: &Bookmarks,
        selected: &[usize],
        replacing: &Replacing<'_>,
    ) -> Result<(), CliError> {
        let verb = replacing.verb;
        let selected = selected.iter().filter_map(|&index| file.bookmark(index));
        let urls: Vec<(usize, Url)> = selected
            .filter_map(|bookmark| Some((bookmark.index, (replacing.new_url)(&bookmark)?)))
            .collect();
        let urls = (replacing.choose)(file, urls)?;
        if urls.is_empty() {
            let sentence = format!("no selected bookmark can be {verb}");
            return Err(CliError::new(sentence));
        }
        if !self.dry_run {
            let records = (replacing.records)(file, &urls);
            save_with_records(store, file, &file.replacing_urls(&urls), &records)?;
        }
        let mut out = stdout();
        for (index, url) in urls {
            if let Some(bookmark) = file.bookmark(index) {
                let new = url.masked();
                if self.json {
                    let bookmark = BookmarkObject::of(file, &bookmark);
                    json_line(&ReplacedObject { bookmark, new }, &mut out)?;
                } else {
                    writeln!(out, "{verb} {} -> <URL:{new}>", describe(file, &bookmark))?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Debug, Args)]
pub(super) struct FetchTitles {
    #[command(flatten)]
    selection: SelectedBookmarks,

    /// Print the new titles, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl FetchTitles {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let file = store.load()?;
        let named = self.selection.named(&file, context)?;
        let mut selected = self.selection.resolve(&file, context)?;
        selected.retain(|index| {
            let has_title = file
                .bookmark(*index)
                .is_some_and(|one| !one.title().is_blank());
            !has_title || named.contains(index)
        });
        if selected.is_empty() {
            writeln!(
                stderr(),
                "geomys: all these bookmarks have a title; name one to fetch another"
            )?;
            return Ok(());
        }
        let mut fetched = Titles::new(&file);
        let targets = fetched.targets(&selected, context)?;
        let limits = JobLimits::default();
        let ended = run_on_each(FetchTitle, context, &targets, limits, |target, title| {
            fetched.add(&target.items, &title);
            Ok(())
        })?;
        if !self.dry_run && !fetched.new.is_empty() {
            let edits = fetched.new.iter().map(|(&item, title)| {
                let edit = BookmarkEdit {
                    title: Some(title.to_string()),
                    ..BookmarkEdit::default()
                };
                (item, edit)
            });
            let change = file.editing(&edits.collect::<Vec<_>>());
            check_conflicts(&store.save(&file, &change)?)?;
        }
        fetched.print()?;
        match (ended, fetched.has_failed) {
            (false, _) if self.dry_run => Err(CliError::new("stopped")),
            (false, _) => Err(CliError::new("stopped; titles saved")),
            (true, true) => Err(CliError::new("")),
            (true, false) => Ok(()),
        }
    }
}

/// The titles of bookmarks by their indices, as far as they were fetched.
struct Titles<'a> {
    file: &'a Bookmarks,
    /// The titles that differ from those in the file.
    new: BTreeMap<usize, Text>,
    /// The reasons why there is no title.
    reasons: BTreeMap<usize, String>,
    has_failed: bool,
}

impl<'a> Titles<'a> {
    fn new(file: &'a Bookmarks) -> Self {
        Self {
            file,
            new: BTreeMap::new(),
            reasons: BTreeMap::new(),
            has_failed: false,
        }
    }

    /// Returns one target for each URL of these bookmarks.
    fn targets(
        &mut self,
        selected: &[usize],
        context: &CliContext,
    ) -> Result<Vec<UrlTarget>, CliError> {
        let mut urls = Vec::new();
        for bookmark in selected.iter().filter_map(|&it| self.file.bookmark(it)) {
            match bookmark.repaired_url() {
                Ok(url) => urls.push((bookmark.index, url)),
                Err(fault) => {
                    self.has_failed = true;
                    self.reasons.insert(bookmark.index, fault.to_string());
                }
            }
        }
        check_targets(urls.into_iter(), context)
    }

    /// Adds the result for bookmarks that have the same URL.
    fn add(&mut self, items: &[usize], fetched: &FetchedTitle) {
        for bookmark in items.iter().filter_map(|&it| self.file.bookmark(it)) {
            match fetched {
                Ok(Some(title)) if bookmark.title() == *title => {}
                Ok(Some(title)) => {
                    self.new.insert(bookmark.index, title.clone());
                }
                Ok(None) => {
                    let reason = "its page has no title".to_owned();
                    self.reasons.insert(bookmark.index, reason);
                }
                Err(status) => {
                    self.has_failed = true;
                    let reason = format!("{}: {}", status.name(), status.words());
                    self.reasons.insert(bookmark.index, reason);
                }
            }
        }
    }

    /// Prints the new titles on standard output, and the reasons on standard error.
    fn print(&self) -> Result<(), CliError> {
        let mut out = stdout();
        for (&item, title) in &self.new {
            if let Some(bookmark) = self.file.bookmark(item) {
                let old = describe(self.file, &bookmark);
                writeln!(out, "titled {old} -> {title}")?;
            }
        }
        for (&item, reason) in &self.reasons {
            if let Some(bookmark) = self.file.bookmark(item) {
                let old = describe(self.file, &bookmark);
                writeln!(stderr(), "geomys: no title for {old}: {reason}")?;
            }
        }
        Ok(())
    }
}
