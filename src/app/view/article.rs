//! Display of an article: folded quotations, form feeds, ROT13.

use geomys_page::document::Document;
use geomys_wire::text::Text;
use rfc1738::Url;

use crate::app::tabs::page::State;
use crate::app::transfers::save::copy;
use crate::app::view::position::Viewport;
use crate::app::{Context, Focus, Page, Tabs};

/// The message where the page has no article with a Message-ID.
pub(crate) const NO_MESSAGE_ID: &str = "no article with a Message-ID here";

impl Tabs {
    /// Toggles all folds of one kind; `none` is the message if there are none.
    pub(crate) fn toggle_folds(
        &mut self,
        toggle: fn(&mut Document, usize) -> Option<usize>,
        none: &str,
        cx: &mut Context,
    ) {
        if self.refold(toggle, cx).is_none() {
            cx.notify(none);
        }
    }

    /// Unfolds the chosen quotation. Returns `None` if none is chosen.
    pub(crate) fn open_quotation(&mut self, cx: &Context) -> Option<()> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        let cursor = page.position.cursor;
        let is_folded = page.position.link.is_some() && page.document()?.is_folded(cursor);
        is_folded.then(|| {
            self.refold(|document, _| document.toggle_quotation(cursor), cx);
        })
    }

    /// Shows the text after the first form feed on screen that hides text. Returns `None` if there is none. The key for
    /// the next screen does this before it scrolls.
    pub(crate) fn open_form_feed(&mut self, cx: &Context) -> Option<()> {
        let (page, view) = self.page_view(cx)?;
        let row = page.hiding_form_feed(view)?;
        self.refold(|document, _| document.toggle_quotation(row), cx)
    }

    /// Returns the title and the `news:` URL of the shown article, or of the one under the cursor of a group.
    pub(crate) fn news_url(&self) -> Option<(Text, Url)> {
        let page = self.page()?;
        let document = page.own_document()?;
        let row = page.position.cursor;
        let listed = document.article(row);
        let link = listed.and_then(|article| document.article_link(article.line));
        let title = link.map_or_else(|| page.title.clone(), |link| link.label);
        Some((title, document.news_url(row)?))
    }

    /// Copies the `news:` URL of an article.
    pub(crate) fn copy_news_url(&self, cx: &mut Context) {
        match self.news_url() {
            Some((_, url)) => copy(&url, cx),
            None => cx.notify(NO_MESSAGE_ID),
        }
    }

    /// Returns true if the screen shows the end of an article, without text that a form feed hides, or that an article is
    /// missing.
    pub(crate) fn is_at_end_of_article(&mut self, cx: &Context) -> bool {
        let Some((page, view)) = self.page_view(cx).filter(|(page, _)| page.is_article()) else {
            return false;
        };
        if page.document().is_none() {
            return true;
        }
        page.state == State::Whole && page.is_at_end(view) && page.hiding_form_feed(view).is_none()
    }

    /// Toggles ROT13 decoding of the article's text.
    pub(crate) fn toggle_rot13(&mut self, cx: &mut Context) {
        let page = self.page_mut();
        let document = page.and_then(|page| page.content.document_mut());
        if !document.is_some_and(|document| document.toggle_rot13()) {
            cx.notify("ROT13 works only in articles");
        }
    }

    /// Changes the folds of the document by `toggle`. It gets the first row on screen, and returns the row to go to
    /// afterwards, or `None` without a change, which is returned.
    fn refold(
        &mut self,
        toggle: impl FnOnce(&mut Document, usize) -> Option<usize>,
        cx: &Context,
    ) -> Option<()> {
        let (page, view) = self.page_view(cx)?;
        let top = page.position.top.0;
        let row = toggle(page.content.document_mut()?, top)?;
        page.position.cursor = row;
        page.position.link = None;
        page.position.top = (row.min(top), 0);
        page.reveal(view);
        Some(())
    }
}

impl Page {
    /// Returns the first row on the screen that represents text hidden by a form feed.
    fn hiding_form_feed(&self, view: Viewport) -> Option<usize> {
        let document = self.document()?;
        let (mut row, above) = self.position.top;
        let mut lines = 0;
        while row < document.count() && lines < view.height + above {
            if document.is_form_feed(row) {
                return Some(row);
            }
            lines += self.height_of(row, view);
            row += 1;
        }
        None
    }
}
