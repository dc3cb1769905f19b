//! The listing of a directory; and the arrangement of all lists: the sort column, the position of directories, the
//! filter.
//!
//! Each change starts from the target arrangement, which may not be shown yet, so that keys pressed quickly add up.

use geomys_page::document::find::FilterQuery;
use geomys_page::document::{
    Arrangement, ArticleVisibility, DirectoryPlacement, Document, HiddenRows, Kind, Link,
    ListOrder, Shape, SortColumn,
};
use rfc1738::Url;

use crate::action::Action;
use crate::dialogs::text_input::{InputCommand, TextInput};
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::viewport::Viewport;
use crate::view::work::Work;
use crate::{Command, Context, Dialog, Settings};

/// The listing of a directory.
#[derive(Debug)]
pub struct ListingView {
    /// The document with its cursor.
    pub rows: Viewport,
}

impl From<Document> for ListingView {
    fn from(document: Document) -> Self {
        let rows = document.into();
        Self { rows }
    }
}

impl ListingView {
    /// Asks where to save the member under the cursor: the lines of an archive's listing are no file of anybody.
    fn save_member(&self, at: &mut ViewContext<'_>) -> Outcome {
        let rows = &self.rows;
        let row = rows.document.row(rows.position.cursor);
        if row.is_none_or(|row| row.kind == Kind::Up) {
            at.cx.notify("No member under the cursor");
        } else {
            at.cx.command(Command::CarryOut(Action::DownloadAs));
        }
        Outcome::Done
    }
}

impl ViewKind for ListingView {
    has_rows!();

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        match action {
            Action::Save if self.rows.lists_archive() => self.save_member(at),
            Action::Mark => self.rows.act(Action::MarkRow, at),
            Action::ShowHidden => {
                self.rows.toggle_hidden_names(at);
                Outcome::Done
            }
            _ => self.rows.act(action, at),
        }
    }

    fn open_label(&self, _: &Link) -> &'static str {
        let row = self.rows.document.row(self.rows.position.cursor);
        match row.map(|row| row.kind) {
            Some(Kind::Binary | Kind::Sound | Kind::Movie | Kind::Document) => "save",
            _ => "open",
        }
    }

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        vec![
            (Action::Download, "download"),
            (Action::MarkRow, "mark"),
            (Action::SortName, "sort"),
        ]
    }

    fn more_hints(&self) -> &'static [KeyHint] {
        &[(Action::CopyLink, "copy")]
    }
}

impl Viewport {
    /// Sorts a list by a column; the same column again reverses the order.
    pub(super) fn sort(&mut self, column: SortColumn, at: &mut ViewContext<'_>) {
        if let Some(columns) = self.other_columns(column) {
            let column = column.name();
            at.cx
                .notify(&format!("Cannot sort by {column} here; columns: {columns}"));
            return;
        }
        self.reorder(|order| order.by(column), at);
    }

    /// Shows or hides the names that begin with a dot.
    fn toggle_hidden_names(&mut self, at: &mut ViewContext<'_>) {
        if at.state.is_arriving() {
            return at.cx.notify("Wait until the page is loaded");
        }
        let visibility = self.target_arrangement().visibility;
        let (hidden, sentence) = match visibility.hidden {
            HiddenRows::Shown => (HiddenRows::LeftOut, "names that begin with a dot not shown"),
            HiddenRows::LeftOut => (HiddenRows::Shown, "names that begin with a dot shown"),
        };
        let visibility = ArticleVisibility {
            hidden,
            ..visibility
        };
        self.arrange(
            |target| Arrangement {
                visibility,
                ..target
            },
            at.cx,
        );
        at.cx.notify(sentence);
    }

    /// Toggles between directories first and directories among the other rows.
    pub(super) fn toggle_directories(&mut self, at: &mut ViewContext<'_>) {
        if self.other_columns(SortColumn::Name).is_some() {
            return at.cx.notify("No directories on this page");
        }
        self.reorder(ListOrder::with_directories_toggled, at);
        if let Some(order) = self.target_arrangement().order {
            at.cx.notify(match order.directories {
                DirectoryPlacement::First => "directories first",
                DirectoryPlacement::Mixed => "directories sorted with files",
            });
        }
    }

    /// Returns the names of the sort columns, if there are some and `column` is not one of them.
    fn other_columns(&self, column: SortColumn) -> Option<String> {
        let columns = self.document.columns();
        if columns.is_empty() || columns.contains(&column) {
            return None;
        }
        let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
        Some(names.join(", "))
    }

