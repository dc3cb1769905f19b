//! Charsets older than UTF-8, by name: those of the WHATWG list, those with shift states, and those of one octet to a
//! character in `charsets.txt`, as DOS and other systems had them.
//!
//! ```text
//! charsets.txt = *( name TAB alias *( SP alias ) [ TAB 128character ] LF )     ; the characters from octet 0x80 on
//! ```
//!
//! A row without characters has further names of a charset of the WHATWG list. Aliases are in small letters and digits
//! only, as people write `iso8859_1`, `ISO 8859-1` and `iso-8859-1`. The rows were made from Python's codecs.

mod codec;
mod convert;

use std::borrow::Cow;
use std::sync::LazyLock;

use encoding_rs::{Encoding, WINDOWS_1252};

pub use self::codec::CharsetDecoder;
use self::codec::{PieceDecoder, by_mark, decode_without_replacement, encode, is_utf_16};
pub use self::convert::TextConverter;
use self::convert::{Utf32, utf_32};
use super::stateful::StatefulCharset;

/// The charset for octets that are not valid UTF-8. The default is windows-1252, the most common variant of Latin-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(CharsetTable);

/// The source of the characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharsetTable {
    /// A charset of the WHATWG list.
    Listed(&'static Encoding),
    /// A row of `charsets.txt`.
    Row(usize),
    Stateful(StatefulCharset),
    Utf32(Utf32),
}

/// A row of `charsets.txt`.
struct CharsetRow {
    name: &'static str,
    aliases: Vec<&'static str>,
    /// The characters from octet 0x80 on; none if the name is one of the WHATWG list.
    upper: Vec<char>,
}

static ROWS: LazyLock<Vec<CharsetRow>> = LazyLock::new(|| {
    let rows = include_str!("charsets.txt").lines().map(|row| {
        let mut fields = row.split('\t');
        let mut field = || fields.next().unwrap_or_default();
        CharsetRow {
            name: field(),
            aliases: field().split(' ').collect(),
            upper: field().chars().collect(),
        }
    });
    rows.collect()
});

impl Charset {
    /// Code page 437, the charset of the IBM PC and of drawings made on it.
    pub const CP437: Self = Self(CharsetTable::Row(0));

    /// The charset with this name, in any letter case: a name of the WHATWG list (`koi8-r`, `latin1`, `shift_jis`), or
    /// one that Python knows (`cp850`, `iso-2022-kr`, `hz`, `iso8859_1`).
    pub fn named(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        // The aliases of the registry: `csUTF16LE`.
        let plain = plain
            .strip_prefix("cs")
            .filter(|rest| rest.starts_with("utf"))
            .map_or(plain.clone(), str::to_owned);
        if let Some(stateful) = StatefulCharset::named(&plain) {
            return Some(Self(CharsetTable::Stateful(stateful)));
        }
        if let Some(order) = Utf32::named(&plain) {
            return Some(Self(CharsetTable::Utf32(order)));
        }
        // Old programs declare so what they know nothing of.
        if plain == "xuserdefined" {
            return Some(Self::default());
        }
        if let Some(encoding) = labelled(name) {
            return Some(Self::listed(encoding));
        }
        let mut rows = ROWS.iter().enumerate();
        match rows.find(|(_, row)| row.aliases.contains(&plain.as_str())) {
            Some((at, row)) if !row.upper.is_empty() => Some(Self(CharsetTable::Row(at))),
            Some((_, row)) => Encoding::for_label(row.name.as_bytes()).map(Self::listed),
            None => labelled(&name.replace('_', "-"))
                .or_else(|| labelled(&plain))
                .map(Self::listed),
        }
    }

    /// The charset with shift states whose escapes stand in octets that declare none: ISO-2022-JP, ISO-2022-KR or HZ.
    pub fn with_escapes(octets: &[u8]) -> Option<Self> {
        let stateful = StatefulCharset::in_octets(octets)?;
        Some(Self(CharsetTable::Stateful(stateful)))
    }

    /// Returns true if octets shift between states: each encoded word begins in the first one (RFC 2047, section 3).
    pub fn is_stateful(self) -> bool {
        matches!(self.0, CharsetTable::Stateful(_))
    }

    /// Returns true if a text has to be decoded before it is split into lines or searched for octets of ASCII: UTF-16,
    /// UTF-32, and charsets with shift states ([`TextConverter`]).
    pub fn precedes_lines(self) -> bool {
        match self.0 {
            CharsetTable::Listed(encoding) => is_utf_16(encoding),
            CharsetTable::Row(_) => false,
            CharsetTable::Stateful(_) | CharsetTable::Utf32(_) => true,
        }
    }

