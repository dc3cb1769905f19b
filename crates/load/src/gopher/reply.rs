//! A reply while it arrives: its header, its beginning and its body.

use geomys_wire::net::{Limits, NetError, Security, Stream, TransferEnd, read};
use geomys_wire::protocol::gopher::{
    DotStuffing, Header, HeaderState, Outcome, Reply, ReplyTail, refusal,
};
use rfc1738::Url;
use tokio::time::timeout;

use super::body::GopherBody;
use super::body::ReplyContent;
use super::error::{RowsSoFar, error_words, refused, rows_so_far};
use crate::{Failure, PageHead, Sink, Stop};

/// The most octets of an error that are read.
const REFUSAL: usize = 64 * 1024;

/// The beginning of a reply to a Gopher+ request.
pub(super) enum ReplyHead {
    /// A header of Gopher+, the reply behind it, and its first data.
    Plus(Header, Reply, Vec<u8>),
    /// The first data of a reply without a header.
    Plain(Vec<u8>),
}

/// The stream of a reply, and the authority that its messages name.
pub(super) struct ReplyStream<'a> {
    pub(super) stream: Stream,
    pub(super) security: Security,
    pub(super) authority: String,
    pub(super) content: ReplyContent,
    limits: &'a Limits,
    tail: ReplyTail,
    /// True once octets have arrived.
    has_begun: bool,
    end: TransferEnd,
}

impl<'a> ReplyStream<'a> {
    /// Creates a source for a stream of `content`, before any data.
    pub(super) fn new(
        (stream, security): (Stream, Security),
        authority: String,
        content: ReplyContent,
        limits: &'a Limits,
    ) -> Self {
        Self {
            stream,
            security,
            authority,
            content,
            limits,
            tail: ReplyTail::default(),
            has_begun: false,
            end: TransferEnd::default(),
        }
    }

    /// Returns the head of the page for this content.
    pub(super) fn begin(&self) -> PageHead {
        PageHead {
            security: self.security,
            ..PageHead::new(self.content.shape())
        }
    }

    /// Returns true if a plain request was answered with an alert of TLS, and nothing else.
    pub(super) fn is_tls_alert(&self, reply: &[u8]) -> bool {
        self.security == Security::Plain && reply.len() == ALERT_BYTES && could_be_alert(reply)
    }

    /// Returns the end of the reply, once it has ended.
    pub(super) fn end(&self) -> TransferEnd {
        self.end
    }

    /// Returns the end of a plain reply that has ended so, with its final dot taken into account.
    pub(super) fn dotted(&self, end: TransferEnd) -> TransferEnd {
        let is_undotted = self.content.is_lines() && !self.tail.is_dot();
        if is_undotted && end == TransferEnd::Confirmed {
            TransferEnd::Undotted
        } else {
            end
        }
    }

    /// Reads the next octets; empty at the end.
    pub(super) async fn read(&mut self) -> Result<Vec<u8>, NetError> {
        self.read_after(false).await
    }

    /// Reads the next octets, after a reply that `may_be_whole`; empty at the end.
    async fn read_after(&mut self, may_be_whole: bool) -> Result<Vec<u8>, NetError> {
        // A file of plain Gopher has no final dot.
        let may_be_whole = may_be_whole || self.tail.is_dot() && self.content.is_lines();
        let at_end = may_be_whole.then(|| self.limits.at_end());
        let limits = at_end.as_ref().unwrap_or(self.limits);
        let octets = match read(&mut self.stream, &self.authority, limits).await {
            Ok(octets) if !octets.is_empty() => octets,
            Err(NetError::TlsTruncated { .. }) if !self.has_begun => {
                return Err(NetError::closed(&self.authority, "before it answered"));
            }
            // After the final dot neither a missing TLS close nor a connection that stays open is a fault.
            ended => {
                self.end = TransferEnd::of(ended.map(drop), may_be_whole)?;
                return Ok(Vec::new());
            }
        };
        self.has_begun = true;
        self.tail.push(&octets);
        Ok(octets)
    }

    /// Reads the header of a reply to a Gopher+ request, if it has one.
    pub(super) async fn head(&mut self, dots: DotStuffing) -> Result<ReplyHead, NetError> {
        let mut reply = Reply::new(dots);
        let mut start = Vec::new();
        while reply.header_state() == HeaderState::Incomplete {
            let octets = self.read().await?;
            if octets.is_empty() {
                break;
            }
            start.extend(reply.push(&octets));
        }
        Ok(match reply.header_state() {
            HeaderState::Plus(header) => ReplyHead::Plus(header, reply, start),
            HeaderState::None | HeaderState::Incomplete => {
                start.extend(reply.finish().0);
                ReplyHead::Plain(start)
            }
        })
    }

    /// Reads the rest of an error, which is short, in reply to `asked`.
    pub(super) async fn refusal(
        &mut self,
        asked: &Url,
        mut reply: Reply,
        mut data: Vec<u8>,
    ) -> Result<Failure, NetError> {
        while !reply.is_whole() && data.len() < REFUSAL {
            let octets = match self.read_after(reply.may_be_whole()).await {
                Ok(octets) => octets,
                // An incomplete error is still an error.
                Err(NetError::Timeout { .. }) if !data.is_empty() => break,
                Err(error) => return Err(error),
            };
            if octets.is_empty() {
                break;
            }
            data.extend(reply.push(&octets));
        }
        data.extend(reply.finish().0);
        Ok(refused(&self.authority, asked, &refusal(&data)))
    }

