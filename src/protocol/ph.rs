//! CSO/Ph, the phone books behind gopher items of type 2 (RFC 2378).
//!
//! ```text
//! command = "fields" / "siteinfo" / "query" 1*selection [ "return" ( "all" / 1*field ) ] / "quit"   CRLF
//! selection = [ field "=" ] value
//! value   = 1*octet / <"> *( octet / "\n" / "\t" / "\" <"> / "\\" ) <">      ; quoted when it holds a blank, a quote or "="
//! reply   = *( "-" code ":" rest CRLF / 1xx ":" rest CRLF ) code ":" rest CRLF        ; code >= 200 ends it
//! ```
//!
//! The client speaks first; the server says nothing before it is asked. Octets stay octets: the charset of a phone book
//! is US-ASCII or ISO 8859-1. Left out: everything that needs a login, `set`, `help`, `id` and `status`.

mod reply;

use tokio::io::{AsyncRead, AsyncWrite};

pub use self::reply::{Entry, Field, Line, PhError, Reply, Value};
use crate::net::Limits;
use crate::net::line::Lines;

/// The port of a phone book where a menu names none.
pub const PORT: u16 = 105;

/// The longest reply that is believed, in octets: no query of a person needs more.
const REPLY: usize = 4 * 1024 * 1024;

/// Which fields of the entries are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Return {
    /// Those that the server thinks fit.
    #[default]
    Default,
    /// All that may be seen.
    All,
    /// These.
    Fields(Vec<Vec<u8>>),
}

/// One condition of a query; all must hold. `*`, `+`, `?` and `[…]` in a value are wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The field that is looked at; the name when there is none.
    pub field: Option<Vec<u8>>,
    /// The words it must hold.
    pub value: Vec<u8>,
}

/// The line that asks for entries, without its end.
///
/// # Errors
/// [`PhError::Unsendable`] when there is no selection, a field's name is not one (letters, digits, `_` and `-`), a
/// value is empty, or a part holds CR or NUL.
pub fn query(selections: &[Selection], wanted: &Return) -> Result<Vec<u8>, PhError> {
    let mut line = b"query".to_vec();
    if selections.is_empty() {
        let (what, why) = ("the query", "asks for nothing");
        return Err(PhError::Unsendable { what, why });
    }
    for selection in selections {
        line.push(b' ');
        if let Some(field) = &selection.field {
            line.extend_from_slice(name(field)?);
            line.push(b'=');
        }
        line.extend_from_slice(&quoted(&selection.value)?);
    }
    match wanted {
        Return::Default => {}
        Return::All => line.extend_from_slice(b" return all"),
        Return::Fields(fields) if fields.is_empty() => {}
        Return::Fields(fields) => {
            line.extend_from_slice(b" return");
            for field in fields {
                line.push(b' ');
                line.extend_from_slice(name(field)?);
            }
        }
    }
    Ok(line)
}

/// The line that asks for what somebody typed: `smith`, `john smith`, `name=smith return all`. It goes out as typed, so
/// that whoever knows the language can use it.
///
/// # Errors
/// [`PhError::Unsendable`] when it is blank; a line break is found when it is sent.
pub fn typed(words: &[u8]) -> Result<Vec<u8>, PhError> {
    let words = words.trim_ascii();
    if words.is_empty() {
        let (what, why) = ("the query", "asks for nothing");
        return Err(PhError::Unsendable { what, why });
    }
    Ok([b"query ", words].concat())
}

/// A value as a command has it: in quotes where it must be.
///
/// # Errors
/// [`PhError::Unsendable`] when it is empty, or holds CR or NUL.
pub fn quoted(value: &[u8]) -> Result<Vec<u8>, PhError> {
    let what = "a value of the query";
    if value.is_empty() {
        let why = "is empty";
        return Err(PhError::Unsendable { what, why });
    }
    if value.iter().any(|octet| matches!(octet, b'\r' | 0)) {
        let why = "holds a line break or NUL";
        return Err(PhError::Unsendable { what, why });
    }
    let plain = |octet: &u8| !matches!(octet, b' ' | b'\t' | b'\n' | b'"' | b'\\' | b'=');
    // The one word that would end the selections.
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
    if reply::is_name(field) {
        return Ok(field);
    }
    let (what, why) = ("the name of a field", "is none");
    Err(PhError::Unsendable { what, why })
}

/// A field of a phone book, as `fields` tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub name: Vec<u8>,
    /// How long it may be and what may be done with it: `max 64 Indexed Lookup Public Default`.
    pub terms: Vec<u8>,
    /// What it is for.
    pub text: Vec<u8>,
}

impl Description {
    /// Whether `word` is among its terms: `Indexed`, `Lookup`, `Public`, `Default`, `Turn`.
    pub fn has(&self, word: &str) -> bool {
        self.terms
            .split(u8::is_ascii_whitespace)
            .any(|term| term.eq_ignore_ascii_case(word.as_bytes()))
    }
}

/// A conversation with a phone book. After an error other than [`PhError::Declined`] and [`PhError::Unsendable`] it is
/// out of step and must be dropped.
#[derive(Debug)]
pub struct Dialogue<S> {
    lines: Lines<S>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// A conversation over a stream that has just been opened; `place` is for the sentences.
    pub fn new(stream: S, place: &str, limits: &Limits) -> Self {
        Self {
            lines: Lines::new(stream, place, limits),
        }
    }

    /// The fields that entries may have, in the server's order.
    ///
    /// # Errors
    /// [`PhError`].
    pub async fn fields(&mut self) -> Result<Vec<Description>, PhError> {
        let reply = self.ask(b"fields", "the command").await?;
        let fields = reply.entries.into_iter().flat_map(|entry| {
            let id = entry.index;
            entry.fields.into_iter().map(move |field| {
                let mut texts = field.values.into_iter().map(|value| value.text);
                Description {
                    id,
                    name: field.name,
                    terms: texts.next().unwrap_or_default(),
                    text: texts.collect::<Vec<_>>().join(b" ".as_slice()),
                }
            })
        });
        Ok(fields.collect())
    }

    /// Sends a line of [`query`] or [`typed`] and reads the entries that answer it. The next question may follow.
    ///
    /// # Errors
    /// [`PhError`]; [`PhError::Declined`] with 501 when nothing was found, with 502 when too much was.
    pub async fn query(&mut self, line: &[u8]) -> Result<Reply, PhError> {
        self.ask(line, "the query").await
    }

    /// Says goodbye. What the server says to that does not matter.
    ///
    /// # Errors
    /// [`PhError::Net`] when it could not be sent.
    pub async fn quit(mut self) -> Result<(), PhError> {
        Ok(self.lines.send(b"quit", "the command").await?)
    }

    /// One command and its whole reply.
    async fn ask(&mut self, command: &[u8], what: &'static str) -> Result<Reply, PhError> {
        if self.lines.is_ahead() {
            return Err(PhError::Ahead);
        }
        self.lines.send(command, what).await?;
        let mut reply = Reply::default();
        let mut octets = 0;
        loop {
            let line = self.lines.line().await?;
            octets += line.len();
            if octets > REPLY {
                return Err(PhError::Long { limit: REPLY });
            }
            let Some(parsed) = Line::parse(&line) else {
                return Err(PhError::Odd(line));
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
