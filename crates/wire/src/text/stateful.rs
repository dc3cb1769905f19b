//! Charsets with shift states, which write two octets to a character in seven bits, and UTF-7.
//!
//! ```text
//! iso-2022 = *( ascii / ESC designation / SO / SI / ESC "N" octet )     ; RFC 1468, 1554, 1557, 1922
//! designation = "(" one-octet-set / "$" [ "(" ] set / "$)" set / "." set-of-96
//! hz       = *( ascii / "~~" / "~" [ CR ] LF / "~{" *( octet octet ) "~}" )    ; RFC 1843: GB 2312
//! utf-7    = *( ascii / "+" *base64 [ "-" ] )                           ; RFC 2152: UTF-16 in base64
//! ```
//!
//! The WHATWG list has only ISO-2022-JP of them. One decoder reads all of ISO-2022, as texts in one of its charsets
//! often have sets of another. Each line begins in the first state, so that a lost escape does not cost the rest of a
//! text. Left out: the planes of CNS 11643, and the characters of JIS X 0213 that JIS X 0208 does not have.

use encoding_rs::{EUC_JP, EUC_KR, Encoding, GBK, ISO_8859_7, UTF_16BE, WINDOWS_1252};

/// A charset with shift states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatefulCharset {
    /// ISO-2022-JP, with its extensions, and ISO-2022-CN as far as its escapes say the same.
    Iso2022Jp,
    /// ISO-2022-KR: SO selects KS X 1001 though no escape has said so.
    Iso2022Kr,
    /// HZ, the form of GB 2312.
    Hz,
    Utf7,
}

impl StatefulCharset {
    /// The charset with this name of letters and digits, in small letters.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "iso2022jp" | "csiso2022jp" | "iso2022jp1" | "iso2022jp2" | "csiso2022jp2"
            | "iso2022jp3" | "iso2022jp2004" | "iso2022jpext" | "iso2022cn" | "iso2022cnext" => {
                Self::Iso2022Jp
            }
            "iso2022kr" | "csiso2022kr" => Self::Iso2022Kr,
            "hz" | "hzgb" | "hzgb2312" => Self::Hz,
            "utf7" | "csutf7" | "u7" | "unicode11utf7" => Self::Utf7,
            _ => return None,
        })
    }

    /// The charset whose escapes stand in octets that declare none. What they surround is well-formed, and in HZ most
    /// of it is of common characters: programs write `~{name~}` too.
    pub(super) fn in_octets(octets: &[u8]) -> Option<Self> {
        memchr::memchr2(0x1b, b'~', octets)?;
        let has = |escape: &[u8]| memchr::memmem::find(octets, escape).is_some();
        if has(b"\x1b$)C") {
            return Some(Self::Iso2022Kr);
        }
        let is_double = |pair: &[u8]| matches!(pair, [0x21..=0x7e, 0x21..=0x7e]);
        let is_escape = |at: usize| match octets.get(at + 1..) {
            Some([b'$', b'(' | b')', ..] | [b'(', b'I' | b'J', ..]) => true,
            Some([b'$', b'@' | b'A' | b'B', inside @ ..]) => {
                let pairs = inside.chunks(2).take_while(|pair| is_double(pair)).count();
                let end = inside.get(2 * pairs..).unwrap_or_default();
                pairs > 0 && matches!(end, [] | [_] | [0x1b | b'\r' | b'\n', ..])
            }
            Some(_) | None => false,
        };
        if memchr::memchr_iter(0x1b, octets).any(is_escape) {
            return Some(Self::Iso2022Jp);
        }
        let is_pair = |pair: &[u8]| matches!(pair, [0x21..=0x77, 0x21..=0x7e]);
        // Punctuation, full-width letters, and the characters of the first level (rows 1 to 3 and 16 to 55).
        let is_common = |pair: &&[u8]| matches!(pair, [0x21..=0x23 | 0x30..=0x57, _]);
        let (mut all, mut common) = (0, 0);
        for at in memchr::memmem::find_iter(octets, b"~{") {
            let inside = octets.get(at + 2..).unwrap_or_default();
            let pairs = inside.chunks(2).take_while(|pair| is_pair(pair)).count();
            let (inside, end) = inside.split_at_checked(2 * pairs).unwrap_or((inside, &[]));
            if end.starts_with(b"~}") {
                all += pairs;
                common += inside.chunks(2).filter(is_common).count();
            }
        }
        (2 * common > all).then_some(Self::Hz)
    }

    /// The name of the charset.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Iso2022Jp => "iso-2022-jp",
            Self::Iso2022Kr => "iso-2022-kr",
            Self::Hz => "hz-gb-2312",
            Self::Utf7 => "utf-7",
        }
    }

    /// Decodes a text; `malformed` makes the character of an octet that does not belong to the charset.
    pub(super) fn decode(self, octets: &[u8], malformed: impl Fn(u8) -> char) -> String {
        let mut text = String::with_capacity(octets.len());
        let mut states = States::new(self);
        let mut rest = octets;
        while let Some(&first) = rest.first() {
            let used = match self {
                Self::Utf7 => utf_7(rest, &mut text),
                Self::Hz => states.hz(rest, &mut text),
                Self::Iso2022Jp | Self::Iso2022Kr => states.escape(rest, &mut text),
            };
            let used = if used > 0 {
                used
            } else {
                states.letter(rest, &mut text, &malformed)
            };
            if first == b'\n' {
                states = States::new(self);
            }
            rest = rest.get(used..).unwrap_or_default();
        }
        text
    }
}

