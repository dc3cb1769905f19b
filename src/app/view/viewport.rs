//! A document in a pane, with its cursor and scroll position: what all lists and texts share.

use std::collections::BTreeSet;

use geomys_page::document::{Arrangement, Document, Link, Shape};
use ratatui::layout::Rect;

use crate::app::Context;
use crate::app::settings::Reading;
use crate::app::view::document_view::DocumentView;
use crate::app::view::find::Search;
use crate::app::view::gutter::{Gutter, rows_area, text_columns};
use crate::app::view::position::{ScrollPosition, TextArea};
use crate::app::view::saved::SavedView;
use crate::app::view::work::{Work, WorkId};
use crate::keymap::KeyContext;

/// A document in a pane.
#[derive(Debug)]
pub struct Viewport {
    /// The document, or its source; some of its rows may not have arrived yet.
    pub document: DocumentView,
    /// The rendered document, while its source is shown.
    pub rendered: Option<RenderedDocument>,
    /// The cursor and the scroll position.
    pub position: ScrollPosition,
    /// True if long lines are wrapped, false if they are scrolled sideways.
    pub wrap: bool,
    /// The marked rows of a list, by their lines.
    pub marked: BTreeSet<usize>,
    /// The search.
    pub search: Search,
    /// The task that lays out the document while it arrives.
    pub laying_out: Option<WorkId>,
    /// The finish or sort task whose result is awaited.
    pub finishing: Option<WorkId>,
    /// The arrangement of the rows after that task.
    pub arranging: Option<Arrangement>,
    /// True if the cursor follows its entry when the document is finished, from the top row too: a key has moved the entry.
    pub(crate) follows_entry: bool,
    /// The line of the document that the cursor goes to when the document is finished.
    pub(crate) goes_to: Option<usize>,
    /// The view before the page was dropped or reloaded, until the page is complete again.
    pub(crate) saved: Option<SavedView>,
}

/// The rendered form of a document while its source is shown.
#[derive(Debug)]
pub struct RenderedDocument {
    /// The rendered document.
    pub document: DocumentView,
    /// The scroll position in the rendered document.
    pub position: ScrollPosition,
    /// True if its long lines were wrapped.
    pub wrap: bool,
}

impl From<Document> for Viewport {
    /// Shows a document from its top.
    fn from(document: Document) -> Self {
        // Prose is wrapped; text in columns is not.
        let is_prose = matches!(document.shape(), Shape::Attributes | Shape::People);
        let wrap = is_prose || !document.is_list();
        Self {
            document: document.into(),
            rendered: None,
            position: ScrollPosition::default(),
            wrap,
            marked: BTreeSet::new(),
            search: Search::default(),
            laying_out: None,
            finishing: None,
            arranging: None,
            follows_entry: false,
            goes_to: None,
            saved: None,
        }
    }
}

impl Viewport {
    /// Returns the rendered document, even while the source is shown.
    pub(crate) fn own_document(&self) -> &Document {
        match &self.rendered {
            Some(rendered) => &rendered.document,
            None => &self.document,
        }
    }

    /// Returns the rendered document to be changed.
    pub(crate) fn own_document_mut(&mut self) -> &mut Document {
        match &mut self.rendered {
            Some(rendered) => &mut rendered.document,
            None => &mut self.document,
        }
    }

    /// Returns the position in the rendered document, and true if its long lines are wrapped.
    pub(crate) fn own_position(&self) -> (ScrollPosition, bool) {
        match &self.rendered {
            Some(rendered) => (rendered.position, rendered.wrap),
            None => (self.position, self.wrap),
        }
    }

    /// Returns the number of rows so far.
    pub fn count(&self) -> usize {
        self.document.count()
    }

    /// Returns true if the cursor moves from row to row; false if the rows scroll.
    pub fn is_list(&self) -> bool {
        self.document.is_list()
    }

    /// Returns the link under the cursor.
    pub fn link(&self) -> Option<Link> {
        let index = if self.is_list() {
            0
        } else {
            self.position.link?
        };
        self.document.link(self.position.cursor, index)
    }

    /// Sets the columns of the pane, for which tables are laid out.
    pub(crate) fn fit(&mut self, pane: Rect) {
        let gutter = Gutter::of(self).width();
        let columns = usize::from(pane.width).saturating_sub(gutter).max(1);
        if self.document.is_resized(columns) {
            self.document.set_columns(columns);
        }
    }

    /// Takes the layout of a clone of the document. The rows on the screen stay there.
    pub(crate) fn adopt_layout(&mut self, laid_out: &Document) {
        let rows = [self.position.cursor, self.position.top.0];
        let origins = rows.map(|row| self.document.origin(row));
        self.document.adopt_layout(laid_out);
        let [cursor, top] = origins.map(|origin| self.document.row_of(origin?));
        if let (Some(cursor), Some(top)) = (cursor, top)
            && [cursor, top] != rows
        {
            self.position.cursor = cursor;
            self.position.top = (top, 0);
            self.search.found = None;
        }
    }

    /// Returns the space for the text in a pane, without a note below the last row.
    pub fn area(&self, pane: Rect, reading: Reading) -> TextArea {
        let area = rows_area(self, pane, reading);
        let gutter = Gutter::of(self).width();
        let columns = usize::from(area.width).saturating_sub(gutter).max(1);
        let most = match reading.width {
            0 => columns,
            _ if !self.wrap => columns,
            _ => usize::from(text_columns(self, reading)),
        };
        TextArea {
            width: columns.min(most),
            columns,
            height: usize::from(area.height).max(1),
            note: 0,
        }
    }

    /// Returns the key contexts of a list or a text, the most specific first. The source of a page is a text.
    pub(crate) fn contexts(&self, kind: Option<KeyContext>) -> Vec<KeyContext> {
        let kind = kind.filter(|_| self.rendered.is_none());
        let is_list = self.is_list().then_some(KeyContext::List);
        let contexts = kind.into_iter().chain(is_list);
        contexts.chain([KeyContext::Page]).collect()
    }

    /// Starts the final processing after the last part, if the document needs it. A picture waits for its turn.
    pub(crate) fn finish(&mut self, cx: &mut Context) {
        if self.document.needs_finish() && self.document.shape() != Shape::Picture {
            let document = self.document.clone();
            self.await_document(Work::Finish(document), cx);
        }
    }

    /// Starts a computation whose document takes the place of the shown one.
    pub(crate) fn await_document(&mut self, work: Work, cx: &mut Context) {
        let id = cx.next_work();
        self.finishing = Some(id);
        if let Work::Arrange(_, arrangement) = &work {
            self.arranging = Some(arrangement.clone());
        }
        cx.start_work(id, work);
    }

    /// Returns true if the result of a computation is for this document.
    pub(crate) fn awaits(&self, work: WorkId) -> bool {
        [self.laying_out, self.finishing].contains(&Some(work)) || self.search.awaits(work)
    }
}
