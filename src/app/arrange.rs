//! The arrangement of a list's rows: the sort column, the position of directories, and the filter.
//!
//! Each change starts from the target arrangement, which may not be shown yet, so that keys pressed quickly add up.

use super::action::Action;
use super::page::Page;
use super::prompt::{Prompt, PromptKind};
use super::{App, Effect, WorkId};
use crate::document::find::SearchText;
use crate::document::{
    Arrangement, ArticleVisibility, DirectoryPlacement, Document, Shape, SortColumn,
};

/// The size in octets of a list that takes about a millisecond to arrange.
const SMALL_LIST: usize = 64 * 1024;

impl App {
    /// Sorts a list by a column; the same column again reverses the order.
    pub(super) fn sort(&mut self, column: SortColumn) {
        if let Some(columns) = self.other_columns(column) {
            self.notify(&format!(
                "this page has no {}; it is sorted by {columns}",
                column.name()
            ));
            return;
        }
        self.reorder(|order| order.by(column));
    }

    /// Toggles between directories first and directories among the other rows.
    pub(super) fn toggle_directories(&mut self) {
        if self.other_columns(SortColumn::Name).is_some() {
            self.notify("there are no directories on this page");
            return;
        }
        self.reorder(crate::document::ListOrder::with_directories_toggled);
        let order = self.target_arrangement().and_then(|target| target.order);
        if let Some(order) = order {
            self.notify(match order.directories {
                DirectoryPlacement::First => "directories stand first",
                DirectoryPlacement::Mixed => "directories stand among the rest",
            });
        }
    }

    /// Returns the names of the page's sort columns, if it has some and `column` is not one of them.
    fn other_columns(&self, column: SortColumn) -> Option<String> {
        let columns = self.page()?.document()?.columns();
        if columns.is_empty() || columns.contains(&column) {
            return None;
        }
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        Some(names.join(", "))
    }

    fn reorder(
        &mut self,
        change: impl FnOnce(crate::document::ListOrder) -> crate::document::ListOrder,
    ) {
        let is_sorted = self
            .page()
            .and_then(Page::document)
            .is_some_and(|document| document.order().is_some());
        if !is_sorted {
            self.notify(
                if self.page().is_some_and(|page| page.state.is_arriving()) {
                    "it can be sorted when all of it is here"
                } else {
                    "this page has nothing to sort"
                },
            );
            return;
        }
        self.arrange(|target| Arrangement {
            order: target.order.map(change),
            ..target
        });
    }

    /// Opens the prompt for filter words, with the current words in it.
    pub(super) fn ask_filter(&mut self) {
        let Some(page) = self.page() else {
            return;
        };
        if page.state.is_arriving() {
            self.notify("it can be filtered when all of it is here");
            return;
        }
        if !page.is_list() {
            let find = self.key_of(Action::Find);
            self.notify(&format!(
                "this page has no rows to choose from; {find} finds words"
            ));
            return;
        }
        let words = self.target_arrangement().and_then(|target| target.filter);
        let words = words.map_or(String::new(), |needle| needle.words().to_owned());
        self.prompt(Prompt::new(PromptKind::Filter, &words));
    }

    /// Filters the rows by the words in their names; without words all rows are shown.
    pub(super) fn filter(&mut self, words: &str) {
        let filter = SearchText::folded(words);
        if self
            .target_arrangement()
            .is_none_or(|target| target.filter == filter)
        {
            return;
        }
        self.arrange(|target| Arrangement { filter, ..target });
    }

    /// Clears the filter; `None` if there is no filter.
    pub(super) fn unfilter(&mut self) -> Option<()> {
        self.target_arrangement()?.filter?;
        self.filter("");
        Some(())
    }

    /// Changes the selection of articles that the shown group lists.
    pub(super) fn rearrange(
        &mut self,
        change: impl FnOnce(ArticleVisibility) -> ArticleVisibility,
    ) {
        let Some(page) = self.page() else {
            return;
        };
        if page.state.is_arriving() {
            self.notify("that can be done when all of the group is here");
            return;
        }
        if page.document().map(Document::shape) != Some(Shape::Group) {
            self.notify("this page is no group");
            return;
        }
        self.arrange(|target| Arrangement {
            visibility: change(target.visibility),
            ..target
        });
    }

    /// Returns the arrangement that is being applied to the page, or else the current one.
    fn target_arrangement(&self) -> Option<Arrangement> {
        let page = self.page()?;
        let now = || page.document().map(Document::arrangement);
        page.arranging.clone().or_else(now)
    }

    /// Changes the arrangement of the shown list.
    fn arrange(&mut self, change: impl FnOnce(Arrangement) -> Arrangement) {
        let work = self.next_work();
        let Some(target) = self.target_arrangement().map(change) else {
            return;
        };
        let Some(page) = self.page_mut() else {
            return;
        };
        let Some(document) = page.document().cloned() else {
            return;
        };
        page.finishing = Some(work);
        page.arranging = Some(target.clone());
        self.arrange_now_or_later(work, document, target);
    }

    /// Arranges a small list at once and a large one in a blocking task.
    pub(super) fn arrange_now_or_later(
        &mut self,
        work: WorkId,
        document: Document,
        target: Arrangement,
    ) {
        if document.raw().len() <= SMALL_LIST {
            self.finished(work, document.arranged(target));
        } else {
            self.emit(Effect::Arrange(work, document, target));
        }
    }
}
