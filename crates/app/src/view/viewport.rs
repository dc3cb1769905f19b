//! A document in a pane, with its cursor and scroll position: what all lists and texts share, and what is stored of it.

use geomys_page::document::{Arrangement, ArticleState, Document, Link, Shape};
use geomys_wire::text::Text;

use crate::Context;
use crate::keymap::KeyContext;
use crate::view::document_view::DocumentView;
use crate::view::find::Search;
use crate::view::marks::Marks;
use crate::view::position::ScrollPosition;
use crate::view::selection::Selection;
use crate::view::work::{Work, WorkId};

/// A document in a pane.
#[derive(Debug)]
pub struct Viewport {
    /// The document, or its source; some of its rows may not have arrived yet.
    pub document: DocumentView,
    /// The rendered document, while its source is shown.
    pub rendered: Option<RenderedDocument>,
    /// The status of an error that the page came with, for the line above it.
    pub error_status: Option<Text>,
    /// The cursor and the scroll position.
    pub position: ScrollPosition,
    /// The columns and lines that the scroll position is for; `None` before the first complete page is on the screen.
    pub(super) fitted: Option<(usize, usize)>,
    /// True if long lines are wrapped, false if they are scrolled sideways.
    pub wrap: bool,
    /// The marked rows of a list.
    pub marks: Marks,
    /// The marked part of the text.
    pub selection: Option<Selection>,
    /// The search.
    pub search: Search,
    /// The task that lays out the document while it arrives.
    pub laying_out: Option<WorkId>,
    /// The finish or sort task whose result is awaited.
    pub finishing: Option<WorkId>,
    /// The arrangement of the rows after that task.
    pub arranging: Option<Arrangement>,
    /// True if the cursor follows its entry when the document is finished, from the top row too: a key has moved the
    /// entry.
    pub(crate) follows_entry: bool,
    /// The line of the document that the cursor goes to when the document is finished.
    pub(crate) goes_to: Option<usize>,
    /// The view before the page was dropped or reloaded, until the page is complete again.
    pub(crate) saved: Option<SavedView>,
    /// The first row of the second column, where there is room for two.
    pub(crate) second_column: Option<usize>,
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
            error_status: None,
            position: ScrollPosition::default(),
            fitted: None,
            wrap,
            marks: Marks::default(),
            selection: None,
            search: Search::default(),
            laying_out: None,
            finishing: None,
            arranging: None,
            follows_entry: false,
            goes_to: None,
            saved: None,
            second_column: None,
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
        self.selection = None;
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

/// The state of a view that the session, the memory limit and a reload store.
#[derive(Clone, Debug)]
pub struct SavedView {
    /// The scroll position.
    pub(crate) position: ScrollPosition,
    /// True if long lines are wrapped.
    pub(crate) wrap: bool,
    /// The arrangement of the rows.
    arrangement: SavedArrangement,
    /// The number of the article under the cursor of a group; `None` at the top, where the cursor stays.
    article: Option<u64>,
    /// The folds and the cipher of an article.
    text: Option<ArticleState>,
}

/// The arrangement of rows that is restored.
#[derive(Clone, Debug)]
enum SavedArrangement {
    /// That of a new page: none was stored.
    New,
    /// That of the earlier copy.
    Earlier(Arrangement),
    /// That of other listings, for one that was incomplete.
    OfListings,
}

impl SavedView {
    /// Creates the view of a page of the session, which stores the position alone.
    pub(crate) fn new(position: ScrollPosition, wrap: bool) -> Self {
        Self {
            position,
            wrap,
            arrangement: SavedArrangement::New,
            article: None,
            text: None,
        }
    }

    /// Returns the view of the rendered page, even while the source is shown.
    pub(crate) fn of(rows: &Viewport) -> Self {
        let document = rows.own_document();
        let (position, wrap) = rows.own_position();
        let is_at_top = position.top == (0, 0) && position.cursor == document.initial_row();
        let article = document.article(position.cursor).filter(|_| !is_at_top);
        let is_unsorted =
            matches!(document.shape(), Shape::Listing { .. }) && document.order().is_none();
        let arrangement = rows.arranging.clone();
        let arrangement = arrangement.unwrap_or_else(|| document.lasting_arrangement());
        Self {
            position,
            wrap,
            arrangement: if is_unsorted {
                SavedArrangement::OfListings
            } else {
                SavedArrangement::Earlier(arrangement)
            },
            article: article.map(|article| article.number),
            text: document.article_view(),
        }
    }

    /// Applies the folds and the cipher of an article to its new document.
    pub(crate) fn restore_text(&self, document: &mut Document) {
        if let Some(text) = &self.text {
            document.restore_article_view(text);
        }
    }

    /// Returns the scroll position in the new document: the article under the cursor stays at its height on the screen.
    pub(crate) fn position_in(&self, document: &Document) -> ScrollPosition {
        let article = self
            .article
            .and_then(|number| document.numbered_article(number));
        let row = article.and_then(|article| document.nearest_row(article.line));
        let last = document.count().saturating_sub(1);
        let old = self.position;
        let cursor = row.unwrap_or(old.cursor).min(last);
        let top = match row {
            // From the top as few rows as possible are scrolled.
            Some(row) if row != old.cursor && old.top.0 > 0 => {
                ((old.top.0 + row).saturating_sub(old.cursor), 0)
            }
            Some(_) | None => old.top,
        };
        ScrollPosition { cursor, top, ..old }
    }
}

impl Viewport {
    /// Takes the view of an earlier copy: the position at once, the rest when the document is complete.
    pub(crate) fn begin_restore(&mut self, saved: SavedView) {
        (self.position, self.wrap) = (saved.position, saved.wrap);
        // The screen may have had another size.
        self.fitted = Some((0, 0));
        let is_restored = !matches!(saved.arrangement, SavedArrangement::OfListings);
        self.saved = is_restored.then_some(saved);
    }

    /// Arranges the rows as they were before the page was dropped or reloaded. Returns false if there is nothing to
    /// restore.
    pub(crate) fn restore_arrangement(&mut self, cx: &mut Context) -> bool {
        let arrangement = match self.saved.as_ref().map(|saved| &saved.arrangement) {
            Some(SavedArrangement::New) => self.document.lasting_arrangement(),
            Some(SavedArrangement::Earlier(arrangement)) => arrangement.clone(),
            Some(SavedArrangement::OfListings) | None => return false,
        };
        if !self.is_list() {
            if !self.document.needs_finish() {
                self.saved = None;
            }
            return false;
        }
        let document = self.document.clone();
        self.await_document(Work::Arrange(document, arrangement), cx);
        true
    }
}
