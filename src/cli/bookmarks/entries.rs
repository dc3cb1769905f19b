//! `geomys bookmarks entries`: the dated entries of the followed bookmarks.

use std::io::Write;

use clap::Args;
use geomys_store::bookmarks::watch::{self, WatchedEntry};
use serde::Serialize;

use crate::cli::context::CliContext;
use crate::cli::error::{CliError, Output};
use crate::cli::url::json;

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
