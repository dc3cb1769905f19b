//! Reading an article: quotations folded, ROT13.

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

    /// Reads the text of the article by ROT13, or as it is again.
    pub(super) fn turn_script(&mut self) -> Vec<Effect> {
        let is_turned = match self.page_mut().map(|page| &mut page.content) {
            Some(Content::Document(document)) => document.turn_script(),
            Some(Content::Failure(_) | Content::Form(_) | Content::Forgotten) | None => false,
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
