//! WAIS: searches and documents over the deployed profile of Z39.50-1988 (RFC 1625 and its servers).
//!
//! ```text
//! message = 10DIGIT "z" "2" 10octet SP SP "0" apdu      ; the length is that of the APDU alone
//! apdu    = length type fixed *tlv [ user-information ]  ; length: two octets, of type, fixed part and TLVs
//! tlv     = tag size octets                              ; tag and size: base 128, the high bit means that more follows
//! ```
//!
//! Each request has one response, in the order of the requests; only the connection persists between them. Parsers
//! accept tags in any order and skip unknown tags by their size. Truncated data ends a list; the part before it is
//! used. The octets of a document-id have a meaning only on their server. Left out: deletion, access control and
//! present, which no current server supports.

pub mod apdu;
mod record;
mod source;

use tokio::io::{AsyncRead, AsyncWrite};

pub use self::record::{Diagnostic, DocumentPart, Hit, SearchResponse};
pub use self::source::{WaisSource, source};
use crate::net::{Limits, NetError, read, write};
use crate::protocol::octets::parse;

/// The port of WAIS (RFC 1738, section 3.9).
pub const PORT: u16 = 210;

/// The octets of a document requested at once: more than 32 KiB breaks servers, and all clients request this number.
pub const PIECE: u64 = 10_000;

/// The octets of a message before its APDU.
const HEADER: usize = 25;

/// The longest accepted APDU, in octets.
const MAX_APDU_BYTES: usize = 1024 * 1024;

/// The longest database name, search words, type or document-id that is sent, in octets.
const ARGUMENT: usize = 16 * 1024;

/// An error of a dialogue.
#[derive(Debug, thiserror::Error)]
pub enum WaisError {
    /// The connection failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The response is no valid WAIS message.
    #[error("{0} did not answer as a WAIS server")]
    Malformed(String),
    /// The server refused the session.
    #[error("{0} refused the session")]
    Rejected(String),
    /// The argument is too long to send.
    #[error("{0} is too long for any server")]
    TooLong(&'static str),
}

/// A document of an earlier search, to which the documents of a search are to be similar (relevance feedback).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelevantDocument {
    /// The type, such as `TEXT`.
    pub wtype: Vec<u8>,
    /// The document-id.
    pub id: Vec<u8>,
}

/// A dialogue with a server. After any error it must be dropped.
#[derive(Debug)]
pub struct Dialogue<S> {
    stream: S,
    authority: String,
    limits: Limits,
    /// The octets received after the last message.
    ahead: Vec<u8>,
    /// The request that was sent before its turn, and is not answered yet.
    sent: Option<Vec<u8>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Creates a dialogue over a new connection.
    pub fn new(stream: S, authority: &str, limits: &Limits) -> Self {
        Self {
            stream,
            authority: authority.to_owned(),
            limits: limits.clone(),
            ahead: Vec::new(),
            sent: None,
        }
    }

    /// Sends the initial request, as all clients do.
    ///
    /// # Errors
    /// [`WaisError`].
    pub async fn begin(&mut self) -> Result<(), WaisError> {
        let answer = self.exchange(&apdu::init()).await?;
        match apdu::is_accepted(&answer) {
            Some(true) => Ok(()),
            Some(false) => Err(WaisError::Rejected(self.authority.clone())),
            None => Err(self.malformed()),
        }
    }

    /// Searches a database for words; the response has at most `max` documents.
    ///
    /// # Errors
    /// [`WaisError`]. Messages of the server about the search are in [`SearchResponse::diagnostics`].
    pub async fn search(
        &mut self,
        database: &[u8],
        words: &[u8],
        relevant: Option<&RelevantDocument>,
        max: u16,
    ) -> Result<SearchResponse, WaisError> {
        check_length(database, "the name of the database")?;
        check_length(words, "what is searched for")?;
        if let Some(document) = relevant {
            check_document(database, &document.wtype, &document.id)?;
        }
        let request = apdu::search(database, words, relevant, max);
        let answer = self.exchange(&request).await?;
        record::search_response(&answer).ok_or_else(|| self.malformed())
    }

