//! The results of a search in a WAIS database, as rows (RFC 1625).
//!
//! ```text
//! line = score TAB octets TAB lines TAB date TAB headline TAB type 1*( TAB type ) TAB id CRLF
//! type = *uchar      ; encoded as in a URL, like the id (RFC 1738, section 3.9)
//! ```
//!
//! Any other line is a message of the server, and is shown unchanged.

use std::ops::Range;

use super::row::{Kind, Link, Row};
use super::rows::{RowProvider, RowSource};
use crate::text::{self, Text};
use crate::url::{ParseError, Url};

/// The maximum number of types of one document. A line with more types is not a search result.
const TYPES: usize = 32;

/// The body of a list of search results.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchHitsBody;

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

    /// The URL of the document in one of its types. Where the type is `URL`, the headline is the target URL.
    fn target(&self, wtype: &str, source: RowSource<'_>) -> Result<Url, ParseError> {
        if wtype.eq_ignore_ascii_case("URL") {
            return Url::accept_octets(self.headline.trim_ascii());
        }
        source.url.wais_document(wtype, self.id)
    }
}

impl RowProvider for SearchHitsBody {
    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let line = source.raw.line(number)?;
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
        let date = Text::new(hit.date, source.charset);
        let aside = format!(
            "{}  {size:>8}  {:>4}  {:>4}",
            date,
            types.join(" "),
            Text::of(hit.score)
        );
        Some(Row {
            number: Some(number + 1),
            aside: Some(Text::of(aside.trim_start())),
            ..Row::new(kind(wtype), headline)
        })
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        let line = source.raw.line(number)?;
        Some(SearchHit::parse(line).map_or(line, |hit| hit.headline))
    }

    fn record(&self, _: RowSource<'_>, number: usize) -> Vec<usize> {
        vec![number]
    }

    fn links(&self, source: RowSource<'_>, number: usize, indices: Range<usize>) -> Vec<Link> {
        let Some(hit) = source.raw.line(number).and_then(SearchHit::parse) else {
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
        let hit = source.raw.line(number).and_then(SearchHit::parse);
        hit.map_or(0, |hit| hit.types.len())
    }

    fn row_of_link(&self, source: RowSource<'_>, number: usize) -> Option<usize> {
        let row = number.checked_sub(1)?;
        self.is_link(source, row).then_some(row)
    }

    fn highest_link_number(&self, source: RowSource<'_>) -> usize {
        self.count(source)
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
