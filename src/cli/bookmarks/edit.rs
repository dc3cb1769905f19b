//! `geomys bookmarks remove` and `geomys bookmarks edit`.

use std::io::{Write, stderr, stdout};

use clap::Args;

use super::named::named;
use super::{place, shown, tell, with_stored_passwords};
use crate::app::Settings;
use crate::cli::{Trouble, address};
use crate::files::bookmarks::{Edit, Store};

#[derive(Debug, Args)]
pub(super) struct Remove {
    /// Which: a URL, the number of a line, or a line of `geomys bookmarks list`
    #[arg(value_name = "BOOKMARK", required = true)]
    which: Vec<String>,
}

impl Remove {
    pub(super) fn run(&self, store: &Store, settings: &Settings) -> Result<(), Trouble> {
        let file = store.load()?;
        let which = self.which.iter();
        let which: Vec<usize> = which
            .map(|written| named(&file, written, settings))
            .collect::<Result<_, _>>()?;
        let applied = store.save(&file, &file.removing(&which))?;
        let mut out = stdout().lock();
        // What somebody else has changed meanwhile stays.
        if applied.clashes.is_empty() {
            for bookmark in which.iter().filter_map(|&index| file.bookmark(index)) {
                writeln!(out, "removed {}", shown(&file, &bookmark))?;
            }
            return Ok(());
        }
        let clashes: Vec<String> = applied.clashes.iter().map(ToString::to_string).collect();
        Err(Trouble::new(clashes.join("\ngeomys: ")))
    }
}

#[derive(Debug, Args)]
pub(super) struct EditOne {
    /// Which: a URL, the number of a line, or a line of `geomys bookmarks list`
    #[arg(value_name = "BOOKMARK")]
    which: String,

    #[command(flatten)]
    what: What,
}

/// What is to be another; the rest stays.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct What {
    /// What it is called; nothing when it is empty
    #[arg(long)]
    title: Option<String>,

    /// Its URL
    #[arg(long)]
    url: Option<String>,

    /// The folder it goes to, made when it is missing; `/` between a folder and one inside it; the top of the list when it
    /// is empty
    #[arg(long)]
    folder: Option<String>,

    /// A tag instead of all that it has; may be given more than once, and none stay when it is empty
    #[arg(long = "tag", value_name = "TAG")]
    tags: Option<Vec<String>>,

    /// A line of a note instead of all that it has; may be given more than once, and none stay when it is empty
    #[arg(long = "note", value_name = "NOTE")]
    notes: Option<Vec<String>>,
}

impl EditOne {
    pub(super) fn run(&self, store: &Store, settings: &Settings) -> Result<(), Trouble> {
        let file = store.load()?;
        let index = named(&file, &self.which, settings)?;
        let stored = file.bookmark(index).map(|bookmark| bookmark.written());
        let stored = stored.unwrap_or_default();
        let url = self.what.url.as_deref().map(|url| {
            let url = address(url, settings)?;
            with_stored_passwords(url, stored.as_str())
        });
        let url = url.transpose()?;
        let edit = Edit {
            title: self.what.title.clone(),
            url,
            tags: self.what.tags.clone(),
            notes: self.what.notes.clone(),
            ..Edit::default()
        };
        let change = match self.what.folder.as_deref() {
            None => Some(file.editing(&[(index, edit)])),
            Some(folder) => file.revising(index, &edit, &place(&file, folder)),
        };
        let change = change.filter(|change| !change.is_empty());
        let Some(change) = change else {
            writeln!(stderr(), "geomys: it was like that already")?;
            return Ok(());
        };
        let applied = store.save(&file, &change)?;
        tell("edited", &applied)
    }
}
