//! `geomys bookmarks fetch-titles`: the titles of bookmarks from their pages.

use std::collections::BTreeMap;
use std::io::{Write, stderr, stdout};

use clap::Args;
use geomys_page::load::check::{CheckLimits, FetchedTitle, titles};
use geomys_page::load::{FormAnswers, Purpose, Request};
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::{BookmarkEdit, Bookmarks, Store};
use geomys_wire::text::Text;

use super::edit::SelectedBookmarks;
use super::print::{check_conflicts, describe};
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::fetch::block_on;
use crate::cli::signals::stop_signal;

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
        let (requests, items) = fetched.requests(&selected, context)?;
        let net = context.net();
        let ended = block_on(async {
            let mut receive = |number: usize, title| {
                let same = items.get(number).map(Vec::as_slice);
                fetched.add(same.unwrap_or_default(), &title);
            };
            let fetching = titles(&net, &requests, CheckLimits::default(), &mut receive);
            let stopped = stop_signal()?;
            Ok::<bool, CliError>(tokio::select! {
                () = fetching => true,
                () = stopped => false,
            })
        })??;
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

    /// Returns one request for each URL of these bookmarks, and the bookmarks of each.
    fn requests(
        &mut self,
        selected: &[usize],
        context: &CliContext,
    ) -> Result<(Vec<Request>, Vec<Vec<usize>>), CliError> {
        let credentials = context.credentials()?;
        let mut targets: BTreeMap<UrlKey, (Request, Vec<usize>)> = BTreeMap::new();
        for bookmark in selected.iter().filter_map(|&it| self.file.bookmark(it)) {
            let url = match bookmark.repaired_url() {
                Ok(url) => url,
                Err(fault) => {
                    self.has_failed = true;
                    self.reasons.insert(bookmark.index, fault.to_string());
                    continue;
                }
            };
            let target = targets.entry(UrlKey::with_login(&url));
            let target = target.or_insert_with(|| {
                let request = Request {
                    // The user has not seen each form.
                    answers: FormAnswers::Unconfirmed,
                    limit: None,
                    ..context.request_with(url, Purpose::Show, &credentials)
                };
                (request, Vec::new())
            });
            target.1.push(bookmark.index);
        }
        Ok(targets.into_values().unzip())
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
