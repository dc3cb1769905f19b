//! Display of an article: folded quotations, form feeds, ROT13.

use crate::app::{Context, Focus, Tabs};
use crate::document::Document;

impl Tabs {
    /// Folds the long and deep quotations of the article, or unfolds all of them.
    pub(crate) fn toggle_quotations(&mut self, cx: &mut Context) {
        if self.refold(Document::toggle_quotations, cx).is_none() {
            cx.notify("no quotation here is long or deep");
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
        let document = page.document()?;
        let (mut row, above) = page.position.top;
        let mut lines = 0;
        while row < document.count() && lines < view.height + above {
            if document.is_form_feed(row) {
                return self.refold(|document, _| document.toggle_quotation(row), cx);
            }
            lines += page.height_of(row, view);
            row += 1;
        }
        None
    }

    /// Toggles ROT13 decoding of the article's text.
    pub(crate) fn toggle_rot13(&mut self, cx: &mut Context) {
        let page = self.page_mut();
        let document = page.and_then(|page| page.content.document_mut());
        if !document.is_some_and(|document| document.toggle_rot13()) {
            cx.notify("only the text of an article is read by ROT13");
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
