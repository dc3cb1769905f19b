//! Visited pages as rows, by day.
//!
//! ```text
//! line  = visit / day
//! visit = kind TAB time TAB url TAB title LF   ; the newest first
//! day   = *octet LF                            ; a heading, without a TAB
//! ```

use geomys_wire::text::Text;
use rfc1738::Dialect;

use super::row::{Kind, Link, Row};
use super::rows::{FilterText, RowProvider, RowSource};

/// The body of a list of visits.
#[derive(Clone, Copy, Debug)]
pub(super) struct VisitsBody;

/// A parsed line.
struct VisitLine<'a> {
    kind: &'a [u8],
    time: &'a [u8],
    url: &'a [u8],
    title: &'a [u8],
    /// The URL and the title, as the line has them.
    words: &'a [u8],
}

impl<'a> VisitLine<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let mut fields = line.splitn(3, |&octet| octet == b'\t');
        let (kind, time, words) = (fields.next()?, fields.next()?, fields.next()?);
        let tab = memchr::memchr(b'\t', words)?;
        Some(Self {
            kind,
            time,
            url: words.get(..tab)?,
            title: words.get(tab + 1..)?,
            words,
        })
    }

    fn of(source: RowSource<'a>, number: usize) -> Option<Self> {
        source.raw.line(number).and_then(Self::parse)
    }

    fn kind(&self) -> Kind {
        match self.kind {
            b"menu" | b"listing" => Kind::Menu,
            b"groups" | b"group" => Kind::Group,
            b"article" => Kind::Article,
            b"hits" | b"form" => Kind::Search,
            b"web" => Kind::Web,
            b"text" => Kind::Text,
            b"session" => Kind::Session,
            _ => Kind::Document,
        }
    }

    fn label(&self, source: RowSource<'_>) -> Text {
        let title = Text::new(self.title, source.charset);
        if title.is_blank() {
            Text::new(self.url, source.charset)
        } else {
            title
        }
    }
}

impl RowProvider for VisitsBody {
    fn row(&self, source: RowSource<'_>, number: usize) -> Option<Row> {
        let line = source.raw.line(number)?;
        let Some(visit) = VisitLine::parse(line) else {
            return Some(Row::new(Kind::Heading(2), Text::new(line, source.charset)));
        };
        let time = Text::new(visit.time, source.charset);
        let text = format!("{time}  {}", visit.label(source));
        Some(Row {
            aside: Some(Text::new(visit.url, source.charset)),
            hang: time.width() + 2,
            ..Row::new(visit.kind(), Text::of(&text))
        })
    }

    fn octets<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<&'a [u8]> {
        match VisitLine::of(source, number) {
            Some(visit) => Some(visit.words),
            None => source.raw.line(number),
        }
    }

    fn filter_text<'a>(&'a self, source: RowSource<'a>, number: usize) -> FilterText<'a> {
        VisitLine::of(source, number)
            .map_or(FilterText::None, |visit| FilterText::Octets(visit.words))
    }

    fn link(&self, source: RowSource<'_>, number: usize) -> Option<Link> {
        let visit = VisitLine::of(source, number)?;
        Some(Link::new(
            visit.label(source),
            Dialect::Extended.parse(visit.url),
        ))
    }

    fn link_count(&self, source: RowSource<'_>, number: usize) -> usize {
        usize::from(self.is_link(source, number))
    }

    fn is_link(&self, source: RowSource<'_>, number: usize) -> bool {
        let line = source.raw.line(number);
        line.is_some_and(|line| memchr::memchr(b'\t', line).is_some())
    }
}

#[cfg(test)]
mod tests {
    use geomys_wire::text::CharsetSetting;

    use super::*;
    use crate::document::{Document, Shape};

    #[test]
    fn visits_are_rows_with_links_below_their_day() {
        let url = Dialect::Extended.parse("geomys:history").unwrap();
        let mut document = Document::new(url, Shape::Visits, CharsetSetting::default());
        document.append(
            b"2026-11-22 Sunday\nmenu\t21:03\tgopher://h/1/map\tThe map\nweb\t20:00\thttp://w/\t\n",
        );
        assert_eq!(document.count(), 3);
        let day = document.row(0).unwrap();
        assert_eq!(
            (day.kind, day.text()),
            (Kind::Heading(2), "2026-11-22 Sunday".to_owned())
        );
        assert!(document.link(0, 0).is_none());
        let visit = document.row(1).unwrap();
        assert_eq!(
            (visit.kind, visit.text()),
            (Kind::Menu, "21:03  The map".to_owned())
        );
        let link = document.link(1, 0).unwrap();
        assert_eq!(link.label.as_str(), "The map");
        assert_eq!(link.target.unwrap().as_str(), "gopher://h/1/map");
        assert_eq!(document.row(2).unwrap().text(), "20:00  http://w/");
    }
}
