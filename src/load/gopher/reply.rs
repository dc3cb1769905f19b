//! A reply while it arrives: removes its framing, converts its line ends and checks its end.

use super::content::ReplyContent;
use super::line_ends::LineEnding;
use super::tls;
use crate::load::{PageHead, Purpose, Sink, Stop};
use crate::net::{Limits, NetError, Security, Stream, read};
use crate::protocol::gopher::{
    DotStuffing, DotUnstuffer, Extent, Header, HeaderState, Outcome, Reply, ReplyEnd,
};

/// The most octets of an unfinished row that are stored.
const ROW: usize = 64 * 1024;

/// The most octets of a text that are buffered for a page while it is unknown if its dots are doubled.
const MAX_BUFFERED: usize = 64 * 1024;

/// The most octets of an error that are read.
const REFUSAL: usize = 64 * 1024;

/// The stream of a reply, and the authority that its messages name.
pub(super) struct ReplySource<'a> {
    pub(super) stream: Stream,
    pub(super) security: Security,
    pub(super) authority: &'a str,
    limits: &'a Limits,
    content: ReplyContent,
    end: tls::ReplyTail,
}

impl<'a> ReplySource<'a> {
    /// Creates a source for a stream of `content`, before any data.
    pub(super) fn new(
        stream: Stream,
        security: Security,
        (authority, content): (&'a str, ReplyContent),
        limits: &'a Limits,
    ) -> Self {
        Self {
            stream,
            security,
            authority,
            limits,
            content,
            end: tls::ReplyTail::default(),
        }
    }

    /// Returns the head of the page for this content.
    pub(super) fn begin(&self) -> PageHead {
        PageHead {
            security: self.security,
            ..PageHead::new(self.content.shape())
        }
    }

    /// Reads the next octets; empty at the end.
    pub(super) async fn read(&mut self) -> Result<Vec<u8>, NetError> {
        let octets = match read(&mut self.stream, self.authority, self.limits).await {
            // The end marker of Gopher has arrived, so a missing TLS close is no truncation. A file has no such marker.
            Err(NetError::TlsTruncated { .. }) if self.end.is_dot() && self.content.is_lines() => {
                Vec::new()
            }
            octets => octets?,
        };
        self.end.push(&octets);
        Ok(octets)
    }

    /// Reads the header of a Gopher+ reply, if it has one. Also returns the data after it.
    pub(super) async fn head(&mut self, dots: DotStuffing) -> Result<(Reply, Vec<u8>), NetError> {
        let mut reply = Reply::new(dots);
        let mut start = Vec::new();
        while reply.header_state() == HeaderState::Incomplete {
            let octets = self.read().await?;
            if octets.is_empty() {
                break;
            }
            start.extend(reply.push(&octets));
        }
        Ok((reply, start))
    }

    /// Reads the rest of an error, which is short.
    pub(super) async fn rest(
        &mut self,
        mut reply: Reply,
        mut data: Vec<u8>,
    ) -> Result<Vec<u8>, NetError> {
        while !reply.is_whole() && data.len() < REFUSAL {
            let octets = match self.read().await {
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
        Ok(data)
    }

    /// Reads the beginning of a plain reply, until it is clear that it is not an error.
    pub(super) async fn opening(
        &mut self,
        mut start: Vec<u8>,
        content: ReplyContent,
    ) -> Result<Vec<u8>, NetError> {
        while start.is_empty() || could_refuse(&start, content) {
            let octets = self.read().await?;
            if octets.is_empty() {
                break;
            }
            start.extend(octets);
        }
        Ok(start)
    }

    /// Reads the next octets of a body; empty at the end.
    async fn more(&mut self, body: &GopherBody) -> Result<Vec<u8>, NetError> {
        match self.read().await {
            // A dot has arrived and nothing after it: that was the end, although the server keeps the connection open.
            Err(NetError::Timeout { .. }) if body.may_be_whole() => Ok(Vec::new()),
            octets => octets,
        }
    }

    /// Reads a whole body that begins with `start`; None when it is incomplete, or longer than `room` octets.
    pub(super) async fn whole(
        &mut self,
        mut body: GopherBody,
        start: Vec<u8>,
        room: usize,
    ) -> Result<Option<Vec<u8>>, NetError> {
        let mut all = body.begin(start);
        while !body.is_whole() && all.len() <= room {
            let octets = self.more(&body).await?;
            if octets.is_empty() {
                break;
            }
            all.extend(body.push(octets));
        }
        let (rest, end) = body.finish();
        all.extend(rest);
        Ok(match end {
            BodyEnd::Whole => Some(all).filter(|all| all.len() <= room),
            BodyEnd::InRow | BodyEnd::Short(_) | BodyEnd::NoDot => None,
        })
    }

    /// Forwards a body to its end; `start` is its beginning.
    pub(super) async fn forward(
        &mut self,
        mut body: GopherBody,
        start: Vec<u8>,
        sink: &mut Sink,
    ) -> Result<(), Stop> {
        sink.octets(body.begin(start)).await?;
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
        let (rest, end) = body.finish();
        sink.octets(rest).await?;
        if let Some(error) = broken {
            return Err(error.into());
        }
        let missing = match end {
            BodyEnd::Whole => return Ok(()),
            BodyEnd::InRow => "in the middle of a row".to_owned(),
            BodyEnd::Short(left) => format!("before all had come: {left} octets are missing"),
            BodyEnd::NoDot => {
                "before the dot that it had announced: this may not be all".to_owned()
            }
        };
        let sentence = format!("{} closed the connection {missing}", self.authority);
        Err(crate::load::Failure::new(sentence).into())
    }
}

/// Returns true if more data could turn the beginning of a plain reply into an error item, or an error of Gopher+.
fn could_refuse(start: &[u8], content: ReplyContent) -> bool {
    const LINE: usize = 1024;
    let line = memchr::memchr(b'\n', start).and_then(|end| start.get(..=end));
    match (start.first(), line) {
        (Some(b'-'), None) => start.len() < 24,
        (Some(b'-'), Some(line)) => {
            let refused = |header: &Header| header.outcome == Outcome::Refused;
            start.len() < REFUSAL && Header::parse(line).as_ref().is_some_and(refused)
        }
        (Some(b'3'), None) => content != ReplyContent::Menu && start.len() < LINE,
        (Some(b'3'), Some(line)) => {
            let fields = memchr::memchr_iter(b'\t', line).count();
            content != ReplyContent::Menu && fields > 2 && start.len() < line.len() + 3
        }
        _ => false,
    }
}

/// The end of a reply.
pub(super) enum BodyEnd {
    Whole,
    /// The menu ends in the middle of a row.
    InRow,
    /// This number of announced octets is missing.
    Short(u64),
    /// The announced final dot is missing.
    NoDot,
}

/// The framing of a reply.
enum ReplyFraming {
    /// No framing.
    Bare,
    /// A text of plain Gopher, with doubled dots.
    Text(DotUnstuffer),
    /// A reply of Gopher+.
    Plus(Reply),
}

/// The decoder for the content of a reply.
pub(super) struct GopherBody {
    frame: ReplyFraming,
    /// The line end conversion, for lines of a page.
    ends: Option<LineEnding>,
    /// The last incomplete row of a menu, cut at the longest length of a row.
    tail: Option<Vec<u8>>,
}

impl GopherBody {
    /// Creates the decoder for a reply of plain Gopher.
    pub(super) fn plain(content: ReplyContent, purpose: Purpose) -> Self {
        let dots = match purpose {
            Purpose::Show => DotUnstuffer::default().with_max_buffer(MAX_BUFFERED),
            Purpose::Save => DotUnstuffer::default(),
        };
        let frame = match content {
            ReplyContent::Text | ReplyContent::Attributes => ReplyFraming::Text(dots),
            ReplyContent::Menu | ReplyContent::File(_) | ReplyContent::Unknown => {
                ReplyFraming::Bare
            }
        };
        Self::new(frame, content, purpose)
    }

    /// Creates the decoder for a reply of Gopher+, whose header has arrived.
    pub(super) fn plus(reply: Reply, content: ReplyContent, purpose: Purpose) -> Self {
        let reply = match purpose {
            Purpose::Show => reply.with_max_buffer(MAX_BUFFERED),
            Purpose::Save => reply,
        };
        Self::new(ReplyFraming::Plus(reply), content, purpose)
    }

    fn new(frame: ReplyFraming, content: ReplyContent, purpose: Purpose) -> Self {
        let is_page = purpose == Purpose::Show;
        Self {
            frame,
            ends: (is_page && content.is_lines()).then(LineEnding::default),
            tail: (content == ReplyContent::Menu).then(Vec::new),
        }
    }

    /// Decodes the data after a header, which has lost its framing with it, or the beginning of a plain reply.
    fn begin(&mut self, start: Vec<u8>) -> Vec<u8> {
        self.lines(start)
    }

    fn push(&mut self, octets: Vec<u8>) -> Vec<u8> {
        let octets = match &mut self.frame {
            ReplyFraming::Bare | ReplyFraming::Text(_) => octets,
            ReplyFraming::Plus(reply) => reply.push(&octets),
        };
        self.lines(octets)
    }

    /// Converts line ends, and removes dots at the beginnings of lines.
    fn lines(&mut self, octets: Vec<u8>) -> Vec<u8> {
        let octets = match &mut self.ends {
            Some(ends) => ends.push(octets),
            None => octets,
        };
        let octets = match &mut self.frame {
            ReplyFraming::Text(dots) => dots.push(&octets),
            ReplyFraming::Bare | ReplyFraming::Plus(_) => octets,
        };
        if let Some(tail) = &mut self.tail {
            update_tail(tail, &octets);
        }
        octets
    }

    fn is_whole(&self) -> bool {
        match &self.frame {
            ReplyFraming::Bare | ReplyFraming::Text(_) => false,
            ReplyFraming::Plus(reply) => reply.is_whole(),
        }
    }

    fn may_be_whole(&self) -> bool {
        match &self.frame {
            ReplyFraming::Bare | ReplyFraming::Text(_) => false,
            ReplyFraming::Plus(reply) => reply.may_be_whole(),
        }
    }

    fn finish(self) -> (Vec<u8>, BodyEnd) {
        let buffered = self
            .ends
            .as_ref()
            .map(LineEnding::finish)
            .unwrap_or_default();
        let (mut octets, end) = match self.frame {
            ReplyFraming::Bare => (buffered, ReplyEnd::Whole),
            ReplyFraming::Text(mut dots) => {
                let mut octets = dots.push(&buffered);
                octets.extend(dots.finish());
                (octets, ReplyEnd::Whole)
            }
            ReplyFraming::Plus(reply) => {
                let (octets, end) = reply.finish();
                ([octets, buffered].concat(), end)
            }
        };
        let ending = match (end, self.tail) {
            (ReplyEnd::Short(left), _) => BodyEnd::Short(left),
            (ReplyEnd::NoDot, _) => BodyEnd::NoDot,
            (ReplyEnd::Whole, Some(mut tail)) => {
                tail.append(&mut octets.clone());
                if tail.is_empty() || tail.ends_with(b"\n") || is_row(&tail) {
                    BodyEnd::Whole
                } else {
                    BodyEnd::InRow
                }
            }
            (ReplyEnd::Whole, None) => BodyEnd::Whole,
        };
        (std::mem::take(&mut octets), ending)
    }
}

/// Returns the size of a reply, when the header gives a count.
pub(super) fn size(header: Header) -> Option<u64> {
    match header.extent {
        Extent::Octets(count) => Some(count),
        Extent::UntilDot | Extent::UntilClose => None,
    }
}

fn update_tail(tail: &mut Vec<u8>, octets: &[u8]) {
    let last = match memchr::memrchr(b'\n', octets) {
        Some(end) => {
            tail.clear();
            octets.get(end + 1..).unwrap_or_default()
        }
        None => octets,
    };
    if tail.len() < ROW {
        tail.extend_from_slice(last);
    }
}

/// Returns true if a last row without a line end is complete, or is the final dot.
fn is_row(row: &[u8]) -> bool {
    row == b"." || memchr::memchr_iter(b'\t', row).count() > 2
}
