//! The results of a search in a WAIS database, as rows (RFC 1625).
//!
//! ```text
//! line = score TAB octets TAB lines TAB date TAB headline TAB type 1*( TAB type ) TAB id CRLF
//! type = *uchar      ; encoded as in a URL, like the id (RFC 1738, section 3.9)
//! date = 8DIGIT      ; year, month, day
//!      | 6DIGIT      ; year of the century, month, day: freeWAIS before 2000
//!      | 7DIGIT      ; year since 1900, month, day: the same server from 2000 on
//! ```
//!
//! Any other line is a message of the server, and is shown unchanged.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use geomys_wire::text;
use geomys_wire::text::Text;
use rfc1738::{Dialect, ParseError, Url};

use super::order::{ListOrder, SortColumn};
use super::row::{Kind, Link, Row, RowOrigin};
use super::rows::{RowLines, RowProvider, RowSource};

/// The maximum number of types of one document. A line with more types is not a search result.
const TYPES: usize = 32;

/// The body of a list of search results.
#[derive(Clone, Debug)]
pub(super) struct SearchHitsBody {
    order: ListOrder,
    /// The lines as the rows show them; at first in the order of the server, which is that of the score.
    lines: RowLines,
}

impl Default for SearchHitsBody {
    fn default() -> Self {
        Self {
            order: ListOrder::new(SortColumn::Score),
            lines: RowLines::default(),
        }
    }
}

impl SearchHitsBody {
    fn line<'a>(&self, source: RowSource<'a>, row: usize) -> Option<&'a [u8]> {
        source.raw.line(self.lines.line_of(row)?)
    }

    fn hit<'a>(&self, source: RowSource<'a>, row: usize) -> Option<SearchHit<'a>> {
        self.line(source, row).and_then(SearchHit::parse)
    }
}

/// A parsed line.
struct SearchHit<'a> {
    score: &'a str,
    octets: &'a str,
    date: &'a [u8],
    headline: &'a [u8],
    /// The types, the best first. The id follows them in the line.
    types: Vec<&'a str>,
    id: &'a str,
}

impl<'a> SearchHit<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let mut fields = line.split(|&octet| octet == b'\t');
        let mut word = || std::str::from_utf8(fields.next()?).ok();
        let (score, octets, _lines) = (word()?, word()?, word()?);
        let (date, headline) = (fields.next()?, fields.next()?);
        let mut types: Vec<&str> = fields
            .take(TYPES + 2)
            .map(std::str::from_utf8)
            .collect::<Result<_, _>>()
            .ok()?;
        let id = types.pop()?;
        (1..=TYPES).contains(&types.len()).then_some(Self {
            score,
            octets,
            date,
            headline,
            types,
            id,
        })
    }

    fn score(&self) -> u64 {
        self.score.parse().unwrap_or_default()
    }

    fn size(&self) -> u64 {
        self.octets.parse().unwrap_or_default()
    }

    /// Compares two documents by a column, in ascending order.
    fn compare(&self, other: &Self, column: SortColumn) -> Ordering {
        match column {
            SortColumn::Score => self.score().cmp(&other.score()),
            SortColumn::Size => self.size().cmp(&other.size()),
            SortColumn::Date => HitDate::parse(self.date).cmp(&HitDate::parse(other.date)),
            SortColumn::Kind => self.types.cmp(&other.types),
            SortColumn::Name | SortColumn::Thread | SortColumn::Author | SortColumn::Subject => {
                let folded = |hit: &Self| hit.headline.trim_ascii().to_ascii_lowercase();
                folded(self).cmp(&folded(other))
            }
        }
    }

    /// The URL of the document in one of its types. Where the type is `URL`, the headline is the target URL.
    fn target(&self, wtype: &str, source: RowSource<'_>) -> Result<Url, ParseError> {
        if wtype.eq_ignore_ascii_case("URL") {
            return Dialect::Extended.parse(self.headline.trim_ascii());
        }
        source.url.wais_document(wtype, self.id)
    }
}