    /// Fetches the octets of a document from `start` up to `start` + [`PIECE`]. If the response is long, more of the
    /// document follows: the next piece is requested before the response is read. A server that waits for the
    /// acknowledgement of the first half of its response (RFC 896) then gets it at once, and not after the 40 ms of a
    /// delayed one.
    ///
    /// # Errors
    /// [`WaisError`].
    pub async fn piece(
        &mut self,
        database: &[u8],
        wtype: &[u8],
        id: &[u8],
        start: u64,
    ) -> Result<DocumentPart, WaisError> {
        let end = start.saturating_add(PIECE);
        check_document(database, wtype, id)?;
        let request = apdu::retrieve(database, wtype, id, (start, end));
        if self.sent.take().as_ref() != Some(&request) {
            self.send(&request).await?;
        }
        let length = self.response_length().await?;
        if length as u64 >= PIECE {
            let next = apdu::retrieve(database, wtype, id, (end, end.saturating_add(PIECE)));
            self.send(&next).await?;
            self.sent = Some(next);
        }
        let answer = self.take(length).await?;
        record::document_part(&answer).ok_or_else(|| self.malformed())
    }

    /// Fetches a range of octets of a document; the end is exclusive.
    ///
    /// # Errors
    /// [`WaisError`].
    pub async fn part(
        &mut self,
        database: &[u8],
        wtype: &[u8],
        id: &[u8],
        range: (u64, u64),
    ) -> Result<DocumentPart, WaisError> {
        check_document(database, wtype, id)?;
        let request = apdu::retrieve(database, wtype, id, range);
        let answer = self.exchange(&request).await?;
        record::document_part(&answer).ok_or_else(|| self.malformed())
    }

    async fn exchange(&mut self, apdu: &[u8]) -> Result<Vec<u8>, WaisError> {
        self.send(apdu).await?;
        let length = self.response_length().await?;
        self.take(length).await
    }

    async fn send(&mut self, apdu: &[u8]) -> Result<(), WaisError> {
        let mut message = format!("{:010}z2wais        0", apdu.len()).into_bytes();
        message.extend_from_slice(apdu);
        Ok(write(&mut self.stream, &message, &self.authority, &self.limits).await?)
    }

    /// Reads the header of a response, and returns the length of its APDU.
    async fn response_length(&mut self) -> Result<usize, WaisError> {
        let mut header = self.take(HEADER).await?;
        // Old servers send octets before the header.
        let mut skipped = 0;
        while header.first() != Some(&b'0') && skipped < HEADER {
            header.remove(0);
            header.extend(self.take(1).await?);
            skipped += 1;
        }
        length(&header).ok_or_else(|| self.malformed())
    }

    /// Returns the next `count` octets.
    async fn take(&mut self, count: usize) -> Result<Vec<u8>, WaisError> {
        while self.ahead.len() < count {
            let more = read(&mut self.stream, &self.authority, &self.limits).await?;
            if more.is_empty() {
                return Err(NetError::closed(&self.authority, "before it had answered").into());
            }
            self.ahead.extend(more);
        }
        let rest = self.ahead.split_off(count);
        Ok(std::mem::replace(&mut self.ahead, rest))
    }

    fn malformed(&self) -> WaisError {
        WaisError::Malformed(self.authority.clone())
    }
}

/// Returns the length of the APDU after a header.
fn length(header: &[u8]) -> Option<usize> {
    let (digits, rest) = header.split_at_checked(10)?;
    let length = parse(digits).filter(|length| *length <= MAX_APDU_BYTES)?;
    matches!(rest.first(), Some(b'z' | b'Z')).then_some(length)
}

fn check_document(database: &[u8], wtype: &[u8], id: &[u8]) -> Result<(), WaisError> {
    check_length(database, "the name of the database")?;
    check_length(wtype, "the type of the document")?;
    check_length(id, "the name of the document")
}

fn check_length(argument: &[u8], what: &'static str) -> Result<(), WaisError> {
    if argument.len() > ARGUMENT {
        return Err(WaisError::TooLong(what));
    }
    Ok(())
}
