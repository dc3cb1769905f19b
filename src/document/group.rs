//! The articles of a group, one a line of its overview (RFC 3977, section 8.3).
//!
//! While it arrives, an article is a row, in the order in which they come: the newest first. Once all have come they
//! stand in threads, the thread with the newest article first; eight octets an article say how.

use std::sync::Arc;

use super::threads::{self, Member};
use super::{Kind, Link, Origin, Row, Rows, Source, Span, header};
use crate::protocol::nntp::{Overview, overview};
use crate::text::Text;

/// The body of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    threaded: Option<Threaded>,
}

/// The rows of a whole group.
#[derive(Clone, Debug)]
struct Threaded {
    /// The line of each row, and how deep it stands in its thread.
    rows: Arc<[(u32, u16)]>,
}

impl Rows for Group {
    fn count(&self, source: Source<'_>) -> usize {
        match &self.threaded {
            Some(threaded) => threaded.rows.len(),
            None => source.raw.lines(),
        }
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let line = source.raw.line(self.line_of(number)?)?;
        let Some(article) = overview(line) else {
            return Some(Row::new(Kind::Odd, Text::new(line, source.charset)));
        };
        let indent = self.depth(number);
        let spans = if self.repeats(source, number, &article) {
            Vec::new()
        } else {
            vec![Span::new(subject(source, &article))]
        };
        Some(Row {
            kind: Kind::Article,
            number: None,
            indent,
            lead: Some(header::author(article.from, source.charset)),
            spans,
            aside: Some(header::day(article.date, source.charset)),
        })
    }

    /// Subjects and authors may be encoded, and then do not stand in the line as they are shown.
    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        let line = source.raw.line(self.line_of(number)?)?;
        memchr::memmem::find(line, b"=?").is_none().then_some(line)
    }

    fn links(&self, source: Source<'_>, number: usize) -> Vec<Link> {
        let Some(article) = self.article(source, number) else {
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
        self.article(source, number).is_some()
    }

    fn is_list(&self) -> bool {
        true
    }

    fn finish(&mut self, source: Source<'_>) {
        self.threaded = Some(threaded(source));
    }

    fn wants_finish(&self) -> bool {
        self.threaded.is_none()
    }

    fn origin(&self, row: usize) -> Option<Origin> {
        self.line_of(row).map(Origin::Line)
    }

    fn row_of(&self, origin: Origin) -> Option<usize> {
        let Origin::Line(line) = origin else {
            return None;
        };
        match &self.threaded {
            Some(threaded) => {
                let line = u32::try_from(line).ok()?;
                threaded.rows.iter().position(|(known, _)| *known == line)
            }
            None => Some(line),
        }
    }
}

impl Group {
    /// The line that a row is made of.
    fn line_of(&self, row: usize) -> Option<usize> {
        match &self.threaded {
            Some(threaded) => threaded.rows.get(row).map(|(line, _)| *line as usize),
            None => Some(row),
        }
    }

    fn article<'a>(&self, source: Source<'a>, row: usize) -> Option<Overview<'a>> {
        overview(source.raw.line(self.line_of(row)?)?)
    }

    fn depth(&self, row: usize) -> usize {
        let threaded = self.threaded.as_ref();
        let depth = threaded.and_then(|threaded| Some(threaded.rows.get(row)?.1));
        depth.map_or(0, usize::from)
    }

    /// Whether the row above in the thread has the same subject already.
    fn repeats(&self, source: Source<'_>, row: usize, article: &Overview<'_>) -> bool {
        let Some(above) = row.checked_sub(1).filter(|_| self.depth(row) > 0) else {
            return false;
        };
        let plain = |article: &Overview<'_>| threads::plain_subject(article.subject).0.to_vec();
        self.article(source, above)
            .is_some_and(|above| plain(&above) == plain(article))
    }
}

/// Puts the lines into threads. They came with the newest first, and are counted from the oldest.
fn threaded(source: Source<'_>) -> Threaded {
    let count = source.raw.lines();
    let line_of = |article: usize| count.checked_sub(article + 1);
    let parents = threads::parents(count, |article| {
        let article = overview(source.raw.line(line_of(article)?)?)?;
        Some(Member {
            id: article.id,
            references: article.references,
            subject: article.subject,
        })
    });
    let rows = threads::read_through(&parents, &newest_first(&parents));
    let rows = rows.into_iter().filter_map(|(article, depth)| {
        let line = line_of(article as usize)?;
        Some((u32::try_from(line).ok()?, depth))
    });
    Threaded {
        rows: rows.collect(),
    }
}

/// The first articles of all threads, those of the thread with the newest article first.
fn newest_first(parents: &[u32]) -> Vec<u32> {
    let mut seen = vec![false; parents.len()];
    let roots = threads::roots(parents).into_iter().rev();
    roots
        .filter(|&root| {
            let seen = seen.get_mut(root as usize);
            seen.is_some_and(|seen| !std::mem::replace(seen, true))
        })
        .collect()
}

fn subject(source: Source<'_>, article: &Overview<'_>) -> Text {
    let subject = header::text(article.subject, source.charset);
    if subject.is_blank() {
        Text::of("(no subject)")
    } else {
        subject
    }
}
