//! `geomys bookmarks add`.

use std::io::{Write, stderr};

use clap::Args;
use geomys_store::bookmarks::{Bookmarks, NewBookmark, Store, split_tags};
use geomys_wire::text::Text;
use rfc1738::join_lines;

use super::print::{describe, folder_end, print_applied, print_remarks, with_stored_passwords};
use crate::app::Settings;
use crate::cli::context::{TypedUrl, typed_url};
use crate::cli::error::CliError;

#[derive(Debug, Args)]
pub(super) struct Add {
    /// A URL, or a whole line: `Title <URL:...> #tag`
    #[arg(value_name = "URL")]
    address: String,

    /// Set the title
    #[arg(long)]
    title: Option<String>,

    /// Add it to a folder, created when missing
    ///
    /// `/` separates a folder from one inside it. Empty is the top of the list. Without this option, it is the folder that
    /// `inbox` in settings.toml names.
    #[arg(long)]
    folder: Option<String>,

    /// Add a tag, or several with commas; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,

    /// Add a line to the note; may be repeated
    #[arg(long = "note", value_name = "NOTE")]
    notes: Vec<String>,
}

impl Add {
    pub(super) fn run(&self, store: &Store, settings: &Settings) -> Result<(), CliError> {
        let file = store.load()?;
        let (draft, remarks) = self.draft(settings)?;
        let same = file.same_as(&draft.url);
        let folder = self.folder.as_deref().unwrap_or(&settings.inbox);
        let change = file.adding(&[draft], &folder_end(&file, folder));
        let applied = store.save(&file, &change)?;
        print_remarks(&remarks)?;
        for bookmark in same.iter().filter_map(|&index| file.bookmark(index)) {
            let existing = describe(&file, &bookmark);
            writeln!(stderr(), "geomys: already a bookmark, {existing}")?;
        }
        print_applied("added", &applied)
    }

    /// Returns the new bookmark, and the remarks about its URL.
    fn draft(&self, settings: &Settings) -> Result<(NewBookmark, Vec<String>), CliError> {
        // A line of a bookmark file has its own title and tags.
        let line = Bookmarks::parse(join_lines(&self.address).as_bytes());
        let line = line.bookmarks().next();
        let TypedUrl { url, remarks } = match &line {
            Some(bookmark) => typed_url(bookmark.url_text().as_str(), settings)?,
            None => typed_url(&self.address, settings)?,
        };
        let title = line.map(|line| line.title().to_string());
        let tags = line.map(|line| line.tags().iter().map(Text::to_string).collect());
        let draft = NewBookmark {
            title: self.title.clone().or(title).unwrap_or_default(),
            url: with_stored_passwords(url, "")?,
            tags: if self.tags.is_empty() {
                tags.unwrap_or_default()
            } else {
                split_tags(&self.tags)
            },
            notes: self.notes.clone(),
        };
        Ok((draft, remarks))
    }
}
