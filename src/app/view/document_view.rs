//! A document on the screen, with a cache of its wrapped rows.
//!
//! Handling a key and drawing its frame read the same rows several times, and a row of a hostile page takes a
//! millisecond to lay out. So each row is laid out once, and stays cached until the document or the width changes, or
//! the page leaves the screen.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex, PoisonError};

use geomys_page::document::{Document, Row};
use geomys_wire::text;

/// The largest size of a row cache in octets: 256 rows of the greatest length.
const MAX_CACHE_BYTES: usize = 8 * 1024 * 1024;

/// The size in octets that a cached row counts in addition to its text.
const ROW_OVERHEAD: usize = 512;

/// A document with a cache of its rows. Every change of the document empties the cache. (Only one thread uses it; the
/// lock is needed because an `App` may move to another thread.)
#[derive(Debug)]
pub struct DocumentView {
    document: Document,
    rows: Mutex<RowCache>,
}

/// A row as the screen shows it, wrapped to the columns.
#[derive(Debug)]
pub struct LaidOutRow {
    /// The row of the document.
    pub row: Row,
    /// The text of the row in one string.
    pub text: String,
    /// The lines as octet ranges of the text; only one if long lines are not wrapped.
    pub lines: Vec<Range<usize>>,
    /// True if long lines are wrapped; false if they are scrolled sideways.
    pub is_wrapped: bool,
}

#[derive(Debug, Default)]
struct RowCache {
    /// The number of columns for wrapping; `None` for unwrapped rows.
    columns: Option<usize>,
    rows: HashMap<usize, Arc<LaidOutRow>>,
    /// The approximate memory of the rows, in octets.
    octets: usize,
}

impl DocumentView {
    /// Returns row `number` (from 0), wrapped to `columns`, or unwrapped.
    pub fn laid_out(&self, number: usize, columns: Option<usize>) -> Option<Arc<LaidOutRow>> {
        let mut cache = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.columns != columns || cache.octets > MAX_CACHE_BYTES {
            *cache = RowCache::default();
            cache.columns = columns;
        }
        if let Some(row) = cache.rows.get(&number) {
            return Some(Arc::clone(row));
        }
        let row = Arc::new(LaidOutRow::new(self.document.row(number)?, columns));
        cache.octets += ROW_OVERHEAD + 2 * row.text.len();
        cache.rows.insert(number, Arc::clone(&row));
        Some(row)
    }

    /// Empties the cache of rows.
    pub fn drop_rows(&mut self) {
        self.rows = Mutex::default();
    }
}

impl LaidOutRow {
    fn new(row: Row, columns: Option<usize>) -> Self {
        let text = row.text();
        let columns = columns.filter(|_| row.wraps);
        let starts = match columns {
            Some(columns) => text::hanging(&text, columns, row.hang_in(columns)),
            None => vec![0],
        };
        let ends = starts.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(text.len()));
        let lines = starts.iter().zip(ends);
        let lines = lines.map(|(&start, end)| start..end).collect();
        Self {
            row,
            text,
            lines,
            is_wrapped: columns.is_some(),
        }
    }
}

impl From<Document> for DocumentView {
    fn from(document: Document) -> Self {
        Self {
            document,
            rows: Mutex::default(),
        }
    }
}

impl Deref for DocumentView {
    type Target = Document;

    fn deref(&self) -> &Document {
        &self.document
    }
}

impl DerefMut for DocumentView {
    fn deref_mut(&mut self) -> &mut Document {
        self.drop_rows();
        &mut self.document
    }
}

#[cfg(test)]
mod tests {
    use geomys_page::document::Shape;
    use geomys_wire::text::Charset;
    use rfc1738::Url;

    use super::*;

    fn view(text: &[u8]) -> DocumentView {
        let url = Url::parse("gopher://h/0/x").unwrap();
        let mut document = Document::new(url, Shape::Text, Charset::default());
        document.append(text);
        document.into()
    }

    #[test]
    fn row_is_made_once_until_the_document_or_the_width_changes() {
        let mut view = view(b"one two three\n");
        let first = view.laid_out(0, Some(8)).unwrap();
        assert_eq!(first.lines, [0..8, 8..13]);
        assert!(Arc::ptr_eq(&first, &view.laid_out(0, Some(8)).unwrap()));
        let wider = view.laid_out(0, Some(80)).unwrap();
        assert_eq!(wider.lines.len(), 1);
        view.append(b"four\n");
        assert!(!Arc::ptr_eq(&wider, &view.laid_out(0, Some(80)).unwrap()));
        assert_eq!(view.laid_out(1, Some(80)).unwrap().text, "four");
        assert!(view.laid_out(2, Some(80)).is_none());
    }

    #[test]
    fn cache_of_long_rows_is_bounded() {
        let line = [vec![b'x'; 60_000], b"\n".to_vec()].concat();
        let view = view(&line.repeat(300));
        for row in 0..300 {
            view.laid_out(row, None).unwrap();
            assert!(
                view.rows.lock().unwrap().octets <= MAX_CACHE_BYTES + 2 * 60_000 + ROW_OVERHEAD
            );
        }
    }
}
