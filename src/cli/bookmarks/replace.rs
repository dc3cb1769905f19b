//! `geomys bookmarks repair` and `geomys bookmarks accept-move`: other URLs for bookmarks.

use std::io::{Write, stdout};

use clap::Args;
use geomys_store::bookmarks::{Bookmark, Store};
use rfc1738::Url;

use super::edit::SelectedBookmarks;
use super::print::{check_conflicts, describe};
use super::query::LinkRecords;
use crate::cli::context::CliContext;
use crate::cli::error::CliError;

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
        self.replacement.run(store, context, "repaired", repaired)
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
            let url = bookmark.url().ok()?;
            records.checks.moved_to(&url)
        };
        self.replacement.run(store, context, "moved", moved)
    }
}

#[derive(Debug, Args)]
struct Replacement {
    #[command(flatten)]
    selection: SelectedBookmarks,

    /// Print the new URLs, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Replacement {
    /// Gives the selected bookmarks the URLs that `new_url` returns, and prints the old and the new ones with `verb`.
    fn run(
        &self,
        store: &Store,
        context: &CliContext,
        verb: &str,
        new_url: impl Fn(&Bookmark<'_>) -> Option<Url>,
    ) -> Result<(), CliError> {
        let file = store.load()?;
        let selected = self.selection.resolve(&file, context)?.into_iter();
        let selected = selected.filter_map(|index| file.bookmark(index));
        let urls: Vec<(usize, Url)> = selected
            .filter_map(|bookmark| Some((bookmark.index, new_url(&bookmark)?)))
            .collect();
        if urls.is_empty() {
            let sentence = format!("no selected bookmark can be {verb}");
            return Err(CliError::new(sentence));
        }
        if !self.dry_run {
            check_conflicts(&store.save(&file, &file.replacing_urls(&urls))?)?;
        }
        let mut out = stdout().lock();
        for (index, url) in urls {
            if let Some(bookmark) = file.bookmark(index) {
                let (old, new) = (describe(&file, &bookmark), url.masked());
                writeln!(out, "{verb} {old} -> <URL:{new}>")?;
            }
        }
        Ok(())
    }
}
