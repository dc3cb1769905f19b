//! Content detection by the first octets, for when neither the protocol nor a name gives the type.

/// The octets of a file that are examined to tell text from binary data, when that many arrive.
pub(super) const SAMPLE: usize = 512;

/// Returns true if the beginning of a file looks like text: it has no NUL, and almost no control characters that texts
/// do not use.
pub(super) fn is_text(head: &[u8]) -> bool {
    let odd = head.iter().filter(|&&octet| {
        octet < b' ' && !matches!(octet, b'\t' | b'\n' | b'\r' | 8 | 12 | 26 | 27)
    });
    memchr::memchr(0, head).is_none() && odd.count() * 32 <= head.len()
}

/// Returns true if a text begins like an HTML page.
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

/// Returns true if a text begins like a feed: RSS, Atom, or RSS 1.0 in RDF.
pub(super) fn looks_like_feed(start: &[u8]) -> bool {
    let elements = memchr::memchr_iter(b'<', start).filter_map(|at| start.get(at + 1..));
    let mut elements = elements.filter(|rest| rest.first().is_some_and(u8::is_ascii_alphabetic));
    elements.next().is_some_and(|root| {
        ["rss", "feed", "rdf:RDF"].iter().any(|name| {
            let after = root.strip_prefix(name.as_bytes());
            after.is_some_and(|after| {
                matches!(after.first(), Some(b'>' | b' ' | b'\t' | b'\r' | b'\n'))
            })
        })
    })
}