/// A set of characters that graphic octets mean.
#[derive(Clone, Copy)]
enum Set {
    Ascii,
    /// JIS X 0201: ASCII with yen and overline.
    Roman,
    /// The half-width katakana of JIS X 0201.
    Kana,
    /// A set of two octets, by the charset that has it in eight bits, behind these octets.
    Double(&'static Encoding, &'static [u8]),
}

/// The states of a decoder.
struct States {
    /// The set that octets mean.
    selected: Set,
    /// The set that they mean behind SO.
    shifted: Option<Set>,
    is_shifted: bool,
    /// The set of the single shift.
    single: Option<&'static Encoding>,
}

impl States {
    fn new(charset: StatefulCharset) -> Self {
        let korean = Set::Double(EUC_KR, b"");
        Self {
            selected: Set::Ascii,
            shifted: (charset == StatefulCharset::Iso2022Kr).then_some(korean),
            is_shifted: false,
            single: None,
        }
    }

    /// Reads an escape or a shift of ISO-2022. Returns the number of octets that it takes; 0 if there is none.
    fn escape(&mut self, octets: &[u8], text: &mut String) -> usize {
        let double = |set: u8| match set {
            b'@' | b'B' | b'O' | b'P' | b'Q' => Some(Set::Double(EUC_JP, b"")),
            b'D' => Some(Set::Double(EUC_JP, b"\x8f")),
            b'A' | b'E' => Some(Set::Double(GBK, b"")),
            b'C' => Some(Set::Double(EUC_KR, b"")),
            _ => None,
        };
        let (selected, used) = match octets {
            [0x0e, ..] if self.shifted.is_some() => {
                self.is_shifted = true;
                return 1;
            }
            [0x0f, ..] => {
                self.is_shifted = false;
                return 1;
            }
            [0x1b, b'$', b')', set, ..] => {
                self.shifted = double(*set);
                return 4;
            }
            [0x1b, b'.', b'A', ..] => {
                self.single = Some(WINDOWS_1252);
                return 3;
            }
            [0x1b, b'.', b'F', ..] => {
                self.single = Some(ISO_8859_7);
                return 3;
            }
            [0x1b, b'N', octet, ..] => {
                let letter = [octet | 0x80];
                let single = self.single.unwrap_or(WINDOWS_1252);
                text.push_str(&single.decode_without_bom_handling(&letter).0);
                return 3;
            }
            [0x1b, b'(', b'B', ..] => (Some(Set::Ascii), 3),
            [0x1b, b'(', b'J' | b'H', ..] => (Some(Set::Roman), 3),
            [0x1b, b'(', b'I', ..] => (Some(Set::Kana), 3),
            [0x1b, b'$', b'(', set, ..] => (double(*set), 4),
            [0x1b, b'$', set, ..] => (double(*set), 3),
            _ => return 0,
        };
        let Some(selected) = selected else {
            return 0;
        };
        self.selected = selected;
        used
    }

