//! Bookmarks in messages, and the arguments that the subcommands share.

use std::io::{Write, stderr, stdout};

use geomys_store::bookmarks::{AppliedChange, Bookmark, Bookmarks, InsertPosition};
use rfc1738::{Dialect, MASK, Url, mask, with_secrets_of};

use crate::cli::error::CliError;
use crate::cli::output::clean;

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
    let mut out = stdout().lock();
    let file = &applied.bookmarks;
    for bookmark in applied.items.iter().filter_map(|&it| file.bookmark(it)) {
        writeln!(out, "{verb} {}", describe(file, &bookmark))?;
    }
    for clash in &applied.conflicts {
        writeln!(stderr(), "geomys: {clash}")?;
    }
    Ok(())
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
    words.push(format!("<URL:{}>", mask(bookmark.url_text().as_str())));
    words.extend(bookmark.tags().iter().map(|tag| format!("#{tag}")));
    let folder = file.folder_of(bookmark.index);
    if !folder.is_empty() {
        words.push(format!("in {}", folder.join("/")));
    }
    words.join(" ")
}
