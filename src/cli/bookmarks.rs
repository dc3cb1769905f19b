//! `geomys bookmarks`: the bookmark file without the browser.

mod add;
mod check;
mod edit;
mod exchange;
mod history;
mod list;
mod named;
mod query;
mod watch;

use std::io::{Write, stderr, stdout};
use std::os::unix::ffi::OsStrExt;

use clap::{Args, Subcommand};

use super::output::Output;
use super::{Setting, Trouble};
use crate::files::bookmarks::{Applied, Bookmark, Bookmarks, Error, Place, Store};
use crate::url::{MASK, Url, mask, with_secrets_of};

/// The bookmark file without the browser
#[derive(Debug, Args)]
pub(super) struct BookmarksCommand {
    #[command(subcommand)]
    command: Command,

    /// End without a word at this step of a write, for the test that nothing is lost
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_name = "STEP")]
    die_at: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bookmarks, one a line: title, URL, folder and tags, a TAB between
    ///
    /// A whole line of this opens its bookmark: `geomys "$(geomys bookmarks list | fzf)"`.
    List(list::List),
    /// A new bookmark
    Add(add::Add),
    /// Remove bookmarks
    Remove(edit::Remove),
    /// Change a bookmark
    Edit(edit::EditOne),
    /// Take over the bookmarks of another program
    Import(exchange::Import),
    /// Write the bookmarks as another program reads them
    Export(exchange::Export),
    /// The states that the file was in before the last changes
    History(history::History),
    /// Ask whether what the bookmarks name is still there
    ///
    /// Nothing is fetched, and nothing is removed. The exit status is 1 where something is gone, does not answer or is no
    /// URL.
    Check(check::Check),
    /// Fetch what is tagged #watch, and tell what has changed
    Watch(watch::Watch),
    /// Where the bookmark file is
    Path,
}

impl BookmarksCommand {
    pub(super) fn run(&self, setting: &Setting) -> Result<(), Trouble> {
        let store = self.dying(setting.places.bookmarks());
        match &self.command {
            Command::Path => {
                let mut out = Output::new();
                out.write_all(store.path().as_os_str().as_bytes())?;
                out.write_all(b"\n")?;
                Ok(out.end()?)
            }
            Command::List(list) => list.run(&store, setting),
            Command::Add(add) => add.run(&store, &setting.config.settings),
            Command::Remove(remove) => remove.run(&store, &setting.config.settings),
            Command::Edit(edit) => edit.run(&store, &setting.config.settings),
            Command::Import(import) => import.run(&store),
            Command::Export(export) => export.run(&store),
            Command::History(history) => history.run(&store),
            Command::Check(check) => check.run(setting),
            Command::Watch(watch) => watch.run(setting),
        }
    }

    #[cfg(debug_assertions)]
    fn dying(&self, store: Store) -> Store {
        use rustix::process::{Signal, getpid, kill_process};
        let Some(last) = self.die_at.clone() else {
            return store;
        };
        store.telling(move |step| {
            if format!("{step:?}").eq_ignore_ascii_case(&last) {
                // As if the power had gone: nothing is put away.
                let _ = kill_process(getpid(), Signal::KILL);
            }
        })
    }

    #[cfg(not(debug_assertions))]
    #[allow(clippy::unused_self)] // The other one needs it.
    fn dying(&self, store: Store) -> Store {
        store
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Trouble::new(error.to_string())
    }
}

/// The end of the folder that a person names; the top of the tree when the name is empty.
fn place(bookmarks: &Bookmarks, folder: &str) -> Place {
    Place::Path(bookmarks.folder_named(folder))
}

/// The URL with the passwords of the stored one where it has the mask that lists show instead.
fn with_stored_passwords(url: Url, stored: &str) -> Result<Url, Trouble> {
    let filled = with_secrets_of(url.as_str(), stored).ok_or_else(|| {
        Trouble::new(format!(
            "{MASK} stands for no stored password: write the password, or leave it out"
        ))
    })?;
    Ok(Url::accept(&filled).unwrap_or(url))
}

/// Says on standard output what was done to the bookmarks on the lines that were put in, and on standard error what
/// somebody else did meanwhile.
fn tell(verb: &str, applied: &Applied) -> Result<(), Trouble> {
    let mut out = stdout().lock();
    let file = &applied.bookmarks;
    for bookmark in applied.items.iter().filter_map(|&it| file.bookmark(it)) {
        writeln!(out, "{verb} {}", shown(file, &bookmark))?;
    }
    for clash in &applied.clashes {
        writeln!(stderr(), "geomys: {clash}")?;
    }
    Ok(())
}

/// A bookmark in a sentence: its line, counted from 1, and what is on it, without a password.
fn shown(file: &Bookmarks, bookmark: &Bookmark<'_>) -> String {
    let mut words = vec![format!("line {}:", bookmark.line + 1)];
    let title = bookmark.title();
    if !title.is_blank() {
        words.push(title.to_string());
    }
    words.push(format!("<URL:{}>", mask(bookmark.written().as_str())));
    words.extend(bookmark.tags().iter().map(|tag| format!("#{tag}")));
    let folder = file.folder_of(bookmark.index);
    if !folder.is_empty() {
        words.push(format!("in {}", folder.join("/")));
    }
    words.join(" ")
}
