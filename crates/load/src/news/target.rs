//! The target of a news URL, the commands for it, which are shown before it starts, and a job: one target at one
//! server.

use geomys_wire::net::{LentConnection, RequestNet};
use geomys_wire::protocol::nntp::{List, NntpError, WaterMarks, bare_id, message_id};
use rfc1738::{GroupPart, News, Nntp, Parts, Range};

use super::endpoint::{NewsConnection, NewsDialogue, NewsEndpoint, dialogue};
use super::settings::ChangesQuery;
use crate::{Failure, Purpose, Request, Sink, Stop};

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
            GroupPart::All => match &request.news_query.since {
                Some(since) => Self::Changes(since),
                None => Self::Groups(None),
            },
            GroupPart::Groups(pattern) => Self::Groups(Some(pattern.octets().into())),
            GroupPart::Group(name) => Self::Group(name.octets().into()),
            GroupPart::Articles(name, range) => Self::numbered(name.octets().into(), range)?,
            GroupPart::Article(article) => Self::MessageId(bare_id(&article.id.octets()).into()),
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

/// Returns the commands for a `news:` URL, as far as they are known before the server has answered.
pub(crate) fn news_preview(url: &News<'_>) -> Option<Vec<u8>> {
    Some(match url.part {
        GroupPart::All => b"LIST ACTIVE\r\n".to_vec(),
        GroupPart::Groups(pattern) => [b"LIST ACTIVE ", &*pattern.octets(), b"\r\n"].concat(),
        GroupPart::Group(name) => [b"GROUP ", &*name.octets(), b"\r\n"].concat(),
        GroupPart::Articles(name, range) => {
            let group = [b"GROUP ", &*name.octets(), b"\r\n"].concat();
            [group, range_preview(range).into_bytes()].concat()
        }
        GroupPart::Article(article) => {
            let id = message_id(bare_id(&article.id.octets())).ok()?;
            [b"ARTICLE ", id.as_slice(), b"\r\n"].concat()
        }
    })
}

/// Returns the commands for an `nntp:` URL.
pub(crate) fn nntp_preview(url: &Nntp<'_>) -> Vec<u8> {
    let range = url.range.or(url.number.map(Range::One));
    let articles = range.map_or(String::new(), range_preview);
    [
        b"GROUP ",
        &*url.group.octets(),
        b"\r\n",
        articles.as_bytes(),
    ]
    .concat()
}

/// Returns the command for articles by their numbers. The server's marks may make a range shorter.
fn range_preview(range: Range<'_>) -> String {
    match (range, range.numbers()) {
        (Range::One(_), Some((number, _))) => format!("ARTICLE {number}\r\n"),
        (Range::From(_) | Range::Between(..), _) => format!("OVER {}\r\n", range.written()),
        (Range::One(_), None) => String::new(),
    }
}

/// One target at one server, and the sink of its parts.
pub(super) struct NewsJob<'a> {
    pub(super) net: &'a RequestNet,
    pub(super) request: &'a Request,
    pub(super) server: &'a NewsEndpoint,
    pub(super) target: &'a NewsTarget<'a>,
    pub(super) sink: &'a mut Sink,
}

impl NewsJob<'_> {
    /// Returns an error for a Message-ID that may not be sent, before connecting.
    pub(super) fn check_target(&self) -> Result<(), Stop> {
        if let NewsTarget::MessageId(id) = self.target {
            message_id(id).map_err(|error| self.stop(error))?;
        }
        Ok(())
    }

    /// Returns an idle connection to the pool.
    pub(super) fn store(&self, connection: NewsConnection) {
        self.net.put_pooled(&self.server.pool_key, connection);
    }

    /// Forwards the block that follows.
    pub(super) async fn block(&mut self, dialogue: &mut NewsDialogue) -> Result<(), Stop> {
        while let Some(run) = dialogue.block().await.map_err(|error| self.stop(error))? {
            self.sink.octets(run).await?;
        }
        Ok(())
    }

    /// Forwards the descriptions of groups. They are optional: many servers have none.
    pub(super) async fn describe(
        &mut self,
        lent: &mut LentConnection<NewsConnection>,
        pattern: Option<&[u8]>,
    ) -> Result<(), Stop> {
        loop {
            let listed = dialogue(lent)?.list(List::Newsgroups, pattern).await;
            match listed {
                Ok(()) => return self.block(dialogue(lent)?).await,
                Err(NntpError::Declined(_)) => return Ok(()),
                Err(error) => self.connect_again(lent, error).await?,
            }
        }
    }
}
