//! What is around the text of a file to import: the compression of Firefox, UTF-16, and the line ends of old Macs.

use std::borrow::Cow;

use super::{FormatError, MAX_FILE_BYTES};

/// The start of a backup of Firefox: then the length of the text as four octets, the lowest first, and one LZ4 block.
const MOZ_LZ4: &[u8] = b"mozLz40\0";

/// Returns the text of a file in the form that the readers of formats expect: uncompressed, in UTF-8 if it was in
/// UTF-16, and with line feeds. Any other charset stays.
///
/// # Errors
/// A sentence, if a backup of Firefox is damaged or longer than [`MAX_FILE_BYTES`].
pub fn opened(octets: &[u8]) -> Result<Cow<'_, [u8]>, FormatError> {
    if let Some(packed) = octets.strip_prefix(MOZ_LZ4) {
        return unpacked(packed).map(Cow::Owned);
    }
    Ok(match wide_text(octets) {
        Some(text) => Cow::Owned(with_line_feeds(text.as_bytes()).into_owned()),
        None => with_line_feeds(octets),
    })
}

/// Unpacks a backup of Firefox.
fn unpacked(packed: &[u8]) -> Result<Vec<u8>, FormatError> {
    let damaged = || FormatError("the compressed backup of Firefox is damaged".to_owned());
    let (size, block) = packed.split_first_chunk().ok_or_else(damaged)?;
    let size = usize::try_from(u32::from_le_bytes(*size)).unwrap_or(usize::MAX);
    if size > MAX_FILE_BYTES {
        let limit = geomys_wire::text::octets(MAX_FILE_BYTES as u64);
        return Err(FormatError(format!("more than {limit} are not read")));
    }
    lz4_flex::block::decompress(block, size).map_err(|_| damaged())
}

/// Decodes a text in UTF-16: after its mark, or if every second octet of its start is zero, as in the letters of Latin.
fn wide_text(octets: &[u8]) -> Option<String> {
    let units = |octets: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = octets.as_chunks().0.iter().copied().map(unit).collect();
        String::from_utf16_lossy(&units)
    };
    let start = octets
        .get(..octets.len().min(64))
        .unwrap_or_default()
        .as_chunks()
        .0;
    let is_empty = |place: fn(&[u8; 2]) -> (u8, u8)| {
        let is_latin = |pair: &[u8; 2]| matches!(place(pair), (0, letter) if letter != 0);
        start.len() > 1 && start.iter().all(is_latin)
    };
    match octets {
        [0xFF, 0xFE, rest @ ..] => Some(units(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Some(units(rest, u16::from_be_bytes)),
        _ if is_empty(|[letter, zero]| (*zero, *letter)) => Some(units(octets, u16::from_le_bytes)),
        _ if is_empty(|[zero, letter]| (*zero, *letter)) => Some(units(octets, u16::from_be_bytes)),
        _ => None,
    }
}

/// Replaces the line ends of a text that has no line feed, but carriage returns.
fn with_line_feeds(octets: &[u8]) -> Cow<'_, [u8]> {
    let holds = |octet: u8| memchr::memchr(octet, octets).is_some();
    if holds(b'\n') || !holds(b'\r') {
        return Cow::Borrowed(octets);
    }
    let octets = octets
        .iter()
        .map(|&octet| if octet == b'\r' { b'\n' } else { octet });
    Cow::Owned(octets.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_opened_from_each_envelope() {
        let text = "A http://a.example/\nB http://b.example/ü\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let block = lz4_flex::block::compress(text.as_bytes());
        let size = u32::try_from(text.len()).unwrap().to_le_bytes();
        for octets in [
            text.as_bytes().to_vec(),
            text.replace('\n', "\r").into_bytes(),
            [&b"\xFF\xFE"[..], &little].concat(),
            [&b"\xFE\xFF"[..], &big].concat(),
            little,
            big,
            [MOZ_LZ4, &size, &block].concat(),
        ] {
            assert_eq!(opened(&octets).unwrap(), text.as_bytes());
        }
    }

    #[test]
    fn damaged_backup_is_an_error() {
        let huge = u32::MAX.to_le_bytes();
        for octets in [
            MOZ_LZ4.to_vec(),
            [MOZ_LZ4, &huge, b"x"].concat(),
            [MOZ_LZ4, &[9, 0, 0, 0], b"\xF0"].concat(),
        ] {
            assert!(opened(&octets).is_err());
        }
    }
}
