//! The numbers of links in the text of a row, for a pane that has no column beside the text for them: `see http://h/[3]
//! there`.
//!
//! A number takes what the text leaves. It stands in the blanks behind its link, so that columns stay where they are,
//! or between the link and the text behind it, as long as the row does not become wider than the pane; the first one
//! also in the indentation of the row. A row that is wrapped anyway has all its numbers.

use std::ops::Range;

use geomys_page::document::find::SearchText;
use geomys_page::document::{Document, Row, Span};
use geomys_wire::text::Text;

/// The numbers of links in the text of a row, in their order.
#[derive(Clone, Debug, Default)]
pub struct LinkNumbers(Vec<LinkNumber>);

/// A number in the text of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LinkNumber {
    /// Its octets in the text, with the brackets.
    range: Range<usize>,
    /// True if it makes the text longer; false if it stands in the place of blanks.
    is_inserted: bool,
}

impl LinkNumbers {
    /// Adds the numbers of its links to row `number` of a document, which has this number of columns.
    pub(super) fn add(row: &mut Row, document: &Document, number: usize, columns: usize) -> Self {
        let links = row.spans.iter().filter_map(|span| span.link).max();
        let Some(links) = links.map(|last| last + 1) else {
            return Self::default();
        };
        let Some(first) = document.number_of_first_link(number, links) else {
            return Self::default();
        };
        let ends_in_link = row.spans.last().is_some_and(|span| span.link.is_some());
        let ends = row.link_ends(ends_in_link && document.continues_link(number + 1));
        let Some(&(_, first_end)) = ends.first() else {
            return Self::default();
        };
        let widths = row.spans.iter().map(|span| span.text.width());
        let width: usize = widths.sum();
        let mut adding = Adding {
            // A row that is wider than its space is wrapped or cut with its numbers and without them.
            room: columns.checked_sub(width).unwrap_or(usize::MAX),
            caret: row.caret,
            spans: Vec::with_capacity(row.spans.len() + ends.len()),
            numbers: Vec::with_capacity(ends.len()),
            ..Adding::default()
        };
        let mut ends = ends.into_iter().peekable();
        let spans = std::mem::take(&mut row.spans);
        for (index, span) in spans.into_iter().enumerate() {
            match ends.next_if(|(end, _)| *end == index) {
                Some((_, link)) => adding.add_before(span, first + link),
                None => adding.push(span),
            }
        }
        if let Some((_, link)) = ends.next() {
            adding.add_at_end(first + link);
        }
        if adding.numbers.is_empty() {
            adding.add_to_indentation(first + first_end);
        }
        row.spans = adding.spans;
        row.caret = adding.caret;
        Self(adding.numbers)
    }

    /// Returns the octets of the numbers in the text.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.iter().map(|number| number.range.clone())
    }

    /// Returns the matches of a search in the beginning of the text, without the numbers.
    pub(super) fn matches(&self, text: &str, needle: &SearchText) -> Vec<Range<usize>> {
        if self.0.is_empty() {
            return needle.matches(text);
        }
        let mut plain = String::with_capacity(text.len());
        // The inserted numbers: their place in the plain text, and their length.
        let mut inserted = Vec::new();
        let mut at = 0;
        for number in &self.0 {
            let Some(before) = text.get(at..number.range.start) else {
                break;
            };
            plain.push_str(before);
            at = number.range.end;
            if number.is_inserted {
                inserted.push((plain.len(), number.range.len()));
            } else {
                plain.push_str(&" ".repeat(number.range.len()));
            }
        }
        plain.push_str(text.get(at..).unwrap_or_default());
        let before = |is_before: &dyn Fn(usize) -> bool| -> usize {
            let numbers = inserted.iter().take_while(|(at, _)| is_before(*at));
            numbers.map(|(_, octets)| octets).sum()
        };
        let found = needle.matches(&plain).into_iter();
        found
            .map(|Range { start, end }| {
                start + before(&|at| at <= start)..end + before(&|at| at < end)
            })
            .collect()
    }
}

/// The spans of a row while numbers are added.
#[derive(Default)]
struct Adding {
    spans: Vec<Span>,
    numbers: Vec<LinkNumber>,
    /// The octets of the spans.
    octets: usize,
    /// The columns that the row may still become wider by.
    room: usize,
    /// The cursor in a field, as the octet in the text.
    caret: Option<usize>,
}

impl Adding {
    fn push(&mut self, span: Span) {
        self.octets += span.text.as_str().len();
        self.spans.push(span);
    }

    /// Adds a number before a span: in the blanks that it begins with, or else between.
    fn add_before(&mut self, mut span: Span, number: usize) {
        let label = label(number);
        if replace_blanks(&mut span, &label) {
            self.numbers.push(LinkNumber {
                range: self.octets..self.octets + label.len(),
                is_inserted: false,
            });
        } else {
            self.insert(&label);
        }
        self.push(span);
    }

