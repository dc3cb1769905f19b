//! The reply to a Gopher+ request: a header that says where it ends (Gopher+, section 2.3).
//!
//! ```text
//! reply  = header data
//! header = ( "+" / "-" ) ( 1*digit / "-1" / "-2" ) [ CR ] LF    ; that many octets, until a lone dot, until the close
//! error  = code SP name SP "<" address ">" CR LF *( line CR LF )  ; the data after a "-"
//! ```
//!
//! A server that does not know Gopher+ answers without a header, and then the whole reply is data. A first line that
//! is none to the last octet is data too. A lone dot ends the data only when it is the last line, since servers that
//! double no dots send such lines in the middle of a text. Nothing here fails.

use std::mem;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Dots, Item, Unstuff, item};
use crate::net::{Limits, NetError, read, write};

/// Digits of a count beyond which it is none: those of the largest that fits.
const DIGITS: usize = 20;

/// Whether the server gave what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `+`: what follows is the item.
    Given,
    /// `-`: what follows is an error.
    Refused,
}

/// Where the data ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// After so many octets.
    Octets(u64),
    /// `-1`: at a lone dot.
    UntilDot,
    /// `-2`: when the server closes.
    UntilClose,
}

/// The first line of a Gopher+ reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Whether it is the item or an error.
    pub outcome: Outcome,
    /// Where the data ends.
    pub extent: Extent,
}

impl Header {
    /// Reads a line with its end; what is no header to the last octet is nothing, a count past 64 bits included.
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
            digits if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                Extent::Octets(std::str::from_utf8(digits).ok()?.parse().ok()?)
            }
            _ => return None,
        };
        Some(Self { outcome, extent })
    }
}

/// Whether more octets could make a header of these.
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

/// What is known of a reply's first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// Not enough has come.
    Awaited,
    /// It is none: the server answers as plain gopher.
    None,
    /// It is one.
    Plus(Header),
}

/// How a reply ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As it had to.
    Whole,
    /// Before its count was reached; so many octets are missing.
    Short(u64),
    /// Without the dot that was announced. Some servers leave it out, so it may be whole.
    NoDot,
}

/// The data of a reply to a Gopher+ request, while it arrives in pieces of any size. A counted reply ends at its count,
/// and octets beyond it are dropped; any other ends when the server closes.
#[derive(Debug)]
pub struct Reply {
    dots: Dots,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The first line so far.
    Start(Vec<u8>),
    /// There was no header.
    Plain,
    /// So many octets are to come.
    Counted(Header, u64),
    Dotted(Header, Unstuff),
    Open(Header),
}

impl Reply {
    /// A reply of which nothing has come. `dots` is about data that ends in a dot; no other data is touched.
    pub fn new(dots: Dots) -> Self {
        Self {
            dots,
            state: State::Start(Vec::new()),
        }
    }

    /// The same, with no more than so many octets of a text held back while it is not known whether its dots are doubled.
    #[must_use]
    pub fn holding(self, most: usize) -> Self {
        let state = match self.state {
            State::Dotted(header, dots) => State::Dotted(header, dots.holding(most)),
            state @ (State::Start(_) | State::Plain | State::Counted(..) | State::Open(_)) => state,
        };
        Self { state, ..self }
    }

    /// What is data of what has arrived.
    pub fn push(&mut self, octets: &[u8]) -> Vec<u8> {
        match &mut self.state {
            State::Start(start) => {
                // A header is short; what follows it waits outside.
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
            State::Counted(_, left) => {
                let here = usize::try_from(*left).unwrap_or(usize::MAX);
                let data = octets.get(..here).unwrap_or(octets);
                *left = left.saturating_sub(data.len() as u64);
                data.to_vec()
            }
            State::Dotted(_, dots) => dots.push(octets),
        }
    }

    /// The first line is here, or surely none is.
    fn begin(&mut self, mut start: Vec<u8>, rest: &[u8]) -> Vec<u8> {
        let header = Header::parse(&start);
        self.state = match header {
            None => State::Plain,
            Some(header) => match header.extent {
                Extent::Octets(count) => State::Counted(header, count),
                Extent::UntilDot => State::Dotted(header, Unstuff::new(self.dots)),
                Extent::UntilClose => State::Open(header),
            },
        };
        if header.is_some() {
            return self.push(rest);
        }
        start.extend_from_slice(rest);
        start
    }

    /// What is known of the first line.
    pub fn head(&self) -> Head {
        match &self.state {
            State::Start(_) => Head::Awaited,
            State::Plain => Head::None,
            State::Counted(header, _) | State::Dotted(header, _) | State::Open(header) => {
                Head::Plus(*header)
            }
        }
    }

    /// Whether nothing more can come that counts: the count has been reached.
    pub fn is_whole(&self) -> bool {
        matches!(self.state, State::Counted(_, 0))
    }

    /// Whether what came last could be the end: the count has been reached, or a lone dot has come. After a dot a text
    /// may still go on; a server that keeps its connection open will not say which it is.
    pub fn may_be_whole(&self) -> bool {
        match &self.state {
            State::Counted(_, left) => *left == 0,
            State::Dotted(_, dots) => dots.is_at_dot(),
            State::Start(_) | State::Plain | State::Open(_) => false,
        }
    }

    /// The server has closed, or was left: what was held back and is data after all, and how the reply ended.
    pub fn finish(self) -> (Vec<u8>, End) {
        match self.state {
            State::Start(start) => (start, End::Whole),
            State::Plain | State::Open(_) | State::Counted(_, 0) => (Vec::new(), End::Whole),
            State::Counted(_, left) => (Vec::new(), End::Short(left)),
            State::Dotted(_, dots) => {
                let end = if dots.is_at_dot() {
                    End::Whole
                } else {
                    End::NoDot
                };
                (dots.finish(), end)
            }
        }
    }
}

/// A short reply as a whole: attributes, a caps.txt, an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeReply {
    /// The header; nothing when the server answered as plain gopher.
    pub header: Option<Header>,
    /// The data, without a dot that was announced.
    pub data: Vec<u8>,
    /// How it ended; nothing when it was left at the cap, with more to come.
    pub end: Option<End>,
}

