//! WAIS: searches and documents over the deployed profile of Z39.50-1988 (RFC 1625, and the servers that were written to it).
//!
//! ```text
//! message = 10DIGIT "z" "2" 10octet SP SP "0" apdu      ; the length is that of the APDU alone
//! apdu    = length type fixed *tlv [ user-information ]  ; length: two octets, of type, fixed part and TLVs
//! tlv     = tag size octets                              ; tag and size: base 128, the high bit says that more follows
//! ```
//!
//! One request, one response, and nothing is kept between two but the connection. Parsers take tags in any order and pass
//! over those they do not know by their size; what is cut off ends a list, and what came before it is good. Octets that name
//! a document are its server's alone. Left out: deletion, access control and present, which no server of today has.

mod apdu;
mod record;
mod source;
pub(crate) mod tlv;

use tokio::io::{AsyncRead, AsyncWrite};

pub use self::record::{Diagnostic, Found, Hit, Piece};
pub use self::source::{Place, source};
use crate::net::{Limits, NetError, read, write};

/// The port of WAIS (RFC 1738, section 3.9).
pub const PORT: u16 = 210;

/// Octets of a document that are asked for at once: more than 32 KiB breaks servers, and this is what every client asks.
pub const PIECE: u64 = 10_000;

/// Octets of a message before its APDU.
const HEADER: usize = 25;

/// The longest APDU that is believed.
const LONGEST: usize = 1024 * 1024;

/// The longest name of a database, words of a search, type or document-id that is sent.
const ARGUMENT: usize = 16 * 1024;

/// Why a dialogue ended.
#[derive(Debug, thiserror::Error)]
pub enum WaisError {
    /// The network.
    #[error(transparent)]
    Net(#[from] NetError),
    /// What came is no message of WAIS.
    #[error("{0} does not answer as a WAIS server does")]
    Odd(String),
    /// The server does not talk to us.
    #[error("{0} turned the session down")]
    Rejected(String),
    /// It cannot be asked for.
    #[error("{0} is longer than any server takes")]
    TooLong(&'static str),
}

/// A conversation with a server. After any error it must be dropped.
#[derive(Debug)]
pub struct Dialogue<S> {
    stream: S,
    place: String,
    limits: Limits,
    /// What came beyond the last message.
    ahead: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// A conversation over a connection that has just been made.
    pub fn new(stream: S, place: &str, limits: &Limits) -> Self {
        Self {
            stream,
            place: place.to_owned(),
            limits: limits.clone(),
            ahead: Vec::new(),
        }
    }

    /// Says hello, as every client does.
    ///
    /// # Errors
    /// [`WaisError`].
    pub async fn begin(&mut self) -> Result<(), WaisError> {
        let answer = self.exchange(&apdu::init()).await?;
        match apdu::is_accepted(&answer) {
            Some(true) => Ok(()),
            Some(false) => Err(WaisError::Rejected(self.place.clone())),
            None => Err(self.odd()),
        }
    }

    /// Searches a database for words, for at most `most` documents.
    ///
    /// # Errors
    /// [`WaisError`]. What the server has to say of the search is in [`Found::diagnostics`].
    pub async fn search(
        &mut self,
        database: &[u8],
        words: &[u8],
        most: u16,
    ) -> Result<Found, WaisError> {
        fits(database, "the name of the database")?;
        fits(words, "what is searched for")?;
        let answer = self.exchange(&apdu::search(database, words, most)).await?;
        record::found(&answer).ok_or_else(|| self.odd())
    }

    /// Fetches the octets of a document from `start` up to `start` + [`PIECE`].
    ///
    /// # Errors
    /// [`WaisError`].
    pub async fn piece(
        &mut self,
        database: &[u8],
        wtype: &[u8],
        id: &[u8],
        start: u64,
    ) -> Result<Piece, WaisError> {
        let end = start.saturating_add(PIECE);
        self.part(database, wtype, id, (start, end)).await
    }

    /// Fetches the octets of a document from one place up to another.
    ///
    /// # Errors
    /// [`WaisError`].
    pub async fn part(
        &mut self,
        database: &[u8],
        wtype: &[u8],
        id: &[u8],
        range: (u64, u64),
    ) -> Result<Piece, WaisError> {
        fits(database, "the name of the database")?;
        fits(wtype, "the type of the document")?;
        fits(id, "the name of the document")?;
        let request = apdu::retrieve(database, wtype, id, range);
        let answer = self.exchange(&request).await?;
        record::piece(&answer).ok_or_else(|| self.odd())
    }

    async fn exchange(&mut self, apdu: &[u8]) -> Result<Vec<u8>, WaisError> {
        let mut message = format!("{:010}z2wais        0", apdu.len()).into_bytes();
        message.extend_from_slice(apdu);
        write(&mut self.stream, &message, &self.place, &self.limits).await?;
        let mut header = self.take(HEADER).await?;
        // Old servers send something before it.
        let mut skipped = 0;
        while header.first() != Some(&b'0') && skipped < HEADER {
            header.remove(0);
            header.extend(self.take(1).await?);
            skipped += 1;
        }
        let length = length(&header).ok_or_else(|| self.odd())?;
        self.take(length).await
    }

    /// The next octets, so many.
    async fn take(&mut self, count: usize) -> Result<Vec<u8>, WaisError> {
        while self.ahead.len() < count {
            let more = read(&mut self.stream, &self.place, &self.limits).await?;
            if more.is_empty() {
                let error = NetError::Closed {
                    place: self.place.clone(),
                    when: "before it had answered",
                };
                return Err(error.into());
            }
            self.ahead.extend(more);
        }
        let rest = self.ahead.split_off(count);
        Ok(std::mem::replace(&mut self.ahead, rest))
    }

    fn odd(&self) -> WaisError {
        WaisError::Odd(self.place.clone())
    }
}

/// The length of the APDU behind a header.
fn length(header: &[u8]) -> Option<usize> {
    let (digits, rest) = header.split_at_checked(10)?;
    let length = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let is_z3950 = rest
        .first()
        .is_some_and(|kind| kind.eq_ignore_ascii_case(&b'z'));
    (is_z3950 && length <= LONGEST).then_some(length)
}

fn fits(argument: &[u8], what: &'static str) -> Result<(), WaisError> {
    if argument.len() > ARGUMENT {
        return Err(WaisError::TooLong(what));
    }
    Ok(())
}
