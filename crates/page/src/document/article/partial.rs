//! Messages that were sent in several articles (RFC 2046, section 5.2.2).
//!
//! ```text
//! part = head EOL body     ; Content-Type: message/partial; id=…; number=1; total=3 (at least in the last part)
//! ```
//!
//! The bodies together are a message. Its head has the fields of the first article, but for those that say what is in
//! it: these are the fields of the message inside.

use std::collections::BTreeSet;

use geomys_wire::protocol::octets;
use geomys_wire::text::Charset;

use super::head::{PartHead, TEXT, split, unfolded};
use super::mime::{Attachment, DeclaredCharsets, Part, TextCharsets, parts};

/// A part of a message.
pub(in crate::document) struct MessagePart<'a> {
    /// The name of the message, the same in all its parts.
    id: Vec<u8>,
    /// The number of the part, from 1.
    number: u64,
    /// The number of all parts, if this one tells it.
    total: Option<u64>,
    head: &'a [u8],
    body: &'a [u8],
}

impl<'a> MessagePart<'a> {
    /// Returns the part that an article holds; `None` for an article of another media type.
    pub(in crate::document) fn of(article: &'a [u8]) -> Option<Self> {
        let (head, body) = split(article);
        let kind = PartHead::new(head, TEXT);
        if kind.kind != "message/partial" {
            return None;
        }
        let number = |name: &str| octets::number(kind.parameters.token(name)?);
        Some(Self {
            id: kind.parameters.token("id").unwrap_or_default().to_vec(),
            number: number("number")?,
            total: number("total"),
            head,
            body,
        })
    }
}

/// The parts of a message that were found.
pub struct FoundParts {
    id: Vec<u8>,
    total: Option<u64>,
    numbers: BTreeSet<u64>,
}

impl FoundParts {
    /// Begins with the part that an article holds; `None` for an article of another media type.
    pub fn of(article: &[u8]) -> Option<Self> {
        let part = MessagePart::of(article)?;
        Some(Self {
            total: part.total,
            numbers: BTreeSet::from([part.number]),
            id: part.id,
        })
    }

    /// Takes the part that an article holds. Returns false if it holds none of this message that is new.
    pub fn add(&mut self, article: &[u8]) -> bool {
        let Some(part) = MessagePart::of(article).filter(|part| part.id == self.id) else {
            return false;
        };
        self.total = self.total.or(part.total);
        self.numbers.insert(part.number)
    }

    /// Returns true if all parts were found. The last one tells how many there are.
    pub fn is_complete(&self) -> bool {
        let has_all = |total| (1..=total).eq(self.numbers.iter().copied());
        self.total.is_some_and(has_all)
    }
}

/// Joins the message of these parts, in the order of their numbers.
///
/// # Errors
/// A sentence: what is missing or wrong.
pub(in crate::document) fn joined_message(
    mut parts: Vec<MessagePart<'_>>,
) -> Result<Vec<u8>, String> {
    parts.sort_by_key(|part| part.number);
    // A part may have been posted twice.
    parts.dedup_by_key(|part| part.number);
    let Some(first) = parts.first() else {
        return Err("no parts found".to_owned());
    };
    if parts.iter().any(|part| part.id != first.id) {
        return Err("the parts belong to different messages".to_owned());
    }
    let mut numbered = (1..).zip(&parts);
    if let Some((missing, _)) = numbered.find(|(number, part)| part.number != *number) {
        return Err(format!("part {missing} is missing"));
    }
    let total = parts.iter().find_map(|part| part.total);
    if let Some(total) = total.filter(|total| *total != parts.len() as u64) {
        return Err(format!("{} of {total} parts", parts.len()));
    }
    let body = parts.iter().map(|part| part.body).collect::<Vec<_>>();
    let body = body.concat();
    let (inside, text) = split(&body);
    let outer = unfolded(first.head);
    let inner = unfolded(inside);
    let outer = outer.iter().filter(|(name, _)| !is_of_content(name));
    let inner = inner.iter().filter(|(name, _)| is_of_content(name));
    let mut message = Vec::with_capacity(body.len());
    for (name, value) in outer.chain(inner) {
        for octets in [name.as_slice(), b": ", value, b"\r\n"] {
            message.extend_from_slice(octets);
        }
    }
    message.extend_from_slice(b"\r\n");
    message.extend_from_slice(text);
    Ok(message)
}

/// Returns true for a field that says what is in a message.
fn is_of_content(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let others: [&[u8]; 4] = [b"subject", b"message-id", b"encrypted", b"mime-version"];
    name.starts_with(b"content-") || others.contains(&name.as_slice())
}

/// Returns the only file of a message; `None` if it has none, or several.
///
/// # Errors
/// A sentence: the fault of the file.
pub(in crate::document) fn only_file(message: &[u8]) -> Result<Option<Attachment>, String> {
    let charsets = TextCharsets {
        undeclared: Charset::default(),
        declared: DeclaredCharsets::Applied,
    };
    let files = parts(message, charsets)
        .into_iter()
        .filter_map(|part| match part {
            Part::Attachment(file) => Some(file),
            Part::Text { .. } | Part::Html(_) | Part::Remark(_) => None,
        });
    let mut files: Vec<Attachment> = files.collect();
    match (files.pop(), files.is_empty()) {
        (Some(file), true) => match file.fault {
            Some(fault) => Err(fault),
            None => Ok(Some(file)),
        },
        (_, _) => Ok(None),
    }
}
