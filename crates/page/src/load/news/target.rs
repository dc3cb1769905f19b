//! The target of a news URL.

use geomys_wire::protocol::nntp::WaterMarks;
use rfc1738::{GroupPart, Parts, Range};

use super::settings::ChangesQuery;
use crate::load::{Failure, Purpose, Request, Stop};

/// The target of a request for news.
#[derive(Clone, Debug)]
pub(super) enum NewsTarget<'a> {
    /// A list of groups: all, or those that match a pattern.
    Groups(Option<Vec<u8>>),
    /// The changes in the list of all groups.
    Changes(&'a ChangesQuery),
    Group(Vec<u8>),
    Number(Vec<u8>, u64),
    /// The articles of a group, from the first number to the last.
    Range(Vec<u8>, u64, u64),
    MessageId(Vec<u8>),
}

/// The extent of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestExtent {
    /// The whole content.
    Whole,
    /// The existence only; of lists, that the server answers.
    Existence,
}

impl RequestExtent {
    /// Returns the extent of a request: nothing is fetched for a link check.
    pub(super) fn of(request: &Request) -> Self {
        match request.purpose {
            Purpose::Check => Self::Existence,
            Purpose::Show | Purpose::Save | Purpose::Picture => Self::Whole,
        }
    }
}

impl<'a> NewsTarget<'a> {
    /// Returns the target of a request.
    pub(super) fn of(request: &'a Request) -> Result<Self, Stop> {
        let part = match request.url.base_parts() {
            Parts::News(url) => url.part,
            Parts::Nntp(url) => match url.range.or(url.number.map(Range::One)) {
                None => GroupPart::Group(url.group),
                Some(range) => GroupPart::Articles(url.group, range),
            },
            _ => return Err(Failure::unsupported(&request.url).into()),
        };
        Ok(match part {
            GroupPart::All => match &request.since {
                Some(since) => Self::Changes(since),
                None => Self::Groups(None),
            },
            GroupPart::Groups(pattern) => Self::Groups(Some(pattern.octets().into())),
            GroupPart::Group(name) => Self::Group(name.octets().into()),
            GroupPart::Articles(name, range) => Self::numbered(name.octets().into(), range)?,
            GroupPart::Article(article) => Self::MessageId(bare(&article.id.octets()).into()),
        })
    }

    /// Returns the target for articles of a group by their numbers.
    fn numbered(group: Vec<u8>, range: Range<'_>) -> Result<Self, Stop> {
        let written = range.written();
        let Some((first, last)) = range.numbers() else {
            return Err(Failure::new(format!("no article number is as high as {written}")).into());
        };
        if first > last {
            let sentence = "nothing was requested: the range";
            let failure = Failure::new(format!("{sentence} {written} ends before it begins"));
            return Err(failure.with_advice("write the lower number first").into());
        }
        Ok(match range {
            Range::One(_) => Self::Number(group, first),
            Range::From(_) | Range::Between(..) => Self::Range(group, first, last),
        })
    }

    /// Limits the numbers of a group to the requested ones.
    pub(super) fn within(&self, marks: WaterMarks) -> WaterMarks {
        match self {
            Self::Range(_, first, last) => WaterMarks {
                low: marks.low.max(*first),
                high: marks.high.min(*last),
                ..marks
            },
            Self::Groups(_)
            | Self::Changes(_)
            | Self::Group(_)
            | Self::Number(..)
            | Self::MessageId(_) => marks,
        }
    }
}

/// Returns a Message-ID without the angle brackets that some people write into URLs.
pub(super) fn bare(id: &[u8]) -> &[u8] {
    let inside = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">"));
    inside.unwrap_or(id)
}
