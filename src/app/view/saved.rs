//! The view of a page that is loaded again: the scroll position, the order, the filter and the folds.

use geomys_page::document::{Arrangement, ArticleView, Document, Shape};

use crate::app::Page;
use crate::app::WorkId;
use crate::app::tabs::choices::host;
use crate::app::view::position::ScrollPosition;

/// The view of a page before it was dropped or reloaded, until the page is complete again.
#[derive(Clone, Debug)]
pub struct PageView {
    position: ScrollPosition,
    arrangement: Arrangement,
    /// The number of the article under the cursor of a group; `None` at the top, where the cursor stays.
    article: Option<u64>,
    /// The folds and the cipher of an article.
    text: Option<ArticleView>,
}

impl PageView {
    /// Returns the view of the rendered page, even while the source is shown; `None` without a document.
    pub(crate) fn of(page: &Page) -> Option<Self> {
        let document = page.own_document()?;
        if matches!(document.shape(), Shape::Listing { .. }) && document.order().is_none() {
            // An incomplete listing gets the order of the other listings.
            return None;
        }
        let rendered = page.rendered.as_ref();
        let position = rendered.map_or(page.position, |rendered| rendered.position);
        let is_at_top = position.top == (0, 0) && position.cursor == document.initial_row();
        let article = document.article(position.cursor).filter(|_| !is_at_top);
        Some(Self {
            position,
            arrangement: page
                .arranging
                .clone()
                .unwrap_or_else(|| document.arrangement()),
            article: article.map(|article| article.number),
            text: document.article_view(),
        })
    }

    /// Returns the view of a stored page, of which only the position is known.
    pub(crate) fn stored(position: ScrollPosition) -> Self {
        Self {
            position,
            arrangement: Arrangement::default(),
            article: None,
            text: None,
        }
    }

    /// Returns the scroll position.
    pub(crate) fn position(&self) -> ScrollPosition {
        self.position
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

impl Page {
    /// Takes the view of the page that this page is a newer copy of.
    pub(crate) fn restore_view_of(&mut self, old: &mut Self) {
        if host(&self.url).is_none() {
            self.colours = old.colours;
        }
        self.position = old.position;
        self.restore = old.restore.take().or_else(|| PageView::of(old));
        if let Some(rendered) = &old.rendered {
            (self.position, self.wrap) = (rendered.position, rendered.wrap);
        }
    }

    /// Returns the document, and the arrangement of its rows before the page was dropped or reloaded, to be arranged
    /// again.
    pub(crate) fn restoring(&mut self, work: WorkId) -> Option<(Document, Arrangement)> {
        let view = self.restore.as_ref()?;
        let document = self.document()?;
        if !document.is_list() {
            if !document.needs_finish() {
                self.restore = None;
            }
            return None;
        }
        let arranging = (document.clone(), view.arrangement.clone());
        self.finishing = Some(work);
        self.arranging = Some(arranging.1.clone());
        Some(arranging)
    }
}
