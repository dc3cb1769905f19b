//! Gopher+ attributes of an item (Gopher+, section 2.5 and appendix I): the data of a reply to `!` or `$`.
//!
//! ```text
//! attributes = *item
//! item       = info *block
//! info       = "+INFO" [ ":" ] SP descriptor CR LF
//! block      = "+" name [ ":" ] [ SP descriptor / SP value ] CR LF *( SP line CR LF )
//! ADMIN line = name ":" text [ "<" YYYYMMDDhhmmss ">" / "<" address ">" ]
//! VIEWS line = type "/" subtype [ SP language ] ":" [ SP "<" size ">" ] [ comment ]
//! ```
//!
//! Names are compared ignoring case. The colon after a name, the space after the colon, and the space before a line may
//! be missing, and more spaces may follow. A value may be on the header line or below it. Unknown blocks are preserved.
//! Octets before the first block and a lone dot at the end belong to no item. Left out: checks that +INFO, +ADMIN and
//! their mandatory fields exist. Parsing never fails.

use super::{Item, item, without_final_dot};
use crate::protocol::octets::{lines, number, split_before, split_once};

/// Returns the items of a reply: one for `!`, any number for `$`. Each begins at its +INFO; the first may lack it.
pub fn items(data: &[u8]) -> impl Iterator<Item = Attributes<'_>> {
    let mut rest = data;
    std::iter::from_fn(move || {
        let (_, start) = split(rest, |line| line.starts_with(b"+"))?;
        let (header, below) = first_line(start)?;
        let end = match split(below, is_info) {
            Some((own, _)) => header + own.len(),
            None => start.len(),
        };
        let (own, next) = start.split_at_checked(end)?;
        rest = next;
        Some(Attributes(own))
    })
}

/// The attributes of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes<'a>(&'a [u8]);

impl<'a> Attributes<'a> {
    /// Returns the octets of all blocks.
    pub fn octets(&self) -> &'a [u8] {
        self.0
    }

    /// Returns all blocks in order, including unknown ones.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'a>> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (header, below) = first_line(rest)?;
            let (body, next) =
                split(below, |line| line.starts_with(b"+")).unwrap_or((below, b"".as_slice()));
            let line = rest.get(..header)?;
            rest = next;
            Some(Block::new(line, body))
        })
    }

    /// Returns the first block with this name, given without its `+`.
    pub fn block(&self, name: &[u8]) -> Option<Block<'a>> {
        self.blocks()
            .find(|block| block.name.eq_ignore_ascii_case(name))
    }

    /// Returns the item itself: +INFO.
    pub fn info(&self) -> Option<Item<'a>> {
        self.block(b"INFO")?.descriptor()
    }
}

/// A block of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// The name as written, without the `+`: `ADMIN`.
    pub name: &'a [u8],
    /// The rest of the header line, trimmed: usually empty.
    pub value: &'a [u8],
    /// The lines below the header line, as received.
    pub body: &'a [u8],
}

impl<'a> Block<'a> {
    /// Parses a block; `header` is a line with its line end.
    fn new(header: &'a [u8], body: &'a [u8]) -> Self {
        let line = lines(header).next().unwrap_or_default();
        let line = line.strip_prefix(b"+").unwrap_or(line);
        let (name, value) = split_before(line, |octet| matches!(octet, b':' | b' ' | b'\t'));
        let value = value.strip_prefix(b":").unwrap_or(value);
        Self {
            name,
            value: without_spaces(value),
            body,
        }
    }

    /// Returns the lines below the header line, without the leading space and the line end.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let body = without_final_dot(self.body);
        let some = !body.is_empty();
        let body = body.strip_suffix(b"\n").unwrap_or(body);
        lines(body)
            .filter(move |_| some)
            .map(|line| line.strip_prefix(b" ").unwrap_or(line))
    }

    /// Returns the item on the header line: for +INFO the item itself, for others an item with the content of the
    /// block.
    pub fn descriptor(&self) -> Option<Item<'a>> {
        item(self.value)
    }
}

/// A field of +ADMIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// The name; empty if the line has none.
    pub name: &'a [u8],
    /// The rest of the line as written.
    pub value: &'a [u8],
}

