//! CSO/Ph, the phone books behind gopher items of type 2 (RFC 2378).
//!
//! ```text
//! command = "fields" / "siteinfo" / "query" 1*selection [ "return" ( "all" / 1*field ) ] / "quit"   CRLF
//! selection = [ field "=" ] value
//! value   = 1*octet / <"> *( octet / "\n" / "\t" / "\" <"> / "\\" ) <">      ; quoted if it contains a blank, a quote or "="
//! reply   = *( "-" code ":" rest CRLF / 1xx ":" rest CRLF ) code ":" rest CRLF        ; code >= 200 ends it
//! line    = [ "-" ] code ":" [ index ":" [ *SP [ field ] ":" ] ] [ SP ] text      ; "-": more lines follow
//! code    = ( "1" / "2" / "3" / "4" / "5" / "6" ) 2DIGIT
//! field   = 1*( letter / digit / "_" / "-" )
//! ```
//!
//! A field exists only after an index. A line of an entry without a field name, or with the name of the previous line,
//! continues the previous field: an address has several lines. Text before a colon that is no valid name is text.
//!
//! The client sends first; the server has no greeting. Text stays octets: the charset of a phone book is US-ASCII or
//! ISO 8859-1. Left out: everything that requires a login, `set`, `help`, `id` and `status`.

use tokio::io::{AsyncRead, AsyncWrite};

use super::octets::{number, split_once};
use crate::net::line::Lines;
use crate::net::{Limits, NetError};

/// The default port of a phone book.
pub const PORT: u16 = 105;

/// The longest accepted reply, in octets: no query of a user needs more.
const REPLY: usize = 4 * 1024 * 1024;

/// One condition of a query; all must be true. `*`, `+`, `?` and `[…]` in a value are wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The field to compare; the name of the entry if `None`.
    pub field: Option<Vec<u8>>,
    /// The words that the field must contain.
    pub value: Vec<u8>,
}

/// Returns the command line of a query for the default fields of the server, without its line end.
///
/// # Errors
/// [`PhError::Unsendable`] if there is no selection, a field name is invalid (not letters, digits, `_` and `-`), a
/// value is empty, or a part contains CR or NUL.
pub fn query(selections: &[Selection]) -> Result<Vec<u8>, PhError> {
    let mut line = b"query".to_vec();
    if selections.is_empty() {
        return Err(unsendable("the query", "asks for nothing"));
    }
    for selection in selections {
        line.push(b' ');
        if let Some(field) = &selection.field {
            line.extend_from_slice(name(field)?);
            line.push(b'=');
        }
        line.extend_from_slice(&quoted(&selection.value)?);
    }
    Ok(line)
}

/// Returns the command line for typed words: `smith`, `john smith`, `name=smith return all`. They are sent as typed, so
/// that the user can use the query language.
///
/// # Errors
/// [`PhError::Unsendable`] if the words are blank; a line break is found when the line is sent.
pub fn typed(words: &[u8]) -> Result<Vec<u8>, PhError> {
    let words = words.trim_ascii();
    if words.is_empty() {
        return Err(unsendable("the query", "asks for nothing"));
    }
    Ok([b"query ", words].concat())
}

/// Returns a value as in a command, in quotes if necessary.
///
/// # Errors
/// [`PhError::Unsendable`] if it is empty, or contains CR or NUL.
pub fn quoted(value: &[u8]) -> Result<Vec<u8>, PhError> {
    let invalid = |reason| unsendable("a value of the query", reason);
    if value.is_empty() {
        return Err(invalid("is empty"));
    }
    if value.iter().any(|octet| matches!(octet, b'\r' | 0)) {
        return Err(invalid("contains a line break or NUL"));
    }
    let plain = |octet: &u8| !matches!(octet, b' ' | b'\t' | b'\n' | b'"' | b'\\' | b'=');
    // The word `return` would end the selections.
    if value.iter().all(plain) && value != b"return" {
        return Ok(value.to_vec());
    }
    let mut quoted = b"\"".to_vec();
    for &octet in value {
        match octet {
            b'\n' => quoted.extend_from_slice(b"\\n"),
            b'\t' => quoted.extend_from_slice(b"\\t"),
            b'"' => quoted.extend_from_slice(b"\\\""),
            b'\\' => quoted.extend_from_slice(b"\\\\"),
            _ => quoted.push(octet),
        }
    }
    quoted.push(b'"');
    Ok(quoted)
}

