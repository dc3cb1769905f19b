//! Text that comes in parts: the pieces of it that can be searched for URLs while it is read.

use super::mail::{MAX_BRACKET_BYTES, is_line_start, is_quoted};

/// Text that comes in parts, as from a pipe. It gives back pieces that no URL crosses, so that
/// [`links_in_text`](super::links_in_text) finds in them what it finds in the whole text.
///
/// At most [`LinkPieces::MAX_BYTES`] are held, and what was pushed last: a line without an end is cut between two
/// words, and a `<URL:` that nothing closes is not waited for.
///
/// ```
/// use rfc1738::{LinkPieces, links_in_text};
///
/// let mut pieces = LinkPieces::default();
/// let mut found = Vec::new();
/// for part in ["see <URL:http://h.exa", "mple/>\nand news:a", ".b"] {
///     pieces.push(part.as_bytes());
///     let piece = pieces.next_piece();
///     found.extend(links_in_text(&piece).map(|link| link.url_text.into_owned()));
/// }
/// let rest = pieces.into_rest();
/// found.extend(links_in_text(&rest).map(|link| link.url_text.into_owned()));
/// assert_eq!(found, ["http://h.example/", "news:a.b"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinkPieces {
    held: Vec<u8>,
}

impl LinkPieces {
    /// The length of a line, and of an open `<URL:`, from which on it is cut, in octets.
    pub const MAX_BYTES: usize = 64 * 1024;

    /// Adds the next part of the text, of any length.
    pub fn push(&mut self, part: &[u8]) {
        self.held.extend_from_slice(part);
    }

    /// Removes and returns the piece that is complete: lines, without one that begins an open `<URL:`. It is empty if
    /// more of the text is needed.
    #[must_use]
    pub fn next_piece(&mut self) -> Vec<u8> {
        let rest = self.held.split_off(self.complete());
        std::mem::replace(&mut self.held, rest)
    }

    /// The last piece, after the end of the text.
    #[must_use]
    pub fn into_rest(self) -> Vec<u8> {
        self.held
    }

    /// The length of the piece that is complete.
    fn complete(&self) -> usize {
        let held = self.held.as_slice();
        let start = |end: usize| held.get(..end).unwrap_or_default();
        let mut end = line_end(held);
        while let Some(open) = open_bracket(start(end)) {
            end = line_end(start(open));
        }
        if end > 0 || held.len() < Self::MAX_BYTES {
            return end;
        }
        let word = held.iter().rposition(u8::is_ascii_whitespace);
        word.map_or(held.len(), |at| at + 1)
    }
}

/// The offset after the last line end; 0 without one.
fn line_end(text: &[u8]) -> usize {
    let last = text.iter().rposition(|octet| *octet == b'\n');
    last.map_or(0, |at| at + 1)
}

/// The offset of a bracket before the name of a scheme that nothing closes yet.
fn open_bracket(lines: &[u8]) -> Option<usize> {
    let open = lines.iter().rposition(|octet| *octet == b'<')?;
    let (before, inside) = (lines.get(..open)?, lines.get(open + 1..)?);
    let is_letter = |octet: &&u8| octet.is_ascii_alphanumeric();
    let name = inside.iter().take_while(is_letter).count();
    let is_name = inside.get(name) == Some(&b':');
    let mut closing = inside
        .iter()
        .enumerate()
        .filter(|(_, octet)| **octet == b'>');
    // The mark of a quotation closes nothing.
    let closes =
        |at: usize| !is_line_start(inside.get(..at).unwrap_or_default()) || !is_quoted(before);
    let is_open = is_name && inside.len() < MAX_BRACKET_BYTES && !closing.any(|(at, _)| closes(at));
    is_open.then_some(open)
}