impl RowProvider for SearchHitsBody {
    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let line = self.line(source, number)?;
        let Some(hit) = SearchHit::parse(line) else {
            return Some(Row::new(Kind::Plain, Text::new(line, source.charset)));
        };
        let wtype = hit.types.first().copied().unwrap_or_default();
        let headline = Text::new(hit.headline.trim_ascii(), source.charset);
        let headline = if headline.is_blank() {
            Text::of("(no headline)")
        } else {
            headline
        };
        let size = hit.octets.parse().map(text::octets).unwrap_or_default();
        let types: Vec<String> = hit
            .types
            .iter()
            .map(|name| Text::of(name).to_string())
            .collect();
        let date = HitDate::parse(hit.date).map_or_else(
            || Text::new(hit.date, source.charset).to_string(),
            |date| date.to_string(),
        );
        let aside = format!(
            "{date}  {size:>8}  {:>4}  {:>4}",
            types.join(" "),
            hit.score()
        );
        Some(Row {
            number: Some(number + 1),
            aside: Some(Text::of(aside.trim_start())),
            ..Row::new(kind(wtype), headline)
        })
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        let line = self.line(source, number)?;
        Some(SearchHit::parse(line).map_or(line, |hit| hit.headline))
    }

    fn record(&self, _: RowSource<'_>, number: usize) -> Vec<usize> {
        self.lines.line_of(number).into_iter().collect()
    }

    fn links(&self, source: RowSource<'_>, number: usize, indices: Range<usize>) -> Vec<Link> {
        let Some(hit) = self.hit(source, number) else {
            return Vec::new();
        };
        let label = Text::new(hit.headline.trim_ascii(), source.charset);
        let types = hit.types.iter().skip(indices.start);
        types
            .take(indices.len())
            .map(|wtype| Link::new(label.clone(), hit.target(wtype, source)))
            .collect()
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        let hit = self.hit(source, number);
        hit.map_or(0, |hit| hit.types.len())
    }

    fn row_of_link(&self, source: RowSource<'_>, number: usize) -> Option<usize> {
        let row = number.checked_sub(1)?;
        self.is_link(source, row).then_some(row)
    }

    fn highest_link_number(&self, source: RowSource<'_>) -> usize {
        self.count(source)
    }

    fn columns(&self) -> &'static [SortColumn] {
        &[
            SortColumn::Score,
            SortColumn::Date,
            SortColumn::Size,
            SortColumn::Name,
            SortColumn::Kind,
        ]
    }

    fn order(&self) -> Option<ListOrder> {
        Some(self.order)
    }

    fn sort(&mut self, source: RowSource<'_>, order: ListOrder) {
        let lines = 0..u32::try_from(source.raw.lines()).unwrap_or(u32::MAX);
        let hit = |line: u32| {
            let line = source.raw.line(usize::try_from(line).ok()?)?;
            SearchHit::parse(line)
        };
        let (mut hits, others): (Vec<_>, Vec<_>) = lines
            .map(|line| (hit(line), line))
            .partition(|(hit, _)| hit.is_some());
        // The sort is stable: equal documents stay in the order of the server.
        hits.sort_by(|(one, _), (other, _)| {
            let (Some(one), Some(other)) = (one, other) else {
                return Ordering::Equal;
            };
            let by_column = one.compare(other, order.column);
            if order.reverse {
                by_column.reverse()
            } else {
                by_column
            }
        });
        // Messages of the server stay at the end.
        let rows = hits.into_iter().chain(others);
        self.lines = rows.map(|(_, line)| line).collect();
        self.order = order;
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
}

/// The kind of row for a WAIS type.
fn kind(wtype: &str) -> Kind {
    match wtype.to_ascii_uppercase().as_str() {
        "TEXT" | "TEXT-FTP" | "WCAT" | "CATALOG" | "FIRST-LINE" | "ONE-LINE" | "PARA" => Kind::Text,
        "WSRC" => Kind::Search,
        "HTML" | "URL" => Kind::Web,
        "GIF" | "PICT" | "TIFF" | "JPEG" | "XBM" | "PPM" => Kind::Image,
        "PS" | "DVI" | "PDF" | "RTF" => Kind::Document,
        "MAIL" | "MAIL_DIGEST" | "NETNEWS" | "RMAIL" => Kind::Mail,
        _ => Kind::Binary,
    }
}

/// A day; the order of the fields is that of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HitDate {
    year: u32,
    month: u32,
    day: u32,
}

impl HitDate {
    /// Parses a date; `None` if it is none.
    fn parse(written: &[u8]) -> Option<Self> {
        let digits = written.trim_ascii();
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let number: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let (year, rest) = (number / 10_000, number % 10_000);
        let year = match digits.len() {
            8 => year,
            // The first server is of 1990.
            6 if year < 70 => year + 2000,
            6 | 7 => year + 1900,
            _ => return None,
        };
        let (month, day) = (rest / 100, rest % 100);
        let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
        is_day.then_some(Self { year, month, day })
    }
}

impl fmt::Display for HitDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_servers_are_days() {
        let shown = |written: &[u8]| HitDate::parse(written).map(|date| date.to_string());
        assert_eq!(shown(b"19940517").as_deref(), Some("1994-05-17"));
        assert_eq!(shown(b"921116").as_deref(), Some("1992-11-16"));
        assert_eq!(shown(b"050102").as_deref(), Some("2005-01-02"));
        assert_eq!(shown(b"1250708").as_deref(), Some("2025-07-08"));
        assert_eq!(shown(b" 19940517 ").as_deref(), Some("1994-05-17"));
        for other in [
            &b"0"[..],
            b"",
            b"19941301",
            b"19940500",
            b"May 1994",
            b"99999999999",
        ] {
            assert_eq!(shown(other), None, "{}", other.escape_ascii());
        }
        assert!(HitDate::parse(b"991231") < HitDate::parse(b"20000101"));
    }
}
