//! The values of cookies in the head of an answer: an archive is for others to read, and with the value of a cookie
//! they could take over the session.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::record::{MAX_HEAD_BYTES, head_bytes};

/// Overwrites the values of cookies in an answer of HTTP with asterisks (RFC 6265, section 4.1). Names and attributes
/// stay, and so does each length.
///
/// # Errors
/// Errors of the system.
pub(super) fn mask_cookies(received: &mut (impl Read + Write + Seek)) -> io::Result<()> {
    let mut octets = Vec::new();
    received.seek(SeekFrom::Start(0))?;
    let mut start = Read::by_ref(received).take(MAX_HEAD_BYTES as u64);
    start.read_to_end(&mut octets)?;
    for value in values(&octets) {
        received.seek(SeekFrom::Start(value.start as u64))?;
        received.write_all(&vec![b'*'; value.len()])?;
    }
    Ok(())
}

/// Returns where the values stand in the heads at the start of an answer: an interim one (`103 Early Hints`) comes
/// before the last one.
fn values(octets: &[u8]) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let mut at = 0;
    while let Some(rest) = octets.get(at..).filter(|rest| rest.starts_with(b"HTTP/")) {
        let length = head_bytes(rest);
        let head = rest.get(..length).unwrap_or(rest);
        values.extend(values_of_head(head).map(|value| value.start + at..value.end + at));
        let code = head.split(|octet| *octet == b' ').nth(1);
        if code.is_none_or(|code| !code.starts_with(b"1")) {
            break;
        }
        at += length;
    }
    values
}

fn values_of_head(head: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let mut is_cookie = false;
    let lines = head.split_inclusive(|octet| *octet == b'\n');
    lines.filter_map(move |line| {
        let start = at;
        at += line.len();
        // A folded line belongs to the field above it.
        let is_folded = line.starts_with(b" ") || line.starts_with(b"\t");
        let before = if is_folded { 0 } else { value_start(line) };
        is_cookie = is_cookie && is_folded || before > 0;
        let value = line.get(before..)?;
        let end = value.iter().position(|octet| *octet == b';');
        let value = value.get(..end.unwrap_or(value.len()))?.trim_ascii_end();
        is_cookie.then(|| start + before..start + before + value.len())
    })
}

/// Returns the start of the value in the line of a cookie, behind its name if it has one; 0 in another line.
fn value_start(line: &[u8]) -> usize {
    let Some(colon) = line.iter().position(|octet| *octet == b':') else {
        return 0;
    };
    let (name, cookie) = line.split_at(colon);
    if !name.trim_ascii().eq_ignore_ascii_case(b"set-cookie") {
        return 0;
    }
    let ends_name = cookie.iter().position(|octet| matches!(octet, b'=' | b';'));
    let is_named = ends_name.filter(|at| cookie.get(*at) == Some(&b'='));
    colon + is_named.unwrap_or(0) + 1
}