fn name(field: &[u8]) -> Result<&[u8], PhError> {
    if is_name(field) {
        return Ok(field);
    }
    Err(unsendable("the name of a field", "is none"))
}

fn unsendable(what: &'static str, reason: &'static str) -> PhError {
    PhError::Unsendable { what, reason }
}

/// The description of a field, from the command `fields`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDescription {
    /// The number of the field.
    pub id: u64,
    /// The name of the field.
    pub name: Vec<u8>,
    /// The maximal length and the properties: `max 64 Indexed Lookup Public Default`.
    pub terms: Vec<u8>,
    /// The explanation of the field.
    pub text: Vec<u8>,
}

impl FieldDescription {
    /// Returns true if `word` is one of the terms: `Indexed`, `Lookup`, `Public`, `Default`, `Turn`.
    pub fn has(&self, word: &str) -> bool {
        self.terms
            .split(u8::is_ascii_whitespace)
            .any(|term| term.eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// A dialogue with a phone book. After an error other than [`PhError::Declined`] and [`PhError::Unsendable`] it is
/// out of step and must be dropped.
#[derive(Debug)]
pub struct PhDialogue<S> {
    lines: Lines<S>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> PhDialogue<S> {
    /// Creates a dialogue over a new connection; `authority` is for messages.
    pub fn new(stream: S, authority: &str, limits: &Limits) -> Self {
        Self {
            lines: Lines::new(stream, authority, limits),
        }
    }

    /// Returns the fields that entries may have, in the order of the server.
    ///
    /// # Errors
    /// [`PhError`].
    pub async fn fields(&mut self) -> Result<Vec<FieldDescription>, PhError> {
        let reply = self.ask(b"fields", "the command").await?;
        let fields = reply.entries.into_iter().flat_map(|entry| {
            let id = entry.index;
            entry.fields.into_iter().map(move |field| {
                let mut texts = field.values.into_iter().map(|value| value.text);
                FieldDescription {
                    id,
                    name: field.name,
                    terms: texts.next().unwrap_or_default(),
                    text: texts.collect::<Vec<_>>().join(b" ".as_slice()),
                }
            })
        });
        Ok(fields.collect())
    }

    /// Sends a line of [`query`] or [`typed`] and reads the entries. Another query may follow.
    ///
    /// # Errors
    /// [`PhError`]; [`PhError::Declined`] with 501 if nothing was found, with 502 if too much was found.
    pub async fn query(&mut self, line: &[u8]) -> Result<Reply, PhError> {
        self.ask(line, "the query").await
    }

    /// Sends `quit`; the reply is ignored.
    ///
    /// # Errors
    /// [`PhError::Net`] if it could not be sent.
    pub async fn quit(mut self) -> Result<(), PhError> {
        Ok(self.lines.send(b"quit", "the command").await?)
    }

    /// Sends one command and reads its whole reply.
    async fn ask(&mut self, command: &[u8], what: &'static str) -> Result<Reply, PhError> {
        if self.lines.is_ahead() {
            return Err(PhError::UnexpectedData);
        }
        self.lines.send(command, what).await?;
        let mut reply = Reply::default();
        let mut octets = 0;
        loop {
            let line = self.lines.line().await?;
            octets += line.len();
            if octets > REPLY {
                return Err(PhError::TooLong { limit: REPLY });
            }
            let Some(parsed) = Line::parse(&line) else {
                return Err(PhError::Malformed(line));
            };
            reply.push(&parsed);
            if parsed.is_last() {
                return match reply.code {
                    200..=299 => Ok(reply),
                    _ => Err(PhError::Declined(reply)),
                };
            }
        }
    }
}

/// A line of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The code, without its sign.
    pub code: u16,
    /// True if more lines of the reply follow, by the sign of the code.
    pub is_continued: bool,
    /// The number of the entry.
    pub index: Option<u64>,
    /// The name of the field; empty if there is an index and an empty name.
    pub field: Option<&'a [u8]>,
    /// The rest, without its leading blank.
    pub text: &'a [u8],
}

impl<'a> Line<'a> {
    /// Parses a line without its line end; `None` without a code.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii_start();
        let continued = line.strip_prefix(b"-");
        let (digits, rest) = split_once(continued.unwrap_or(line), b':')?;
        let code = match digits.trim_ascii() {
            digits @ [b'1'..=b'6', _, _] => number(digits)?,
            _ => return None,
        };
        let mut parsed = Self {
            code,
            is_continued: continued.is_some(),
            index: None,
            field: None,
            text: rest,
        };
        if let Some((digits, rest)) = split_once(rest, b':')
            && let Some(index) = number(digits.trim_ascii())
        {
            parsed.index = Some(index);
            parsed.text = rest;
            if let Some((name, rest)) = split_once(rest, b':')
                && (name.trim_ascii().is_empty() || is_name(name.trim_ascii()))
            {
                parsed.field = Some(name.trim_ascii());
                parsed.text = rest;
            }
        }
        parsed.text = match parsed.text {
            [b' ' | b'\t', rest @ ..] => rest,
            text => text,
        };
        Some(parsed)
    }

    /// Returns true if the reply ends here: a code of 200 or more without a sign.
    pub fn is_last(&self) -> bool {
        !self.is_continued && self.code >= 200
    }
}

/// Returns true if these octets are a valid field name.
fn is_name(octets: &[u8]) -> bool {
    let allowed = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'-');
    !octets.is_empty() && octets.iter().all(allowed)
}

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The code of the last line; 0 if there is none yet.
    pub code: u16,
    /// The lines of text without an entry, including progress (1xx).
    pub messages: Vec<Vec<u8>>,
    /// The number of matching entries, if the server counted them (102).
    pub count: Option<u64>,
    /// The entries, in order.
    pub entries: Vec<Entry>,
}

