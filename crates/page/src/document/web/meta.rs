//! The charset declared at the beginning of a page.
//!
//! ```text
//! <meta charset="koi8-r">
//! <meta http-equiv="Content-Type" content="text/html; charset=koi8-r">
//! <?xml version="1.0" encoding="koi8-r"?>
//! ```

use geomys_wire::text::Charset;

use crate::document::raw::LineBuffer;

/// The number of octets that are searched for the declaration: more than the 1024 that HTML requires.
const HEAD: usize = 4096;

/// The charset declared at the beginning of a page; nothing where there is none or it is not supported.
pub(in crate::document) fn charset(raw: &LineBuffer) -> Option<Charset> {
    let mut head = raw.beginning(HEAD);
    match head.as_slice() {
        [0xfe, 0xff, ..] => return Charset::named("utf-16be"),
        [0xff, 0xfe, ..] => return Charset::named("utf-16le"),
        _ => {}
    }
    head.make_ascii_lowercase();
    let declared = |start: &[u8], name: &[u8]| {
        let mut starts = memchr::memmem::find_iter(&head, start);
        starts.find_map(|at| {
            let rest = head.get(at..)?;
            let tag = rest.get(..memchr::memchr(b'>', rest)?)?;
            let value = tag.get(memchr::memmem::find(tag, name)? + name.len()..)?;
            label(value)
        })
    };
    let found = declared(b"<meta", b"charset").or_else(|| declared(b"<?xml", b"encoding"))?;
    // A declaration that is readable as ASCII cannot be in UTF-16.
    let found = if found.name().starts_with("UTF-16") {
        Charset::named("utf-8")?
    } else {
        found
    };
    Some(found)
}

/// Parses the charset behind an equals sign.
fn label(value: &[u8]) -> Option<Charset> {
    let value = value.trim_ascii_start().strip_prefix(b"=")?;
    let value = value.trim_ascii_start();
    let value = value
        .strip_prefix(b"\"")
        .or(value.strip_prefix(b"'"))
        .unwrap_or(value);
    let is_end = |octet: &u8| matches!(octet, b'"' | b'\'' | b';' | b'/' | b'?') || *octet <= b' ';
    let end = value.iter().position(is_end).unwrap_or(value.len());
    Charset::named(std::str::from_utf8(value.get(..end)?).ok()?)
}
