//! Resolves bookmarks given on the command line.

use geomys_store::bookmarks::{Bookmarks, Item};
use geomys_wire::text::Text;
use rfc1738::{mask, strip_wrapper};

use super::list::list_line;
use super::print::describe;
use crate::app::Settings;
use crate::cli::context::address;
use crate::cli::error::CliError;

/// Returns the bookmark with this line number (from 1), line of `geomys bookmarks list`, or URL in any spelling. Fails if no
/// bookmark matches, or more than one.
pub(super) fn resolve(
    file: &Bookmarks,
    written: &str,
    settings: &Settings,
) -> Result<usize, CliError> {
    if !written.is_empty() && written.bytes().all(|octet| octet.is_ascii_digit()) {
        let line = written.parse::<usize>().ok();
        let item = line.and_then(|line| file.on_line(line.checked_sub(1)?));
        return match item {
            Some(Item::Bookmark(bookmark)) => Ok(bookmark.index),
            Some(Item::Folder(_)) => Err(CliError::new(format!("line {written} is a folder"))),
            None => Err(CliError::new(format!("no bookmark on line {written}"))),
        };
    }
    let matches = matching(file, written, settings);
    match matches.as_slice() {
        [one] => Ok(*one),
        [] => {
            let written = Text::of(&mask(written)).to_string();
            Err(CliError::new(format!("no bookmark matches {written}")))
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

fn matching(file: &Bookmarks, written: &str, settings: &Settings) -> Vec<usize> {
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
    if let Ok(url) = address(written, settings) {
        same.extend(file.same_as(&url));
    }
    same.sort_unstable();
    same.dedup();
    same
}
