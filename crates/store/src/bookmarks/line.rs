//! Parsing and formatting of one line of the file.

use std::fmt;

use geomys_wire::text::{Charset, Text};
use rfc1738::{Dialect, ParseError, Url, encoded, parse_or_repair};

/// Parts of a bookmark line, without its line end. They may hold a password.
#[derive(Clone, Copy, Default)]
pub struct LineParts<'a> {
    /// Title, with the white space around it.
    pub(super) before: &'a [u8],
    /// `<URL:…>`; the closing bracket may be missing.
    pub(super) wrapped: &'a [u8],
    /// Tags and other words.
    pub(super) rest: &'a [u8],
}

impl<'a> LineParts<'a> {
    /// Splits a line; `None` if there is no URL in it.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        let start = memchr::memchr_iter(b'<', line).find(|&at| {
            line.get(at + 1..at + 5)
                .is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"URL:"))
        })?;
        let (before, from) = line.split_at_checked(start)?;
        let end = memchr::memchr(b'>', from).map_or(from.len(), |at| at + 1);
        let (wrapped, rest) = from.split_at_checked(end)?;
        Some(Self {
            before,
            wrapped,
            rest,
        })
    }

    /// Returns the octets of the URL, without the white space around it.
    pub(super) fn url_octets(&self) -> &'a [u8] {
        let inside = self.wrapped.get(b"<URL:".len()..).unwrap_or_default();
        let inside = inside.strip_suffix(b">").unwrap_or(inside);
        inside.trim_ascii()
    }

    /// Returns the title; empty if the line has none.
    pub fn title(&self) -> Text {
        text(self.before.trim_ascii())
    }

    /// Returns the URL as written in the file.
    pub fn url_text(&self) -> Text {
        text(self.url_octets())
    }

    /// Parses the URL.
    ///
    /// # Errors
    /// The URL's [`ParseError`].
    pub fn url(&self) -> Result<Url, ParseError> {
        Dialect::ExtendedByBase.parse(self.url_octets())
    }

    /// Parses the URL, and repairs its faults if possible: the URL that is opened and checked.
    ///
    /// # Errors
    /// The URL's [`ParseError`].
    pub fn repaired_url(&self) -> Result<Url, ParseError> {
        self.url()
            .or_else(|error| parse_or_repair(self.url_text().as_str()).map_err(|_| error))
    }

    /// Returns the octets of the tags, without the `#`.
    pub(super) fn tag_octets(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        words(self.rest).filter_map(tag)
    }

    /// Returns the tags, without the `#`.
    pub fn tags(&self) -> Vec<Text> {
        self.tag_octets().map(text).collect()
    }

    /// Returns the tags, with the `#`.
    pub(super) fn marked_tags(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        words(self.rest).filter(|word| tag(word).is_some())
    }
}

/// Shows only lengths.
impl fmt::Debug for LineParts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("before", &self.before.len())
            .field("wrapped", &self.wrapped.len())
            .field("rest", &self.rest.len())
            .finish()
    }
}

/// Decodes octets of the file.
pub(super) fn text(octets: &[u8]) -> Text {
    Text::new(octets, Charset::default())
}

/// Decodes lines of notes, each without the indentation that all of them share and without the white space at its end.
pub(super) fn notes(lines: &[u8]) -> Vec<Text> {
    let shared = shared_indentation(split(lines));
    let lines = split(lines).map(|line| line.trim_ascii_end().get(shared..).unwrap_or_default());
    lines.map(text).collect()
}

/// Returns the lines of a note, without the indentation that all of them share, without white space at their ends, and
/// without blank lines around them.
pub(super) fn note_lines(note: &str) -> Vec<String> {
    let note = note.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<Text> = note.split('\n').map(Text::of).collect();
    let shared = shared_indentation(lines.iter().map(|line| line.as_str().as_bytes()));
    let lines = lines
        .iter()
        .map(|line| line.as_str().get(shared..).unwrap_or_default().trim_end());
    let lines = lines.skip_while(|line| line.is_empty());
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    while lines.pop_if(|line| line.is_empty()).is_some() {}
    lines
}

/// Returns the length of the white space that all lines begin with, except the blank ones.
fn shared_indentation<'a>(lines: impl Iterator<Item = &'a [u8]>) -> usize {
    let lines = lines.filter(|line| !is_blank(line));
    let indentations = lines.map(|line| {
        let end = line.len() - line.trim_ascii_start().len();
        line.get(..end).unwrap_or_default()
    });
    let shared = indentations.reduce(|one, other| {
        let same = one
            .iter()
            .zip(other)
            .take_while(|(one, other)| one == other);
        one.get(..same.count()).unwrap_or_default()
    });
    shared.map_or(0, <[u8]>::len)
}

/// Splits octets at white space.
pub(super) fn words(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    octets
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

/// Returns a tag without its `#`; `None` if the word is not a tag.
pub(super) fn tag(word: &[u8]) -> Option<&[u8]> {
    word.strip_prefix(b"#").filter(|tag| !tag.is_empty())
}

/// The byte order mark that some editors write at the start of a file. It is no part of the first line.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the depth and the name of a heading.
pub(super) fn heading(line: &[u8]) -> Option<(usize, &[u8])> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let depth = line.iter().take_while(|&&octet| octet == b'#').count();
    let name = line.get(depth..)?.strip_prefix(b" ")?.trim_ascii();
    (depth > 0 && !name.is_empty()).then_some((depth, name))
}

/// Returns the name of a heading of a known depth, without counting its `#`.
pub(super) fn heading_name(line: &[u8], depth: usize) -> &[u8] {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    line.get(depth..).unwrap_or_default().trim_ascii()
}

/// Returns true if a line is a note when it is below a bookmark.
pub(super) fn is_indented(line: &[u8]) -> bool {
    line.starts_with(b"  ")
}

/// Returns true if a line is blank.
pub(super) fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

/// Returns a line without its line end.
pub(super) fn trim_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the line end of a line.
pub(super) fn end_of(line: &[u8]) -> &[u8] {
    line.get(trim_end(line).len()..).unwrap_or_default()
}

/// Splits off the first line, with its line end.
pub(super) fn split_first(octets: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr(b'\n', octets).map_or(octets.len(), |at| at + 1);
    octets.split_at_checked(end).unwrap_or((octets, &[]))
}

/// Splits octets into lines, each with its line end.
pub(super) fn split(octets: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    octets.split_inclusive(|&octet| octet == b'\n')
}

/// Converts a title or a name so that it fits on a line: joins lines, and replaces the bracket of `<URL:`.
pub(super) fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut pieces = line.split('<');
    let mut safe = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let opens = piece
            .get(..4)
            .is_some_and(|prefix| prefix.eq_ignore_ascii_case("URL:"));
        safe.push(if opens { '(' } else { '<' });
        safe.push_str(piece);
    }
    safe
}

/// Encodes the unsafe characters of a URL.
pub(super) fn encode(url: &str, is_unsafe: impl Fn(char) -> bool) -> String {
    let mut safe = String::with_capacity(url.len());
    for c in url.chars() {
        if is_unsafe(c) {
            safe.push_str(&encoded(c.encode_utf8(&mut [0; 4]).as_bytes()));
        } else {
            safe.push(c);
        }
    }
    safe
}
