//! Decoders for files in a text: uuencode, yEnc (yEnc draft 1.3) and tolerant base64.
//!
//! ```text
//! uu    = "begin " 3*4octdigit SP name EOL *( length 60*char EOL ) [ "`" EOL ] "end" EOL
//! yenc  = "=ybegin " [ "part=" n SP [ "total=" n SP ] ] "line=" n SP "size=" n SP "name=" name EOL
//!         [ "=ypart begin=" n SP "end=" n EOL ] *( char EOL ) "=yend size=" n *( SP keyword "=" value ) EOL
//! ```
//!
//! Of a malformed file the octets before the error are decoded, and the fault is described. Names are octets and are not
//! valid paths: the code that saves a file must make a safe name.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};
use flate2::Crc;
use geomys_wire::protocol::octets;

use super::mime::Attachment;
use crate::document::raw::without_line_end;

/// A piece of a text, or a file that it contains.
pub(super) enum TextPiece<'a> {
    Text(&'a [u8]),
    File(Attachment),
}

/// Splits a text into its pieces, in their order.
pub(super) fn pieces(text: &[u8]) -> Vec<TextPiece<'_>> {
    let mut pieces = Vec::new();
    let (mut at, mut plain) = (0, 0);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let line = first_line(rest);
        let found = uu(rest).or_else(|| yenc(rest));
        match found {
            Some((file, used)) => {
                if let Some(before) = text.get(plain..at).filter(|before| !before.is_empty()) {
                    pieces.push(TextPiece::Text(before));
                }
                pieces.push(TextPiece::File(file));
                at += used.max(1);
                plain = at;
            }
            None => at += line.len(),
        }
    }
    if let Some(rest) = text
        .get(plain..)
        .filter(|rest| !rest.is_empty() || pieces.is_empty())
    {
        pieces.push(TextPiece::Text(rest));
    }
    pieces
}

/// The first line, with its line end.
pub(super) fn first_line(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', text).map_or(text.len(), |end| end + 1);
    text.get(..end).unwrap_or(text)
}

/// Decodes the uuencoded file at the start of `text`. Returns it with the number of octets of `text` that it takes.
pub(super) fn uu(text: &[u8]) -> Option<(Attachment, usize)> {
    let opening = first_line(text);
    let head = without_line_end(opening).strip_prefix(b"begin ")?;
    let space = memchr::memchr(b' ', head)?;
    let (mode, name) = head.split_at_checked(space)?;
    let is_mode =
        matches!(mode.len(), 3 | 4) && mode.iter().all(|digit| (b'0'..=b'7').contains(digit));
    if !is_mode || name.len() < 2 {
        return None;
    }
    let mut octets = Vec::new();
    let mut used = opening.len();
    let mut fault = Some("its end is missing".to_owned());
    let mut is_empty = true;
    for (number, line) in text
        .get(used..)?
        .split_inclusive(|&octet| octet == b'\n')
        .enumerate()
    {
        let content = without_line_end(line);
        if content.trim_ascii_end() == b"end" {
            used += line.len();
            fault = None;
            break;
        }
        let is_decoded = uu_line(content, &mut octets).is_some();
        // A sentence may begin with “begin”: only a valid first line makes it a file.
        if !is_decoded && number == 0 {
            return None;
        }
        is_empty &= number > 0 || octets.is_empty();
        if !is_decoded {
            fault = Some(format!("line {} is malformed", number + 1));
            break;
        }
        used += line.len();
    }
    // A sentence may be followed by an empty line. A real empty file has an `end` line.
    if is_empty && fault.is_some() {
        return None;
    }
    let file = Attachment {
        name: name.trim_ascii().to_vec(),
        kind: "uuencoded".to_owned(),
        octets,
        fault,
    };
    Some((file, used))
}

/// Decodes a line of a uuencoded file; returns nothing where it is malformed.
pub(super) fn uu_line(line: &[u8], octets: &mut Vec<u8>) -> Option<()> {
    let value = |octet: u8| {
        (b' '..=b'`')
            .contains(&octet)
            .then(|| (octet - b' ') & 0o77)
    };
    let Some((length, digits)) = line.split_first() else {
        // Trailing blanks may be stripped in transit, and a line of length 0 is one blank.
        return Some(());
    };
    let length = usize::from(value(*length)?);
    let expected = length.div_ceil(3) * 4;
    // Some encoders append a checksum to the line.
    if digits.len() > expected + 2 {
        return None;
    }
    let mut decoded = Vec::with_capacity(length + 2);
    let mut padded = digits.iter().copied().chain(std::iter::repeat(b' '));
    for _ in 0..expected / 4 {
        let mut bits = 0_u32;
        for _ in 0..4 {
            bits = bits << 6 | u32::from(value(padded.next()?)?);
        }
        decoded.extend(bits.to_be_bytes().iter().skip(1));
    }
    decoded.truncate(length);
    octets.extend_from_slice(&decoded);
    Some(())
}

/// Decodes the yEnc file, or part of one, at the start of `text`. Returns it with the number of octets of `text` that it
/// takes.
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

/// Base64 without padding, in which the bits behind the last octet may have any value.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    NO_PAD.with_decode_allow_trailing_bits(true),
);

