//! Charsets older than UTF-8, by name.

use std::borrow::Cow;

use encoding_rs::Encoding;

/// The charset for octets that are not valid UTF-8. The default is windows-1252, the most common variant of Latin-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(Table);

/// The source of the characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
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
    pub const CP437: Self = Self(Table::Cp437);

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
            Table::Listed(encoding) => encoding.decode_without_bom_handling(octets).0,
            Table::Cp437 => cp437(octets),
        }
    }

    /// The name of the charset.
    pub fn name(self) -> &'static str {
        match self.0 {
            Table::Listed(encoding) => encoding.name(),
            Table::Cp437 => "cp437",
        }
    }

    pub(super) fn listed(encoding: &'static Encoding) -> Self {
        Self(Table::Listed(encoding))
    }
}

impl Default for Charset {
    fn default() -> Self {
        Self::listed(encoding_rs::WINDOWS_1252)
    }
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
}

impl From<Charset> for CharsetSetting {
    fn from(charset: Charset) -> Self {
        Self::Set(charset)
    }
}
