//! The order of the list: that of the file as a tree, or all bookmarks sorted. Sorting changes no file.

use std::sync::Arc;

use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::dates::BookmarkOrder;

use crate::action::Action;
use crate::bookmarks::check::LinkChecks;
use crate::bookmarks::order::{SortResult, SortedBookmarks};
use crate::bookmarks::sidebar::Sidebar;
use crate::{BookmarkCommand, BookmarkEffect, Context, Dialog, WorkId};

/// The order of the list, and what it is made of.
#[derive(Debug)]
pub(crate) struct BookmarkSort {
    /// The order that the user chose.
    pub(crate) order: BookmarkOrder,
    /// The running sort.
    sorting: Option<WorkId>,
}

impl Default for BookmarkSort {
    fn default() -> Self {
        Self {
            order: BookmarkOrder::File,
            sorting: None,
        }
    }
}

impl BookmarkSort {
    /// Sorts the list; also reads the dates of additions, which details and filters need.
    pub(crate) fn sort(&mut self, order: BookmarkOrder, bookmarks: &Bookmarks, cx: &mut Context) {
        let work = cx.next_work();
        self.sorting = Some(work);
        self.order = order;
        let bookmarks = bookmarks.clone();
        let settings = cx.settings.history.clone();
        cx.emit(BookmarkEffect::Sort(work, order, bookmarks, settings));
    }

    /// Sorts the list again, after a change of the bookmarks or at the start, in the same order.
    pub(crate) fn sort_again(&mut self, bookmarks: &Bookmarks, cx: &mut Context) {
        self.sort(self.order, bookmarks, cx);
    }

    /// Handles the sorted bookmarks, or the error of reading the dates.
    pub(crate) fn sorted(
        &mut self,
        work: WorkId,
        sorted: Result<Box<SortResult>, String>,
        sidebar: &mut Sidebar,
        checks: &mut LinkChecks,
        cx: &mut Context,
    ) {
        if self.sorting.take_if(|sorting| *sorting == work).is_none() {
            return;
        }
        let sorted = match sorted {
            Ok(sorted) => *sorted,
            Err(sentence) => {
                self.order = sidebar.order();
                return cx.report_error(&sentence);
            }
        };
        checks.added = Arc::new(sorted.added);
        let is_new = sorted.order != sidebar.order();
        let list = (sorted.order != BookmarkOrder::File).then_some(SortedBookmarks {
            order: sorted.order,
            items: sorted.items,
        });
        if list.is_none() && !is_new {
            return;
        }
        let now = &sidebar.bookmarks;
        let list = list.map(|list| {
            if sorted.bookmarks == *now {
                list
            } else {
                list.follow(&sorted.bookmarks, now)
            }
        });
        sidebar.set_sorted(list, is_new);
        cx.reveal_all();
    }
}

impl Sidebar {
    /// Notifies that a sorted list or the matches of a filter cannot be rearranged. Returns false for the tree.
    pub(super) fn notify_flat(&self, cx: &mut Context) -> bool {
        if self.is_filtered() {
            cx.notify("Search results cannot be moved (Esc shows the tree)");
        } else if self.order() != BookmarkOrder::File {
            let key = cx.key_of(Action::SortBookmarks);
            cx.notify(&format!("A sorted list cannot be rearranged ({key} sort)"));
        } else {
            return false;
        }
        true
    }
}

/// Asks for the order of the list, which is shown in this one.
pub(crate) fn ask_order(shown: BookmarkOrder, cx: &mut Context) {
    let mut dialog = Dialog::new("Sort the bookmarks?");
    for (letter, words, order) in [
        ('f', "as in the file", BookmarkOrder::File),
        ('t', "by title", BookmarkOrder::Title),
        ('a', "by date added", BookmarkOrder::Added),
        ('v', "by last visit", BookmarkOrder::Visited),
        ('h', "by host", BookmarkOrder::Host),
    ] {
        if order != shown {
            dialog = dialog.answer(letter, words, BookmarkCommand::Sort(order));
        }
    }
    cx.ask(dialog.no("no"));
}
