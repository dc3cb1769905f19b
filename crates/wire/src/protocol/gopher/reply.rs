//! The reply to a Gopher+ request: a header that tells where the data ends (Gopher+, section 2.3).
//!
//! ```text
//! reply  = header data
//! header = ( "+" / "-" ) ( 1*digit / "-1" / "-2" ) [ CR ] LF    ; that many octets, until a lone dot, until the close
//! error  = code SP name SP "<" address ">" CR LF *( line CR LF )  ; the data after a "-"
//! ```
//!
//! A server that does not support Gopher+ replies without a header; then the whole reply is data. A first line that is
//! not a valid header to the last octet is data too. A lone dot ends the data only if it is the last line, since
//! servers that do not double dots send such lines in the middle of a text. Parsing never fails.

use std::mem;

use tokio::io::AsyncRead;

use super::{DotStuffing, DotUnstuffer, Item, is_final_dot, item};
use crate::net::{Limits, NetError, read};
use crate::protocol::octets::{lines, number, split_before};

/// The most digits of a count: those of the largest 64-bit number.
const DIGITS: usize = 20;

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `+`: the data is the item.
    Given,
    /// `-`: the data is an error.
    Refused,
}

/// The end of the data, as announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// After this number of octets.
    Octets(u64),
    /// `-1`: at a lone dot.
    UntilDot,
    /// `-2`: when the server closes.
    UntilClose,
}

/// The first line of a Gopher+ reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The outcome: the item or an error.
    pub outcome: Outcome,
    /// The announced end of the data.
    pub extent: Extent,
}

impl Header {
    /// Parses a line with its line end; `None` if it is not a valid header to the last octet, or has a count over 64
    /// bits.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\n")?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (outcome, rest) = match line.split_first()? {
            (b'+', rest) => (Outcome::Given, rest),
            (b'-', rest) => (Outcome::Refused, rest),
            _ => return None,
        };
        let extent = match rest {
            b"-1" => Extent::UntilDot,
            b"-2" => Extent::UntilClose,
            digits => Extent::Octets(number(digits)?),
        };
        Some(Self { outcome, extent })
    }
}

/// Returns true if these octets can be the start of a header.
fn could_be_header(start: &[u8]) -> bool {
    let Some((b'+' | b'-', rest)) = start.split_first() else {
        return start.is_empty();
    };
    let number = rest.strip_suffix(b"\r").unwrap_or(rest);
    let whole = number.len() < rest.len();
    match number {
        b"" | b"-" => !whole,
        b"-1" | b"-2" => true,
        digits => digits.len() <= DIGITS && digits.iter().all(u8::is_ascii_digit),
    }
}

/// The state of the first line of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderState {
    /// The first line is incomplete.
    Incomplete,
    /// The first line is no header: the reply is plain gopher.
    None,
    /// The first line is a header.
    Plus(Header),
}

/// The end of a reply, as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyEnd {
    /// The reply is complete.
    Whole,
    /// The connection closed before the count was reached; this number of octets is missing.
    Short(u64),
    /// The announced dot is missing. Some servers omit it, so the reply may be complete.
    NoDot,
}

/// The data of a reply to a Gopher+ request, while it arrives in pieces of any size. A counted reply ends at its count,
/// and octets beyond it are dropped; any other ends when the server closes.
#[derive(Debug)]
pub struct Reply {
    dots: DotStuffing,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The first line so far.
    Start(Vec<u8>),
    /// Data without a header.
    Plain,
    /// Data with this number of octets remaining.
    Counted(Header, u64),
    Dotted(Header, DotUnstuffer),
    Open(Header),
}

impl Reply {
    /// Creates an empty reply. `dots` applies to data that ends in a dot; other data is not changed.
    pub fn new(dots: DotStuffing) -> Self {
        Self {
            dots,
            state: State::Start(Vec::new()),
        }
    }

