//! What a search of a WAIS database found, as rows (RFC 1625).
//!
//! ```text
//! line = score TAB octets TAB lines TAB date TAB headline TAB type 1*( TAB type ) TAB id CRLF
//! type = *uchar      ; encoded as in a URL, like the id (RFC 1738, section 3.9)
//! ```
//!
//! A line that is none of these is what the server said, and is shown as it came.

use std::ops::Range;

use super::{Kind, Link, Row, Rows, Source};
use crate::text::{self, Text};
use crate::url::{ParseError, Url};

/// Types of one document, at the most: a line of more is none that tells of a document.
const TYPES: usize = 32;

/// The body of what was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hits;

/// A line, split.
struct Hit<'a> {
    score: &'a str,
    octets: &'a str,
    date: &'a [u8],
    headline: &'a [u8],
    /// The types, the best first, and the id behind them.
    types: Vec<&'a str>,
    id: &'a str,
}

impl<'a> Hit<'a> {
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

    /// The document in one of its types. One whose type is a URL is what its headline says.
    fn target(&self, wtype: &str, source: Source<'_>) -> Result<Url, ParseError> {
        if wtype.eq_ignore_ascii_case("URL") {
            return Url::accept_octets(self.headline.trim_ascii());
        }
        source.url.wais_document(wtype, self.id)
    }
}

impl Rows for Hits {
    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let line = source.raw.line(number)?;
        let Some(hit) = Hit::parse(line) else {
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

    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        let line = source.raw.line(number)?;
        Some(Hit::parse(line).map_or(line, |hit| hit.headline))
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        let Some(hit) = source.raw.line(number).and_then(Hit::parse) else {
            return Vec::new();
        };
        let label = Text::new(hit.headline.trim_ascii(), source.charset);
        let types = hit.types.iter().skip(which.start);
        types
            .take(which.len())
            .map(|wtype| Link::new(label.clone(), hit.target(wtype, source)))
            .collect()
    }

    fn link_count(&self, source: Source<'_>, number: usize) -> usize {
        let hit = source.raw.line(number).and_then(Hit::parse);
        hit.map_or(0, |hit| hit.types.len())
    }

    fn numbered(&self, source: Source<'_>, number: usize) -> Option<usize> {
        let row = number.checked_sub(1)?;
        self.is_link(source, row).then_some(row)
    }

    fn numbers(&self, source: Source<'_>) -> usize {
        self.count(source)
    }

    fn is_list(&self) -> bool {
        true
    }
}

/// What a type of WAIS is.
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
