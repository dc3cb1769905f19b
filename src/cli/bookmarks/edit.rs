//! `geomys bookmarks remove` and `geomys bookmarks edit`.

use std::io::{Write, stderr, stdout};

use clap::Args;

use super::print::{describe, folder_end, print_applied, print_remarks, with_stored_passwords};
use super::resolve::resolve;
use crate::app::Settings;
use crate::bookmarks::{BookmarkEdit, Store, split_tags};
use crate::cli::context::typed_url;
use crate::cli::error::CliError;

#[derive(Debug, Args)]
pub(super) struct Remove {
    /// A URL, a line number, or a line of `bookmarks list`
    #[arg(value_name = "BOOKMARK", required = true)]
    which: Vec<String>,
}

impl Remove {
    pub(super) fn run(&self, store: &Store, settings: &Settings) -> Result<(), CliError> {
        let file = store.load()?;
        let which = self.which.iter();
        let which: Vec<usize> = which
            .map(|written| resolve(&file, written, settings))
            .collect::<Result<_, _>>()?;
        let applied = store.save(&file, &file.removing(&which))?;
        let mut out = stdout().lock();
        // Concurrent changes of other programs stay.
        if applied.conflicts.is_empty() {
            for bookmark in which.iter().filter_map(|&index| file.bookmark(index)) {
                writeln!(out, "removed {}", describe(&file, &bookmark))?;
            }
            return Ok(());
        }
        let conflicts: Vec<String> = applied.conflicts.iter().map(ToString::to_string).collect();
        Err(CliError::new(conflicts.join("\ngeomys: ")))
    }
}

#[derive(Debug, Args)]
pub(super) struct EditOne {
    /// A URL, a line number, or a line of `bookmarks list`
    #[arg(value_name = "BOOKMARK")]
    which: String,

    #[command(flatten)]
    fields: EditedFields,
}

/// What is to be another; the rest stays.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct EditedFields {
    /// Set the title; empty removes it
    #[arg(long)]
    title: Option<String>,

    /// Set the URL
    #[arg(long)]
    url: Option<String>,

    /// Move it to a folder; empty is the top of the list
    ///
    /// A missing folder is created. `/` separates a folder from one inside it.
    #[arg(long)]
    folder: Option<String>,

    /// Replace all tags; empty removes them
    ///
    /// Several are separated by commas, or the option is repeated.
    #[arg(long = "tag", value_name = "TAG")]
    tags: Option<Vec<String>>,

    /// Replace the note; empty removes it
    ///
    /// May be repeated, for each line of the note.
    #[arg(long = "note", value_name = "NOTE")]
    notes: Option<Vec<String>>,
}

impl EditOne {
    pub(super) fn run(&self, store: &Store, settings: &Settings) -> Result<(), CliError> {
        let file = store.load()?;
        let index = resolve(&file, &self.which, settings)?;
        let stored = file.bookmark(index).map(|bookmark| bookmark.url_text());
        let stored = stored.unwrap_or_default();
        let url = self.fields.url.as_deref();
        let typed = url.map(|url| typed_url(url, settings)).transpose()?;
        let (url, remarks) = typed.map(|typed| (typed.url, typed.remarks)).unzip();
        let url = url.map(|url| with_stored_passwords(url, stored.as_str()));
        let url = url.transpose()?;
        let edit = BookmarkEdit {
            title: self.fields.title.clone(),
            url,
            tags: self.fields.tags.as_deref().map(split_tags),
            notes: self.fields.notes.clone(),
            ..BookmarkEdit::default()
        };
        let change = match self.fields.folder.as_deref() {
            None => Some(file.editing(&[(index, edit)])),
            Some(folder) => file.revising(index, &edit, &folder_end(&file, folder)),
        };
        let change = change.filter(|change| !change.is_empty());
        let Some(change) = change else {
            writeln!(stderr(), "geomys: nothing to change")?;
            return Ok(());
        };
        let applied = store.save(&file, &change)?;
        print_remarks(&remarks.unwrap_or_default())?;
        print_applied("edited", &applied)
    }
}
