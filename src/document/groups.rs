//! A list of news groups (RFC 3977, section 7.6).
//!
//! ```text
//! groups = *active-line [ "." CRLF *description-line ]
//! ```
//!
//! The lines of LIST ACTIVE or LIST COUNTS come first and are the rows; after a line that is a dot come those of LIST
//! NEWSGROUPS, in any order, and each is shown with its group as soon as it is there. Rows that name no group are
//! odd, and shown as they came.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::{Kind, Link, Row, Rows, Source, Span};
use crate::protocol::nntp::{Active, active, description};
use crate::text::{self, Text};
use crate::url::Url;

/// Columns that a name has before its description.
const NAME: usize = 36;

/// The body of a list of groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// The line of the dot, once it has come.
    end: Option<usize>,
    /// Whole lines that were looked at.
    seen: usize,
    /// Where the description of a name stands, by the name's hash. Shared, so that a clone stays cheap.
    descriptions: Arc<HashMap<u64, u32>>,
    hash: RandomState,
}

impl Rows for Groups {
    fn count(&self, source: Source<'_>) -> usize {
        let lines = source.raw.lines();
        self.end.unwrap_or_else(|| match lines.checked_sub(1) {
            // What may become the dot is not shown before it is known.
            Some(last) if source.raw.line(last) == Some(b".") => last,
            _ => lines,
        })
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let line = self.line(source, number)?;
        let Some(group) = active(line) else {
            return Some(Row::new(Kind::Odd, Text::new(line, source.charset)));
        };
        let name = Text::new(group.name, source.charset);
        let about = self.about(source, &group);
        let blanks = NAME.saturating_sub(name.width()).max(2);
        let mut spans = vec![Span::new(name)];
        if let Some(about) = about {
            spans.push(Span::new(Text::of(&format!("{:blanks$}{about}", ""))));
        }
        let count = usize::try_from(group.articles()).unwrap_or(usize::MAX);
        Some(Row {
            kind: Kind::Group,
            number: None,
            indent: 0,
            lead: None,
            spans,
            aside: Some(Text::of(&text::count(count))),
        })
    }

    /// A row's text stands in two lines, so that it must be made to be searched.
    fn octets<'a>(&'a self, _source: Source<'a>, _number: usize) -> Option<&'a [u8]> {
        None
    }

    fn links(&self, source: Source<'_>, number: usize) -> Vec<Link> {
        let Some(group) = self.line(source, number).and_then(active) else {
            return Vec::new();
        };
        let label = Text::new(group.name, source.charset);
        let target = link(source.url, group.name);
        vec![Link::new(label, target)]
    }

    fn is_link(&self, source: Source<'_>, number: usize) -> bool {
        self.line(source, number).and_then(active).is_some()
    }

    fn arrived(&mut self, source: Source<'_>) {
        // The last line may still be growing.
        let whole = source.raw.lines().saturating_sub(1);
        for number in self.seen..whole {
            let Some(line) = source.raw.line(number) else {
                break;
            };
            if self.end.is_none() {
                if line == b"." {
                    self.end = Some(number);
                }
            } else if let (Some((name, _)), Ok(at)) = (description(line), u32::try_from(number)) {
                let key = self.hash.hash_one(name);
                Arc::make_mut(&mut self.descriptions)
                    .entry(key)
                    .or_insert(at);
            }
        }
        self.seen = self.seen.max(whole);
    }

    fn is_list(&self) -> bool {
        true
    }
}

impl Groups {
    fn line<'a>(&self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        (number < self.count(source))
            .then(|| source.raw.line(number))
            .flatten()
    }

    fn about(&self, source: Source<'_>, group: &Active<'_>) -> Option<Text> {
        let at = self.descriptions.get(&self.hash.hash_one(group.name));
        let last = || {
            source
                .raw
                .lines()
                .checked_sub(1)
                .filter(|&last| Some(last) > self.end)
        };
        let line = at.map(|&at| at as usize).or_else(|| {
            self.end?;
            last()
        })?;
        let (name, about) = description(source.raw.line(line)?)?;
        // `?` is what INN writes when nobody has described a group.
        (name == group.name && about != b"?").then(|| Text::new(about, source.charset))
    }
}

/// Where a group is read: on the server of this page, else wherever news are read.
pub(super) fn link(page: &Url, name: &[u8]) -> Result<Url, crate::url::ParseError> {
    match page.parts().address() {
        Some(server) => Url::nntp(server.node(), server.port().unwrap_or(119), name, None),
        None => Url::news_group(name),
    }
}
