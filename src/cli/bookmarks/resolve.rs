//! Resolves bookmarks given on the command line: the arguments that the subcommands share, the results that query words
//! need, and bookmarks in messages.

use std::io::Write;

use geomys_store::bookmarks::checks::Checks;
use geomys_store::bookmarks::records::{self, BookmarkRecords, RecordChange};
use geomys_store::bookmarks::watch::WatchedPages;
use geomys_store::bookmarks::{
    AppliedChange, Bookmark, Bookmarks, Change, InsertPosition, Item, Store, checks, watch,
};
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::{Dialect, MASK, Url, mask, mask_answers, mask_words, strip_wrapper, with_secrets_of};
use serde::Serialize;

use super::list::list_line;
use crate::cli::argument::UrlArgument;
use crate::cli::context::{CliContext, address};
use crate::cli::error::{CliError, clean};
use crate::cli::locale::{stderr, stdout};
use geomys_app::Settings;

/// Returns the bookmark with this line number (from 1), line of `geomys bookmarks list`, or URL in any spelling. Fails
/// if no bookmark matches, or more than one.
pub(super) fn resolve(
    file: &Bookmarks,
    written: &UrlArgument,
    settings: &Settings,
) -> Result<usize, CliError> {
    let typed = written;
    let written = typed.unmasked();
    if !written.is_empty() && written.bytes().all(|octet| octet.is_ascii_digit()) {
        let line = written.parse::<usize>().ok();
        let item = line.and_then(|line| file.on_line(line.checked_sub(1)?));
        return match item {
            Some(Item::Bookmark(bookmark)) => Ok(bookmark.index),
            Some(Item::Folder(_)) => Err(CliError::new(format!("line {written} is a folder"))),
            None => Err(CliError::new(format!("no bookmark on line {written}"))),
        };
    }
    let matches = matching(file, typed, settings);
    match matches.as_slice() {
        [one] => Ok(*one),
        [] => {
            let sentence = format!("no bookmark matches {typed}");
            Err(CliError::new(Text::of(&sentence)))
        }
        more => {
            let mut sentence =
                format!("{} bookmarks match; use the line number of one", more.len());
            for bookmark in more.iter().filter_map(|&index| file.bookmark(index)) {
                sentence.push_str("\n  ");
                sentence.push_str(&describe(file, &bookmark));
            }
            Err(CliError::new(sentence))
        }
    }
}

fn matching(file: &Bookmarks, typed: &UrlArgument, settings: &Settings) -> Vec<usize> {
    let written = typed.unmasked();
    if written.contains('\t') {
        let same = file
            .bookmarks()
            .filter(|one| list_line(file, one) == written);
        let same: Vec<usize> = same.map(|one| one.index).collect();
        if !same.is_empty() {
            return same;
        }
    }
    // A bookmark with a faulty URL is found by its text.
    let bare = String::from_utf8_lossy(strip_wrapper(written.as_bytes()));
    let is_that = |text: &str| text == bare || mask(text) == bare;
    let same = file.bookmarks();
    let same = same.filter(|one| is_that(one.url_text().as_str()));
    let mut same: Vec<usize> = same.map(|one| one.index).collect();
    if let Ok(url) = address(typed, settings) {
        same.extend(file.same_as(&url));
    }
    same.sort_unstable();
    same.dedup();
    same
}

/// Returns the end of the folder with this name; the top of the list if the name is empty.
pub(super) fn folder_end(bookmarks: &Bookmarks, folder: &str) -> InsertPosition {
    InsertPosition::Path(bookmarks.folder_named(folder))
}

/// Replaces the password mask of lists in a URL by the password of the stored URL.
pub(super) fn with_stored_passwords(url: Url, stored: &str) -> Result<Url, CliError> {
    let filled = with_secrets_of(url.as_str(), stored).ok_or_else(|| {
        CliError::new(format!(
            "{MASK} is not a stored password: write the password, or leave it out"
        ))
    })?;
    Ok(Dialect::Extended.parse(&*filled).unwrap_or(url))
}

/// Prints remarks about a typed URL on standard error.
pub(super) fn print_remarks(remarks: &[String]) -> Result<(), CliError> {
    for remark in remarks {
        writeln!(stderr(), "geomys: {}", clean(remark))?;
    }
    Ok(())
}

