//! The positions where a line that is too long for one row is cut.
//!
//! The charset of a page may not be known until all of it has arrived, so the position depends on the octets alone. A
//! line is cut after a space if one is near, else between two graphemes of UTF-8, else after an octet that is a
//! single character in every charset, and from there in pairs. The same octets are always cut at the same positions,
//! however they arrive.

use memchr::{memchr2, memrchr, memrchr2};
use unicode_segmentation::UnicodeSegmentation;

/// The number of octets at the end of a piece in which a space is searched. Few words and addresses are longer.
const WORD: usize = 8 * 1024;

/// The number of octets at the end of a piece in which the end of a grapheme is searched.
const TAIL: usize = 1024;

/// The longest colour sequence that is searched before a cut, in octets.
const SEQUENCE: usize = 64;

/// The number of octets of a line that go into its next row, from 1 to all of `octets`, which are the start of the
/// rest of the line.
pub fn cut(octets: &[u8]) -> usize {
    let at = behind_blank(octets).unwrap_or_else(|| {
        let tail = octets.len().saturating_sub(TAIL);
        match utf8(octets.get(tail..).unwrap_or_default()) {
            Some((skipped, text)) => tail + skipped + before_last(text),
            None => in_pairs(octets),
        }
    });
    let at = before_sequence(octets, at);
    if at == 0 { octets.len() } else { at }
}

/// The characters of a UTF-8 window that begins and ends at any octet, and the number of octets before the first of
/// them.
fn utf8(window: &[u8]) -> Option<(usize, &str)> {
    let skipped = window
        .iter()
        .take(3)
        .take_while(|&&octet| matches!(octet, 0x80..=0xbf))
        .count();
    let window = window.get(skipped..)?;
    match std::str::from_utf8(window) {
        Ok(text) => Some((skipped, text)),
        Err(error) if error.error_len().is_none() => {
            let whole = window.get(..error.valid_up_to())?;
            Some((skipped, std::str::from_utf8(whole).ok()?))
        }
        Err(_) => None,
    }
}

/// The offset after the last space that is a grapheme by itself, if one is near the end and something follows it.
fn behind_blank(octets: &[u8]) -> Option<usize> {
    let first = octets.len().saturating_sub(WORD);
    let mut end = octets.len().checked_sub(1)?;
    loop {
        let at = first + memrchr2(b' ', b'\t', octets.get(first..end)?)?;
        let (_, next) = utf8(octets.get(at + 1..octets.len().min(at + 5))?).unwrap_or_default();
        let next = next
            .chars()
            .next()
            .map_or(String::new(), |next| format!(" {next}"));
        if next.graphemes(true).count() != 1 {
            return Some(at + 1);
        }
        end = at;
    }
}

/// The offset before the last grapheme, which may continue in the following octets; the end if it is the whole text.
fn before_last(text: &str) -> usize {
    match text.grapheme_indices(true).next_back() {
        Some((0, _)) | None => text.len(),
        Some((at, _)) => at,
    }
}

/// The offset after the last octet that is certainly a character, plus as many characters of one or two octets as
/// follow.
fn in_pairs(octets: &[u8]) -> usize {
    let alone = octets.iter().rposition(|&octet| octet < b'0');
    let mut at = alone.map_or(0, |at| at + 1);
    let rest = octets.get(at..).unwrap_or_default();
    // Only in Shift_JIS do common characters begin with these octets.
    let leads = rest.iter().filter(|octet| matches!(octet, 0x81..=0x9f));
    let is_shift_jis = leads.count() * 8 > rest.len();
    while let Some(octet) = octets.get(at) {
        let length = match octet {
            0..=0x80 => 1,
            0xa0..=0xdf if is_shift_jis => 1,
            _ => 2,
        };
        if at + length > octets.len() {
            break;
        }
        at += length;
    }
    at
}

