//! Repairs of the URLs of bookmarks: of one, or of all that can be repaired, shown before they are made.

use super::bulk_edit::{named, repairing};
use super::choice::{Choice, Of, YES_OR_NO};
use super::{App, Effect};
use crate::files::bookmarks::Bookmarks;
use crate::text::{self, Text};
use crate::url::{Url, forgiven, mask};

impl App {
    /// Shows the repair of the bookmark under the cursor, and asks.
    pub(super) fn ask_repair(&mut self) -> Vec<Effect> {
        let Some(bookmark) = self.sidebar.bookmark() else {
            return self.no_fault();
        };
        if !bookmark.has_fault {
            return self.no_fault();
        }
        let index = bookmark.index;
        let written = bookmark.written();
        let Ok(url) = forgiven(written.as_str()) else {
            self.complain("nothing is known that it could mean: e edits it");
            return Vec::new();
        };
        let lines = lines(written.as_str(), &url);
        let bookmarks = self.sidebar.bookmarks.clone();
        let repairs = vec![(index, url)];
        let question = format!("Repair {}?", named(&bookmarks, index));
        let of = Of::Repair(bookmarks, repairs);
        self.choose(Choice::new(&question, &YES_OR_NO, of).about(lines.to_vec()))
    }

    /// Shows the repairs of all bookmarks that can be repaired, and asks.
    pub(super) fn ask_repair_all(&mut self) -> Vec<Effect> {
        let bookmarks = self.sidebar.bookmarks.clone();
        let faulty = bookmarks.bookmarks().filter(|bookmark| bookmark.has_fault);
        let mut repairs = Vec::new();
        let mut shown = Vec::new();
        let mut left = 0;
        for bookmark in faulty {
            let written = bookmark.written();
            match forgiven(written.as_str()) {
                Ok(url) => {
                    shown.extend(lines(written.as_str(), &url));
                    repairs.push((bookmark.index, url));
                }
                Err(_) => left += 1,
            }
        }
        if repairs.is_empty() {
            self.tell(match left {
                0 => "no bookmark has a fault",
                _ => "of no bookmark with a fault is it known what it means",
            });
            return Vec::new();
        }
        let left = match left {
            0 => String::new(),
            left => format!(" {} more can only be edited.", text::count(left)),
        };
        let count = match repairs.len() {
            1 => "1 URL".to_owned(),
            count => format!("{} URLs", text::count(count)),
        };
        let question = format!("Repair {count}?{left}");
        let of = Of::Repair(bookmarks, repairs);
        self.choose(Choice::new(&question, &YES_OR_NO, of).about(shown))
    }

    /// Repairs bookmarks as they were when it was asked, in one change.
    pub(super) fn repair(&mut self, from: &Bookmarks, repairs: &[(usize, Url)]) -> Vec<Effect> {
        let words = match repairs {
            [(one, _)] => format!("{} repaired", named(from, *one)),
            repairs => format!("{} URLs repaired", text::count(repairs.len())),
        };
        self.do_to_bookmarks(repairing(from, repairs), &words)
    }
}

/// A URL before and after.
fn lines(written: &str, url: &Url) -> [Text; 2] {
    [
        Text::of(&mask(written)),
        Text::of(&format!("  → {}", url.masked())),
    ]
}
