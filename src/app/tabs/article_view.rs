//! Display of an article: folded quotations, form feeds, ROT13.

use crate::app::tabs::page::Content;
use crate::app::{Context, Focus, Tabs};
use crate::document::Document;

impl Tabs {
    /// Folds the long and deep quotations of the article, or unfolds all of them.
    pub(crate) fn toggle_quotations(&mut self, cx: &mut Context) {
        if !self.refold(Document::toggle_quotations, cx) {
            cx.notify("no quotation here is long or deep");
        }
    }

    /// Unfolds the chosen quotation. Returns `None` if none is chosen.
    pub(crate) fn open_quotation(&mut self, cx: &Context) -> Option<()> {
        let page = self.page().filter(|_| cx.focus == Focus::Panes)?;
        let is_folded = page.position.link.is_some()
            && page
                .document()
                .is_some_and(|document| document.is_folded(page.position.cursor));
        if !is_folded {
            return None;
        }
        let cursor = page.position.cursor;
        self.refold(|document, _| document.toggle_quotation(cursor), cx);

        Some(())
    }

    /// Shows the text after the first form feed on screen that hides text. Returns true if there is one. The key for the
    /// next screen does this before it scrolls.
    pub(crate) fn open_form_feed(&mut self, cx: &Context) -> bool {
        let Some((page, view)) = self.page_view(cx) else {
            return false;
        };
        let Some(document) = page.document() else {
            return false;
        };
        let (mut row, above) = page.position.top;
        let mut lines = 0;
        while row < document.count() && lines < view.height + above {
            if document.is_form_feed(row) {
                return self.refold(|document, _| document.toggle_quotation(row), cx);
            }
            lines += page.height_of(row, view);
            row += 1;
        }
        false
    }

    /// Toggles ROT13 decoding of the article's text.
    pub(crate) fn toggle_rot13(&mut self, cx: &mut Context) {
        let is_turned = match self.page_mut().map(|page| &mut page.content) {
            Some(Content::Document(document)) => document.toggle_rot13(),
            Some(
                Content::Failure(_) | Content::Form(_) | Content::Session(_) | Content::Dropped,
            )
            | None => false,
        };
        if !is_turned {
            cx.notify("only the text of an article is read by ROT13");
        }
    }

    /// Changes the folds of the document by `toggle`. It gets the first row on screen, and returns the row to go to
    /// afterwards, or `None` without a change. Returns true if there was a change.
    fn refold(
        &mut self,
        toggle: impl FnOnce(&mut Document, usize) -> Option<usize>,
        cx: &Context,
    ) -> bool {
        let Some((page, view)) = self.page_view(cx) else {
            return false;
        };
        let top = page.position.top.0;
        let Content::Document(document) = &mut page.content else {
            return false;
        };
        let Some(row) = toggle(document, top) else {
            return false;
        };
        page.position.cursor = row;
        page.position.link = None;
        page.position.top = (row.min(top), 0);
        page.reveal(view);
        true
    }
}
