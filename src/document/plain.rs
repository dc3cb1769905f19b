//! Lines of text, with the URLs that stand in them as links (RFC 1738, appendix).

use super::{Kind, Link, Row, Rows, Source, Span};
use crate::text::{Charset, Text};
use crate::url::{context, forgiven};

/// The body of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain;

impl Rows for Plain {
    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        Some(row(Kind::Plain, source.raw.line(number)?, source.charset))
    }

    fn links(&self, source: Source<'_>, number: usize) -> Vec<Link> {
        source.raw.line(number).map(links).unwrap_or_default()
    }

    fn is_list(&self) -> bool {
        false
    }
}

/// A line of text as a row: what stands around links, and links.
pub(super) fn row(kind: Kind, line: &[u8], charset: Charset) -> Row {
    let mut spans = Vec::new();
    let mut at = 0;
    for (index, found) in context::urls(line).enumerate() {
        push(&mut spans, line.get(at..found.range.start), None, charset);
        push(
            &mut spans,
            line.get(found.range.clone()),
            Some(index),
            charset,
        );
        at = found.range.end;
    }
    if at == 0 {
        return Row::new(kind, Text::new(line, charset));
    }
    push(&mut spans, line.get(at..), None, charset);
    Row {
        kind,
        number: None,
        lead: None,
        spans,
        aside: None,
    }
}

/// The links that stand in a line.
pub(super) fn links(line: &[u8]) -> Vec<Link> {
    context::urls(line)
        .map(|found| Link {
            label: Text::of(&found.url_text),
            target: found
                .result
                .or_else(|error| forgiven(&found.url_text).map_err(|_| error)),
        })
        .collect()
}

fn push(spans: &mut Vec<Span>, octets: Option<&[u8]>, link: Option<usize>, charset: Charset) {
    if let Some(octets) = octets.filter(|octets| !octets.is_empty()) {
        spans.push(Span {
            text: Text::new(octets, charset),
            link,
        });
    }
}
