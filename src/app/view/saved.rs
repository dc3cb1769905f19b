//! The view of a page that is not in memory, or is loaded again: the scroll position, the order, the filter and the folds.

use geomys_page::document::{Arrangement, ArticleState, Document, Shape};

use crate::app::Context;
use crate::app::view::position::ScrollPosition;
use crate::app::view::viewport::Viewport;
use crate::app::view::work::Work;

/// The state of a view that the session, the memory limit and a reload store.
#[derive(Clone, Debug)]
pub struct SavedView {
    /// The scroll position.
    pub(crate) position: ScrollPosition,
    /// True if long lines are wrapped.
    pub(crate) wrap: bool,
    /// The arrangement of the rows; `None` for an incomplete listing, which gets the order of the other listings.
    arrangement: Option<Arrangement>,
    /// The number of the article under the cursor of a group; `None` at the top, where the cursor stays.
    article: Option<u64>,
    /// The folds and the cipher of an article.
    text: Option<ArticleState>,
}

impl SavedView {
    /// Creates the view of a page of the session, which stores the position alone.
    pub(crate) fn new(position: ScrollPosition, wrap: bool) -> Self {
        Self {
            position,
            wrap,
            arrangement: Some(Arrangement::default()),
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
        let arrangement = arrangement.unwrap_or_else(|| document.arrangement());
        Self {
            position,
            wrap,
            arrangement: (!is_unsorted).then_some(arrangement),
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
        self.saved = Some(saved).filter(|saved| saved.arrangement.is_some());
    }

    /// Arranges the rows as they were before the page was dropped or reloaded. Returns false if there is nothing to restore.
    pub(crate) fn restore_arrangement(&mut self, cx: &mut Context) -> bool {
        let arrangement = self
            .saved
            .as_ref()
            .and_then(|saved| saved.arrangement.clone());
        let Some(arrangement) = arrangement else {
            return false;
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