/// Sends a request (see [`request`](super::request)) and reads the whole reply as text, or its first `cap` octets.
/// Meant for what is short; a page is read with [`Reply`] as it arrives. `place` is for the sentences. A server that sends
/// a dot and keeps the connection is waited for until the deadline, as only the close tells a dot from the end.
///
/// # Errors
/// [`NetError::Late`] or [`NetError::Io`].
pub async fn ask<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    request: &[u8],
    place: &str,
    limits: &Limits,
    cap: usize,
) -> Result<WholeReply, NetError> {
    write(stream, request, place, limits).await?;
    let mut reply = Reply::new(Dots::Doubled);
    let mut data = Vec::new();
    let mut more = true;
    while more && !reply.is_whole() && data.len() <= cap {
        let octets = match read(stream, place, limits).await {
            Ok(octets) => octets,
            // A dot has come and nothing after it: that was the end, though the server keeps the connection.
            Err(NetError::Late { .. }) if reply.may_be_whole() => Vec::new(),
            Err(error) => return Err(error),
        };
        more = !octets.is_empty();
        data.extend_from_slice(&reply.push(&octets));
    }
    let header = match reply.head() {
        Head::Plus(header) => Some(header),
        Head::None | Head::Awaited => None,
    };
    let (rest, end) = reply.finish();
    data.extend_from_slice(&rest);
    let cut = data.len() > cap;
    data.truncate(cap);
    Ok(WholeReply {
        header,
        data,
        end: (!cut).then_some(end),
    })
}

/// What a server says in place of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// 1, not available; 2, try again later; 3, it has moved; others are the server's own. Nothing where there is none.
    pub code: Option<u16>,
    /// Whom to tell, with the address; may be empty.
    pub admin: &'a [u8],
    /// Where it has moved.
    pub moved: Option<Item<'a>>,
    /// The words for the one who asked, by lines; of a menu row its title. May be empty.
    pub words: Vec<&'a [u8]>,
}

impl<'a> Refusal<'a> {
    /// The address of whom to tell: what stands in angle brackets.
    pub fn address(&self) -> Option<&'a [u8]> {
        bracketed(self.admin)
    }
}

/// Reads the data that follows a header with a `-`. Words may stand in the place of the code, and rows of a menu in
/// that of words.
pub fn refusal(data: &[u8]) -> Refusal<'_> {
    let mut lines = data
        .split(|&octet| octet == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !matches!(*line, b"" | b"."))
        .peekable();
    let mut refusal = Refusal {
        code: None,
        admin: b"",
        moved: None,
        words: Vec::new(),
    };
    if let Some((code, admin)) = lines.peek().and_then(|line| code(line)) {
        lines.next();
        refusal.code = Some(code);
        // The paper lets the descriptor follow the code; servers put it on the next line.
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
            Some(row) => refusal.words.push(row.name),
            None => refusal.words.push(line),
        }
    }
    refusal
}

/// The error of Gopher+ that some servers send to those who ask plainly too: a header with a `-`, and a code below it.
/// `start` is the whole of a short reply, or its first octets. Nothing when it is something else, a text most likely.
pub fn unasked_refusal(start: &[u8]) -> Option<Refusal<'_>> {
    let end = memchr::memchr(b'\n', start)?;
    let (line, data) = start.split_at_checked(end + 1)?;
    let header = Header::parse(line)?;
    let refusal = refusal(data);
    (header.outcome == Outcome::Refused && refusal.code.is_some()).then_some(refusal)
}

/// `1 name <address>`.
fn code(line: &[u8]) -> Option<(u16, &[u8])> {
    let end = line
        .iter()
        .position(|octet| !octet.is_ascii_digit())
        .unwrap_or(line.len());
    let (digits, rest) = line.split_at_checked(end)?;
    if !matches!(rest.first(), None | Some(b' ' | b'\t')) {
        return None;
    }
    let code = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((code, rest.trim_ascii()))
}

/// What stands in the last pair of angle brackets.
pub(super) fn bracketed(text: &[u8]) -> Option<&[u8]> {
    let open = memchr::memrchr(b'<', text)?;
    let rest = text.get(open + 1..)?;
    rest.get(..memchr::memchr(b'>', rest)?)
}
