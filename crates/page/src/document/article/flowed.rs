//! Conversion of flowed text to paragraphs (RFC 3676, section 4).
//!
//! ```text
//! flowed-line = *">" [ SP ] text SP CRLF         ; ends with a blank, continues in the next line
//! fixed-line  = *">" [ SP ] text CRLF            ; ends a paragraph; so does a change of depth
//! sig-sep     = *">" [ SP ] "-- " CRLF           ; never flowed
//! ```

use crate::document::raw::without_line_end;

/// The maximum length of a paragraph, in octets. A longer one is split, so that a row can show all of it.
const PARAGRAPH: usize = 32 * 1024;

/// Joins each paragraph of `text` to one line. Quoted lines begin with one `>` per level and a blank. With `delsp` the
/// blank at the end of a flowed line is removed.
pub(super) fn unflow(text: &[u8], delsp: bool) -> Vec<u8> {
    let mut paragraphs = Vec::with_capacity(text.len());
    let mut open: Option<usize> = None;
    let mut start = 0;
    for line in text.split_inclusive(|&octet| octet == b'\n') {
        let line = without_line_end(line);
        let depth = line.iter().take_while(|&&octet| octet == b'>').count();
        let content = line.get(depth..).unwrap_or_default();
        let content = content.strip_prefix(b" ").unwrap_or(content);
        let is_signature = content == b"-- ";
        if open.is_some()
            && (open != Some(depth) || is_signature || paragraphs.len() - start > PARAGRAPH)
        {
            paragraphs.push(b'\n');
            open = None;
        }
        if open.is_none() {
            start = paragraphs.len();
            if depth > 0 {
                paragraphs.extend(std::iter::repeat_n(b'>', depth));
                paragraphs.push(b' ');
            }
        }
        let before_blank = content.strip_suffix(b" ").filter(|_| !is_signature);
        paragraphs.extend_from_slice(before_blank.filter(|_| delsp).unwrap_or(content));
        open = before_blank.map(|_| depth);
        if open.is_none() {
            paragraphs.push(b'\n');
        }
    }
    if open.is_some() {
        paragraphs.push(b'\n');
    }
    paragraphs
}
