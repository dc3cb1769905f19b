//! `geomys bookmarks fetch-titles`: the titles of bookmarks from their pages.

use std::collections::BTreeMap;
use std::io::{Write, stderr, stdout};

use clap::Args;
use geomys_page::load::check::{FetchTitle, FetchedTitle, JobLimits};
use geomys_page::load::{FormAnswers, Purpose, Request};
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::url_jobs::{UrlTarget, targets};
use geomys_store::bookmarks::{BookmarkEdit, Bookmarks, Store};
use geomys_wire::text::Text;

use super::edit::SelectedBookmarks;
use super::print::{check_conflicts, describe};
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::fetch::run_on_each;

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
        let selected = self.selection.resolve(&file, context)?;
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
            ..context.request_with(url, Purpose::Show, &credentials)
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
        let mut out = stdout().lock();
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