    /// Adds a number behind the row, after a blank if there is room for it.
    fn add_at_end(&mut self, number: usize) {
        let label = label(number);
        if self.room > label.len() {
            self.insert(&format!(" {label}"));
        } else {
            self.insert(&label);
        }
    }

    /// Adds a number, if there is room.
    fn insert(&mut self, label: &str) {
        let Some(room) = self.room.checked_sub(label.len()) else {
            return;
        };
        if self.room < usize::MAX {
            self.room = room;
        }
        let start = self.octets;
        if let Some(caret) = self.caret.as_mut().filter(|caret| **caret > start) {
            *caret += label.len();
        }
        self.push(Span::new(Text::of(label)));
        self.numbers.push(LinkNumber {
            range: start..self.octets,
            is_inserted: true,
        });
    }

    /// Adds a number to the blanks that the row begins with.
    fn add_to_indentation(&mut self, number: usize) {
        let label = label(number);
        let first = self.spans.first_mut();
        if first.is_some_and(|span| replace_blanks(span, &label)) {
            self.numbers.push(LinkNumber {
                range: 0..label.len(),
                is_inserted: false,
            });
        }
    }
}

/// Writes a number over the blanks that a span without a link begins with. Returns false unless a blank is left behind
/// it.
fn replace_blanks(span: &mut Span, label: &str) -> bool {
    let text = span.text.as_str();
    let blanks = text.len() - text.trim_start_matches(' ').len();
    if span.link.is_some() || blanks <= label.len() {
        return false;
    }
    let rest = text.get(label.len()..).unwrap_or_default();
    span.text = Text::of(&format!("{label}{rest}"));
    true
}

fn label(number: usize) -> String {
    format!("[{number}]")
}

#[cfg(test)]
mod tests {
    use geomys_page::document::Shape;
    use geomys_wire::text::CharsetSetting;
    use rfc1738::Url;

    use super::*;

    /// The text of each row of a document in this number of columns.
    fn numbered(shape: Shape, text: &str, columns: usize) -> Vec<String> {
        let url = Url::parse("gopher://h.example/0/text").unwrap();
        let mut document = Document::new(url, shape, CharsetSetting::default());
        document.append(text.as_bytes());
        let document = document.finished();
        let rows = (0..document.count()).map(|number| {
            let mut row = document.row(number).unwrap();
            LinkNumbers::add(&mut row, &document, number, columns);
            row.text()
        });
        rows.collect()
    }

    #[test]
    fn number_stands_behind_its_link_or_in_blanks_that_the_row_has() {
        let text = "See http://a.example/ and http://b.example/.\nhttp://c.example/      1 kB\n";
        let shown =
            "See http://a.example/[1] and http://b.example/[2].\nhttp://c.example/[3]   1 kB";
        assert_eq!(numbered(Shape::Text, text, 60).join("\n"), shown);
    }

    #[test]
    fn row_that_is_full_has_its_number_in_its_indentation_or_none() {
        let rows = numbered(
            Shape::Text,
            "    http://a.example/\nhttp://b.example/abcd\n",
            21,
        );
        assert_eq!(rows, ["[1] http://a.example/", "http://b.example/abcd"]);
        let rows = numbered(Shape::Text, "http://a.example/ http://b.example/\n", 38);
        assert_eq!(rows, ["http://a.example/[1] http://b.example/"]);
    }

    #[test]
    fn row_that_is_wrapped_anyway_has_all_numbers() {
        let rows = numbered(Shape::Text, "http://a.example/ http://b.example/\n", 20);
        assert_eq!(rows, ["http://a.example/[1] http://b.example/ [2]"]);
    }

    #[test]
    fn link_over_two_rows_has_its_number_at_its_end() {
        let rows = numbered(
            Shape::Text,
            "<URL:http://a.example/\n  b> end\nhttp://c.example/\n",
            60,
        );
        assert_eq!(
            rows,
            [
                "<URL:http://a.example/",
                "  b>[1] end",
                "http://c.example/ [2]"
            ]
        );
    }

    #[test]
    fn search_finds_the_text_without_the_numbers() {
        let url = Url::parse("gopher://h.example/0/text").unwrap();
        let mut document = Document::new(url, Shape::Text, CharsetSetting::default());
        document.append(b"one http://a.example/ one 1 one\n");
        let document = document.finished();
        let mut row = document.row(0).unwrap();
        let numbers = LinkNumbers::add(&mut row, &document, 0, 60);
        let text = row.text();
        assert_eq!(text, "one http://a.example/[1] one 1 one");
        let found = |words: &str| {
            let needle = SearchText::new(words).unwrap();
            let found = numbers.matches(&text, &needle).into_iter();
            found
                .map(|range| text.get(range).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(found("one"), ["one"; 3]);
        assert_eq!(found("1"), ["1"]);
        assert_eq!(found("example/ one"), ["example/[1] one"]);
        assert_eq!(found("example/"), ["example/"]);
    }
}
