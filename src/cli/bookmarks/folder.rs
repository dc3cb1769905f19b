//! `geomys bookmarks add`, and `folder`: adds, renames, moves and removes folders.

use std::collections::HashSet;
use std::io::Write;

use clap::{Args, Subcommand};
use geomys_store::bookmarks::{Bookmarks, Change, InsertPosition, NewBookmark, Store, split_tags};
use geomys_wire::net::compared_url;
use geomys_wire::text::{Text, count};
use rfc1738::join_lines;

use super::follow::confirm_tagged;
use super::resolve::{
    check_conflicts, describe, folder_end, print_applied, print_remarks, with_stored_passwords,
};
use crate::cli::argument::UrlArgument;
use crate::cli::context::{CliContext, TypedUrl, typed_url};
use crate::cli::error::{CliError, clean};
use crate::cli::locale::{stderr, stdout};
use geomys_app::Settings;

/// The arguments of `geomys bookmarks folder`. A path has `/` between the names.
#[derive(Debug, Args)]
pub(super) struct FolderCommand {
    #[command(subcommand)]
    command: FolderSubcommand,
}

#[derive(Debug, Subcommand)]
enum FolderSubcommand {
    /// Add an empty folder
    ///
    /// Missing folders around it are created.
    Add {
        /// Path of the folder, with `/` between the names
        #[arg(value_name = "FOLDER")]
        path: String,
    },
    /// Rename a folder
    Rename {
        /// Path of the folder, with `/` between the names
        #[arg(value_name = "FOLDER")]
        path: String,
        /// New name, without the folders around it
        name: String,
    },
    /// Move a folder with its content into another
    Move {
        /// Path of the folder, with `/` between the names
        #[arg(value_name = "FOLDER")]
        path: String,
        /// Path of the folder to move it into, created when missing; empty is the top level
        #[arg(value_name = "INTO")]
        into: String,
    },
    /// Remove a folder
    ///
    /// `geomys bookmarks history` restores it.
    Remove {
        /// Path of the folder, with `/` between the names
        #[arg(value_name = "FOLDER")]
        path: String,
        /// Remove its bookmarks and folders, too
        #[arg(long)]
        with_content: bool,
    },
}

impl FolderCommand {
    pub(super) fn run(&self, store: &Store) -> Result<(), CliError> {
        let file = store.load()?;
        let (change, message) = self.change(&file)?;
        if change.is_empty() {
            return Err(CliError::new("nothing to change"));
        }
        let applied = store.save(&file, &change)?;
        check_conflicts(&applied)?;
        Ok(writeln!(stdout(), "{}", clean(&message))?)
    }

    /// Returns the change and the message about it.
    fn change(&self, file: &Bookmarks) -> Result<(Change, String), CliError> {
        match &self.command {
            FolderSubcommand::Add { path } => {
                let path = file.folder_named(path);
                let (Some((name, above)), None) = (path.split_last(), file.folder_at(&path)) else {
                    return Err(CliError::new("the folder has no name, or exists already"));
                };
                let change = file.adding_folder(name, &position(above));
                let change = change.ok_or_else(|| CliError::new("the folder has no name"))?;
                Ok((change, format!("added folder {}", shown(&path))))
            }
            FolderSubcommand::Rename { path, name } => {
                let (index, old) = existing(file, path)?;
                let mut new = old.clone();
                new.pop();
                new.push(name.trim().to_owned());
                if new != old && file.folder_at(&new).is_some() {
                    let sentence = format!("folder {} exists already", shown(&new));
                    return Err(CliError::new(sentence));
                }
                let change = file.renaming(index, name.trim());
                let change = change.ok_or_else(|| CliError::new("the new name is blank"))?;
                Ok((
                    change,
                    format!("renamed folder {} to {}", shown(&old), shown(&new)),
                ))
            }
            FolderSubcommand::Move { path, into } => {
                let (index, path) = existing(file, path)?;
                let into = file.folder_named(into);
                let change = file.moving(&[index], &position(&into));
                let into = if into.is_empty() {
                    "the top level".to_owned()
                } else {
                    shown(&into)
                };
                let path = shown(&path);
                let inside = || CliError::new(format!("folder {path} cannot be moved into itself"));
                let change = change.ok_or_else(inside)?;
                Ok((change, format!("moved folder {path} to {into}")))
            }
            FolderSubcommand::Remove { path, with_content } => {
                let (index, path) = existing(file, path)?;
                let path = shown(&path);
                let bookmarks = file.count(index);
                if file.end(index) > index + 1 && !with_content {
                    return Err(CliError::new(format!(
                        "folder {path} is not empty (bookmarks: {}); --with-content removes it",
                        count(bookmarks)
                    )));
                }
                let message = format!("removed folder {path} (bookmarks: {})", count(bookmarks));
                Ok((file.removing(&[index]), message))
            }
        }
    }
}

