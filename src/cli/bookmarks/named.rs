//! Bookmarks that a person names on the command line.

use super::list::listed;
use super::shown;
use crate::app::Settings;
use crate::cli::{Trouble, address};
use crate::files::bookmarks::{Bookmarks, Item};
use crate::text::Text;
use crate::url::{mask, unwrapped};

/// The one bookmark that is meant by the number of its line (from 1), a line of `geomys bookmarks list`, or its URL in
/// any spelling. Where there are more, or none, that is an error that says so.
pub(super) fn named(
    file: &Bookmarks,
    written: &str,
    settings: &Settings,
) -> Result<usize, Trouble> {
    if !written.is_empty() && written.bytes().all(|octet| octet.is_ascii_digit()) {
        let line = written.parse::<usize>().ok();
        let item = line.and_then(|line| file.on_line(line.checked_sub(1)?));
        return match item {
            Some(Item::Bookmark(bookmark)) => Ok(bookmark.index),
            Some(Item::Folder(_)) => Err(Trouble::new(format!("line {written} is a folder"))),
            None => Err(Trouble::new(format!("no bookmark is on line {written}"))),
        };
    }
    let meant = meant(file, written, settings);
    match meant.as_slice() {
        [one] => Ok(*one),
        [] => {
            let written = Text::of(&mask(written)).to_string();
            Err(Trouble::new(format!("no bookmark is {written}")))
        }
        more => {
            let mut sentence = format!("{} bookmarks are that; name the line of one", more.len());
            for bookmark in more.iter().filter_map(|&index| file.bookmark(index)) {
                sentence.push_str("\n  ");
                sentence.push_str(&shown(file, &bookmark));
            }
            Err(Trouble::new(sentence))
        }
    }
}

fn meant(file: &Bookmarks, written: &str, settings: &Settings) -> Vec<usize> {
    if written.contains('\t') {
        let same = file.bookmarks().filter(|one| listed(file, one) == written);
        let same: Vec<usize> = same.map(|one| one.index).collect();
        if !same.is_empty() {
            return same;
        }
    }
    // One that has a fault is found by its letters alone.
    let bare = String::from_utf8_lossy(unwrapped(written.as_bytes()));
    let is_that = |text: &str| text == bare || mask(text) == bare;
    let same = file.bookmarks();
    let same = same.filter(|one| is_that(one.written().as_str()));
    let mut same: Vec<usize> = same.map(|one| one.index).collect();
    if let Ok(url) = address(written, settings) {
        same.extend(file.same_as(&url));
    }
    same.sort_unstable();
    same.dedup();
    same
}
