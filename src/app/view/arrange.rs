//! The arrangement of a list's rows: the sort column, the position of directories, and the filter.
//!
//! Each change starts from the target arrangement, which may not be shown yet, so that keys pressed quickly add up.

use geomys_page::document::find::FilterQuery;
use geomys_page::document::{
    Arrangement, ArticleVisibility, DirectoryPlacement, Document, ListOrder, Shape, SortColumn,
};
use rfc1738::Url;

use crate::app::action::Action;
use crate::app::dialogs::text_input::{InputCommand, TextInput};
use crate::app::tabs::choices::host;
use crate::app::{Context, Dialog, Page, Tabs, TabsEffect, WorkId};

/// The size in octets of a list that takes about a millisecond to arrange.
const SMALL_LIST: usize = 64 * 1024;

impl Tabs {
    /// Sorts a list by a column; the same column again reverses the order.
    pub(crate) fn sort(&mut self, column: SortColumn, cx: &mut Context) {
        if let Some(columns) = self.other_columns(column) {
            cx.notify(&format!(
                "cannot sort by {} here; columns: {columns}",
                column.name()
            ));
            return;
        }
        self.reorder(|order| order.by(column), cx);
    }

    /// Toggles between directories first and directories among the other rows.
    pub(crate) fn toggle_directories(&mut self, cx: &mut Context) {
        if self.other_columns(SortColumn::Name).is_some() {
            cx.notify("no directories on this page");
            return;
        }
        self.reorder(ListOrder::with_directories_toggled, cx);
        let order = self.target_arrangement().and_then(|target| target.order);
        if let Some(order) = order {
            cx.notify(match order.directories {
                DirectoryPlacement::First => "directories first",
                DirectoryPlacement::Mixed => "directories sorted with files",
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

    fn reorder(&mut self, change: impl FnOnce(ListOrder) -> ListOrder, cx: &mut Context) {
        let is_sorted = self
            .page()
            .and_then(Page::document)
            .is_some_and(|document| document.order().is_some());
        // The result would replace the rows that arrive meanwhile.
        let is_arriving = self.page().is_some_and(|page| page.state.is_arriving());
        if !is_sorted || is_arriving {
            cx.notify(if is_arriving {
                "wait until the page is loaded to sort"
            } else {
                "nothing to sort here"
            });
            return;
        }
        let order = self.target_arrangement().and_then(|target| target.order);
        let order = order.map(change);
        self.remember_order(order, cx);
        self.arrange(|target| Arrangement { order, ..target }, cx);
    }

    /// Remembers the order of a listing for all listings of its host, and that of a newsgroup for this group.
    fn remember_order(&mut self, order: Option<ListOrder>, cx: &Context) {
        let page = self
            .page()
            .and_then(|page| Some((page.shape()?, &page.url)));
        let Some(((shape, url), order)) = page.zip(order) else {
            return;
        };
        let is_stored = self.stores_visits(url, cx);
        if let Some(key) = order_key(shape, url) {
            self.orders.set(key, order, is_stored);
        }
    }

    /// Returns true if what is done on a page of the shown tab may be written to disk.
    pub(crate) fn stores_visits(&self, url: &Url, cx: &Context) -> bool {
        let is_private = self.tab().is_some_and(|tab| tab.is_private);
        !is_private && cx.settings.history.includes(url)
    }

    /// Returns the order that the user chose for the pages of this shape at a URL.
    pub(crate) fn order_of(&self, shape: Shape, url: &Url) -> Option<ListOrder> {
        self.orders.get(&order_key(shape, url)?).copied()
    }

    /// Opens the prompt for filter words, with the current words in it.
    pub(crate) fn ask_filter(&self, cx: &mut Context) {
        let Some(page) = self.page() else {
            return;
        };
        if page.state.is_arriving() {
            cx.notify("wait until the page is loaded to filter");
            return;
        }
        if !page.is_list() {
            let find = cx.key_of(Action::Find);
            cx.notify(&format!("no list to filter here ({find} find)"));
            return;
        }
        let words = self.target_arrangement().and_then(|target| target.filter);
        let words = words.map_or(String::new(), |query| query.typed().to_owned());
        let input = TextInput::new(InputCommand::Filter, &words);
        cx.ask(Dialog::input("Filter", input));
    }

    /// Filters the rows by the words in their names; without words all rows are shown.
    pub(crate) fn filter(&mut self, words: &str, cx: &mut Context) {
        let filter = FilterQuery::new(words);
        if self
            .target_arrangement()
            .is_none_or(|target| target.filter == filter)
        {
            return;
        }
        self.arrange(|target| Arrangement { filter, ..target }, cx);
    }

    /// Clears the filter; `None` if there is no filter.
    pub(crate) fn unfilter(&mut self, cx: &mut Context) -> Option<()> {
        self.target_arrangement()?.filter?;
        self.filter("", cx);
        Some(())
    }

    /// Changes the selection of articles that the shown group lists. Returns the other value of `change`, unless the page is
    /// no complete group.
    pub(crate) fn rearrange<T>(
        &mut self,
        change: impl FnOnce(ArticleVisibility) -> (ArticleVisibility, T),
        cx: &mut Context,
    ) -> Option<T> {
        let page = self.page()?;
        if page.state.is_arriving() {
            cx.notify("wait until the group is loaded");
            return None;
        }
        if page.document().map(Document::shape) != Some(Shape::Group) {
            cx.notify("not a group");
            return None;
        }
        let mut result = None;
        let arrange = |target: Arrangement| {
            let (visibility, value) = change(target.visibility);
            result = Some(value);
            Arrangement {
                visibility,
                ..target
            }
        };
        self.arrange(arrange, cx);
        result
    }

    /// Returns the arrangement that is being applied to the page, or else the current one.
    fn target_arrangement(&self) -> Option<Arrangement> {
        let page = self.page()?;
        let now = || page.document().map(Document::arrangement);
        page.arranging.clone().or_else(now)
    }

    /// Changes the arrangement of the shown list.
    fn arrange(&mut self, change: impl FnOnce(Arrangement) -> Arrangement, cx: &mut Context) {
        let work = cx.next_work();
        let Some(target) = self.target_arrangement().map(change) else {
            return;
        };
        let Some(page) = self.page_mut() else {
            return;
        };
        let Some(document) = page.document().cloned() else {
            return;
        };
        page.restore = None;
        page.finishing = Some(work);
        page.arranging = Some(target.clone());
        self.arrange_now_or_later(work, document, target, cx);
    }

    /// Arranges the rows of a newer copy of the shown page as they were, if it is one.
    pub(crate) fn restore_arrangement(&mut self, cx: &mut Context) {
        let work = cx.next_work();
        let restoring = self.page_mut().and_then(|page| page.restoring(work));
        if let Some((document, target)) = restoring {
            self.arrange_now_or_later(work, document, target, cx);
        }
    }

    /// Arranges a small list at once and a large one in a blocking task.
    pub(crate) fn arrange_now_or_later(
        &mut self,
        work: WorkId,
        document: Document,
        target: Arrangement,
        cx: &mut Context,
    ) {
        if document.raw().len() <= SMALL_LIST {
            self.finished(work, document.arranged(target), cx);
        } else {
            cx.emit(TabsEffect::Arrange(work, document, target));
        }
    }
}

/// Returns the key of a chosen order: the host of a listing, the URL of a newsgroup.
fn order_key(shape: Shape, url: &Url) -> Option<String> {
    match shape {
        Shape::Listing { .. } => host(url),
        Shape::Group => Some(url.without_password().canonical().to_string()),
        _ => None,
    }
}