/// Decodes base64 up to the first error. Returns the octets and a description of the error.
pub(super) fn base64(text: &[u8]) -> (Vec<u8>, Option<String>) {
    let is_digit = |octet: &u8| octet.is_ascii_alphanumeric() || b"+/".contains(octet);
    let is_skipped = |octet: &u8| *octet == b'=' || octet.is_ascii_whitespace();
    let end = text
        .iter()
        .position(|octet| !is_digit(octet) && !is_skipped(octet));
    let text = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    let mut digits: Vec<u8> = text.iter().copied().filter(is_digit).collect();
    let rest = digits.len() % 4;
    if end.is_some() || rest == 1 {
        digits.truncate(digits.len() - rest);
    }
    let octets = BASE64.decode(&digits).unwrap_or_default();
    let fault = match end {
        Some(_) => {
            let count = octets.len();
            Some(format!("malformed base64 after {count} bytes"))
        }
        None => (rest == 1).then(|| "base64 ends too early".to_owned()),
    };
    (octets, fault)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(text: &[u8]) -> Attachment {
        let mut pieces = pieces(text).into_iter();
        match (pieces.next(), pieces.next()) {
            (Some(TextPiece::File(file)), None) => file,
            _ => panic!("not one file: {}", text.escape_ascii()),
        }
    }

    fn uuencoded(octets: &[u8]) -> Vec<u8> {
        let digit = |bits: u32| match bits & 63 {
            0 => b'`',
            bits => b' ' + u8::try_from(bits).unwrap(),
        };
        let mut text = b"begin 644 ../../etc/a b.bin\r\n".to_vec();
        for line in octets.chunks(45) {
            text.push(digit(u32::try_from(line.len()).unwrap()));
            for group in line.chunks(3) {
                let octet = |at: usize| group.get(at).copied().map_or(0, u32::from);
                let bits = octet(0) << 16 | octet(1) << 8 | octet(2);
                text.extend([18, 12, 6, 0].map(|shift| digit(bits >> shift)));
            }
            text.extend_from_slice(b"\r\n");
        }
        text.extend_from_slice(b"`\r\nend\r\n");
        text
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

    #[test]
    fn checksums_are_those_of_zip() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn files_stand_among_text() {
        let text = b"Hello\r\nbegin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\nbegin 1994 with a song\r\n";
        let pieces = pieces(text);
        let [
            TextPiece::Text(before),
            TextPiece::File(file),
            TextPiece::Text(after),
        ] = pieces.as_slice()
        else {
            panic!("three pieces")
        };
        assert_eq!(
            (*before, *after),
            (&b"Hello\r\n"[..], &b"begin 1994 with a song\r\n"[..])
        );
        assert_eq!(
            (file.name.as_slice(), file.octets.as_slice(), &file.fault),
            (&b"cat.txt"[..], &b"Cat"[..], &None)
        );
    }

    #[test]
    fn a_sentence_is_no_file() {
        for text in [
            &b"begin 100 push-ups\r\n\r\nand end with 200.\r\n"[..],
            b"begin 100 push-ups\r\n",
            b"begin 100 push-ups\r\n\r\n",
            b"begin 100 push-ups\r\n \r\n\r\nREST\r\n",
        ] {
            let pieces = pieces(text);
            assert!(matches!(&pieces[..], [TextPiece::Text(all)] if *all == text));
        }
        let empty = file(b"begin 644 empty\r\n`\r\nend\r\n");
        assert_eq!((empty.octets.len(), empty.fault), (0, None));
    }

    #[test]
    fn malformed_file_is_reported_and_decoded_partly() {
        let broken = file(b"begin 644 cat.txt\r\n#0V%T\r\n");
        assert_eq!(broken.octets, b"Cat");
        assert_eq!(broken.fault.as_deref(), Some("its end is missing"));
        let mut text = yencoded(b"Hello there");
        let at = text
            .iter()
            .position(|&octet| octet == b'r'.wrapping_add(42));
        text[at.unwrap()] = b'x';
        assert_eq!(file(&text).fault.as_deref(), Some("checksum mismatch"));
        let short = b"=ybegin part=2 total=3 line=128 size=99 name=a\r\n=ypart begin=11 end=20\r\n\x8b\r\n=yend size=10 part=2\r\n";
        let short = file(short);
        assert_eq!(short.kind, "yEnc, part 2 of 3");
        assert_eq!(short.fault.as_deref(), Some("1 of 10 bytes"));
        assert_eq!(
            base64(b"SGVs\r\nbG8!xx"),
            (
                b"Hel".to_vec(),
                Some("malformed base64 after 3 bytes".to_owned())
            )
        );
        assert_eq!(base64(b"SGVsbG8="), (b"Hello".to_vec(), None));
        assert_eq!(
            base64(b"SGVsb"),
            (b"Hel".to_vec(), Some("base64 ends too early".to_owned()))
        );
    }

    proptest! {
        #[test]
        fn files_come_out_as_they_went_in(octets in prop::collection::vec(any::<u8>(), 1..600)) {
            for text in [uuencoded(&octets), yencoded(&octets)] {
                let file = file(&text);
                prop_assert_eq!(&file.octets, &octets);
                prop_assert_eq!(file.fault, None);
                prop_assert!(file.name.ends_with(b"a b.bin"));
            }
        }

        #[test]
        fn no_text_panics_and_none_is_lost(text in "((begin 644 a|=ybegin line=1 size=3 name=b|=ypart begin=9 end=1|=yend size=1|end|[ -~]{0,8})\r?\n){0,12}") {
            let text = text.as_bytes();
            let plain = pieces(text).iter().all(|piece| matches!(piece, TextPiece::Text(_)));
            if plain {
                let all: Vec<u8> = pieces(text).iter().flat_map(|piece| match piece {
                    TextPiece::Text(text) => text.to_vec(),
                    TextPiece::File(_) => Vec::new(),
                }).collect();
                prop_assert_eq!(all, text);
            }
        }
    }
}
