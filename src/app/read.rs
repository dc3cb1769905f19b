//! Reading an article: quotations folded, form feeds opened, ROT13.

use super::page::Content;
use super::{App, Effect, Focus};
use crate::document::Document;

impl App {
    /// Folds the long and deep quotations of the article, or opens all of them.
    pub(super) fn turn_quotations(&mut self) -> Vec<Effect> {
        if !self.refold(Document::turn_quotations) {
            self.tell("no quotation here is long or deep");
        }
        Vec::new()
    }

    /// Opens the folded quotation that is chosen; nothing where none is.
    pub(super) fn open_quotation(&mut self) -> Option<Vec<Effect>> {
        let page = self.page().filter(|_| self.focus == Focus::Panes)?;
        let is_folded = page.place.link.is_some()
            && page
                .document()
                .is_some_and(|document| document.is_folded(page.place.cursor));
        if !is_folded {
            return None;
        }
        let cursor = page.place.cursor;
        self.refold(|document, _| document.turn_quotation(cursor));
        Some(Vec::new())
    }

    /// Opens the first form feed on screen that hides something; whether there is one. It is what the key for the next
    /// screen does before it moves.
    pub(super) fn open_form_feed(&mut self) -> bool {
        let Some((page, view)) = self.page_view() else {
            return false;
        };
        let Some(document) = page.document() else {
            return false;
        };
        let (mut row, above) = page.place.top;
        let mut lines = 0;
        while row < document.count() && lines < view.height + above {
            if document.is_form_feed(row) {
                return self.refold(|document, _| document.turn_quotation(row));
            }
            lines += page.height_of(row, view);
            row += 1;
        }
        false
    }

    /// Reads the text of the article by ROT13, or as it is again.
    pub(super) fn turn_script(&mut self) -> Vec<Effect> {
        let is_turned = match self.page_mut().map(|page| &mut page.content) {
            Some(Content::Document(document)) => document.turn_script(),
            Some(
                Content::Failure(_) | Content::Form(_) | Content::Session(_) | Content::Forgotten,
            )
            | None => false,
        };
        if !is_turned {
            self.tell("only the text of an article is read by ROT13");
        }
        Vec::new()
    }

    /// Changes which rows there are by `turn`, which says where the first row on screen, or the one it is about, is then;
    /// whether there was anything to change.
    fn refold(&mut self, turn: impl FnOnce(&mut Document, usize) -> Option<usize>) -> bool {
        let Some((page, view)) = self.page_view() else {
            return false;
        };
        let top = page.place.top.0;
        let Content::Document(document) = &mut page.content else {
            return false;
        };
        let Some(row) = turn(document, top) else {
            return false;
        };
        page.place.cursor = row;
        page.place.link = None;
        page.place.top = (row.min(top), 0);
        page.reveal(view);
        true
    }
}