/// `at`, or the start of the colour sequence that a cut there would split.
fn before_sequence(octets: &[u8], at: usize) -> usize {
    let before = octets.get(at.saturating_sub(SEQUENCE)..at);
    let before = before.unwrap_or_default();
    let Some(escape) = memrchr(0x1b, before) else {
        return at;
    };
    let sequence = before.get(escape..).unwrap_or_default();
    let is_open = match sequence {
        [_] => true,
        [_, b'[', parameters @ ..] => parameters.iter().all(|octet| matches!(octet, 0x20..=0x3f)),
        _ => false,
    };
    if is_open && memchr2(b'\n', b'\r', sequence).is_none() {
        at - sequence.len()
    } else {
        at
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The pieces of a line after cutting, none longer than `longest`.
    fn pieces(line: &[u8], longest: usize) -> Vec<&[u8]> {
        let (mut pieces, mut rest) = (Vec::new(), line);
        while rest.len() > longest {
            let (piece, more) = rest.split_at(cut(&rest[..longest]));
            pieces.push(piece);
            rest = more;
        }
        pieces.push(rest);
        pieces
    }

    #[test]
    fn cut_falls_behind_a_blank_where_one_is_near() {
        let line = b"some words of a line that goes on ".repeat(200);
        for piece in &pieces(&line, 3001)[..2] {
            assert_eq!(piece.last(), Some(&b' '));
        }
        let koi8: Vec<u8> = b"\xf0\xd2\xc9\xd7\xc5\xd4 ".repeat(600);
        assert_eq!(pieces(&koi8, 3001)[0].last(), Some(&b' '));
    }

    #[test]
    fn cut_leaves_graphemes_whole() {
        for grapheme in ["文", "e\u{301}", "👩‍👩‍👧", "한"] {
            let line = grapheme.repeat(2000);
            for longest in 3000..3010 {
                for piece in pieces(line.as_bytes(), longest) {
                    let text = std::str::from_utf8(piece).unwrap();
                    assert_eq!(text.replace(grapheme, ""), "", "{grapheme} {longest}");
                }
            }
        }
    }

    #[test]
    fn cut_leaves_pairs_of_octets_whole() {
        let text = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。".repeat(100);
        let half = "ｱｲｳ漢字".repeat(900);
        for (encoding, text) in [
            (encoding_rs::SHIFT_JIS, &text),
            (encoding_rs::SHIFT_JIS, &half),
            (encoding_rs::EUC_JP, &text),
            (encoding_rs::GBK, &text),
        ] {
            let (octets, _, _) = encoding.encode(text);
            for longest in 3000..3004 {
                let read: String = pieces(&octets, longest)
                    .iter()
                    .map(|piece| encoding.decode(piece).0.into_owned())
                    .collect();
                assert!(read == *text, "{} {longest}", encoding.name());
            }
        }
    }

    #[test]
    fn cut_leaves_colours_whole() {
        let line = "x\u{1b}[38;5;12my".repeat(400);
        for longest in 3000..3020 {
            for piece in pieces(line.as_bytes(), longest) {
                let piece = std::str::from_utf8(piece).unwrap();
                let whole = piece.matches("\u{1b}[38;5;12m").count();
                assert_eq!(piece.matches('\u{1b}').count(), whole, "{longest}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_octets_are_cut_into_pieces_that_hold_all_of_them(
            octets in proptest::collection::vec(any::<u8>(), 0..6000),
            longest in 1..3000_usize,
        ) {
            let pieces = pieces(&octets, longest);
            prop_assert!(pieces.iter().all(|piece| piece.len() <= longest));
            prop_assert_eq!(pieces.concat(), octets);
        }

        #[test]
        fn utf8_stays_utf8(text in "\\PC{0,3000}", longest in 16..3000_usize) {
            for piece in pieces(text.as_bytes(), longest) {
                prop_assert!(std::str::from_utf8(piece).is_ok());
            }
        }
    }
}
