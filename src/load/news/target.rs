//! The target of a news URL.

use std::borrow::Cow;

use super::super::{Failure, Request, Stop};
use super::changes::ChangesQuery;
use crate::protocol::nntp::WaterMarks;
use crate::url::{Encoded, GroupPart, News, Nntp, Range};

/// The target of a request for news.
#[derive(Clone, Copy, Debug)]
pub(super) enum NewsTarget<'a> {
    /// A list of groups: all, or those that match a pattern.
    Groups(Option<&'a [u8]>),
    /// The changes in the list of all groups.
    Changes(&'a ChangesQuery),
    Group(&'a [u8]),
    Number(&'a [u8], u64),
    /// The articles of a group, from the first number to the last.
    Range(&'a [u8], u64, u64),
    MessageId(&'a [u8]),
}

/// The extent of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestExtent {
    /// The whole content.
    Whole,
    /// The existence only; of lists, that the server answers.
    Existence,
}

impl NewsTarget<'_> {
    /// Limits the numbers of a group to the requested ones.
    pub(super) fn within(self, marks: WaterMarks) -> WaterMarks {
        match self {
            NewsTarget::Range(_, first, last) => WaterMarks {
                low: marks.low.max(first),
                high: marks.high.min(last),
                ..marks
            },
            NewsTarget::Groups(_)
            | NewsTarget::Changes(_)
            | NewsTarget::Group(_)
            | NewsTarget::Number(..)
            | NewsTarget::MessageId(_) => marks,
        }
    }
}

/// Returns the name in a `news:` URL.
pub(super) fn url_name<'a>(url: &News<'a>) -> Cow<'a, [u8]> {
    let url_name = match url.part {
        GroupPart::All => Encoded::default(),
        GroupPart::Group(name) | GroupPart::Groups(name) | GroupPart::Articles(name, _) => name,
        GroupPart::Article(article) => article.id,
    };
    url_name.octets()
}

/// Returns the target of a `news:` URL with this name.
pub(super) fn news_target<'a>(
    request: &'a Request,
    url: &News<'_>,
    url_name: &'a [u8],
) -> Result<NewsTarget<'a>, Stop> {
    Ok(match url.part {
        GroupPart::All => match &request.since {
            Some(since) => NewsTarget::Changes(since),
            None => NewsTarget::Groups(None),
        },
        GroupPart::Groups(_) => NewsTarget::Groups(Some(url_name)),
        GroupPart::Group(_) => NewsTarget::Group(url_name),
        GroupPart::Articles(_, range) => numbered(url_name, range)?,
        GroupPart::Article(_) => NewsTarget::MessageId(bare(url_name)),
    })
}

/// Returns the target of an `nntp:` URL with this group.
pub(super) fn nntp_target<'a>(url: &Nntp<'_>, group: &'a [u8]) -> Result<NewsTarget<'a>, Stop> {
    match url.range.or(url.number.map(Range::One)) {
        None => Ok(NewsTarget::Group(group)),
        Some(range) => numbered(group, range),
    }
}

/// Returns the target for articles of a group by their numbers.
fn numbered<'a>(group: &'a [u8], range: Range<'_>) -> Result<NewsTarget<'a>, Stop> {
    let Some((first, last)) = range.numbers() else {
        let written = range.written();
        return Err(Failure::new(format!("no server counts as far as {written}")).into());
    };
    if first > last {
        return Err(Stop::Failed(Failure {
            advice: Some("the lower number stands first"),
            ..Failure::new(format!(
                "nothing was asked, as the articles {} end before they begin",
                range.written()
            ))
        }));
    }
    Ok(match range {
        Range::One(_) => NewsTarget::Number(group, first),
        Range::From(_) | Range::Between(..) => NewsTarget::Range(group, first, last),
    })
}

/// Returns a Message-ID without the angle brackets that some people write into URLs.
pub(super) fn bare(id: &[u8]) -> &[u8] {
    let inside = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">"));
    inside.unwrap_or(id)
}