    /// Decodes octets by this charset without a check for UTF-8. The result is not safe to show: it is for octets
    /// that are decoded in pieces, and must become [`Text`](super::Text) before it is displayed.
    pub fn decode(self, octets: &[u8]) -> Cow<'_, str> {
        match self.0 {
            CharsetTable::Listed(encoding) => {
                let (encoding, octets) = by_mark(encoding, octets);
                encoding.decode_without_bom_handling(octets).0
            }
            CharsetTable::Row(row) => Cow::Owned(by_row(row, octets)),
            CharsetTable::Stateful(charset) => {
                Cow::Owned(charset.decode(octets, |_| char::REPLACEMENT_CHARACTER))
            }
            CharsetTable::Utf32(order) => Cow::Owned(utf_32(order, octets)),
        }
    }

    /// Decodes octets like [`Charset::decode`], but those that are malformed are decoded as windows-1252: U+FFFD is
    /// only where the octets have it.
    pub fn decode_without_replacement(self, octets: &[u8]) -> String {
        match self.0 {
            CharsetTable::Listed(encoding) => {
                let (encoding, octets) = by_mark(encoding, octets);
                decode_without_replacement(encoding, octets)
            }
            CharsetTable::Row(row) => by_row(row, octets).replace(char::REPLACEMENT_CHARACTER, "?"),
            CharsetTable::Stateful(charset) => {
                let latin = |octet| {
                    WINDOWS_1252
                        .decode_without_bom_handling(&[octet])
                        .0
                        .chars()
                        .next()
                };
                charset.decode(octets, |octet| latin(octet).unwrap_or('?'))
            }
            CharsetTable::Utf32(order) => {
                utf_32(order, octets).replace(char::REPLACEMENT_CHARACTER, "?")
            }
        }
    }

    /// Decodes whole characters in the middle of a text: a byte order mark counts as a character. Like that of
    /// [`Charset::decode`], the result is not safe to show.
    pub fn decode_unmarked(self, octets: &[u8]) -> Cow<'_, str> {
        match self.0 {
            CharsetTable::Listed(encoding) => encoding.decode_without_bom_handling(octets).0,
            CharsetTable::Row(_) | CharsetTable::Stateful(_) | CharsetTable::Utf32(_) => {
                self.decode(octets)
            }
        }
    }

    /// Decodes octets by the charset with this name. Returns `None` if the charset is unknown, or the octets are
    /// malformed in it. The result is not safe to show.
    pub fn decode_declared(name: &[u8], octets: &[u8]) -> Option<String> {
        let charset = Self::named(std::str::from_utf8(name).ok()?)?;
        let decoded = charset.decode(octets).into_owned();
        (!decoded.contains(char::REPLACEMENT_CHARACTER)).then_some(decoded)
    }

    /// UTF-8.
    pub fn utf_8() -> Self {
        Self::listed(encoding_rs::UTF_8)
    }

    /// Encodes text; a character that the charset does not have becomes a question mark.
    pub fn encode(self, text: &str) -> Vec<u8> {
        self.encode_with(text, |_| "?".to_owned())
    }

    /// Encodes an answer to a form of a page (HTML Living Standard, "form submission"): a character that the charset
    /// does not have becomes a numeric character reference. UTF-16 and UTF-32 become UTF-8.
    pub fn encode_answer(self, text: &str) -> Vec<u8> {
        self.encode_with(text, |letter| format!("&#{};", u32::from(letter)))
    }

    fn encode_with(self, text: &str, unmappable: impl Fn(char) -> String) -> Vec<u8> {
        let upper = match self.0 {
            CharsetTable::Listed(encoding) => return encode(encoding, text, unmappable),
            CharsetTable::Stateful(StatefulCharset::Iso2022Jp) => {
                return encode(encoding_rs::ISO_2022_JP, text, unmappable);
            }
            CharsetTable::Utf32(_) => return text.as_bytes().to_vec(),
            CharsetTable::Row(row) => upper(row),
            CharsetTable::Stateful(_) => &[],
        };
        let mut octets = Vec::with_capacity(text.len());
        for letter in text.chars() {
            let above = upper.iter().position(|other| *other == letter);
            let above = above.and_then(|above| u8::try_from(above + 0x80).ok());
            match above.or_else(|| u8::try_from(letter).ok().filter(u8::is_ascii)) {
                Some(octet) => octets.push(octet),
                None => octets.extend(unmappable(letter).bytes()),
            }
        }
        octets
    }

    /// Returns a decoder for octets that arrive in pieces. Malformed octets of UTF-8 are decoded as windows-1252.
    pub fn decoder(self) -> CharsetDecoder {
        let encoding = match self.0 {
            CharsetTable::Listed(encoding) if encoding == encoding_rs::UTF_8 => {
                return CharsetDecoder(PieceDecoder::Utf8(Vec::new()));
            }
            CharsetTable::Listed(encoding) => encoding,
            CharsetTable::Stateful(StatefulCharset::Iso2022Jp) => encoding_rs::ISO_2022_JP,
            CharsetTable::Row(_) | CharsetTable::Stateful(_) | CharsetTable::Utf32(_) => {
                return CharsetDecoder(PieceDecoder::Each(self));
            }
        };
        CharsetDecoder(PieceDecoder::Listed(
            encoding.new_decoder_without_bom_handling(),
        ))
    }

    /// The name of the charset.
    pub fn name(self) -> &'static str {
        match self.0 {
            CharsetTable::Listed(encoding) => encoding.name(),
            CharsetTable::Row(row) => ROWS.get(row).map_or("", |row| row.name),
            CharsetTable::Stateful(charset) => charset.name(),
            CharsetTable::Utf32(order) => order.name(),
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

/// The encoding of the WHATWG list with this label; `None` for one that the list has only to refuse it.
fn labelled(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != encoding_rs::REPLACEMENT)
}

