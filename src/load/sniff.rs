//! What octets are, by the first of them: where neither a protocol nor a name says it.

/// How much of a file is looked at to tell text from anything else, in octets, when that much comes.
pub(super) const SAMPLE: usize = 512;

/// Whether the beginning of a file looks like text: no NUL, and hardly a control character that no text needs.
pub(super) fn is_text(head: &[u8]) -> bool {
    let odd = head.iter().filter(|&&octet| {
        octet < b' ' && !matches!(octet, b'\t' | b'\n' | b'\r' | 8 | 12 | 26 | 27)
    });
    memchr::memchr(0, head).is_none() && odd.count() * 32 <= head.len()
}

/// Whether a text begins as pages of the Web do.
pub(super) fn looks_like_html(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let start = start.trim_ascii_start().to_ascii_lowercase();
    let begins = [
        b"<!doctype html".as_slice(),
        b"<html",
        b"<head",
        b"<title",
        b"<body",
        b"<h1",
    ];
    begins.iter().any(|begin| start.starts_with(begin))
}
