//! What only a document can do that is an article.

use std::sync::Arc;

use super::{Article, Parent};
use crate::document::{Document, Shape};
use crate::text::{self, Charset};

impl Document {
    /// Shows these headers of an article, in this order, once it is whole; none for the usual ones.
    pub fn show_headers(&mut self, headers: Arc<[String]>) {
        if let Some(article) = self.body.article_mut() {
            article.show_headers(headers);
        }
    }

    /// Folds the quotation of an article that row `number` belongs to, or opens it, or what a form feed hides there. Gives
    /// the row where its first line is then; nothing where there is none.
    pub fn turn_quotation(&mut self, number: usize) -> Option<usize> {
        let row = self.unfiltered(number)?;
        let origin = self.rows().origin(row)?;
        let article = self.body.article_mut()?;
        if article.turn_quotation(row) {
            self.rows().row_of(origin)
        } else {
            None
        }
    }

    /// Whether row `number` stands for a folded quotation of an article, or for what a form feed hides in it.
    pub fn is_folded(&self, number: usize) -> bool {
        let row = self.unfiltered(number);
        self.body
            .article()
            .is_some_and(|article| row.is_some_and(|row| article.is_folded(row)))
    }

    /// Whether row `number` stands for what a form feed hides in an article.
    pub fn is_form_feed(&self, number: usize) -> bool {
        let row = self.unfiltered(number);
        self.body
            .article()
            .is_some_and(|article| row.is_some_and(|row| article.is_form_feed(row)))
    }

    /// Opens all that is folded in an article, as where nobody could open it later.
    pub fn unfold(&mut self) {
        if let Some(article) = self.body.article_mut() {
            article.unfold();
        }
    }

    /// Folds all long and deep quotations of an article, or opens all. Gives the row where row `number` is then; nothing
    /// where there are none.
    pub fn turn_quotations(&mut self, number: usize) -> Option<usize> {
        let origin = self.rows().origin(self.unfiltered(number)?)?;
        let article = self.body.article_mut()?;
        if article.turn_quotations() {
            self.rows().row_of(origin)
        } else {
            None
        }
    }

    /// Reads the text of an article by ROT13, or as it is again; whether it is an article.
    pub fn turn_script(&mut self) -> bool {
        let article = self.body.article_mut();
        article.map(Article::turn_script).is_some()
    }

    /// The file in an article that row `number` tells of: a name that is safe on this machine, and its octets as a document
    /// to be saved.
    pub fn attachment(&self, number: usize) -> Option<(String, Self)> {
        let article = self.body.article()?;
        let file = article.attachment(self.unfiltered(number)?)?;
        let mut octets = Self::new(self.url.clone(), Shape::Text, Charset::default());
        octets.append(&file.octets);
        Some((text::file_name(&file.name, "attachment"), octets))
    }

    /// The row at which the body of an article begins, its source shown or not; nothing where it has none yet.
    pub fn body_row(&self) -> Option<usize> {
        if let Some(row) = self.body.article().and_then(Article::body_row) {
            return Some(row);
        }
        let lines = 0..self.raw.lines();
        let mut lines = lines.filter(|&line| self.raw.line(line).is_some_and(<[u8]>::is_empty));
        Some(lines.next()? + 1)
    }

    /// What an answer to an article takes from it; nothing before it is whole, and for everything else.
    pub fn parent(&self) -> Option<Parent> {
        self.body.article()?.parent(self.source())
    }
}