    /// Sets the most octets of a text that are buffered until doubled dots are detected.
    #[must_use]
    pub fn with_max_buffer(self, max: usize) -> Self {
        let state = match self.state {
            State::Dotted(header, dots) => State::Dotted(header, dots.with_max_buffer(max)),
            state @ (State::Start(_) | State::Plain | State::Counted(..) | State::Open(_)) => state,
        };
        Self { state, ..self }
    }

    /// Parses the next octets and returns the data that is complete.
    pub fn push(&mut self, octets: &[u8]) -> Vec<u8> {
        match &mut self.state {
            State::Start(start) => {
                // A header is short; the octets after it are parsed separately.
                for (at, &octet) in octets.iter().enumerate() {
                    start.push(octet);
                    if octet != b'\n' && could_be_header(start) {
                        continue;
                    }
                    let start = mem::take(start);
                    let rest = octets.get(at + 1..).unwrap_or_default();
                    return self.begin(start, rest);
                }
                Vec::new()
            }
            State::Plain | State::Open(_) => octets.to_vec(),
            State::Counted(_, remaining) => {
                let length = usize::try_from(*remaining).unwrap_or(usize::MAX);
                let data = octets.get(..length).unwrap_or(octets);
                *remaining = remaining.saturating_sub(data.len() as u64);
                data.to_vec()
            }
            State::Dotted(_, dots) => dots.push(octets),
        }
    }

    /// Parses the first line, when it is complete or certainly no header.
    fn begin(&mut self, mut start: Vec<u8>, rest: &[u8]) -> Vec<u8> {
        let header = Header::parse(&start);
        self.state = match header {
            None => State::Plain,
            Some(header) => match header.extent {
                Extent::Octets(count) => State::Counted(header, count),
                Extent::UntilDot => State::Dotted(header, DotUnstuffer::new(self.dots)),
                Extent::UntilClose => State::Open(header),
            },
        };
        if header.is_some() {
            return self.push(rest);
        }
        start.extend_from_slice(rest);
        start
    }

    /// Returns the state of the first line.
    pub fn header_state(&self) -> HeaderState {
        match &self.state {
            State::Start(_) => HeaderState::Incomplete,
            State::Plain => HeaderState::None,
            State::Counted(header, _) | State::Dotted(header, _) | State::Open(header) => {
                HeaderState::Plus(*header)
            }
        }
    }

    /// Returns true if the reply is complete by its count.
    pub fn is_whole(&self) -> bool {
        matches!(self.state, State::Counted(_, 0))
    }

    /// Returns true if the reply may be complete: the count is reached, or the last line is a lone dot with its line
    /// end. After a dot a text may still continue; if the server leaves the connection open, that cannot be determined.
    pub fn may_be_whole(&self) -> bool {
        match &self.state {
            State::Counted(_, remaining) => *remaining == 0,
            State::Dotted(_, dots) => dots.is_at_whole_dot(),
            State::Start(_) | State::Plain | State::Open(_) => false,
        }
    }

    /// Ends the reply after the connection is closed; returns the buffered data and the end of the reply.
    pub fn finish(self) -> (Vec<u8>, ReplyEnd) {
        match self.state {
            State::Start(start) => (start, ReplyEnd::Whole),
            State::Plain | State::Open(_) | State::Counted(_, 0) => (Vec::new(), ReplyEnd::Whole),
            State::Counted(_, remaining) => (Vec::new(), ReplyEnd::Short(remaining)),
            State::Dotted(_, dots) => {
                let end = if dots.is_at_dot() {
                    ReplyEnd::Whole
                } else {
                    ReplyEnd::NoDot
                };
                (dots.finish(), end)
            }
        }
    }
}

/// A short reply, read as a whole: attributes, a caps.txt, an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeReply {
    /// The header; `None` if the reply is plain gopher.
    pub header: Option<Header>,
    /// The data, without an announced dot.
    pub data: Vec<u8>,
    /// The end of the reply; `None` if reading stopped at the cap.
    pub end: Option<ReplyEnd>,
}