/// The characters of a row from octet 0x80 on.
fn upper(row: usize) -> &'static [char] {
    ROWS.get(row)
        .map(|row| row.upper.as_slice())
        .unwrap_or_default()
}

fn by_row(row: usize, octets: &[u8]) -> String {
    let upper = upper(row);
    let read = |octet: &u8| match usize::from(*octet).checked_sub(0x80) {
        None => char::from(*octet),
        Some(above) => upper
            .get(above)
            .copied()
            .unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    octets.iter().map(read).collect()
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
            ("iso-2022-kr", b"\x0e>H\x0f\xe9", "안é"),
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

    #[test]
    fn shifted_octets_are_decoded() {
        for (name, octets, text) in [
            (
                "HZ-GB-2312",
                b"~{<:Ky2;~}, ~~ x~\ny".as_slice(),
                "己所不, ~ xy",
            ),
            ("hz", b"~{<:\nKy", "己\nKy"),
            ("hz", b"~{<:~}~\r\nx\r\ny", "己x\r\ny"),
            ("iso-2022-kr", b"\x1b$)C\x0e>H3g\x0f hi", "안녕 hi"),
            ("iso2022_kr", b"\x0e>H3g\x0f hi", "안녕 hi"),
            ("iso-2022-jp", b"\x1b$B4A;z\x1b(B!", "漢字!"),
            (
                "iso-2022-jp",
                b"\x1b$@4A;z\x1b(J\\\x1b(I12\nx",
                "漢字¥ｱｲ\nx",
            ),
            (
                "iso-2022-jp-2",
                b"\x1b$A<:\x1b$(C>H\x1b(B\x1b.A\x1bNi",
                "己안é",
            ),
            ("iso2022_jp_1", b"\x1b$(D0!\x1b(B", "丂"),
            ("iso-2022-cn", b"\x1b$)A\x0e<:\x0f", "己"),
            ("utf-7", b"caf+AOk-, +- +2D3cqQ.", "café, + 💩."),
            ("cp850", b"\x82", "é"),
            ("IBM 852", b"\xa9", "ę"),
            ("cp_is", b"\x8c", "ð"),
            ("x-user-defined", b"caf\xe9 \x80", "café €"),
            ("cp949", b"\xbe\xc8", "안"),
            ("iso8859_2", b"\xea", "ę"),
            ("utf-16", b"\xfe\xff\x00x", "x"),
        ] {
            let decoded = Charset::decode_declared(name.as_bytes(), octets);
            assert_eq!(decoded.as_deref(), Some(text), "{name}");
        }
        for (name, octets) in [
            ("iso-2022-kr", b"\x0e>\x0f".as_slice()),
            ("utf-8", b"caf\xe9"),
            ("nothing", b"x"),
        ] {
            assert_eq!(
                Charset::decode_declared(name.as_bytes(), octets),
                None,
                "{name}"
            );
        }
    }

    #[test]
    fn escapes_tell_the_charset_of_undeclared_octets() {
        let found = |octets: &[u8]| Charset::with_escapes(octets).map(Charset::name);
        assert_eq!(found(b"Re: \x1b$B4A;z\x1b(B"), Some("iso-2022-jp"));
        assert_eq!(found(b"\x1b$)C\n\x0e>H3g\x0f"), Some("iso-2022-kr"));
        assert_eq!(found(b"~{<:Ky2;~}"), Some("hz-gb-2312"));
        for other in [
            &b"~{a b~} ~/.x"[..],
            b"\x1b[31mred",
            b"~{~}",
            b"plain",
            b"Use ~{name~} here",
            b"(format t \"~{(~a)~}\" list)",
            b"\x1b$B not jis \x1b(B",
        ] {
            assert_eq!(found(other), None, "{}", other.escape_ascii());
        }
        // The square of this length takes minutes.
        assert_eq!(found(&b"~{".repeat(500_000)), None);
    }

    #[test]
    fn every_row_has_its_characters() {
        for row in ROWS.iter() {
            assert!(matches!(row.upper.len(), 0 | 128), "{}", row.name);
            assert!(Charset::named(row.name).is_some(), "{}", row.name);
            assert!(
                row.aliases
                    .iter()
                    .all(|alias| Charset::named(alias).is_some()),
                "{}",
                row.name
            );
        }
    }

    const CHARSETS: [&str; 14] = [
        "iso-2022-jp-2",
        "utf-7",
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
