//! Replies of a phone book, and what can go wrong (RFC 2378, section 2.2 and appendix B).
//!
//! ```text
//! line  = [ "-" ] code ":" [ index ":" [ *SP [ field ] ":" ] ] [ SP ] text      ; a "-" says that more follows
//! code  = ( "1" / "2" / "3" / "4" / "5" / "6" ) 2DIGIT
//! field = 1*( letter / digit / "_" / "-" )
//! ```
//!
//! A field is there only after an index. A line of an entry without a field's name, or with that of the line before,
//! goes on with the field before: an address has several lines. Text before a colon that is no name is text.

use crate::net::NetError;

/// A line of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The code, without its sign.
    pub code: u16,
    /// More of the same reply follows, by the sign of the code.
    pub is_continued: bool,
    /// The number of the entry.
    pub index: Option<u64>,
    /// The name of the field; empty where there is an index and a place for a name, but none.
    pub field: Option<&'a [u8]>,
    /// The rest, without the blank that begins it.
    pub text: &'a [u8],
}

impl<'a> Line<'a> {
    /// Reads a line without its end; what has no code is none.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let line = line.trim_ascii_start();
        let (is_continued, line) = match line.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (digits, rest) = cut(line)?;
        let code = match digits.trim_ascii() {
            [a @ b'1'..=b'6', b @ b'0'..=b'9', c @ b'0'..=b'9'] => [a, b, c]
                .iter()
                .fold(0, |code, digit| code * 10 + u16::from(**digit - b'0')),
            _ => return None,
        };
        let mut read = Self {
            code,
            is_continued,
            index: None,
            field: None,
            text: rest,
        };
        if let Some((number, rest)) = cut(rest)
            && let Some(index) = index(number.trim_ascii())
        {
            read.index = Some(index);
            read.text = rest;
            if let Some((name, rest)) = cut(rest)
                && (name.trim_ascii().is_empty() || is_name(name.trim_ascii()))
            {
                read.field = Some(name.trim_ascii());
                read.text = rest;
            }
        }
        read.text = match read.text {
            [b' ' | b'\t', rest @ ..] => rest,
            text => text,
        };
        Some(read)
    }

    /// Whether the reply ends here: a code without a sign of 200 or more.
    pub fn is_last(&self) -> bool {
        !self.is_continued && self.code >= 200
    }
}

/// Splits at the first colon.
fn cut(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b':', line)?;
    let (before, after) = line.split_at_checked(at)?;
    Some((before, after.get(1..)?))
}

fn index(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether these octets may be the name of a field.
pub(super) fn is_name(octets: &[u8]) -> bool {
    let allowed = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'_' | b'-');
    !octets.is_empty() && octets.iter().all(allowed)
}

/// A whole reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The code of its last line; 0 while there is none.
    pub code: u16,
    /// What the server says of it, by lines: those without an entry, progress (1xx) included.
    pub said: Vec<Vec<u8>>,
    /// How many entries fit, where the server counted them (102).
    pub count: Option<u64>,
    /// The entries, in order.
    pub entries: Vec<Entry>,
}

/// An entry: a person, mostly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number in this reply, by the server's count.
    pub index: u64,
    /// Its fields, in order.
    pub fields: Vec<Field>,
}

impl Entry {
    /// The first field of that name that the server gave.
    pub fn field(&self, name: &[u8]) -> Option<&Field> {
        self.fields
            .iter()
            .find(|field| field.name.eq_ignore_ascii_case(name))
    }
}

/// A field of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name; empty where the server gave none.
    pub name: Vec<u8>,
    /// Its lines.
    pub values: Vec<Value>,
}

/// A line of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// 200, or why there is none: 508 when this entry has no such field.
    pub code: u16,
    /// The text; where the code is of a failure, the server's words about it.
    pub text: Vec<u8>,
}

impl Value {
    /// Whether the text is what the field holds.
    pub fn is_given(&self) -> bool {
        (200..300).contains(&self.code)
    }
}

impl Reply {
    /// Reads lines, each without its end, up to the one that ends the reply. Lines without a code are left out.
    pub fn parse<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut reply = Self::default();
        for line in lines.into_iter().filter_map(Line::parse) {
            reply.push(&line);
            if line.is_last() {
                break;
            }
        }
        reply
    }

    /// Takes in the next line.
    pub fn push(&mut self, line: &Line<'_>) {
        if line.is_last() {
            self.code = line.code;
        }
        let Some(index) = line.index.filter(|_| line.code >= 200) else {
            if line.code == 102 {
                self.count = first_number(line.text);
            }
            self.said.push(line.text.to_vec());
            return;
        };
        let value = Value {
            code: line.code,
            text: line.text.to_vec(),
        };
        let entry = match self.entries.last_mut() {
            Some(entry) if entry.index == index => entry,
            _ => {
                let fields = Vec::new();
                self.entries.push(Entry { index, fields });
                match self.entries.last_mut() {
                    Some(entry) => entry,
                    None => return,
                }
            }
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
        .and_then(index)
}

/// Why there is no reply to work with.
#[derive(Debug, thiserror::Error)]
pub enum PhError {
    /// The wire.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The server understood and said no; its words are in the reply. It can be asked again.
    #[error("the phone book declined")]
    Declined(Reply),
    /// A line that is none of a reply.
    #[error("the phone book's reply makes no sense here")]
    Odd(Vec<u8>),
    /// Octets came that nobody asked for.
    #[error("the phone book spoke out of turn")]
    Ahead,
    /// The reply goes on past its cap.
    #[error("the phone book sent more than {limit} octets")]
    Long {
        /// The cap.
        limit: usize,
    },
    /// It was not sent, because it cannot be.
    #[error("not sent: {what} {why}")]
    Unsendable {
        /// Which part.
        what: &'static str,
        /// What about it.
        why: &'static str,
    },
}
