//! A reply while it arrives: its frame taken off, its lines made lines, its end judged.

use super::content::Content;
use super::ends::Ends;
use super::secure;
use crate::load::{Begin, Purpose, Sink, Stop};
use crate::net::{Limits, NetError, Security, Stream, read};
use crate::protocol::gopher::{Dots, End, Extent, Head, Header, Outcome, Reply, Unstuff};

/// Octets after which a row has surely shown what it is.
const ROW: usize = 64 * 1024;

/// Octets of a text for a page that are held back while it is not known whether its dots are doubled.
const HELD: usize = 64 * 1024;

/// Octets of an error that are read.
const REFUSAL: usize = 64 * 1024;

/// The stream of a reply, and what its sentences name it by.
pub(super) struct Source<'a> {
    pub(super) stream: Stream,
    pub(super) security: Security,
    pub(super) place: &'a str,
    limits: &'a Limits,
    content: Content,
    end: secure::End,
}

impl<'a> Source<'a> {
    /// A stream that holds `content`, of which nothing has come.
    pub(super) fn new(
        stream: Stream,
        security: Security,
        (place, content): (&'a str, Content),
        limits: &'a Limits,
    ) -> Self {
        Self {
            stream,
            security,
            place,
            limits,
            content,
            end: secure::End::default(),
        }
    }

    /// The beginning of a page of what it holds.
    pub(super) fn begin(&self) -> Begin {
        Begin {
            security: self.security,
            ..Begin::new(self.content.shape())
        }
    }

    /// What has arrived; empty at the end.
    pub(super) async fn read(&mut self) -> Result<Vec<u8>, NetError> {
        let octets = match read(&mut self.stream, self.place, self.limits).await {
            // Gopher's own end has come: TLS need not tell that nothing is missing. A file has no such end.
            Err(NetError::Cut { .. }) if self.end.is_dot() && self.content.is_lines() => Vec::new(),
            octets => octets?,
        };
        self.end.push(&octets);
        Ok(octets)
    }

    /// The first line of a Gopher+ reply, if it has one, and what came behind it.
    pub(super) async fn head(&mut self, dots: Dots) -> Result<(Reply, Vec<u8>), NetError> {
        let mut reply = Reply::new(dots);
        let mut start = Vec::new();
        while reply.head() == Head::Awaited {
            let octets = self.read().await?;
            if octets.is_empty() {
                break;
            }
            start.extend(reply.push(&octets));
        }
        Ok((reply, start))
    }

    /// The rest of an error, which is short.
    pub(super) async fn rest(
        &mut self,
        mut reply: Reply,
        mut data: Vec<u8>,
    ) -> Result<Vec<u8>, NetError> {
        while !reply.is_whole() && data.len() < REFUSAL {
            let octets = match self.read().await {
                Ok(octets) => octets,
                // An error that is not finished is still one.
                Err(NetError::Late { .. }) if !data.is_empty() => break,
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

    /// The beginning of a plain reply: as much of it as shows that it is no error.
    pub(super) async fn opening(
        &mut self,
        mut start: Vec<u8>,
        content: Content,
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

    /// What has arrived of a body; empty at the end.
    async fn more(&mut self, body: &Body) -> Result<Vec<u8>, NetError> {
        match self.read().await {
            // A dot has come and nothing after it: that was the end, though the server keeps the connection.
            Err(NetError::Late { .. }) if body.may_be_whole() => Ok(Vec::new()),
            octets => octets,
        }
    }

    /// All of a body, of which `start` has come; nothing where it has not all come, or is of more than `room` octets.
    pub(super) async fn whole(
        &mut self,
        mut body: Body,
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
            Ending::Whole => Some(all).filter(|all| all.len() <= room),
            Ending::InRow | Ending::Short(_) | Ending::NoDot => None,
        })
    }

    /// Hands the body on to its end; `start` of it has come.
    pub(super) async fn hand_on(
        &mut self,
        mut body: Body,
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
            Ending::Whole => return Ok(()),
            Ending::InRow => "in the middle of a row".to_owned(),
            Ending::Short(left) => format!("before all had come: {left} octets are missing"),
            Ending::NoDot => "before the dot that it had announced: this may not be all".to_owned(),
        };
        let sentence = format!("{} closed the connection {missing}", self.place);
        Err(crate::load::Failure::new(sentence).into())
    }
}

/// Whether more of it could make an error item, or an error of Gopher+, of the beginning of a plain reply.
fn could_refuse(start: &[u8], content: Content) -> bool {
    const LINE: usize = 1024;
    let line = memchr::memchr(b'\n', start).and_then(|end| start.get(..=end));
    match (start.first(), line) {
        (Some(b'-'), None) => start.len() < 24,
        (Some(b'-'), Some(line)) => {
            let refused = |header: &Header| header.outcome == Outcome::Refused;
            start.len() < REFUSAL && Header::parse(line).as_ref().is_some_and(refused)
        }
        (Some(b'3'), None) => content != Content::Menu && start.len() < LINE,
        (Some(b'3'), Some(line)) => {
            let fields = memchr::memchr_iter(b'\t', line).count();
            content != Content::Menu && fields > 2 && start.len() < line.len() + 3
        }
        _ => false,
    }
}

/// How a reply ended.
pub(super) enum Ending {
    Whole,
    /// A menu stops in the middle of a row.
    InRow,
    /// So many octets that were announced did not come.
    Short(u64),
    /// The dot that was announced did not come.
    NoDot,
}

/// What takes the frame off.
enum Frame {
    /// There is none.
    Bare,
    /// A text of plain Gopher.
    Text(Unstuff),
    /// Gopher+.
    Plus(Reply),
}

/// The content of a reply.
pub(super) struct Body {
    frame: Frame,
    /// How lines end, where there are lines and they are for a page.
    ends: Option<Ends>,
    /// The last row of a menu as far as it has come, and no more of it than a row can be.
    tail: Option<Vec<u8>>,
}

impl Body {
    /// Of a reply of plain Gopher.
    pub(super) fn plain(content: Content, purpose: Purpose) -> Self {
        let dots = match purpose {
            Purpose::Show => Unstuff::default().holding(HELD),
            Purpose::Save => Unstuff::default(),
        };
        let frame = match content {
            Content::Text | Content::Attributes => Frame::Text(dots),
            Content::Menu | Content::File(_) | Content::Unknown => Frame::Bare,
        };
        Self::new(frame, content, purpose)
    }

    /// Of a reply of Gopher+, whose header has come.
    pub(super) fn plus(reply: Reply, content: Content, purpose: Purpose) -> Self {
        let reply = match purpose {
            Purpose::Show => reply.holding(HELD),
            Purpose::Save => reply,
        };
        Self::new(Frame::Plus(reply), content, purpose)
    }

    fn new(frame: Frame, content: Content, purpose: Purpose) -> Self {
        let is_page = purpose == Purpose::Show;
        Self {
            frame,
            ends: (is_page && content.is_lines()).then(Ends::default),
            tail: (content == Content::Menu).then(Vec::new),
        }
    }

    /// Takes what came behind a header, which has lost its frame with it, or the beginning of a plain reply.
    fn begin(&mut self, start: Vec<u8>) -> Vec<u8> {
        self.lines(start)
    }

    fn push(&mut self, octets: Vec<u8>) -> Vec<u8> {
        let octets = match &mut self.frame {
            Frame::Bare | Frame::Text(_) => octets,
            Frame::Plus(reply) => reply.push(&octets),
        };
        self.lines(octets)
    }

    /// Without its frame, but for dots, which stand at the beginnings of lines.
    fn lines(&mut self, octets: Vec<u8>) -> Vec<u8> {
        let octets = match &mut self.ends {
            Some(ends) => ends.push(octets),
            None => octets,
        };
        let octets = match &mut self.frame {
            Frame::Text(dots) => dots.push(&octets),
            Frame::Bare | Frame::Plus(_) => octets,
        };
        if let Some(tail) = &mut self.tail {
            keep_tail(tail, &octets);
        }
        octets
    }

    fn is_whole(&self) -> bool {
        match &self.frame {
            Frame::Bare | Frame::Text(_) => false,
            Frame::Plus(reply) => reply.is_whole(),
        }
    }

    fn may_be_whole(&self) -> bool {
        match &self.frame {
            Frame::Bare | Frame::Text(_) => false,
            Frame::Plus(reply) => reply.may_be_whole(),
        }
    }

    fn finish(self) -> (Vec<u8>, Ending) {
        let held = self.ends.as_ref().map(Ends::finish).unwrap_or_default();
        let (mut octets, end) = match self.frame {
            Frame::Bare => (held, End::Whole),
            Frame::Text(mut dots) => {
                let mut octets = dots.push(&held);
                octets.extend(dots.finish());
                (octets, End::Whole)
            }
            Frame::Plus(reply) => {
                let (octets, end) = reply.finish();
                ([octets, held].concat(), end)
            }
        };
        let ending = match (end, self.tail) {
            (End::Short(left), _) => Ending::Short(left),
            (End::NoDot, _) => Ending::NoDot,
            (End::Whole, Some(mut tail)) => {
                tail.append(&mut octets.clone());
                if tail.is_empty() || tail.ends_with(b"\n") || is_row(&tail) {
                    Ending::Whole
                } else {
                    Ending::InRow
                }
            }
            (End::Whole, None) => Ending::Whole,
        };
        (std::mem::take(&mut octets), ending)
    }
}

/// Where the data of a reply ends, when it is a count.
pub(super) fn size(header: Header) -> Option<u64> {
    match header.extent {
        Extent::Octets(count) => Some(count),
        Extent::UntilDot | Extent::UntilClose => None,
    }
}

fn keep_tail(tail: &mut Vec<u8>, octets: &[u8]) {
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

/// Whether a last row without its line end has all that a row needs, or is the final dot.
fn is_row(row: &[u8]) -> bool {
    row == b"." || memchr::memchr_iter(b'\t', row).count() > 2
}
