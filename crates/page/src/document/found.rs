//! The pages that a search of the stored copies has found, as pairs of rows: the title, and below it the line with the
//! words.
//!
//! ```text
//! list   = *( title LF line LF ) *( note LF )
//! title  = rank TAB second TAB date TAB url TAB marked   ; the date is shown, the second orders
//! line   = TAB marked
//! note   = *octet                                        ; without a TAB: what was searched, and what to do
//! marked = *( octet / %x01 1*octet %x02 )                ; the words of the query stand between two controls
//! ```
//!
//! Pages are shown in the order of their arrival. The complete list is sorted: the lower ranks first, of equals the
//! newer pages.

use std::cmp::Reverse;

use geomys_wire::text::Text;
use rfc1738::{Dialect, Url};

use super::gemtext::kind_of;
use super::row::{Kind, Link, Row, RowOrigin, Span};
use super::rows::{FilterText, RowLines, RowProvider, RowSource};

/// The controls around a word of the query.
pub const MARK: [char; 2] = ['\u{1}', '\u{2}'];

/// The body of a list of found pages.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundBody {
    lines: RowLines,
}

/// A parsed title line.
struct FoundPage<'a> {
    rank: u8,
    second: i64,
    date: &'a [u8],
    url: &'a [u8],
    title: &'a [u8],
}

impl<'a> FoundPage<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let mut fields = line.splitn(5, |&octet| octet == b'\t');
        let mut number = || str::from_utf8(fields.next()?).ok()?.parse::<i64>().ok();
        let (rank, second) = (u8::try_from(number()?).ok()?, number()?);
        Some(Self {
            rank,
            second,
            date: fields.next()?,
            url: fields.next()?,
            title: fields.next()?,
        })
    }

    fn target(&self) -> Option<Url> {
        Dialect::Extended.parse(self.url).ok()
    }
}

impl FoundBody {
    fn line<'a>(&self, source: RowSource<'a>, row: usize) -> Option<&'a [u8]> {
        source.raw.line(self.lines.line_of(row)?)
    }

    /// The page that a row or the row above it names.
    fn page<'a>(&self, source: RowSource<'a>, row: usize) -> Option<FoundPage<'a>> {
        let line = self.line(source, row)?;
        if line.first() == Some(&b'\t') {
            FoundPage::parse(self.line(source, row.checked_sub(1)?)?)
        } else {
            FoundPage::parse(line)
        }
    }
}

/// Returns the spans of a text with its marks.
fn spans(marked: &[u8], source: RowSource<'_>) -> Vec<Span> {
    let [begin, end] = MARK.map(|mark| u8::try_from(mark).unwrap_or_default());
    let pieces = marked.split(|&octet| octet == begin || octet == end);
    let pieces = pieces.enumerate().filter(|(_, piece)| !piece.is_empty());
    let spans = pieces.map(|(number, piece)| Span {
        is_match: number % 2 == 1,
        ..Span::new(Text::new(piece, source.charset))
    });
    spans.collect()
}

