//! `geomys bookmarks`: the bookmark file without the browser.

mod check;
mod edit;
mod entries;
mod exchange;
mod folder;
mod follow;
mod history;
mod list;
mod replace;
mod resolve;

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;

use clap::{Args, Subcommand};
use geomys_store::bookmarks::{Error, QueryError, Store};
use geomys_store::files::user_file::FileError;

use super::context::CliContext;
use super::error::{CliError, Output, clean};
use super::locale::stderr;

/// The arguments of `geomys bookmarks`.
#[derive(Debug, Args)]
pub(super) struct BookmarksCommand {
    #[command(subcommand)]
    command: BookmarksSubcommand,

    /// End at this step of a write, to test that nothing is lost
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_name = "STEP")]
    die_at: Option<String>,
}

#[derive(Debug, Subcommand)]
enum BookmarksSubcommand {
    /// List bookmarks: title, URL, folder, tags
    ///
    /// The fields are separated by TAB. A whole line opens its bookmark: `geomys "$(geomys bookmarks list | fzf)"`.
    List(list::List),
    /// Add a bookmark
    Add(folder::Add),
    /// Remove bookmarks
    Remove(edit::Remove),
    /// Change bookmarks
    Edit(edit::Edit),
    /// Merge bookmarks with the same URL into the first of them
    ///
    /// It gets the tags and the notes of the others, and a title if it has none.
    Merge(edit::Merge),
    /// Repair the URLs of bookmarks that are malformed
    ///
    /// All of them: `geomys bookmarks repair --matching is:fault`.
    Repair(replace::Repair),
    /// Replace URLs that have moved by their new ones
    ///
    /// By the results of the last check: `geomys bookmarks accept-move --matching is:moved`.
    AcceptMove(replace::AcceptMove),
    /// Fetch the titles of bookmarks from their pages
    ///
    /// From the menu row of a Gopher item, the title of a page, the subject of an article, or the first line of a text.
    FetchTitles(replace::FetchTitles),
    /// Add, rename, move or remove a folder
    Folder(folder::FolderCommand),
    /// Import the bookmarks of another program
    Import(exchange::Import),
    /// Export the bookmarks for another program
    Export(exchange::Export),
    /// List, print and restore earlier states of the file
    History(history::HistoryCommand),
    /// Check whether bookmarks are alive
    ///
    /// No page is fetched, and nothing is removed. The exit status is 1 if a bookmark is dead or unreachable, or has a
    /// URL without a repair.
    Check(check::Check),
    /// Refused: `geomys sync` looks at the pages tagged #follow
    #[command(hide = true)]
    Watch {
        /// The options of earlier versions
        #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<OsString>,
    },
    /// List the new entries of the pages tagged #follow: date, title, URL, bookmark
    ///
    /// As they were when `geomys sync` or the browser fetched the pages; nothing is fetched.
    Entries(entries::Entries),
    /// Print the path of the bookmark file
    Path,
}

impl BookmarksCommand {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let store = self.with_crash_step(context.paths.bookmarks());
        if let Some(damage) = store.damage() {
            writeln!(stderr(), "geomys: {}", clean(&damage))?;
        }
        match &self.command {
            BookmarksSubcommand::Path => {
                let mut out = Output::new();
                out.write_all(store.path().as_os_str().as_bytes())?;
                out.write_all(b"\n")?;
                Ok(out.end()?)
            }
            BookmarksSubcommand::List(list) => list.run(&store, context),
            BookmarksSubcommand::Add(add) => add.run(&store, context),
            BookmarksSubcommand::Remove(remove) => remove.run(&store, context),
            BookmarksSubcommand::Edit(edit) => edit.run(&store, context),
            BookmarksSubcommand::Merge(merge) => merge.run(&store, context),
            BookmarksSubcommand::Repair(repair) => repair.run(&store, context),
            BookmarksSubcommand::AcceptMove(accept) => accept.run(&store, context),
            BookmarksSubcommand::FetchTitles(fetch) => fetch.run(&store, context),
            BookmarksSubcommand::Folder(folder) => folder.run(&store),
            BookmarksSubcommand::Import(import) => import.run(&store),
            BookmarksSubcommand::Export(export) => export.run(&store, context),
            BookmarksSubcommand::History(history) => history.run(&store),
            BookmarksSubcommand::Check(check) => check.run(context),
            BookmarksSubcommand::Watch { .. } => Err(CliError::cannot_run(
                "bookmarks watch is gone: run geomys sync, which also sends the outbox",
            )),
            BookmarksSubcommand::Entries(entries) => entries.run(context),
        }
    }

    #[cfg_attr(not(debug_assertions), allow(clippy::unused_self))] // Only the debug version has the option.
    fn with_crash_step(&self, store: Store) -> Store {
        #[cfg(debug_assertions)]
        if let Some(last) = self.die_at.clone() {
            use rustix::process::{Signal, getpid, kill_process};
            return store.with_write_observer(move |step| {
                if format!("{step:?}").eq_ignore_ascii_case(&last) {
                    // Like a power failure: no clean-up.
                    let _ = kill_process(getpid(), Signal::KILL);
                }
            });
        }
        store
    }
}

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        CliError::new(error.to_string())
    }
}

impl From<QueryError> for CliError {
    fn from(error: QueryError) -> Self {
        CliError::Usage(error.to_string())
    }
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        CliError::new(error.to_string())
    }
}
