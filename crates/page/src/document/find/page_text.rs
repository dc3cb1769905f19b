//! The text of a page, and the row that has the words of a search best.

use std::ops::Range;

use geomys_wire::text;

use super::text::{FoldedText, ROW_ENDS};
use super::words::SearchWords;
use crate::document::model::Document;
use crate::document::row::Row;
use crate::document::shape::Shape;

/// The last octet of a soft hyphen, in UTF-8 and in the charsets of ISO 8859.
pub(super) const SOFT_HYPHEN_END: u8 = 0xad;

/// The text of a page, folded, with the places of its rows.
#[derive(Debug)]
pub struct PageText {
    /// The rows with single blanks within them, and their ends.
    folded: FoldedText,
    /// The start of each row.
    rows: Vec<usize>,
    /// The start of each paragraph.
    paragraphs: Vec<usize>,
}

impl PageText {
    /// Reads the text of a page, to be searched for these words.
    pub fn new(document: &Document, words: &SearchWords) -> Self {
        let mut page = Self {
            folded: FoldedText::new(words.have_marks()),
            rows: Vec::new(),
            paragraphs: Vec::new(),
        };
        let (mut text, mut is_after_blank) = (String::new(), true);
        let [row_end, paragraph_end] = ROW_ENDS;
        for number in 0..document.count() {
            text.clear();
            if let Some(row) = document.row(number) {
                for word in row_text(document, number, &row).split_whitespace() {
                    text.push(' ');
                    text.push_str(word);
                }
            }
            let is_paragraph = std::mem::replace(&mut is_after_blank, text.is_empty());
            let end = page.folded.octets().len();
            page.rows.push(end);
            if text.is_empty() {
                continue;
            }
            if is_paragraph {
                page.paragraphs.push(end);
            }
            // The row begins behind the end of the one before.
            let before = if is_paragraph { paragraph_end } else { row_end };
            text.replace_range(..1, char::from(before).encode_utf8(&mut [0; 4]));
            page.folded.push(&text);
        }
        page
    }

    /// Returns the row where the words are best, and true if one paragraph has all of them; `None` if the page has none
    /// of the words.
    pub fn best_row(&self, words: &SearchWords) -> Option<(usize, bool)> {
        let places = words.iter().map(|word| {
            let mut places: Vec<Range<usize>> = word.places(&self.folded, 0).collect();
            places.sort_unstable_by_key(|place| place.start);
            places
        });
        let places: Vec<Vec<Range<usize>>> = places.collect();
        let near = self.near(&places);
        let first = || {
            places
                .iter()
                .filter_map(|places| Some(places.first()?.start))
                .min()
        };
        Some((self.row(near.or_else(first)?), near.is_some()))
    }

    /// The number of the row at a place.
    fn row(&self, at: usize) -> usize {
        let rows = self.rows.partition_point(|&start| start <= at);
        rows.saturating_sub(1)
    }

    /// Returns the place of the first word in the first paragraph that has all words, if there is one.
    fn near(&self, places: &[Vec<Range<usize>>]) -> Option<usize> {
        let ends = self.paragraphs.iter().skip(1).copied();
        let ends = ends.chain(std::iter::once(self.folded.octets().len()));
        self.paragraphs.iter().zip(ends).find_map(|(&start, end)| {
            let first = |places: &Vec<Range<usize>>| {
                let from = places.partition_point(|place| place.start < start);
                let place = places.get(from).filter(|place| place.end <= end)?;
                Some(place.start)
            };
            let all: Option<Vec<usize>> = places.iter().map(first).collect();
            all?.into_iter().min()
        })
    }
}

/// The text of row `number`. A soft hyphen is not shown; at the end of a row it is a hyphen.
pub(super) fn row_text(document: &Document, number: usize, row: &Row) -> String {
    let mut shown = row.text();
    let octets = match document.shape() {
        Shape::Text | Shape::Article | Shape::Gemtext => document.octets_of(number),
        // Of a line of a menu the name is shown.
        Shape::Menu => document.octets_of(number).map(|line| {
            let name = memchr::memchr(b'\t', line).and_then(|end| line.get(..end));
            name.unwrap_or(line)
        }),
        // Their lines have no soft hyphens.
        _ => None,
    };
    let octets = octets.map(<[u8]>::trim_ascii_end);
    let octets = octets.filter(|octets| octets.last() == Some(&SOFT_HYPHEN_END));
    if let Some(octets) = octets.filter(|_| !shown.is_empty()) {
        let is_hyphen = match text::utf8(octets) {
            Some(text) => text.ends_with('\u{ad}'),
            None => document.charset().decode(octets).ends_with('\u{ad}'),
        };
        if is_hyphen {
            shown.push('-');
        }
    }
    shown
}
