//! What mail leaves in a text: the marks of quotations, and quoted-printable that was not decoded.

/// The distance in octets within which a closing bracket is searched, so that a stray `<URL:` does not make a long
/// text slow.
///
/// ```
/// use rfc1738::{MAX_BRACKET_BYTES, links_in_text};
///
/// let text = format!("<URL:news:a.b{}>", " ".repeat(MAX_BRACKET_BYTES));
/// // The bracket that closes it is too far away, so the URL ends at the blank.
/// assert_eq!(links_in_text(&text).next().unwrap().range, 1..13);
/// ```
pub const MAX_BRACKET_BYTES: usize = 8192;

/// Returns true if the last line of `before` is a quotation, as in mail: it begins with `>`.
pub(super) fn is_quoted(before: &[u8]) -> bool {
    let start = before.len().saturating_sub(MAX_BRACKET_BYTES);
    let line = before.get(start..).unwrap_or_default();
    let line = line.rsplit(|octet| *octet == b'\n').next().unwrap_or(line);
    line.trim_ascii_start().starts_with(b">")
}

/// Returns true if only blanks and `>` stand between the last line end and the end of a text.
pub(super) fn is_line_start(before: &[u8]) -> bool {
    let line = before
        .iter()
        .rposition(|octet| *octet == b'\n')
        .and_then(|at| before.get(at..));
    line.is_some_and(|line| {
        line.iter()
            .all(|octet| octet.is_ascii_whitespace() || *octet == b'>')
    })
}

/// The octets without the `>` of a quotation at the start of each line but the first.
pub(super) fn without_quote_marks(inside: &[u8]) -> Vec<u8> {
    let mut lines = inside.split(|octet| *octet == b'\n');
    let mut text = lines.next().unwrap_or_default().to_vec();
    for line in lines {
        let is_mark = |octet: &u8| *octet == b'>' || octet.is_ascii_whitespace();
        let marks = line.iter().take_while(|octet| is_mark(octet)).count();
        text.push(b'\n');
        text.extend_from_slice(line.get(marks..).unwrap_or_default());
    }
    text
}

/// Returns true for octets of a mail that was not decoded (RFC 2045, section 6.7): an equals sign is `=3D` there.
pub(super) fn is_quoted_printable(inside: &[u8]) -> bool {
    inside
        .windows(3)
        .any(|part| part.eq_ignore_ascii_case(b"=3D"))
}

/// Decodes quoted-printable: `=XX` is an octet, and an equals sign at the end of a line joins it to the next.
pub(super) fn decoded(inside: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some((octet, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .and_then(|digits| str::from_utf8(digits).ok());
        let code = code.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let code = code.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = match (octet, code, after) {
            (b'=', Some(code), [_, _, below @ ..]) => {
                text.push(code);
                below
            }
            (b'=', _, [b'\r', b'\n', below @ ..] | [b'\n', below @ ..]) => below,
            _ => {
                text.push(*octet);
                after
            }
        };
    }
    text
}
