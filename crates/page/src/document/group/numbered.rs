//! The lines of an overview by their article numbers, the highest number first, whatever their order of arrival.
//!
//! A server sends each part of an overview in ascending order, and the parts come in any order: the unread articles,
//! the cached ones, older ones later. Of several lines with the same number the first one counts.

use std::cmp::Reverse;
use std::sync::Arc;

use geomys_wire::protocol::nntp::overview;

use crate::document::rows::RowSource;

/// The lines of an overview, sorted. A clone is cheap.
#[derive(Clone, Debug, Default)]
pub(in crate::document) struct NumberedLines {
    /// The lines that have arrived completely, without doubles.
    sorted: Arc<Vec<NumberedLine>>,
    /// The number of lines that were scanned.
    scanned: usize,
    /// The number of the last article that was scanned.
    last: Option<u64>,
}

/// A line with its sort key. A line that is not an article follows the article before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NumberedLine {
    /// The article number; of another line that of the article before it.
    number: u64,
    line: u32,
    is_article: bool,
}

impl NumberedLine {
    fn key(&self) -> (Reverse<u64>, bool, u32) {
        (Reverse(self.number), !self.is_article, self.line)
    }
}

impl NumberedLines {
    /// Scans the lines before `end` that were not scanned yet.
    pub(super) fn scan(&mut self, source: RowSource<'_>, end: usize) {
        if end <= self.scanned {
            return;
        }
        let mut number = self.last.unwrap_or(u64::MAX);
        let mut new = Vec::with_capacity(end - self.scanned);
        let lines = (self.scanned..end).zip(source.raw.lines_from(self.scanned));
        for (line, octets) in lines {
            let Ok(line) = u32::try_from(line) else {
                break;
            };
            let article = overview(octets).filter(|article| article.number > 0);
            number = article.map_or(number, |article| article.number);
            new.push(NumberedLine {
                number,
                line,
                is_article: article.is_some(),
            });
        }
        self.last = Some(number);
        self.scanned = end;
        new.sort_by_key(NumberedLine::key);
        self.merge(new);
    }

    /// Merges sorted lines. Only the lines after the first new one move.
    fn merge(&mut self, new: Vec<NumberedLine>) {
        let Some(first) = new.first().map(NumberedLine::key) else {
            return;
        };
        let sorted = Arc::make_mut(&mut self.sorted);
        // A double of the first new article stands before it.
        let after = sorted.partition_point(|old| old.number > first.0.0);
        let later = sorted.split_off(after);
        let mut later = later.into_iter().peekable();
        for line in new {
            while let Some(old) = later.next_if(|old| old.key() < line.key()) {
                sorted.push(old);
            }
            // An article stands before the other lines with its number, so a double follows directly.
            let is_double = line.is_article
                && sorted
                    .last()
                    .is_some_and(|other| other.is_article && other.number == line.number);
            if !is_double {
                sorted.push(line);
            }
        }
        sorted.extend(later);
    }

    /// The number of rows: each line, without doubles. Lines that are not complete come last.
    pub(super) fn count(&self, source: RowSource<'_>) -> usize {
        self.sorted.len() + source.raw.lines().saturating_sub(self.scanned)
    }

    /// The number of lines that were scanned.
    pub(super) fn scanned(&self) -> usize {
        self.scanned
    }

    /// The line of a row.
    pub(super) fn line_of(&self, row: usize) -> usize {
        match self.sorted.get(row) {
            Some(numbered) => numbered.line as usize,
            None => self.scanned + (row - self.sorted.len()),
        }
    }

    /// The row of a line; of a double that of the next row.
    pub(super) fn row_of(&self, line: usize) -> Option<usize> {
        if let Some(beyond) = line.checked_sub(self.scanned) {
            return Some(self.sorted.len() + beyond);
        }
        let mut lines = self.sorted.iter();
        lines.position(|numbered| numbered.line as usize == line)
    }

    /// The line of the article with this number.
    pub(super) fn line_of_number(&self, number: u64) -> Option<usize> {
        let at = self.sorted.partition_point(|other| other.number > number);
        let article = self.sorted.get(at)?;
        (article.is_article && article.number == number).then_some(article.line as usize)
    }

    /// All lines in order, each with its article number; 0 where it is not an article.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = (u32, u64)> + Clone {
        self.sorted.iter().map(|numbered| {
            let number = if numbered.is_article {
                numbered.number
            } else {
                0
            };
            (numbered.line, number)
        })
    }

    /// The memory use, in octets.
    pub(super) fn memory(&self) -> usize {
        self.sorted.len() * size_of::<NumberedLine>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use geomys_wire::text::Charset;
    use proptest::prelude::*;
    use rfc1738::Url;

    use super::*;
    use crate::document::raw::LineBuffer;

    proptest! {
        #[test]
        fn lines_are_sorted_and_doubles_dropped_whatever_their_order(
            numbers in proptest::collection::vec(0..12_u64, 0..40),
            pieces in 1..7_usize,
        ) {
            let url = Url::parse("nntp://h/a").unwrap();
            let (mut raw, mut lines) = (LineBuffer::default(), NumberedLines::default());
            for piece in numbers.chunks(pieces) {
                for number in piece {
                    raw.append(format!("{number}\tsubject\n").as_bytes());
                }
                let source = RowSource { url: &url, raw: &raw, charset: Charset::default(), converted_from: None, is_detected: true };
                lines.scan(source, raw.complete_lines());
            }
            let mut first = BTreeMap::new();
            for (line, &number) in numbers.iter().enumerate().filter(|(_, number)| **number > 0) {
                first.entry(number).or_insert(line);
            }
            let found: Vec<_> = lines.lines().filter(|(_, number)| *number > 0).collect();
            let expected: Vec<_> = first.iter().rev().map(|(&number, &line)| (u32::try_from(line).unwrap(), number)).collect();
            prop_assert_eq!(found, expected);
            let others = lines.lines().filter(|(_, number)| *number == 0).count();
            prop_assert_eq!(others, numbers.iter().filter(|&&number| number == 0).count());
            for (&number, &line) in &first {
                prop_assert_eq!(lines.line_of_number(number), Some(line));
                prop_assert_eq!(lines.line_of(lines.row_of(line).unwrap()), line);
            }
        }
    }
}
