//! The new URLs of bookmarks that have moved: an old result of a check is checked again before it is believed.

use geomys_store::bookmarks::moves::{Move, split_moves};
use geomys_wire::text;

use crate::bookmarks::bulk_edit::item_name;
use crate::bookmarks::message::MoveCheck;
use crate::{BookmarksPane, Context, Credentials};

impl BookmarksPane {
    /// Replaces the URLs of the marked bookmarks, or of the one under the cursor or those in the folder there, by their
    /// new ones, where they have moved. A result that is older than a day is checked again first.
    pub(crate) fn accept_move(&mut self, credentials: &Credentials, cx: &mut Context) {
        let from = self.sidebar.bookmarks.clone();
        let items = self.sidebar.bookmarks_in(&self.sidebar.selection());
        let now = self.checks.time(cx);
        let is_old = |&index: &usize| {
            let url = from.bookmark(index)?.repaired_url().ok()?;
            let state = self.checks.checks.of(&url)?;
            let has_moved = self.checks.checks.moved_to(&url).is_some();
            Some(has_moved && !state.is_recent(now))
        };
        let old = items.iter().copied();
        let old: Vec<usize> = old.filter(|index| is_old(index) == Some(true)).collect();
        if old.is_empty() {
            return self.accept_moves(&items, cx);
        }
        if let Some(load) = self.checks.check(from.clone(), old, credentials, cx) {
            cx.notify("Checking the moves again");
            self.checks.accepting = Some(MoveCheck { load, from, items });
        }
    }

    /// Accepts the moves that were checked again.
    pub(super) fn accept_checked(&mut self, checked: &MoveCheck, cx: &mut Context) {
        let items = checked.from.follow(&self.sidebar.bookmarks, &checked.items);
        let items: Vec<usize> = items.into_iter().flatten().collect();
        self.accept_moves(&items, cx);
    }

    /// Accepts the moves of these bookmarks, as far as their results are recent.
    fn accept_moves(&mut self, items: &[usize], cx: &mut Context) {
        let bookmarks = &self.sidebar.bookmarks;
        let now = self.checks.time(cx);
        let mut unchecked = 0;
        let mut moves = Vec::new();
        for &index in items {
            let url = bookmarks.bookmark(index);
            let Some(from) = url.and_then(|bookmark| bookmark.repaired_url().ok()) else {
                continue;
            };
            let state = self.checks.checks.of(&from);
            match self.checks.checks.moved_to(&from) {
                Some(to) if state.is_some_and(|state| state.is_recent(now)) => {
                    moves.push(Move { index, from, to });
                }
                Some(_) => unchecked += 1,
                None => {}
            }
        }
        let (moved, doubtful) = split_moves(moves);
        if moved.is_empty() && unchecked > 0 {
            return cx.notify("No answer to the new check: nothing changed");
        }
        if moved.is_empty() && !doubtful.is_empty() {
            return cx.notify("Perhaps gone: accept these moves one by one");
        }
        let mut words = match moved.as_slice() {
            [] if self.sidebar.marks() > 0 => return cx.notify("No marked bookmark has moved"),
            [] => return cx.notify("This bookmark has not moved"),
            [(index, _)] => format!("{} has its new URL", item_name(bookmarks, *index)),
            more => format!("{} bookmarks have their new URLs", text::count(more.len())),
        };
        for (reason, number) in [("perhaps gone", doubtful.len()), ("no answer", unchecked)] {
            if number > 0 {
                words = format!("{words}; {reason}: {}", text::count(number));
            }
        }
        let records = bookmarks.moved_records(&moved, now);
        let change = bookmarks.replacing_urls(&moved);
        self.change_with_records(change, records, &words, cx);
    }
}
