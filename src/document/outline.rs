//! The outline of a page: its headings.

use super::body::Body;
use super::model::Document;
use super::rows::RowSource;
use crate::text::Text;

/// A heading of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineEntry {
    /// The row of the heading.
    pub row: usize,
    /// The level, from 1 for the highest.
    pub level: usize,
    /// The text of the heading, without its marks.
    pub text: Text,
}

impl Document {
    /// The headings of a page in gemtext, in their order; empty for other pages and while rows are filtered.
    pub fn outline(&self) -> Vec<OutlineEntry> {
        let Body::Gemtext(gemtext) = &self.body else {
            return Vec::new();
        };
        let entry = |row| {
            let text = self.row(row)?.text();
            let heading = text.trim_start_matches('#');
            Some(OutlineEntry {
                row,
                level: text.len() - heading.len(),
                text: Text::of(heading.trim()),
            })
        };
        let rows = gemtext.headings(self.source());
        rows.filter(|_| self.filter.is_none())
            .filter_map(entry)
            .collect()
    }

    /// Folds or unfolds the preformatted block that row `number` opens; `None` for a document without such blocks.
    pub(super) fn toggle_preformatted(&mut self, number: usize) -> Option<bool> {
        let row = self.unfiltered(number);
        let source = RowSource {
            url: &self.url,
            raw: &self.raw,
            charset: self.page_charset.charset(),
        };
        let Body::Gemtext(gemtext) = &mut self.body else {
            return None;
        };
        Some(row.is_some_and(|row| gemtext.toggle(source, row)))
    }
}