impl RowProvider for FoundBody {
    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let line = self.line(source, number)?;
        if let Some(text) = line.strip_prefix(b"\t") {
            return Some(Row::with_spans(Kind::Plain, spans(text, source)));
        }
        let Some(page) = FoundPage::parse(line) else {
            return Some(Row::new(Kind::Plain, Text::new(line, source.charset)));
        };
        let target = page.target();
        let scheme = target.as_ref().map_or("", Url::scheme_name);
        let aside = format!("{scheme}  {}", Text::new(page.date, source.charset));
        Some(Row {
            aside: Some(Text::of(aside.trim_end())),
            short_aside: Some(Text::of(scheme)),
            ..Row::with_spans(
                target.as_ref().map_or(Kind::Unknown, kind_of),
                spans(page.title, source),
            )
        })
    }

    fn octets<'a>(&'a self, _: RowSource<'a>, _: usize) -> Option<&'a [u8]> {
        None
    }

    fn record(&self, _: RowSource<'_>, number: usize) -> Vec<usize> {
        self.lines.line_of(number).into_iter().collect()
    }

    /// Both rows of a page lead to it.
    fn link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        let page = self.page(source, number)?;
        let label: String = spans(page.title, source)
            .iter()
            .map(|span| span.text.as_str())
            .collect();
        Some(Link::new(
            Text::of(&label),
            Dialect::Extended.parse(page.url),
        ))
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        usize::from(self.is_link(source, number))
    }

    /// Only the title is a step of the cursor from link to link.
    fn is_link(&self, source: RowSource<'_>, number: usize) -> bool {
        let line = self.line(source, number);
        line.is_some_and(|line| memchr::memchr(b'\t', line).is_some_and(|at| at > 0))
    }

    fn needs_finish(&self) -> bool {
        !self.lines.are_sorted()
    }

    fn finish(&mut self, source: RowSource<'_>) {
        let lines = 0..source.raw.lines();
        let mut pages: Vec<(u8, Reverse<i64>, usize)> = Vec::new();
        let mut notes = Vec::new();
        for line in lines {
            let octets = source.raw.line(line).unwrap_or_default();
            match FoundPage::parse(octets) {
                Some(page) => pages.push((page.rank, Reverse(page.second), line)),
                None if octets.first() == Some(&b'\t') => {}
                None => notes.push(line),
            }
        }
        pages.sort_unstable();
        let pages = pages.into_iter().flat_map(|(.., line)| [line, line + 1]);
        let lines = pages.chain(notes);
        self.lines = lines.filter_map(|line| line.try_into().ok()).collect();
    }

    fn memory(&self) -> usize {
        self.lines.memory()
    }

    fn origin(&self, row: usize) -> Option<RowOrigin> {
        self.lines.line_of(row).map(RowOrigin::Line)
    }

    fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        self.lines.row_of(origin.line()?)
    }

    /// A filter matches the title and the URL, and shows or hides both rows.
    fn filter_text<'a>(&'a self, source: RowSource<'a>, number: usize) -> FilterText<'a> {
        let title = match self.line(source, number) {
            Some([b'\t', ..]) => number.checked_sub(1),
            _ => Some(number),
        };
        let title = title.and_then(|row| self.line(source, row));
        let title = title.filter(|line| memchr::memchr(b'\t', line).is_some());
        title.map_or(FilterText::None, FilterText::Octets)
    }
}

#[cfg(test)]
mod tests {
    use geomys_wire::text::CharsetSetting;

    use super::*;
    use crate::document::{Document, Shape};

    fn list(octets: &[u8]) -> Document {
        let url = Dialect::Extended.parse("geomys:search?lamp").unwrap();
        let mut document = Document::new(url, Shape::Found, CharsetSetting::default());
        document.append(octets);
        document
    }

    fn texts(document: &Document) -> Vec<String> {
        let rows = 0..document.count();
        rows.map(|row| document.row(row).unwrap().text()).collect()
    }

    #[test]
    fn pages_are_pairs_of_rows_in_order_of_arrival_and_then_sorted() {
        let arriving = list(
            b"1\t20\t2026-11-02\tgopher://h/0/a\tOld \x01lamp\x02\n\tA \x01lamp\x02 of brass\n\
              1\t30\t2026-11-03\tgemini://h/b\tB\n\t\x01Lamp\x02s\n\
              0\t10\t\tnews:x@h\t\x01Lamp\x02\n\tnews:x@h\n\
              Searched: 3\n",
        );
        assert_eq!(
            texts(&arriving)[..4],
            ["Old lamp", "A lamp of brass", "B", "Lamps"]
        );
        let sorted = arriving.clone().finished();
        assert_eq!(
            texts(&sorted),
            [
                "Lamp",
                "news:x@h",
                "B",
                "Lamps",
                "Old lamp",
                "A lamp of brass",
                "Searched: 3"
            ]
        );
        let line = sorted.row(5).unwrap();
        let marked: Vec<(&str, bool)> = line
            .spans
            .iter()
            .map(|span| (span.text.as_str(), span.is_match))
            .collect();
        assert_eq!(
            marked,
            [("A ", false), ("lamp", true), (" of brass", false)]
        );
        for row in [4, 5] {
            let link = sorted.link(row, 0).unwrap();
            assert_eq!(link.label.as_str(), "Old lamp");
            assert_eq!(link.target.unwrap().as_str(), "gopher://h/0/a");
        }
        assert!(sorted.is_link(4) && !sorted.is_link(5));
        let title = sorted.row(4).unwrap();
        assert_eq!(title.aside.unwrap().as_str(), "gopher  2026-11-02");
        assert!(sorted.link(6, 0).is_none());
        // The cursor stays on its page.
        assert_eq!(arriving.moved_to(2, &sorted), Some(2));
        assert_eq!(arriving.moved_to(1, &sorted), Some(5));
    }
}
