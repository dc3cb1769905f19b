//! `geomys bookmarks folder`: adds, renames, moves and removes folders.

use std::io::{Write, stdout};

use clap::{Args, Subcommand};
use geomys_store::bookmarks::{Bookmarks, Change, InsertPosition, Store};
use geomys_wire::text::{Text, count};

use super::print::check_conflicts;
use crate::cli::error::CliError;

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
        Ok(writeln!(stdout(), "{message}")?)
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
