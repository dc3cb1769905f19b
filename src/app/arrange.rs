//! How a list's rows are arranged: sorted by a column, directories first or not, filtered by words.
//!
//! What is wanted next is made from what is wanted now, be it there yet or not, so that keys pressed quickly add up.

use super::action::Action;
use super::page::Page;
use super::prompt::{Prompt, Wants};
use super::{App, Effect, WorkId};
use crate::document::find::Needle;
use crate::document::{Arrangement, Column, Directories, Document, Shape, Shown};

/// Octets of a list that takes about a millisecond to arrange.
const SMALL: usize = 64 * 1024;

impl App {
    /// Sorts a list; the same column again turns the order round.
    pub(super) fn sort(&mut self, column: Column) -> Vec<Effect> {
        if let Some(columns) = self.other_columns(column) {
            self.tell(&format!(
                "this page has no {}; it is sorted by {columns}",
                column.name()
            ));
            return Vec::new();
        }
        self.reorder(|order| order.by(column))
    }

    /// Puts directories first, or among the rest.
    pub(super) fn turn_directories(&mut self) -> Vec<Effect> {
        if self.other_columns(Column::Name).is_some() {
            self.tell("there are no directories on this page");
            return Vec::new();
        }
        let effects = self.reorder(crate::document::Order::with_directories_turned);
        let order = self.wanted().and_then(|wanted| wanted.order);
        if let Some(order) = order {
            self.tell(match order.directories {
                Directories::First => "directories stand first",
                Directories::Mixed => "directories stand among the rest",
            });
        }
        effects
    }

    /// By what the page can be sorted, where it can and not by `column`.
    fn other_columns(&self, column: Column) -> Option<String> {
        let columns = self.page()?.document()?.columns();
        if columns.is_empty() || columns.contains(&column) {
            return None;
        }
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        Some(names.join(", "))
    }

    fn reorder(
        &mut self,
        change: impl FnOnce(crate::document::Order) -> crate::document::Order,
    ) -> Vec<Effect> {
        let is_sorted = self
            .page()
            .and_then(Page::document)
            .is_some_and(|document| document.order().is_some());
        if !is_sorted {
            self.tell(
                if self.page().is_some_and(|page| page.state.is_arriving()) {
                    "it can be sorted when all of it is here"
                } else {
                    "this page has nothing to sort"
                },
            );
            return Vec::new();
        }
        self.arrange(|wanted| Arrangement {
            order: wanted.order.map(change),
            ..wanted
        })
    }

    /// Asks for the words of a filter; those that it has can be changed.
    pub(super) fn ask_filter(&mut self) -> Vec<Effect> {
        let Some(page) = self.page() else {
            return Vec::new();
        };
        if page.state.is_arriving() {
            self.tell("it can be filtered when all of it is here");
            return Vec::new();
        }
        if !page.is_list() {
            let find = self.key_of(Action::Find);
            self.tell(&format!(
                "this page has no rows to choose from; {find} finds words"
            ));
            return Vec::new();
        }
        let words = self.wanted().and_then(|wanted| wanted.filter);
        let words = words.map_or(String::new(), |needle| needle.words().to_owned());
        self.prompt(Prompt::new(Wants::Filter, &words))
    }

    /// Shows only the rows whose name holds these words; all of them when there are none.
    pub(super) fn filter(&mut self, words: &str) -> Vec<Effect> {
        let filter = Needle::folded(words);
        if self.wanted().is_none_or(|wanted| wanted.filter == filter) {
            return Vec::new();
        }
        self.arrange(|wanted| Arrangement { filter, ..wanted })
    }

    /// Shows all rows again; nothing when they are.
    pub(super) fn unfilter(&mut self) -> Option<Vec<Effect>> {
        self.wanted()?.filter?;
        Some(self.filter(""))
    }

    /// Gives rows to other articles of the group that is shown.
    pub(super) fn rearrange(&mut self, change: impl FnOnce(Shown) -> Shown) -> Vec<Effect> {
        let Some(page) = self.page() else {
            return Vec::new();
        };
        if page.state.is_arriving() {
            self.tell("that can be done when all of the group is here");
            return Vec::new();
        }
        if page.document().map(Document::shape) != Some(Shape::Group) {
            self.tell("this page is no group");
            return Vec::new();
        }
        self.arrange(|wanted| Arrangement {
            shown: change(wanted.shown),
            ..wanted
        })
    }

    /// How the page's rows are arranged, or are about to be.
    fn wanted(&self) -> Option<Arrangement> {
        let page = self.page()?;
        let now = || page.document().map(Document::arrangement);
        page.arranging.clone().or_else(now)
    }

    /// Arranges the shown list.
    fn arrange(&mut self, change: impl FnOnce(Arrangement) -> Arrangement) -> Vec<Effect> {
        let work = self.next_work();
        let Some(wanted) = self.wanted().map(change) else {
            return Vec::new();
        };
        let Some(page) = self.page_mut() else {
            return Vec::new();
        };
        let Some(document) = page.document().cloned() else {
            return Vec::new();
        };
        page.finishing = Some(work);
        page.arranging = Some(wanted.clone());
        self.arrange_now_or_later(work, document, wanted)
    }

    /// Arranges a small list at once and a large one on a blocking task.
    pub(super) fn arrange_now_or_later(
        &mut self,
        work: WorkId,
        document: Document,
        wanted: Arrangement,
    ) -> Vec<Effect> {
        if document.raw().len() <= SMALL {
            self.finished(work, document.arranged(wanted))
        } else {
            vec![Effect::Arrange(work, document, wanted)]
        }
    }
}
