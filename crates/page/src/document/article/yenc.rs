//! yEnc (draft 1.3): a file, or a part of one, in a text.
//!
//! ```text
//! yenc  = "=ybegin " [ "part=" n SP [ "total=" n SP ] ] "line=" n SP "size=" n SP "name=" name EOL
//!         [ "=ypart begin=" n SP "end=" n EOL ] *( char EOL ) "=yend size=" n *( SP keyword "=" value ) EOL
//! ```
//!
//! Of a malformed file the octets before the error are decoded, and the fault is described. Names are octets and are
//! not valid paths: the code that saves a file must make a safe name.

use flate2::Crc;
use geomys_wire::protocol::octets;

use super::head::split;
use super::mime::Attachment;
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

/// The first line, with its line end.
pub(super) fn first_line(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1);
    text.get(..end).unwrap_or(text)
}

/// Decodes the yEnc file, or part of one, at the start of `text`. Returns it with the number of octets of `text` that
/// it takes.
pub(super) fn yenc(text: &[u8]) -> Option<(Attachment, usize)> {
    let opening = first_line(text);
    let head = without_line_end(opening).strip_prefix(b"=ybegin ")?;
    let at = memchr::memmem::find(head, b"name=")?;
    let name = head.get(at + 5..)?.trim_ascii();
    let head = head.get(..at)?;
    let size = number(head, b"size=")?;
    let part = number(head, b"part=");
    let total = number(head, b"total=");
    let mut octets = Vec::new();
    let mut used = opening.len();
    let mut fault = Some("its end is missing".to_owned());
    let mut expected = size;
    for line in text.get(used..)?.split_inclusive(|&octet| octet == b'\n') {
        let content = without_line_end(line);
        used += line.len();
        if let Some(range) = content.strip_prefix(b"=ypart ") {
            let (begin, end) = (number(range, b"begin="), number(range, b"end="));
            if let (Some(begin), Some(end)) = (begin, end) {
                expected = end.saturating_sub(begin).saturating_add(1);
            }
        } else if let Some(end) = content.strip_prefix(b"=yend ") {
            fault = yenc_fault(end, part.is_some(), expected, &octets);
            break;
        } else {
            yenc_line(content, &mut octets);
        }
    }
    let kind = match (part, total) {
        (Some(part), Some(total)) => format!("yEnc, part {part} of {total}"),
        (Some(part), None) => format!("yEnc, part {part}"),
        (None, _) => "yEnc".to_owned(),
    };
    let file = Attachment {
        name: name.to_vec(),
        kind,
        octets,
        fault,
    };
    Some((file, used))
}

fn yenc_line(line: &[u8], octets: &mut Vec<u8>) {
    let mut line = line.iter();
    while let Some(&octet) = line.next() {
        let octet = match octet {
            b'=' => match line.next() {
                Some(escaped) => escaped.wrapping_sub(64),
                None => return,
            },
            plain => plain,
        };
        octets.push(octet.wrapping_sub(42));
    }
}

/// Compares the octets with the size and checksum in the `=yend` line. Returns a description of a mismatch.
fn yenc_fault(end: &[u8], is_part: bool, expected: u64, octets: &[u8]) -> Option<String> {
    let length = octets.len() as u64;
    if length != expected || number(end, b"size=").is_some_and(|size| size != length) {
        return Some(format!("{length} of {expected} bytes"));
    }
    let key: &[u8] = if is_part { b"pcrc32=" } else { b" crc32=" };
    let checksum = crc32_in(end, key)?;
    (crc32(octets) != checksum).then(|| "checksum mismatch".to_owned())
}

/// The CRC-32 behind a keyword in a `=yend` line.
pub(super) fn crc32_in(end: &[u8], key: &[u8]) -> Option<u32> {
    let at = memchr::memmem::find(end, key)?;
    let digits = end.get(at + key.len()..)?;
    let digits = digits.split(|octet| !octet.is_ascii_hexdigit()).next()?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The number behind a keyword.
pub(super) fn number(text: &[u8], keyword: &[u8]) -> Option<u64> {
    let at = memchr::memmem::find_iter(text, keyword).find(|at| {
        at.checked_sub(1)
            .is_none_or(|before| text.get(before) == Some(&b' '))
    })?;
    let digits = text.get(at + keyword.len()..)?;
    let digits = digits.split(|octet| !octet.is_ascii_digit()).next()?;
    octets::number(digits)
}

/// CRC-32 of ISO 3309, as in zip.
pub(in crate::document) fn crc32(octets: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(octets);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn checksums_are_those_of_zip() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn malformed_file_is_reported_and_decoded_partly() {
        let fault = |text: &[u8]| yenc(text).unwrap().0.fault;
        let mut text = yencoded(b"Hello there");
        let at = text
            .iter()
            .position(|&octet| octet == b'r'.wrapping_add(42));
        text[at.unwrap()] = b'x';
        assert_eq!(fault(&text).as_deref(), Some("checksum mismatch"));
        let short = b"=ybegin part=2 total=3 line=128 size=99 name=a\r\n=ypart begin=11 end=20\r\n\x8b\r\n=yend size=10 part=2\r\n";
        let short = yenc(short).unwrap().0;
        assert_eq!(short.kind, "yEnc, part 2 of 3");
        assert_eq!(short.fault.as_deref(), Some("1 of 10 bytes"));
    }

    proptest! {
        #[test]
        fn file_comes_out_as_it_went_in(octets in prop::collection::vec(any::<u8>(), 1..600)) {
            let text = yencoded(&octets);
            let (file, used) = yenc(&text).unwrap();
            prop_assert_eq!((&file.octets, file.fault, used), (&octets, None, text.len()));
        }
    }

    fn yencoded(octets: &[u8]) -> Vec<u8> {
        let mut text =
            format!("=ybegin line=128 size={} name=a b.bin\r\n", octets.len()).into_bytes();
        for line in octets.chunks(128) {
            for octet in line {
                match octet.wrapping_add(42) {
                    odd @ (0 | b'\n' | b'\r' | b'=' | b'.' | b' ') => {
                        text.extend([b'=', odd.wrapping_add(64)]);
                    }
                    plain => text.push(plain),
                }
            }
            text.extend_from_slice(b"\r\n");
        }
        let crc = crc32(octets);
        text.extend(format!("=yend size={} crc32={crc:08x}\r\n", octets.len()).into_bytes());
        text
    }
}
