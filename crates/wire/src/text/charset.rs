//! Charsets older than UTF-8, by name.

use std::borrow::Cow;

use encoding_rs::{Decoder, DecoderResult, EncoderResult, Encoding};

/// The charset for octets that are not valid UTF-8. The default is windows-1252, the most common variant of Latin-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(CharsetTable);

/// The source of the characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharsetTable {
    /// A charset of the WHATWG list.
    Listed(&'static Encoding),
    /// The charset of the IBM PC, used for drawings in bulletin boards; it is not in that list.
    Cp437,
}

/// The upper half of code page 437, from octet 0x80.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»\
                     ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
                     αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// The names of code page 437.
const CP437_NAMES: [&str; 4] = ["cp437", "ibm437", "437", "cspc8codepage437"];

impl Charset {
    /// Code page 437, the charset of the IBM PC and of drawings made on it.
    pub const CP437: Self = Self(CharsetTable::Cp437);

    /// The charset with this name, in any letter case: a name of the WHATWG list (`koi8-r`, `latin1`, `shift_jis`),
    /// or `cp437`.
    pub fn named(name: &str) -> Option<Self> {
        let trimmed = name.trim();
        if CP437_NAMES
            .iter()
            .any(|label| label.eq_ignore_ascii_case(trimmed))
        {
            return Some(Self::CP437);
        }
        Encoding::for_label(name.as_bytes()).map(Self::listed)
    }

    /// Decodes octets by this charset without a check for UTF-8. The result is not safe to show: it is for octets
    /// that are decoded in pieces, and must become [`Text`](super::Text) before it is displayed.
    pub fn decode(self, octets: &[u8]) -> Cow<'_, str> {
        match self.0 {
            CharsetTable::Listed(encoding) => encoding.decode_without_bom_handling(octets).0,
            CharsetTable::Cp437 => cp437(octets),
        }
    }

    /// Decodes octets like [`Charset::decode`], but those that are malformed are decoded as windows-1252: U+FFFD is only where
    /// the octets have it.
    pub fn decode_without_replacement(self, octets: &[u8]) -> String {
        match self.0 {
            CharsetTable::Listed(encoding) => decode_without_replacement(encoding, octets),
            CharsetTable::Cp437 => cp437(octets).into_owned(),
        }
    }

    /// UTF-8.
    pub fn utf_8() -> Self {
        Self::listed(encoding_rs::UTF_8)
    }

    /// Encodes text; a character that the charset does not have becomes a question mark.
    pub fn encode(self, text: &str) -> Vec<u8> {
        self.encode_with(text, |_| "?".to_owned())
    }

    /// Encodes an answer to a form of a page (HTML Living Standard, "form submission"): a character that the charset does not
    /// have becomes a numeric character reference. UTF-16 becomes UTF-8.
    pub fn encode_answer(self, text: &str) -> Vec<u8> {
        self.encode_with(text, |letter| format!("&#{};", u32::from(letter)))
    }

    fn encode_with(self, text: &str, unmappable: impl Fn(char) -> String) -> Vec<u8> {
        match self.0 {
            CharsetTable::Listed(encoding) => encode(encoding, text, unmappable),
            CharsetTable::Cp437 => {
                let mut octets = Vec::with_capacity(text.len());
                for letter in text.chars() {
                    match cp437_octet(letter) {
                        Some(octet) => octets.push(octet),
                        None => octets.extend(unmappable(letter).bytes()),
                    }
                }
                octets
            }
        }
    }

    /// Returns a decoder for octets that arrive in pieces.
    pub fn decoder(self) -> CharsetDecoder {
        CharsetDecoder(match self.0 {
            CharsetTable::Listed(encoding) => Some(encoding.new_decoder_without_bom_handling()),
            CharsetTable::Cp437 => None,
        })
    }

    /// The name of the charset.
    pub fn name(self) -> &'static str {
        match self.0 {
            CharsetTable::Listed(encoding) => encoding.name(),
            CharsetTable::Cp437 => "cp437",
        }
    }

    pub(super) fn listed(encoding: &'static Encoding) -> Self {
        Self(CharsetTable::Listed(encoding))
    }
}

impl Default for Charset {
    fn default() -> Self {
        Self::listed(encoding_rs::WINDOWS_1252)
    }
}

/// A decoder for octets that arrive in pieces; characters may be split anywhere.
pub struct CharsetDecoder(
    /// The decoder of a charset of the WHATWG list; `None` for code page 437.
    Option<Decoder>,
);

impl CharsetDecoder {
    /// Decodes the next octets. Like that of [`Charset::decode`], the result is not safe to show.
    pub fn decode(&mut self, octets: &[u8]) -> String {
        let Some(decoder) = &mut self.0 else {
            return cp437(octets).into_owned();
        };
        let most = decoder.max_utf8_buffer_length(octets.len());
        let mut decoded = String::with_capacity(most.unwrap_or(octets.len()));
        // The capacity is that of the worst case, so all octets are read.
        let _ = decoder.decode_to_string(octets, &mut decoded, false);
        decoded
    }
}

