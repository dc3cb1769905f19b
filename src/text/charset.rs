//! The charsets older than UTF-8, by name.

use std::borrow::Cow;

use encoding_rs::Encoding;

/// How octets that are not valid UTF-8 are read. The default is windows-1252, the Latin-1 of the wild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(Table);

/// Where the characters come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    /// One of the WHATWG list.
    Listed(&'static Encoding),
    /// The one of the IBM PC, in which boards drew; that list has left it out.
    Cp437,
}

/// The upper half of code page 437: octet 0x80 and on.
const CP437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»\
                     ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
                     αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// The names of code page 437.
const CP437_NAMES: [&str; 4] = ["cp437", "ibm437", "437", "cspc8codepage437"];

impl Charset {
    /// Code page 437, the charset of the IBM PC and of what was drawn on it.
    pub const CP437: Self = Self(Table::Cp437);

    /// By any of the names of the WHATWG list (`koi8-r`, `latin1`, `shift_jis`), or `cp437`, whatever their case.
    pub fn named(name: &str) -> Option<Self> {
        let trimmed = name.trim();
        if CP437_NAMES
            .iter()
            .any(|known| known.eq_ignore_ascii_case(trimmed))
        {
            return Some(Self::CP437);
        }
        Encoding::for_label(name.as_bytes()).map(Self::listed)
    }

    /// Octets as characters, by this charset whatever they are. What comes out is as foreign as what went in: it is
    /// for what is decoded in pieces, and becomes [`Text`](super::Text) before anyone sees it.
    pub fn decode(self, octets: &[u8]) -> Cow<'_, str> {
        match self.0 {
            Table::Listed(encoding) => encoding.decode_without_bom_handling(octets).0,
            Table::Cp437 => cp437(octets),
        }
    }

    /// The name it is known by.
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

/// What somebody wants of the charset of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadAs {
    /// Each page in the charset that its octets suggest.
    #[default]
    Detected,
    /// Every page in this one.
    Set(Charset),
}

impl ReadAs {
    /// The name that asks for detection.
    pub const AUTO: &str = "auto";

    /// `auto`, or a charset by its name.
    pub fn named(name: &str) -> Option<Self> {
        if name.trim().eq_ignore_ascii_case(Self::AUTO) {
            return Some(Self::Detected);
        }
        Charset::named(name).map(Self::Set)
    }
}

impl From<Charset> for ReadAs {
    fn from(charset: Charset) -> Self {
        Self::Set(charset)
    }
}