/// Reads the whole reply to a request (see [`request`](super::request)) as text, or its first `cap` octets.
/// For short replies; a page is read with [`Reply`] as it arrives. `authority` is for messages. If a server sends a dot
/// and leaves the connection open, the reply ends at the deadline after an end, as only the close tells the end from a
/// dot in the text.
///
/// # Errors
/// [`NetError::Timeout`] or [`NetError::Io`].
pub async fn read_whole<S: AsyncRead + Unpin>(
    stream: &mut S,
    authority: &str,
    limits: &Limits,
    cap: usize,
) -> Result<WholeReply, NetError> {
    let mut reply = Reply::new(DotStuffing::Doubled);
    let mut data = Vec::new();
    let mut is_open = true;
    while is_open && !reply.is_whole() && data.len() <= cap {
        let at_end = reply.may_be_whole().then(|| limits.at_end());
        let limits = at_end.as_ref().unwrap_or(limits);
        let octets = match read(stream, authority, limits).await {
            Ok(octets) => octets,
            // Nothing came after a dot: that was the end, although the server left the connection open.
            Err(NetError::Timeout { .. }) if reply.may_be_whole() => Vec::new(),
            // Without close_notify the connection has ended all the same.
            Err(NetError::TlsTruncated { .. }) if !data.is_empty() => Vec::new(),
            Err(error) => return Err(error),
        };
        is_open = !octets.is_empty();
        data.extend_from_slice(&reply.push(&octets));
    }
    let header = match reply.header_state() {
        HeaderState::Plus(header) => Some(header),
        HeaderState::None | HeaderState::Incomplete => None,
    };
    let (rest, end) = reply.finish();
    data.extend_from_slice(&rest);
    let is_truncated = data.len() > cap;
    data.truncate(cap);
    Ok(WholeReply {
        header,
        data,
        end: (!is_truncated).then_some(end),
    })
}

/// An error reply of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// The code: 1, not available; 2, try again later; 3, moved; others depend on the server. `None` if there is none.
    pub code: Option<u16>,
    /// The administrator, with the address; may be empty.
    pub admin: &'a [u8],
    /// The new item after a move.
    pub moved: Option<Item<'a>>,
    /// The message for the user, by lines; for a menu row its title. May be empty.
    pub message: Vec<&'a [u8]>,
}

/// Parses the data after a header with a `-`. Text may replace the code, and rows of a menu may replace text.
pub fn refusal(data: &[u8]) -> Refusal<'_> {
    let mut lines = lines(data)
        .filter(|line| !line.is_empty() && !is_final_dot(line))
        .peekable();
    let mut refusal = Refusal {
        code: None,
        admin: b"",
        moved: None,
        message: Vec::new(),
    };
    if let Some((code, admin)) = lines.peek().and_then(|line| code(line)) {
        lines.next();
        refusal.code = Some(code);
        // By the paper the descriptor follows the code; servers put it on the next line.
        refusal.moved = if code == 3 { item(admin) } else { None };
        if refusal.moved.is_none() {
            refusal.admin = admin;
        }
    }
    for line in lines {
        match item(line) {
            Some(row) if refusal.code == Some(3) && refusal.moved.is_none() => {
                refusal.moved = Some(row);
            }
            Some(row) => refusal.message.push(row.name),
            None => refusal.message.push(line),
        }
    }
    refusal
}

/// Parses a Gopher+ error that some servers send even to a plain request: a header with a `-`, and a code below it.
/// `start` is a whole short reply, or its first octets. `None` for any other reply, such as a text.
pub fn refusal_of_plain_request(start: &[u8]) -> Option<Refusal<'_>> {
    let end = memchr::memchr(b'\n', start)?;
    let (line, data) = start.split_at_checked(end + 1)?;
    let header = Header::parse(line)?;
    let refusal = refusal(data);
    (header.outcome == Outcome::Refused && refusal.code.is_some()).then_some(refusal)
}

/// Parses `1 name <address>`.
fn code(line: &[u8]) -> Option<(u16, &[u8])> {
    let (digits, rest) = split_before(line, |octet| !octet.is_ascii_digit());
    if !matches!(rest.first(), None | Some(b' ' | b'\t')) {
        return None;
    }
    Some((number(digits)?, rest.trim_ascii()))
}
