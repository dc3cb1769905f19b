//! Conversion of a text to UTF-8 before it is split into lines: UTF-16 (RFC 2781), UTF-32 (Unicode, section 3.10), and
//! charsets with shift states.
//!
//! A character is never begun in the middle: octets of an incomplete one wait for the next, and a malformed unit of
//! UTF-16 or UTF-32 becomes one U+FFFD, after which the next unit begins where it would have begun otherwise.

use super::Charset;

/// A text in one charset that becomes UTF-8 while it arrives.
#[derive(Clone, Debug)]
pub struct TextConverter {
    charset: Charset,
    /// The octets of an incomplete character; with shift states, those of an incomplete line.
    pending: Vec<u8>,
}

impl TextConverter {
    /// Creates the converter for a charset that must be decoded before lines are split
    /// ([`Charset::precedes_lines`]); `None` for any other.
    pub fn new(charset: Charset) -> Option<Self> {
        charset.precedes_lines().then_some(Self {
            charset,
            pending: Vec::new(),
        })
    }

    /// The charset of the text.
    pub fn charset(&self) -> Charset {
        self.charset
    }

    /// Converts the next octets. Like that of [`Charset::decode`], the result is not safe to show. A byte order mark
    /// is a character like all others.
    pub fn push(&mut self, octets: &[u8]) -> String {
        let before = self.pending.len();
        self.pending.extend_from_slice(octets);
        let whole = match (self.charset.is_stateful(), self.charset.name()) {
            // Each line begins in the first state. Only the new octets are searched, so that a long line costs no
            // square.
            (true, _) => memchr::memrchr(b'\n', octets).map_or(0, |at| before + at + 1),
            (false, name) if name.starts_with("UTF-32") => self.pending.len() / 4 * 4,
            (false, name) => whole_units(&self.pending, name == "UTF-16BE"),
        };
        let text: Vec<u8> = self.pending.drain(..whole).collect();
        self.decoded(&text)
    }

    /// Returns true if octets wait for the rest of their character or line.
    pub fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Converts the octets that are left at the end of the text.
    pub fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.pending);
        self.decoded(&rest)
    }

    fn decoded(&self, octets: &[u8]) -> String {
        if octets.is_empty() {
            String::new()
        } else if self.charset.is_stateful() {
            // Escapes were found, or are declared; what does not fit them is text still.
            self.charset.decode_without_replacement(octets)
        } else {
            self.charset.decode_unmarked(octets).into_owned()
        }
    }
}

/// The number of octets of UTF-16 without an incomplete unit, or the first half of a pair, at their end.
fn whole_units(octets: &[u8], is_big: bool) -> usize {
    let whole = octets.len() / 2 * 2;
    let last = octets.get(whole.saturating_sub(2)..whole);
    let is_first_half = |unit: &[u8]| {
        let high = if is_big { unit.first() } else { unit.get(1) };
        high.is_some_and(|high| (0xd8..=0xdb).contains(high))
    };
    if last.is_some_and(is_first_half) {
        whole - 2
    } else {
        whole
    }
}

/// The order of the octets of UTF-32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Utf32 {
    Big,
    Little,
}

impl Utf32 {
    /// The order that a name of letters and digits, in small letters, says. Without one the octets are in network order
    /// (Unicode, section 3.10, D101).
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "utf32" | "utf32be" | "ucs4" | "ucs4be" | "iso10646ucs4" | "csucs4" | "u32" => {
                Some(Self::Big)
            }
            "utf32le" | "ucs4le" => Some(Self::Little),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Big => "UTF-32BE",
            Self::Little => "UTF-32LE",
        }
    }
}

/// Decodes UTF-32; an incomplete or invalid unit becomes U+FFFD.
pub(super) fn utf_32(order: Utf32, octets: &[u8]) -> String {
    let unit = |octets: &[u8]| {
        let unit: [u8; 4] = octets.try_into().ok()?;
        char::from_u32(match order {
            Utf32::Big => u32::from_be_bytes(unit),
            Utf32::Little => u32::from_le_bytes(unit),
        })
    };
    let units = octets.chunks(4);
    units
        .map(|octets| unit(octets).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Encodes a text in UTF-16 or UTF-32.
    fn encoded(name: &str, text: &str) -> Vec<u8> {
        let units = || text.encode_utf16();
        let letters = || text.chars().map(u32::from);
        match name {
            "utf-16le" => units().flat_map(u16::to_le_bytes).collect(),
            "utf-16be" => units().flat_map(u16::to_be_bytes).collect(),
            "utf-32le" => letters().flat_map(u32::to_le_bytes).collect(),
            _ => letters().flat_map(u32::to_be_bytes).collect(),
        }
    }

    const WIDE: [&str; 4] = ["utf-16le", "utf-16be", "utf-32le", "utf-32be"];

    fn converted(name: &str, octets: &[u8], size: usize) -> String {
        let mut converter = TextConverter::new(Charset::named(name).unwrap()).unwrap();
        let pieces: Vec<String> = (octets.chunks(size))
            .map(|piece| converter.push(piece))
            .collect();
        pieces.concat() + &converter.finish()
    }

    proptest! {
        #[test]
        fn wide_text_is_converted_however_it_arrives(text in r"(\PC|[\n\r\u{FEFF}])*", name in 0..4_usize, size in 1..9_usize) {
            let name = WIDE[name];
            prop_assert_eq!(converted(name, &encoded(name, &text), size), text);
        }

        #[test]
        fn one_damaged_unit_costs_one_character(before in r"[a-zд中]{0,9}", behind in r"[a-zд中]{0,9}", name in 0..4_usize, size in 1..9_usize) {
            let name = WIDE[name];
            let bad: &[u8] = match name {
                "utf-16le" => b"\x00\xdc",
                "utf-16be" => b"\xdc\x00",
                _ => b"\xff\xff\xff\xff",
            };
            let octets = [encoded(name, &before), bad.to_vec(), encoded(name, &behind)].concat();
            prop_assert_eq!(converted(name, &octets, size), format!("{before}\u{fffd}{behind}"));
        }

        #[test]
        fn any_octets_are_converted_alike_in_pieces(octets: Vec<u8>, size in 1..9_usize, name in 0..6_usize) {
            let name = ["utf-16le", "utf-16be", "utf-32", "iso-2022-jp", "hz", "utf-7"][name];
            prop_assert_eq!(converted(name, &octets, size), converted(name, &octets, octets.len().max(1)));
        }
    }

    #[test]
    fn cut_text_loses_no_octet_in_silence() {
        assert_eq!(converted("utf-16le", b"a\0b", 1), "a\u{fffd}");
        assert_eq!(converted("utf-32be", b"\0\0\0a\0\0", 1), "a\u{fffd}");
        assert_eq!(
            converted("iso-2022-jp", b"\x1b$B4A;z\x1b(B\xe9", 1),
            "漢字é"
        );
    }

    #[test]
    fn utf_32_has_the_names_of_both_orders() {
        for (name, expected) in [
            ("utf-32", "UTF-32BE"),
            ("UTF-32LE", "UTF-32LE"),
            ("utf_32_be", "UTF-32BE"),
            ("ISO-10646-UCS-4", "UTF-32BE"),
        ] {
            assert_eq!(Charset::named(name).map(Charset::name), Some(expected));
        }
        assert_eq!(Charset::named("replacement"), None);
        assert_eq!(Charset::named("klingon-9"), None);
    }
}
