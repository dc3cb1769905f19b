//! A document on the screen, with a cache of its wrapped rows.
//!
//! Handling a key and drawing its frame read the same rows several times, and a row of a hostile page takes a
//! millisecond to lay out. So each row is laid out once, and stays cached until the document or the width changes, or
//! the page leaves the screen.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex, PoisonError};

use geomys_page::document::find::SearchText;
use geomys_page::document::{Document, Row};
use geomys_wire::text;

use crate::view::link_numbers::LinkNumbers;
use crate::view::text_area::{Gutter, GutterPlace};

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

/// The space that rows are laid out for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowLayout {
    /// The number of columns for a row that is wrapped.
    pub width: usize,
    /// The number of columns for a row that is not wrapped.
    pub columns: usize,
    /// True if long rows are wrapped, false if they are scrolled sideways.
    pub wraps: bool,
    /// The columns to the left of the text.
    pub gutter: Gutter,
}

/// A row as the screen shows it, wrapped to the columns.
#[derive(Debug)]
pub struct LaidOutRow {
    /// The row of the document, with the numbers of its links where the text has them.
    pub row: Row,
    /// The text of the row in one string.
    pub text: String,
    /// The numbers of links in the text.
    pub numbers: LinkNumbers,
    /// The lines as octet ranges of the text; only one if long lines are not wrapped.
    pub lines: Vec<Range<usize>>,
    /// True if long lines are wrapped; false if they are scrolled sideways.
    pub is_wrapped: bool,
}

#[derive(Debug, Default)]
struct RowCache {
    layout: RowLayout,
    rows: HashMap<usize, Arc<LaidOutRow>>,
    /// The approximate memory of the rows, in octets.
    octets: usize,
}

impl DocumentView {
    /// Returns row `number` (from 0), laid out for this space.
    pub fn laid_out(&self, number: usize, layout: RowLayout) -> Option<Arc<LaidOutRow>> {
        let mut cache = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.layout != layout || cache.octets > MAX_CACHE_BYTES {
            *cache = RowCache::default();
            cache.layout = layout;
        }
        if let Some(row) = cache.rows.get(&number) {
            return Some(Arc::clone(row));
        }
        let row = Arc::new(LaidOutRow::new(&self.document, number, layout)?);
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
    fn new(document: &Document, number: usize, layout: RowLayout) -> Option<Self> {
        let mut row = document.row(number)?;
        let is_wrapped = layout.wraps && row.wraps;
        let columns = if is_wrapped {
            let before = layout.gutter.width_before(&row) - layout.gutter.width();
            layout.width.saturating_sub(before).max(1)
        } else {
            layout.columns
        };
        let numbers = match layout.gutter.place {
            GutterPlace::Beside => LinkNumbers::default(),
            GutterPlace::InText => LinkNumbers::add(&mut row, document, number, columns),
        };
        let text = row.text();
        let columns = is_wrapped.then_some(columns);
        let starts = match columns {
            Some(columns) => text::hanging(&text, columns, row.hang_in(columns)),
            None => vec![0],
        };
        let ends = starts.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(text.len()));
        let lines = starts.iter().zip(ends);
        let lines = lines.map(|(&start, end)| start..end).collect();
        Some(Self {
            row,
            text,
            numbers,
            lines,
            is_wrapped,
        })
    }

    /// Returns the matches of a search in the text up to octet `end`. The numbers of links are no part of what is
    /// searched.
    pub fn matches(&self, needle: &SearchText, end: usize) -> Vec<Range<usize>> {
        let text = self.text.get(..end).unwrap_or(&self.text);
        self.numbers.matches(text, needle)
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
    use geomys_wire::text::CharsetSetting;
    use rfc1738::Url;

    use super::*;

    fn view(text: &[u8]) -> DocumentView {
        let url = Url::parse("gopher://h/0/x").unwrap();
        let mut document = Document::new(url, Shape::Text, CharsetSetting::default());
        document.append(text);
        document.into()
    }

    fn wrapped(width: usize) -> RowLayout {
        RowLayout {
            width,
            columns: width,
            wraps: true,
            gutter: Gutter::default(),
        }
    }

    #[test]
    fn row_is_made_once_until_the_document_or_the_width_changes() {
        let mut view = view(b"one two three\n");
        let first = view.laid_out(0, wrapped(8)).unwrap();
        assert_eq!(first.lines, [0..8, 8..13]);
        assert!(Arc::ptr_eq(&first, &view.laid_out(0, wrapped(8)).unwrap()));
        let wider = view.laid_out(0, wrapped(80)).unwrap();
        assert_eq!(wider.lines.len(), 1);
        view.append(b"four\n");
        assert!(!Arc::ptr_eq(
            &wider,
            &view.laid_out(0, wrapped(80)).unwrap()
        ));
        assert_eq!(view.laid_out(1, wrapped(80)).unwrap().text, "four");
        assert!(view.laid_out(2, wrapped(80)).is_none());
    }

    #[test]
    fn cache_of_long_rows_is_bounded() {
        let line = [vec![b'x'; 60_000], b"\n".to_vec()].concat();
        let view = view(&line.repeat(300));
        for row in 0..300 {
            view.laid_out(row, RowLayout::default()).unwrap();
            assert!(
                view.rows.lock().unwrap().octets <= MAX_CACHE_BYTES + 2 * 60_000 + ROW_OVERHEAD
            );
        }
    }
}