/// Prints the changed bookmarks on standard output, and conflicting changes of other programs on standard error.
pub(super) fn print_applied(verb: &str, applied: &AppliedChange) -> Result<(), CliError> {
    let mut out = stdout();
    let file = &applied.bookmarks;
    for bookmark in applied.items.iter().filter_map(|&it| file.bookmark(it)) {
        writeln!(out, "{verb} {}", describe(file, &bookmark))?;
    }
    for clash in &applied.conflicts {
        writeln!(stderr(), "geomys: {clash}")?;
    }
    Ok(())
}

/// Saves a change with the records that it brings; fails if other programs have changed the same lines.
pub(super) fn save_with_records(
    store: &Store,
    file: &Bookmarks,
    change: &Change,
    records: &BookmarkRecords,
) -> Result<(), CliError> {
    let brought = RecordChange::Add(records);
    let (applied, recorded) = store.save_with_records(file, change, brought)?;
    recorded?;
    check_conflicts(&applied)
}

/// Returns the conflicts of a change as an error: concurrent changes of other programs stay.
pub(super) fn check_conflicts(applied: &AppliedChange) -> Result<(), CliError> {
    if applied.conflicts.is_empty() {
        return Ok(());
    }
    let conflicts: Vec<String> = applied.conflicts.iter().map(ToString::to_string).collect();
    Err(CliError::new(conflicts.join("\ngeomys: ")))
}

/// Describes a bookmark in a message: its line, counted from 1, and its content without a password.
pub(super) fn describe(file: &Bookmarks, bookmark: &Bookmark<'_>) -> String {
    let mut words = vec![format!("line {}:", bookmark.line + 1)];
    let title = bookmark.title();
    if !title.is_blank() {
        words.push(title.to_string());
    }
    words.push(format!(
        "<URL:{}>",
        mask_answers(bookmark.url_text().as_str())
    ));
    words.extend(bookmark.tags().iter().map(|tag| format!("#{tag}")));
    let folder = file.folder_of(bookmark.index);
    if !folder.is_empty() {
        words.push(format!("in {}", folder.join("/")));
    }
    // A title or a name may hold what was typed in place of a URL.
    mask_words(&words.join(" ")).into_owned()
}

/// A bookmark in the JSON of a command that changes it.
#[derive(Serialize)]
pub(super) struct BookmarkObject {
    /// The line number before the change, from 1.
    line: usize,
    title: String,
    /// The URL as written, without its password and its tokens.
    url: String,
    /// The names of the folders, outermost first.
    folder: Vec<String>,
}

impl BookmarkObject {
    pub(super) fn of(file: &Bookmarks, bookmark: &Bookmark<'_>) -> Self {
        Self {
            line: bookmark.line + 1,
            title: bookmark.title().to_string(),
            url: mask_answers(bookmark.url_text().as_str()).into_owned(),
            folder: file.folder_of(bookmark.index),
        }
    }
}

/// The stored results of link checks, watched pages, and dates of addition. A query without state words needs none.
#[derive(Default)]
pub(super) struct LinkRecords {
    pub(super) checks: Checks,
    pub(super) watched: WatchedPages,
    pub(super) added: BookmarkRecords,
    pub(super) now: Timestamp,
}

impl LinkRecords {
    /// Loads the records.
    pub(super) fn load(context: &CliContext) -> Result<Self, CliError> {
        Ok(Self {
            checks: checks::load(&context.paths.checks())?,
            watched: watch::load(&context.paths.watched())?,
            added: records::load(&context.paths.bookmark_dates())?,
            now: checks::current_second(),
        })
    }

    /// Returns true if a URL matches a query word about link checks, watched pages or dates of addition.
    pub(super) fn matches(&self, word: &str, url: Option<&Url>) -> bool {
        // There are no records for an invalid URL.
        let result = url.and_then(|url| {
            let result = self.checks.matches(word, url, self.now);
            let result = result.or_else(|| self.watched.matches(word, url));
            result.or_else(|| self.added.matches(word, url, self.now))
        });
        result.unwrap_or(false)
    }
}