/// Returns the end of a folder for another folder; of the file for the top level.
fn position(path: &[String]) -> InsertPosition {
    if path.is_empty() {
        InsertPosition::End
    } else {
        InsertPosition::Path(path.to_vec())
    }
}

/// Returns the index and the path of an existing folder.
fn existing(file: &Bookmarks, typed: &str) -> Result<(usize, Vec<String>), CliError> {
    let path = file.folder_named(typed);
    let missing = || CliError::new(format!("no folder {}", Text::of(typed)));
    let index = file.folder_at(&path).ok_or_else(missing)?;
    Ok((index, path))
}

fn shown(path: &[String]) -> String {
    Text::of(&path.join("/")).to_string()
}

#[derive(Debug, Args)]
pub(super) struct Add {
    /// A URL, or a whole line: `Title <URL:...> #tag`; `-` is the lines of standard input
    #[arg(value_name = "URL")]
    address: UrlArgument,

    /// Add a URL that is bookmarked already, too
    #[arg(long)]
    again: bool,

    /// Set the title
    #[arg(long)]
    title: Option<String>,

    /// Add it to a folder, created when missing
    ///
    /// `/` separates a folder from one inside it. Empty is the top of the list. Without this option, it is the folder
    /// that `inbox` in settings.toml names.
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
    pub(super) fn run(&self, store: &Store, context: &CliContext) -> Result<(), CliError> {
        let settings = &context.config.settings;
        let file = store.load()?;
        let (mut drafts, mut all_remarks) = (Vec::new(), Vec::new());
        let mut links = HashSet::new();
        for address in UrlArgument::expanded(std::slice::from_ref(&self.address))? {
            let (draft, remarks) = self.draft(&address, settings)?;
            let same = file.same_as(&draft.url);
            for bookmark in same.iter().filter_map(|&index| file.bookmark(index)) {
                let existing = describe(&file, &bookmark);
                writeln!(stderr(), "geomys: already a bookmark, {existing}")?;
            }
            let is_new = links.insert(compared_url(&draft.url)) && same.is_empty();
            if is_new || self.again {
                drafts.push(draft);
                all_remarks.extend(remarks);
            }
        }
        if drafts.is_empty() {
            writeln!(stderr(), "geomys: nothing was added; --again adds it")?;
            return Ok(());
        }
        let folder = self.folder.as_deref().unwrap_or(&settings.inbox);
        let change = file.adding(&drafts, &folder_end(&file, folder));
        let applied = store.save(&file, &change)?;
        // Whole lines were typed with their tags.
        for draft in &drafts {
            confirm_tagged(context, &draft.tags, [&draft.url])?;
        }
        print_remarks(&all_remarks)?;
        print_applied("added", &applied)
    }

    /// Returns the new bookmark, and the remarks about its URL.
    fn draft(
        &self,
        address: &UrlArgument,
        settings: &Settings,
    ) -> Result<(NewBookmark, Vec<String>), CliError> {
        // A line of a bookmark file has its own title and tags.
        let line = Bookmarks::parse(join_lines(address.unmasked()).as_bytes());
        let line = line.bookmarks().next();
        let TypedUrl { url, remarks } = match &line {
            Some(bookmark) => typed_url(&UrlArgument::new(bookmark.url_text().as_str()), settings)?,
            None => typed_url(address, settings)?,
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