fn decode_without_replacement(encoding: &'static Encoding, octets: &[u8]) -> String {
    let fallback = |octets| {
        encoding_rs::WINDOWS_1252
            .decode_without_bom_handling(octets)
            .0
    };
    if encoding == encoding_rs::REPLACEMENT {
        return fallback(octets).into_owned();
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut decoded = String::with_capacity(octets.len());
    let mut at = 0;
    loop {
        let rest = octets.get(at..).unwrap_or_default();
        let room = decoder.max_utf8_buffer_length_without_replacement(rest.len());
        decoded.reserve(room.unwrap_or(rest.len()));
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut decoded, true);
        at += read;
        match result {
            DecoderResult::Malformed(length, after) => {
                let end = at.saturating_sub(usize::from(after));
                let start = end.saturating_sub(usize::from(length));
                decoded.push_str(&fallback(octets.get(start..end).unwrap_or_default()));
            }
            DecoderResult::OutputFull => {}
            DecoderResult::InputEmpty => return decoded,
        }
    }
}

fn encode(encoding: &'static Encoding, text: &str, unmappable: impl Fn(char) -> String) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let mut encoded = Vec::with_capacity(text.len() * 2);
    let mut rest = text;
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        encoded.reserve(room.unwrap_or(rest.len()));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut encoded, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::Unmappable(letter) => encoded.extend(unmappable(letter).bytes()),
            EncoderResult::InputEmpty => return encoded,
            EncoderResult::OutputFull => {}
        }
    }
}

/// The octet of a character in code page 437.
fn cp437_octet(letter: char) -> Option<u8> {
    let above = CP437.chars().position(|other| other == letter);
    let above = above.and_then(|above| u8::try_from(above + 0x80).ok());
    above.or_else(|| u8::try_from(letter).ok().filter(u8::is_ascii))
}

fn cp437(octets: &[u8]) -> Cow<'_, str> {
    let upper: Vec<char> = CP437.chars().collect();
    let read = |octet: &u8| {
        let above = usize::from(*octet).checked_sub(0x80);
        above.map_or(char::from(*octet), |above| {
            upper
                .get(above)
                .copied()
                .unwrap_or(char::REPLACEMENT_CHARACTER)
        })
    };
    Cow::Owned(octets.iter().map(read).collect())
}

/// The charset setting for pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CharsetSetting {
    /// Each page in the charset that its octets suggest.
    #[default]
    Detected,
    /// Every page in this charset.
    Set(Charset),
}

impl CharsetSetting {
    /// The name of the setting for detection.
    pub const AUTO: &str = "auto";

    /// The setting with this name: `auto`, or the name of a charset.
    pub fn named(name: &str) -> Option<Self> {
        if name.trim().eq_ignore_ascii_case(Self::AUTO) {
            return Some(Self::Detected);
        }
        Charset::named(name).map(Self::Set)
    }

    /// The charset of what is too short for detection, such as a name.
    pub fn charset(self) -> Charset {
        match self {
            Self::Detected => Charset::default(),
            Self::Set(charset) => charset,
        }
    }

    /// The name of the setting, which [`CharsetSetting::named`] reads.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detected => Self::AUTO,
            Self::Set(charset) => charset.name(),
        }
    }
}

impl From<Charset> for CharsetSetting {
    fn from(charset: Charset) -> Self {
        Self::Set(charset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded_and_decoded_back() {
        for (name, text, octets) in [
            ("koi8-r", "да", b"\xc4\xc1".as_slice()),
            ("iso-8859-1", "é€", b"\xe9\x80"),
            ("cp437", "é║ ls\r", b"\x82\xba ls\r"),
            ("shift_jis", "表x", b"\x95\x5cx"),
            ("utf-8", "中", "中".as_bytes()),
        ] {
            let charset = Charset::named(name).unwrap();
            assert_eq!(charset.encode(text), octets, "{name}");
            // One octet at a time.
            let mut decoder = charset.decoder();
            let pieces = octets.iter().map(|octet| decoder.decode(&[*octet]));
            assert_eq!(pieces.collect::<String>(), text, "{name}");
        }
        assert_eq!(Charset::CP437.encode("中a"), b"?a");
        assert_eq!(Charset::named("koi8-r").unwrap().encode("中é!"), b"??!");
    }

    #[test]
    fn malformed_octets_are_decoded_as_windows_1252() {
        for (name, octets, text) in [
            (
                "utf-8",
                b"caf\xe9 \xef\xbf\xbd \xc3\xa9".as_slice(),
                "café \u{FFFD} é",
            ),
            ("utf-8", b"\xe4\xb8", "ä¸"),
            ("shift_jis", b"\x95\x5c\x85", "表…"),
            ("gb18030", b"\x81\x30\x81x", "\u{81}0亁"),
            ("iso-2022-kr", b"\x0e>H\x0f", "\u{e}>H\u{f}"),
            ("cp437", b"\x82", "é"),
        ] {
            let charset = Charset::named(name).unwrap();
            assert_eq!(charset.decode_without_replacement(octets), text, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn replacement_character_is_never_added(octets: Vec<u8>, charset in 0..CHARSETS.len()) {
            let charset = Charset::named(CHARSETS[charset]).unwrap();
            let decoded = charset.decode_without_replacement(&octets);
            // Of these charsets UTF-8 and GB 18030 have the character, and no shorter octets mean it.
            proptest::prop_assert!(!decoded.contains('\u{FFFD}') || octets.len() >= 3, "{decoded:?}");
            if !charset.decode(&octets).contains('\u{FFFD}') {
                proptest::prop_assert_eq!(decoded, charset.decode(&octets));
            }
        }
    }

    const CHARSETS: [&str; 12] = [
        "utf-8",
        "gb18030",
        "iso-2022-jp",
        "shift_jis",
        "euc-jp",
        "euc-kr",
        "big5",
        "iso-2022-kr",
        "hz-gb-2312",
        "windows-1253",
        "iso-8859-6",
        "koi8-r",
    ];
}
