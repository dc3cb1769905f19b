//! Replies and errors of a phone book (RFC 2378, section 2.2 and appendix B).
//!
//! ```text
//! line  = [ "-" ] code ":" [ index ":" [ *SP [ field ] ":" ] ] [ SP ] text      ; "-": more lines follow
//! code  = ( "1" / "2" / "3" / "4" / "5" / "6" ) 2DIGIT
//! field = 1*( letter / digit / "_" / "-" )
//! ```
//!
//! A field exists only after an index. A line of an entry without a field name, or with the name of the previous line,
//! continues the previous field: an address has several lines. Text before a colon that is no valid name is text.

use crate::net::NetError;
use crate::protocol::octets::{number, split_once};

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
pub(super) fn is_name(octets: &[u8]) -> bool {
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
