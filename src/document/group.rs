//! The articles of a group, one a line of its overview (RFC 3977, section 8.3), in the order in which they came.
//!
//! Left out so far: threads, marks of what was read, sorting, filters.

use super::{Kind, Link, Row, Rows, Source, Span, header};
use crate::protocol::nntp::{Overview, overview};
use crate::text::Text;

/// The body of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group;

impl Rows for Group {
    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let line = source.raw.line(number)?;
        let Some(article) = overview(line) else {
            return Some(Row::new(Kind::Odd, Text::new(line, source.charset)));
        };
        Some(Row {
            kind: Kind::Article,
            number: None,
            lead: Some(header::author(article.from, source.charset)),
            spans: vec![Span::new(subject(source, &article))],
            aside: Some(header::day(article.date, source.charset)),
        })
    }

    /// Subjects and authors may be encoded, and then do not stand in the line as they are shown.
    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        let line = source.raw.line(number)?;
        memchr::memmem::find(line, b"=?").is_none().then_some(line)
    }

    fn links(&self, source: Source<'_>, number: usize) -> Vec<Link> {
        let Some(article) = source.raw.line(number).and_then(overview) else {
            return Vec::new();
        };
        // A page that has no server of its own names articles by what is theirs everywhere.
        let target = match source.url.numbered(article.number) {
            Ok(url) => Ok(url),
            Err(_) => crate::url::Url::news_article(article.id),
        };
        vec![Link::new(subject(source, &article), target)]
    }

    fn is_link(&self, source: Source<'_>, number: usize) -> bool {
        source.raw.line(number).and_then(overview).is_some()
    }

    fn is_list(&self) -> bool {
        true
    }
}

fn subject(source: Source<'_>, article: &Overview<'_>) -> Text {
    let subject = header::text(article.subject, source.charset);
    if subject.is_blank() {
        Text::of("(no subject)")
    } else {
        subject
    }
}