    /// Reads an escape of HZ. Returns the number of octets that it takes; 0 if there is none.
    fn hz(&mut self, octets: &[u8], text: &mut String) -> usize {
        let is_double = matches!(self.selected, Set::Double(..));
        match octets {
            [b'~', b'{', ..] if !is_double => self.selected = Set::Double(GBK, b""),
            [b'~', b'}', ..] => self.selected = Set::Ascii,
            [b'~', b'\n', ..] if !is_double => {}
            [b'~', b'\r', b'\n', ..] if !is_double => return 3,
            [b'~', b'~', ..] if !is_double => text.push('~'),
            _ => return 0,
        }
        2
    }

    /// Decodes the character at the beginning of the octets. Returns the number of octets that it takes.
    fn letter(&self, octets: &[u8], text: &mut String, malformed: impl Fn(u8) -> char) -> usize {
        let Some(&octet) = octets.first() else {
            return 0;
        };
        let set = match self.shifted {
            Some(shifted) if self.is_shifted => shifted,
            _ => self.selected,
        };
        if !octet.is_ascii() {
            text.push(malformed(octet));
            return 1;
        }
        match (set, octets) {
            (Set::Double(encoding, before), [0x21..=0x7e, second @ 0x21..=0x7e, ..]) => {
                let pair = [before, &[octet | 0x80, second | 0x80]].concat();
                let (letter, has_errors) = encoding.decode_without_bom_handling(&pair);
                if has_errors {
                    text.extend([octet, *second].map(malformed));
                } else {
                    text.push_str(&letter);
                }
                2
            }
            (Set::Double(..), [0x21..=0x7e, ..]) => {
                text.push(malformed(octet));
                1
            }
            (Set::Kana, [0x21..=0x5f, ..]) => {
                text.extend(char::from_u32(0xff61 + u32::from(octet) - 0x21));
                1
            }
            (Set::Roman, [b'\\', ..]) => {
                text.push('¥');
                1
            }
            (Set::Roman, [b'~', ..]) => {
                text.push('‾');
                1
            }
            _ => {
                text.push(char::from(octet));
                1
            }
        }
    }
}

/// Decodes a run of base64 in UTF-7. Returns the number of octets that it takes; 0 if there is none.
fn utf_7(octets: &[u8], text: &mut String) -> usize {
    let Some(run) = octets.strip_prefix(b"+") else {
        return 0;
    };
    if run.starts_with(b"-") {
        text.push('+');
        return 2;
    }
    let digit = |octet: u8| match octet {
        b'A'..=b'Z' => Some(octet - b'A'),
        b'a'..=b'z' => Some(octet - b'a' + 26),
        b'0'..=b'9' => Some(octet - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut count) = (0_u32, 0);
    let mut units = Vec::new();
    let digits = run.iter().map_while(|&octet| digit(octet));
    let length = digits
        .inspect(|&digit| {
            bits = bits << 6 | u32::from(digit);
            count += 6;
            if count >= 8 {
                count -= 8;
                units.extend((bits >> count).to_be_bytes().last());
            }
        })
        .count();
    if length == 0 {
        return 0;
    }
    // The bits behind the last character fill its last digit.
    units.truncate(units.len() / 2 * 2);
    text.push_str(&UTF_16BE.decode_without_bom_handling(&units).0);
    let has_end = run.get(length) == Some(&b'-');
    1 + length + usize::from(has_end)
}