    fn reorder(&mut self, change: impl FnOnce(ListOrder) -> ListOrder, at: &mut ViewContext<'_>) {
        let chosen = at.chosen();
        // The result would replace the rows that arrive meanwhile.
        if at.state.is_arriving() {
            let shape = self.own_document().shape();
            if !matches!(shape, Shape::Listing { .. }) {
                return at.cx.notify("Wait until the page is loaded to sort");
            }
            let now = at.choices.order_of(shape, at.url, at.cx);
            let now = now.unwrap_or_else(|| ListOrder::new(SortColumn::Name));
            at.choices.set_order((shape, at.url), change(now), chosen);
            return at.cx.notify("Sorted when all rows are here");
        }
        if self.document.order().is_none() {
            return at.cx.notify("Nothing to sort here");
        }
        let order = self.target_arrangement().order.map(change);
        if let Some(order) = order {
            let page = (self.own_document().shape(), at.url);
            at.choices.set_order(page, order, chosen);
        }
        self.arrange(|target| Arrangement { order, ..target }, at.cx);
    }

    /// Asks for filter words, with the current words in the line.
    pub(super) fn ask_filter(&self, at: &mut ViewContext<'_>) -> Outcome {
        if at.state.is_arriving() {
            at.cx.notify("Wait until the page is loaded to filter");
            return Outcome::Done;
        }
        if !self.is_list() {
            return Outcome::Ignored;
        }
        let filter = self.target_arrangement().filter;
        let words = filter.map_or(String::new(), |query| query.typed().to_owned());
        let input = TextInput::new(InputCommand::Filter, &words);
        Dialog::input("Filter", input).into()
    }

    /// Filters the rows by the words in their names; without words all rows are shown.
    pub(crate) fn filter(&mut self, words: &str, cx: &mut Context) {
        let filter = FilterQuery::new(words);
        if self.target_arrangement().filter != filter {
            self.arrange(|target| Arrangement { filter, ..target }, cx);
        }
    }

    /// Clears the filter. Returns false if there is none.
    pub(crate) fn unfilter(&mut self, cx: &mut Context) -> bool {
        let is_filtered = self.target_arrangement().filter.is_some();
        self.filter("", cx);
        is_filtered
    }

    /// Changes the selection of articles that the group lists. Returns the other value of `change`, unless the page is
    /// no complete group.
    pub(crate) fn rearrange<T>(
        &mut self,
        change: impl FnOnce(ArticleVisibility) -> (ArticleVisibility, T),
        at: &mut ViewContext<'_>,
    ) -> Option<T> {
        if at.state.is_arriving() {
            at.cx.notify("Wait until the group is loaded");
            return None;
        }
        if !matches!(self.document.shape(), Shape::Group | Shape::Groups) {
            at.cx.notify("Not a group");
            return None;
        }
        let target = self.target_arrangement();
        let (visibility, value) = change(target.visibility);
        self.arrange(
            |target| Arrangement {
                visibility,
                ..target
            },
            at.cx,
        );
        Some(value)
    }

    /// Returns the arrangement that is being applied, or else the current one.
    fn target_arrangement(&self) -> Arrangement {
        let now = || self.document.arrangement();
        self.arranging.clone().unwrap_or_else(now)
    }

    /// Changes the arrangement of the list.
    fn arrange(&mut self, change: impl FnOnce(Arrangement) -> Arrangement, cx: &mut Context) {
        let target = change(self.target_arrangement());
        self.saved = None;
        let document = self.document.clone();
        self.await_document(Work::Arrange(document, target), cx);
    }

    /// Sorts a listing or newsgroup that is complete in the order that the user chose. Returns false if it is not
    /// sorted.
    pub(crate) fn order(&mut self, order: Option<ListOrder>, cx: &mut Context) -> bool {
        let is_new = match self.document.shape() {
            Shape::Listing { .. } => true,
            // A group that gets more articles is in its order already.
            Shape::Group => self.document.order().is_none(),
            _ => false,
        };
        if order.is_none() || !is_new || !self.document.needs_finish() {
            return false;
        }
        let target = Arrangement {
            order,
            ..self.document.arrangement()
        };
        let document = Document::clone(&self.document);
        self.await_document(Work::Arrange(document, target), cx);
        true
    }
}

/// Tells a changed sort order in the status line.
pub(crate) fn notify_order(old: &Arrangement, new: &Arrangement, cx: &mut Context) {
    if let (Some(old), Some(new)) = (old.order, new.order)
        && (old.column, old.reverse) != (new.column, new.reverse)
    {
        cx.notify(&format!("Sorted by {}", new.words()));
    }
}
