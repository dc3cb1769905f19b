//! The part of a binary in one article, undecoded by MIME: yEnc with its position, and the lines of uuencode.

use super::encoded::{crc32_in, first_line, number, uu, uu_line, yenc};
use super::mime::split;
use crate::document::raw::without_line_end;

/// A part of a yEnc file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::document) struct EncodedPart {
    pub(in crate::document) name: Vec<u8>,
    pub(in crate::document) octets: Vec<u8>,
    /// The size of the whole file, in octets.
    pub(in crate::document) size: u64,
    /// The position of the first octet in the file, from 1.
    pub(in crate::document) begin: u64,
    /// True if the part states its CRC-32.
    pub(in crate::document) has_checksum: bool,
    /// The CRC-32 of the whole file, if the part states it.
    pub(in crate::document) whole_crc32: Option<u32>,
    /// A description of the first error.
    pub(in crate::document) fault: Option<String>,
}

/// The yEnc part in an article; nothing where it has none.
pub(in crate::document) fn yenc_part(article: &[u8]) -> Option<EncodedPart> {
    let (_, body) = split(article);
    let mut at = 0;
    loop {
        let rest = body.get(at..).filter(|rest| !rest.is_empty())?;
        let line = first_line(rest);
        let Some((file, used)) = yenc(rest) else {
            at += line.len();
            continue;
        };
        let taken = rest.get(..used).unwrap_or_default();
        let head = without_line_end(line);
        let range = taken.get(line.len()..).map(first_line).unwrap_or_default();
        let range = range.strip_prefix(b"=ypart ").unwrap_or_default();
        let last = memchr::memmem::rfind(taken, b"\n=yend ").and_then(|at| taken.get(at + 1..));
        let last = last.map(first_line).unwrap_or_default();
        let part_crc = crc32_in(last, b"pcrc32=");
        let whole_crc32 = crc32_in(last, b" crc32=");
        return Some(EncodedPart {
            name: file.name,
            octets: file.octets,
            size: number(head, b"size=").unwrap_or_default(),
            begin: number(range, b"begin=").unwrap_or(1),
            has_checksum: part_crc.is_some(),
            whole_crc32,
            fault: file.fault,
        });
    }
}

/// Joins the uuencoded lines of articles. Returns the name and the octets of the file.
///
/// # Errors
/// A sentence: what is missing.
pub(in crate::document) fn joined_uu(articles: &[Vec<u8>]) -> Result<(Vec<u8>, Vec<u8>), String> {
    let mut joined: Vec<u8> = Vec::new();
    for article in articles {
        let (_, body) = split(article);
        let lines: Vec<&[u8]> = body
            .split(|&octet| octet == b'\n')
            .map(without_line_end)
            .collect();
        let opening = lines.iter().position(|line| line.starts_with(b"begin "));
        let start = match opening.filter(|_| joined.is_empty()) {
            Some(at) => at,
            None if joined.is_empty() => return Err("no part starts a file".to_owned()),
            None => lines
                .iter()
                .enumerate()
                .position(|(at, line)| {
                    is_data(line) && (line.starts_with(b"M") || ends(&lines, at))
                })
                .unwrap_or(lines.len()),
        };
        let data = lines.iter().enumerate().skip(start);
        let data = data.take_while(|(at, line)| {
            *at == start || is_data(line) || is_end(line) || matches!(**line, b"`" | b" ")
        });
        for (_, line) in data {
            joined.extend_from_slice(line);
            joined.push(b'\n');
        }
    }
    if joined.is_empty() {
        return Err("no part starts a file".to_owned());
    }
    let (file, _) = uu(&joined).ok_or("no part starts a file")?;
    match file.fault {
        Some(fault) => Err(fault),
        None => Ok((file.name, file.octets)),
    }
}

/// Returns true if a line is a full line of uuencode with data.
fn is_data(line: &[u8]) -> bool {
    let length = line.first().map_or(0, |octet| octet.wrapping_sub(b' '));
    let expected = 1 + usize::from(length).div_ceil(3) * 4;
    (1..=63).contains(&length)
        && (expected..=expected + 2).contains(&line.len())
        && uu_line(line, &mut Vec::new()).is_some()
}

fn is_end(line: &[u8]) -> bool {
    line.trim_ascii_end() == b"end"
}

/// Returns true if the file ends within the lines that follow.
fn ends(lines: &[&[u8]], at: usize) -> bool {
    lines.iter().skip(at + 1).take(3).any(|line| is_end(line))
}