impl<'a> Field<'a> {
    /// Parses a line of +ADMIN, without its leading space.
    pub fn parse(line: &'a [u8]) -> Self {
        let (name, value) = split_once(line, b':').unwrap_or((b"", line));
        Self {
            name: name.trim_ascii(),
            value: value.trim_ascii(),
        }
    }

    /// Returns the text in angle brackets: an address, or a date as `YYYYMMDDhhmmss`.
    pub fn bracketed(&self) -> Option<&'a [u8]> {
        let open = memchr::memrchr(b'<', self.value)?;
        let rest = self.value.get(open + 1..)?;
        rest.get(..memchr::memchr(b'>', rest)?)
    }
}

/// A view: one of the representations of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View<'a> {
    /// The name for a request, after a `+`: type and language as the server writes them.
    pub name: &'a [u8],
    /// The MIME type, as written.
    pub mime: &'a [u8],
    /// The language, as written: `De_DE`.
    pub language: Option<&'a [u8]>,
    /// The size, as written: `10k`.
    pub size: Option<&'a [u8]>,
    /// The text after the size.
    pub comment: &'a [u8],
}

impl<'a> View<'a> {
    /// Parses a line of +VIEWS; `None` for a blank line.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let (name, rest) =
            split_once(line, b':').unwrap_or_else(|| split_before(line, |octet| octet == b'<'));
        let name = name.trim_ascii();
        if name.is_empty() {
            return None;
        }
        let (mime, language) = split_once(name, b' ').unwrap_or((name, b""));
        let language = language.trim_ascii();
        let sized = split_once(rest, b'<').and_then(|(_, sized)| split_once(sized, b'>'));
        let (size, comment) = match sized {
            Some((size, comment)) => (Some(size.trim_ascii()), comment),
            None => (None, rest),
        };
        Some(Self {
            name,
            mime,
            language: Some(language).filter(|language| !language.is_empty()),
            size,
            comment: comment.trim_ascii(),
        })
    }

    /// Returns the size in octets: an estimate of the server, where `k` means 1024.
    pub fn octets(&self) -> Option<u64> {
        let size = self.size?;
        let (digits, unit) = split_before(size, |octet| !octet.is_ascii_digit() && octet != b'.');
        let unit: u64 = match unit.trim_ascii().to_ascii_lowercase().as_slice() {
            b"" | b"b" | b"bytes" => 1,
            b"k" | b"kb" => 1 << 10,
            b"m" | b"mb" => 1 << 20,
            b"g" | b"gb" => 1 << 30,
            _ => return None,
        };
        let (whole, part) = split_once(digits, b'.').unwrap_or((digits, b""));
        if whole.is_empty() && part.is_empty() {
            return None;
        }
        // Three digits of the fraction are exact enough for an estimate.
        let part = part.get(..3).unwrap_or(part);
        let scale = 10_u64.checked_pow(u32::try_from(part.len()).ok()?)?;
        let fraction = number_of(part)?.checked_mul(unit)? / scale;
        number_of(whole)?.checked_mul(unit)?.checked_add(fraction)
    }
}

/// Parses digits as a number; no digits are 0.
fn number_of(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        Some(0)
    } else {
        number(digits)
    }
}

fn is_info(line: &[u8]) -> bool {
    line.get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"+INFO"))
        && !line.get(5).is_some_and(u8::is_ascii_alphanumeric)
}

/// Returns the length of the first line with its line end, and the rest; `None` for empty octets.
fn first_line(octets: &[u8]) -> Option<(usize, &[u8])> {
    if octets.is_empty() {
        return None;
    }
    let end = memchr::memchr(b'\n', octets).map_or(octets.len(), |at| at + 1);
    Some((end, octets.get(end..)?))
}

/// Splits before the first line for which `is` returns true.
fn split(octets: &[u8], is: impl Fn(&[u8]) -> bool) -> Option<(&[u8], &[u8])> {
    let mut at = 0;
    for line in octets.split_inclusive(|&octet| octet == b'\n') {
        if is(line) {
            return octets.split_at_checked(at);
        }
        at += line.len();
    }
    None
}

/// Trims spaces at both ends. A TAB there marks an empty field and stays.
fn without_spaces(mut text: &[u8]) -> &[u8] {
    while let [b' ', rest @ ..] | [rest @ .., b' '] = text {
        text = rest;
    }
    text
}
