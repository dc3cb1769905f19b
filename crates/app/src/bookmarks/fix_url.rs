//! Fixes of the URLs of bookmarks: of one, or of all that can be fixed. They are shown before they are applied.

use geomys_store::bookmarks::Bookmarks;
use geomys_wire::net::shown_url;
use geomys_wire::text::{self, Text};
use rfc1738::{Url, mask};

use crate::bookmarks::add::notify_no_fault;
use crate::bookmarks::bulk_edit::item_name;
use crate::bookmarks::sidebar::Sidebar;
use crate::{BookmarkCommand, BookmarksPane, Command, Context, Dialog};

impl BookmarksPane {
    /// Applies fixes in one change; `from` is the state of the bookmarks when the question was opened.
    pub(crate) fn repair(&mut self, from: &Bookmarks, repairs: &[(usize, Url)], cx: &mut Context) {
        let words = match repairs {
            [(one, _)] => format!("{} repaired", item_name(from, *one)),
            repairs => format!("{} URLs repaired", text::count(repairs.len())),
        };
        self.change_bookmarks(from.replacing_urls(repairs), &words, cx);
    }
}

/// Asks before fixing the marked bookmarks, or those of the folder under the cursor, or the bookmark there, and shows
/// the fixed URLs.
pub(crate) fn ask_repair(sidebar: &Sidebar, cx: &mut Context) {
    let selection = sidebar.selection();
    if sidebar.marks() > 0 || sidebar.bookmark().is_none() {
        return ask_repair_of(sidebar, &sidebar.bookmarks_in(&selection), cx);
    }
    let Some(bookmark) = sidebar.bookmark() else {
        return notify_no_fault(cx);
    };
    if !bookmark.has_fault {
        return notify_no_fault(cx);
    }
    let index = bookmark.index;
    let written = bookmark.url_text();
    let Ok(url) = bookmark.repaired_url() else {
        return cx.report_error("No repair known (e edit)");
    };
    let lines = lines(written.as_str(), &url);
    let bookmarks = sidebar.bookmarks.clone();
    let repairs = vec![(index, url)];
    let question = format!("Repair {}?", item_name(&bookmarks, index));
    let repair = Command::Bookmarks(BookmarkCommand::Repair(bookmarks, repairs));
    let dialog = Dialog::confirm(&question, repair).with_lines(lines.to_vec());
    cx.ask(dialog.scrolled_by_line());
}

/// Asks before fixing all bookmarks that can be fixed, or the filtered ones, and shows the fixed URLs.
pub(crate) fn ask_repair_all(sidebar: &Sidebar, cx: &mut Context) {
    if sidebar.is_filtered() {
        return ask_repair_of(sidebar, sidebar.rows(), cx);
    }
    let all: Vec<usize> = (0..sidebar.bookmarks.len()).collect();
    ask_repair_of(sidebar, &all, cx);
}

/// Asks before fixing those of these bookmarks that can be fixed.
fn ask_repair_of(sidebar: &Sidebar, items: &[usize], cx: &mut Context) {
    let bookmarks = sidebar.bookmarks.clone();
    let faulty = items.iter().filter_map(|&index| bookmarks.bookmark(index));
    let faulty = faulty.filter(|bookmark| bookmark.has_fault);
    let mut repairs = Vec::new();
    let mut shown = Vec::new();
    let mut left = 0;
    for bookmark in faulty {
        let written = bookmark.url_text();
        match bookmark.repaired_url() {
            Ok(url) => {
                shown.extend(lines(written.as_str(), &url));
                repairs.push((bookmark.index, url));
            }
            Err(_) => left += 1,
        }
    }
    if repairs.is_empty() {
        return cx.notify(match left {
            0 => "no bookmarks with faults",
            _ => "no repair known for any fault",
        });
    }
    let left = match left {
        0 => String::new(),
        left => format!(" {} more must be edited by hand.", text::count(left)),
    };
    let count = match repairs.len() {
        1 => "1 URL".to_owned(),
        count => format!("{} URLs", text::count(count)),
    };
    let question = format!("Repair {count}?{left}");
    let repair = Command::Bookmarks(BookmarkCommand::Repair(bookmarks, repairs));
    let dialog = Dialog::confirm(&question, repair).with_lines(shown);
    cx.ask(dialog.scrolled_by_line());
}

/// Returns two lines: the written URL and the fixed URL.
fn lines(written: &str, url: &Url) -> [Text; 2] {
    [
        Text::of(&mask(written)),
        Text::of(&format!("  → {}", shown_url(url))),
    ]
}