    /// Reads until the data of a reply has begun, unless `start` is its beginning already.
    pub(super) async fn first_data(
        &mut self,
        reply: &mut Reply,
        mut start: Vec<u8>,
    ) -> Result<Vec<u8>, NetError> {
        while start.is_empty() && !reply.is_whole() {
            let octets = self.read_after(reply.may_be_whole()).await?;
            if octets.is_empty() {
                break;
            }
            start = reply.push(&octets);
        }
        Ok(start)
    }

    /// Reads the beginning of a plain reply, until it is clear that it is not an error. Error items are rows of the
    /// results of a search.
    pub(super) async fn opening(
        &mut self,
        mut start: Vec<u8>,
        is_search: bool,
    ) -> Result<Vec<u8>, NetError> {
        loop {
            let octets = match Opening::of(&start, is_search) {
                Opening::Content => break,
                Opening::Undecided => self.read().await?,
                Opening::Alert => self.read_after(start.len() == ALERT_BYTES).await?,
                Opening::Error => match self.read_after(self.tail.is_dot()).await {
                    // Its words are worth more than the timeout.
                    Err(NetError::Timeout { .. }) if error_words(&start).is_some() => {
                        self.end = TransferEnd::Unconfirmed;
                        break;
                    }
                    read => read?,
                },
                Opening::Texts => match timeout(self.limits.brief, self.read()).await {
                    Ok(read) => read?,
                    Err(_) => break,
                },
            };
            if octets.is_empty() {
                break;
            }
            start.extend(octets);
        }
        Ok(start)
    }

    /// Reads the next octets of a body; empty at the end.
    async fn more(&mut self, body: &GopherBody) -> Result<Vec<u8>, NetError> {
        self.read_after(body.may_be_whole()).await
    }

    /// Reads a whole body that begins with `start`; None when it is incomplete, or longer than `room` octets.
    pub(super) async fn whole(
        &mut self,
        mut body: GopherBody,
        start: Vec<u8>,
        room: usize,
    ) -> Result<Option<Vec<u8>>, NetError> {
        let mut all = body.lines(start);
        while !body.is_whole() && all.len() <= room {
            let octets = self.more(&body).await?;
            if octets.is_empty() {
                break;
            }
            all.extend(body.push(octets));
        }
        let (rest, missing) = body.finish();
        all.extend(rest);
        let is_whole = missing.is_none() && !self.end.is_unconfirmed();
        Ok(Some(all).filter(|all| is_whole && all.len() <= room))
    }

    /// Forwards a body to its end; `start` is its beginning.
    pub(super) async fn forward(
        &mut self,
        mut body: GopherBody,
        start: Vec<u8>,
        sink: &mut Sink,
    ) -> Result<TransferEnd, Stop> {
        sink.octets(body.lines(start)).await?;
        let mut broken = None;
        while !body.is_whole() {
            match self.more(&body).await {
                Ok(octets) if octets.is_empty() => break,
                Ok(octets) => sink.octets(body.push(octets)).await?,
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
        }
        let (rest, missing) = body.finish();
        sink.octets(rest).await?;
        if let Some(error) = broken {
            return Err(error.into());
        }
        let Some(missing) = missing else {
            return Ok(self.end);
        };
        let sentence = format!("{} closed the connection {missing}", self.authority);
        Err(Failure::new(sentence).into())
    }
}

/// The octets of an alert of TLS (RFC 8446, section 5.1): a header of a record, a level and a description.
const ALERT_BYTES: usize = 7;

/// Returns true for an alert of TLS, or its first octets.
fn could_be_alert(start: &[u8]) -> bool {
    let versions = 0..=4;
    start.len() <= ALERT_BYTES
        && start
            .iter()
            .zip([0x15, 0x03])
            .all(|(is, alert)| *is == alert)
        && start.get(2).is_none_or(|minor| versions.contains(minor))
        && start
            .iter()
            .skip(3)
            .zip([0, 2])
            .all(|(is, length)| *is == length)
}

/// The possible continuations of the beginning of a plain reply.
enum Opening {
    /// Only what it is.
    Content,
    /// Anything.
    Undecided,
    /// An alert of TLS, or a file.
    Alert,
    /// An error, or a menu with an error row beside its links.
    Error,
    /// A menu, or the error page of a server that says more before its error row.
    Texts,
}

impl Opening {
    fn of(start: &[u8], is_search: bool) -> Self {
        let line = memchr::memchr(b'\n', start).and_then(|end| start.get(..=end));
        match (start.first(), line) {
            (None, _) => Self::Undecided,
            (Some(b'-'), None) if start.len() < 24 => Self::Undecided,
            (Some(b'-'), Some(line)) => {
                let refused = |header: &Header| header.outcome == Outcome::Refused;
                let is_refusal = Header::parse(line).as_ref().is_some_and(refused);
                if start.len() < REFUSAL && is_refusal {
                    Self::Undecided
                } else {
                    Self::Content
                }
            }
            (Some(0x15), _) if could_be_alert(start) => Self::Alert,
            (Some(b'3' | b'i'), _) if !is_search => match rows_so_far(start) {
                RowsSoFar::Error if start.len() < REFUSAL => Self::Error,
                RowsSoFar::Texts => Self::Texts,
                RowsSoFar::Error | RowsSoFar::Content => Self::Content,
            },
            _ => Self::Content,
        }
    }
}
