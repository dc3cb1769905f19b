//! `geomys bookmarks repair` and `accept-move`: other URLs for bookmarks; `fetch-titles`: their titles from their
//! pages.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use clap::Args;
use geomys_load::check::{FetchTitle, FetchedTitle, JobLimits};
use geomys_load::{FormAnswers, Purpose, Reason, Request};
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::moves::{Move, split_moves};
use geomys_store::bookmarks::url_jobs::{UrlTarget, targets};
use geomys_store::bookmarks::{Bookmark, BookmarkEdit, Bookmarks, Store};
use geomys_wire::text::Text;
use rfc1738::Url;
use serde::Serialize;

use super::edit::SelectedBookmarks;
use super::resolve::{BookmarkObject, LinkRecords, check_conflicts, describe};
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
        self.replacement
            .run(store, context, "repaired", repaired, all)
    }
}

#[derive(Debug, Args)]
pub(super) struct AcceptMove {
    #[command(flatten)]
    replacement: Replacement,
}

impl AcceptMove {
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let records = LinkRecords::load(context)?;
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
        self.replacement
            .run(store, context, "moved", moved, believed)
    }
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
    /// Gives the selected bookmarks the URLs that `new_url` returns, as far as `choose` leaves them, and prints the old
    /// and the new ones with `verb`.
    fn run(
        &self,
        store: &Store,
        context: &CliContext,
        verb: &str,
        new_url: impl Fn(&Bookmark<'_>) -> Option<Url>,
        choose: impl Fn(&Bookmarks, Vec<(usize, Url)>) -> Result<Vec<(usize, Url)>, CliError>,
    ) -> Result<(), CliError> {
        let file = store.load()?;
        let selected = self.selection.resolve(&file, context)?.into_iter();
        let selected = selected.filter_map(|index| file.bookmark(index));
        let urls: Vec<(usize, Url)> = selected
            .filter_map(|bookmark| Some((bookmark.index, new_url(&bookmark)?)))
            .collect();
        let urls = choose(&file, urls)?;
        if urls.is_empty() {
            let sentence = format!("no selected bookmark can be {verb}");
            return Err(CliError::new(sentence));
        }
        if !self.dry_run {
            check_conflicts(&store.save(&file, &file.replacing_urls(&urls))?)?;
        }
        let mut out = stdout();
        for (index, url) in urls {
            if let Some(bookmark) = file.bookmark(index) {
                let new = url.masked();
                if self.json {
                    let bookmark = BookmarkObject::of(&file, &bookmark);
                    json_line(&ReplacedObject { bookmark, new }, &mut out)?;
                } else {
                    writeln!(out, "{verb} {} -> <URL:{new}>", describe(&file, &bookmark))?;
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
        let credentials = context.credentials()?;
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
        let request = |url| Request {
            // The user has not seen each form.
            answers: FormAnswers::Unconfirmed,
            limit: None,
            ..context.request_with(url, Reason::Bookmark, Purpose::Show, &credentials)
        };
        Ok(targets(urls.into_iter(), UrlKey::with_login, request))
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
