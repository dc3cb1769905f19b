//! What a URL of news asks for.

use std::borrow::Cow;

use super::super::{Failure, Request, Stop};
use super::changes::Since;
use crate::protocol::nntp::Marks;
use crate::url::{Encoded, GroupPart, News, Nntp, Range};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'a> {
    /// Groups: all, or those that fit a pattern.
    Groups(Option<&'a [u8]>),
    /// What has changed in the list of all groups.
    Changes(&'a Since),
    Group(&'a [u8]),
    Number(&'a [u8], u64),
    /// Articles of a group, from the first number to the last.
    Range(&'a [u8], u64, u64),
    Id(&'a [u8]),
}

/// How much of it is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it.
    Whole,
    /// Only to know whether it is there; of lists, whether somebody answers.
    Existence,
}

impl Wanted<'_> {
    /// What is wanted of a group with these marks.
    pub(super) fn within(self, marks: Marks) -> Marks {
        match self {
            Wanted::Range(_, first, last) => Marks {
                low: marks.low.max(first),
                high: marks.high.min(last),
                ..marks
            },
            Wanted::Groups(_)
            | Wanted::Changes(_)
            | Wanted::Group(_)
            | Wanted::Number(..)
            | Wanted::Id(_) => marks,
        }
    }
}

/// The name in a `news:` URL.
pub(super) fn named<'a>(url: &News<'a>) -> Cow<'a, [u8]> {
    let named = match url.part {
        GroupPart::All => Encoded::default(),
        GroupPart::Group(name) | GroupPart::Groups(name) | GroupPart::Articles(name, _) => name,
        GroupPart::Article(article) => article.id,
    };
    named.octets()
}

/// What a `news:` URL with this name asks for.
pub(super) fn wanted<'a>(
    request: &'a Request,
    url: &News<'_>,
    named: &'a [u8],
) -> Result<Wanted<'a>, Stop> {
    Ok(match url.part {
        GroupPart::All => match &request.since {
            Some(since) => Wanted::Changes(since),
            None => Wanted::Groups(None),
        },
        GroupPart::Groups(_) => Wanted::Groups(Some(named)),
        GroupPart::Group(_) => Wanted::Group(named),
        GroupPart::Articles(_, range) => numbered(named, range)?,
        GroupPart::Article(_) => Wanted::Id(bare(named)),
    })
}

/// What an `nntp:` URL with this group asks for.
pub(super) fn wanted_there<'a>(url: &Nntp<'_>, group: &'a [u8]) -> Result<Wanted<'a>, Stop> {
    match url.range.or(url.number.map(Range::One)) {
        None => Ok(Wanted::Group(group)),
        Some(range) => numbered(group, range),
    }
}

/// Articles of a group by their numbers.
fn numbered<'a>(group: &'a [u8], range: Range<'_>) -> Result<Wanted<'a>, Stop> {
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
        Range::One(_) => Wanted::Number(group, first),
        Range::From(_) | Range::Between(..) => Wanted::Range(group, first, last),
    })
}

/// A Message-ID without the angle brackets that some write into URLs.
pub(super) fn bare(id: &[u8]) -> &[u8] {
    let inside = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">"));
    inside.unwrap_or(id)
}