/// An entry, usually a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The number in this reply, by the count of the server.
    pub index: u64,
    /// The fields, in order.
    pub fields: Vec<Field>,
}

/// A field of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name; empty if the server gave none.
    pub name: Vec<u8>,
    /// The lines of the field.
    pub values: Vec<Value>,
}

/// A line of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The code: 200, or an error such as 508 (the entry has no such field).
    pub code: u16,
    /// The text; for an error code, the message of the server.
    pub text: Vec<u8>,
}

impl Reply {
    /// Adds the next line.
    pub fn push(&mut self, line: &Line<'_>) {
        if line.is_last() {
            self.code = line.code;
        }
        let Some(index) = line.index.filter(|_| line.code >= 200) else {
            if line.code == 102 {
                self.count = first_number(line.text);
            }
            self.messages.push(line.text.to_vec());
            return;
        };
        let value = Value {
            code: line.code,
            text: line.text.to_vec(),
        };
        if self.entries.last().is_none_or(|entry| entry.index != index) {
            let fields = Vec::new();
            self.entries.push(Entry { index, fields });
        }
        let Some(entry) = self.entries.last_mut() else {
            return;
        };
        let name = line.field.unwrap_or_default();
        match entry.fields.last_mut() {
            Some(field) if name.is_empty() || field.name == name => field.values.push(value),
            _ => entry.fields.push(Field {
                name: name.to_vec(),
                values: vec![value],
            }),
        }
    }
}

fn first_number(text: &[u8]) -> Option<u64> {
    text.split(|octet| !octet.is_ascii_digit())
        .find(|digits| !digits.is_empty())
        .and_then(number)
}

/// An error of a dialogue.
#[derive(Debug, thiserror::Error)]
pub enum PhError {
    /// The connection failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server refused; its message is in the reply. The dialogue can continue.
    #[error("the phone book refused the query")]
    Declined(Reply),
    /// A line that is not part of a valid reply.
    #[error("unexpected reply of the phone book")]
    Malformed(Vec<u8>),
    /// Octets arrived without a request.
    #[error("the phone book sent data that was not requested")]
    UnexpectedData,
    /// The reply is longer than its cap.
    #[error("the phone book sent more than {limit} bytes")]
    TooLong {
        /// The cap, in octets.
        limit: usize,
    },
    /// The argument cannot be sent.
    #[error("not sent: {what} {reason}")]
    Unsendable {
        /// The name of the argument.
        what: &'static str,
        /// The reason.
        reason: &'static str,
    },
}
