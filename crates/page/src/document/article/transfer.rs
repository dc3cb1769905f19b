//! Content transfer encodings (RFC 2045, section 6).
//!
//! ```text
//! quoted-printable = *( octet / "=" 2HEXDIGIT / "=" *WS CRLF )          ; blanks before a line end are not text
//! base64           = *( 4digit ) [ 2digit "==" / 3digit "=" ]           ; other octets are ignored
//! ```
//!
//! What can be decoded is decoded, and the first fault is described: a `=` of quoted-printable that begins nothing
//! stays as it is, an octet that is no digit of base64 is left out.

use super::uu;
use crate::document::raw::without_line_end;

/// Decoded octets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::document) struct Decoded<'a> {
    pub(in crate::document) octets: Vec<u8>,
    /// Octets behind the encoded ones, which are text that is not encoded.
    pub(in crate::document) behind: &'a [u8],
    /// A description of the first fault.
    pub(in crate::document) fault: Option<String>,
}

impl<'a> Decoded<'a> {
    /// Octets as they came: all of them are behind the encoded ones.
    fn plain(octets: &'a [u8], fault: Option<String>) -> Self {
        Self {
            behind: octets,
            fault,
            ..Self::default()
        }
    }

    /// All octets, with those that are not encoded.
    pub(super) fn all(mut self) -> Vec<u8> {
        self.octets.extend_from_slice(self.behind);
        self.octets
    }
}

/// A content transfer encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TransferEncoding {
    /// `7bit`, `8bit`, `binary`, or none.
    Identity,
    QuotedPrintable,
    Base64,
    Uuencode,
    /// An encoding of another name.
    Unknown(String),
}

impl TransferEncoding {
    /// The encoding with this name, in any letter case.
    pub(super) fn named(name: &[u8]) -> Self {
        match name.to_ascii_lowercase().as_slice() {
            b"" | b"7bit" | b"8bit" | b"binary" | b"7-bit" | b"8-bit" | b"none" => Self::Identity,
            b"quoted-printable" | b"quotedprintable" => Self::QuotedPrintable,
            b"base64" | b"base-64" => Self::Base64,
            b"x-uuencode" | b"uuencode" | b"x-uue" | b"uue" | b"x-uu" => Self::Uuencode,
            other => Self::Unknown(String::from_utf8_lossy(other).into_owned()),
        }
    }

    /// Decodes the body of a part.
    pub(super) fn decode<'a>(&self, body: &'a [u8]) -> Decoded<'a> {
        match self {
            Self::Identity => Decoded::plain(body, None),
            Self::QuotedPrintable => quoted_printable(body),
            Self::Base64 => base64(body),
            Self::Uuencode => match uu::first(body) {
                Some(file) => Decoded {
                    octets: file.octets,
                    fault: file.fault,
                    behind: &[],
                },
                None => Decoded::plain(body, Some("no uuencoded file".to_owned())),
            },
            Self::Unknown(name) => Decoded::plain(body, Some(format!("unknown encoding {name}"))),
        }
    }
}

/// Decodes quoted-printable. A `=` that begins neither an octet nor a soft line break is kept, with what follows.
pub(in crate::document) fn quoted_printable(text: &[u8]) -> Decoded<'_> {
    let mut decoded = Decoded {
        octets: Vec::with_capacity(text.len()),
        ..Decoded::default()
    };
    for line in text.split_inclusive(|&octet| octet == b'\n') {
        let content = without_line_end(line);
        let end = line.get(content.len()..).unwrap_or_default();
        // Blanks at the end of a line were added in transit; a form feed was not.
        let blanks = content.iter().rev();
        let blanks = blanks.take_while(|octet| matches!(octet, b' ' | b'\t' | b'\r'));
        let content = content
            .get(..content.len() - blanks.count())
            .unwrap_or_default();
        let (content, end) = match content.strip_suffix(b"=") {
            Some(soft) => (soft, &[][..]),
            None => (content, end),
        };
        if unquote(content, &mut decoded.octets) {
            let fault = || "malformed quoted-printable".to_owned();
            decoded.fault.get_or_insert_with(fault);
        }
        decoded.octets.extend_from_slice(end);
    }
    decoded
}

/// Decodes `=` with two hexadecimal digits. Returns true if a `=` stays, as it has no digits.
pub(in crate::document) fn unquote(text: &[u8], octets: &mut Vec<u8>) -> bool {
    let digit = |octet: u8| u8::try_from(char::from(octet).to_digit(16)?).ok();
    let mut stays = false;
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'=', rest) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        octets.extend_from_slice(before);
        let value = match from {
            [_, high, low, ..] => digit(*high).zip(digit(*low)),
            _ => None,
        };
        let used = match value {
            Some((high, low)) => {
                octets.push(high * 16 + low);
                3
            }
            None => {
                octets.push(b'=');
                stays = true;
                1
            }
        };
        rest = from.get(used..).unwrap_or_default();
    }
    octets.extend_from_slice(rest);
    stays
}

/// Decodes base64. Octets that are no digits are left out. Text behind the end, as a list appends it, is not decoded.
pub(in crate::document) fn base64(text: &[u8]) -> Decoded<'_> {
    if !is_mostly_digits(text) {
        return Decoded::plain(text, Some("no base64".to_owned()));
    }
    let mut decoded = Decoded::default();
    let mut octets = Vec::with_capacity(text.len() / 4 * 3);
    let mut fault = None;
    let last_foreign = text
        .iter()
        .rposition(|&octet| digit(octet).is_none() && !is_blank(octet));
    let (mut bits, mut digits) = (0_u32, 0_usize);
    for (at, &octet) in text.iter().enumerate() {
        let rest = text.get(at..).unwrap_or_default();
        match octet {
            b'=' if digits > 1 => {
                octets.extend(ended(bits, digits));
                (bits, digits) = (0, 0);
                if last_foreign.is_some_and(|last| at < last) {
                    let next = rest.iter().position(|&octet| !is_blank(octet));
                    decoded.behind = rest.get(next.unwrap_or(0)..).unwrap_or_default();
                }
            }
            _ if is_blank(octet) => {}
            _ => match digit(octet) {
                Some(value) => {
                    bits = bits << 6 | value;
                    digits += 1;
                }
                None if digits == 0 && is_rule(text, at) => decoded.behind = rest,
                None => fault = fault.or(Some("malformed base64")),
            },
        }
        if digits == 4 {
            octets.extend(ended(bits, digits));
            (bits, digits) = (0, 0);
        }
        if !decoded.behind.is_empty() {
            fault = fault.or(Some("text after the base64"));
            break;
        }
    }
    if digits == 1 {
        fault = fault.or(Some("base64 ends too early"));
    }
    octets.extend(ended(bits, digits));
    decoded.octets = octets;
    decoded.fault = fault.map(str::to_owned);
    decoded
}

/// Returns true if few octets of the first lines are neither digits nor blanks at the ends of a line: else it is a text
/// that was not encoded. What may be text after the base64 does not count.
fn is_mostly_digits(text: &[u8]) -> bool {
    let start = text.get(..SAMPLE).unwrap_or(text);
    let start = start.split(|&octet| octet == b'=').next().unwrap_or(start);
    let has_digit =
        |line: &&[u8]| line.is_empty() || line.iter().any(|&octet| digit(octet).is_some());
    let lines = start.split(|&octet| octet == b'\n').map(<[u8]>::trim_ascii);
    let (mut digits, mut others) = (0_usize, 0_usize);
    for &octet in lines.take_while(has_digit).flatten() {
        match octet {
            _ if digit(octet).is_some() => digits += 1,
            // A blank inside a line is typical of words.
            b' ' => others += 2,
            _ => others += 1,
        }
    }
    others == 0 || digits > others * MIN_DIGITS
}

/// The octets of a text that tell whether it is base64, and the digits to each other octet in it.
const SAMPLE: usize = 256;
const MIN_DIGITS: usize = 3;

/// The value of a digit of base64.
fn digit(octet: u8) -> Option<u32> {
    let (first, value) = match octet {
        b'A'..=b'Z' => (b'A', 0),
        b'a'..=b'z' => (b'a', 26),
        b'0'..=b'9' => (b'0', 52),
        b'+' => (b'+', 62),
        b'/' => (b'/', 63),
        _ => return None,
    };
    Some(u32::from(octet - first) + value)
}

/// Returns true for a blank, and for padding.
fn is_blank(octet: u8) -> bool {
    octet.is_ascii_whitespace() || octet == b'='
}

/// Returns true if a line without any digit begins here, such as the rule above the text that a list appends.
fn is_rule(text: &[u8], at: usize) -> bool {
    let (before, from) = text.split_at_checked(at).unwrap_or((text, &[]));
    let mut line = from.iter().take_while(|octet| **octet != b'\n');
    before.last().is_none_or(|&octet| octet == b'\n') && line.all(|&octet| digit(octet).is_none())
}

/// The octets of the last digits: four are three octets, three are two, two are one.
fn ended(bits: u32, digits: usize) -> impl Iterator<Item = u8> {
    let bits = bits << (6 * (4 - digits.min(4)));
    let count = digits.min(4).saturating_sub(1);
    bits.to_be_bytes().into_iter().skip(1).take(count)
}

#[cfg(test)]
mod tests {
    use ::base64::Engine as _;
    use proptest::prelude::*;

    use super::*;

    fn shown(decoded: Decoded<'_>) -> (String, Option<String>) {
        let fault = decoded.fault.clone();
        (decoded.all().escape_ascii().to_string(), fault)
    }

    #[test]
    fn quoted_printable_with_faults_is_decoded_around_them() {
        for (text, expected, is_malformed) in [
            ("Gr=C3=BC=c3=9Fe", r"Gr\xc3\xbc\xc3\x9fe", false),
            ("if (a == b) {} Gr=FC", r"if (a == b) {} Gr\xfc", true),
            ("a = b =3D c", "a = b = c", true),
            ("=3=3D=", "=3=", true),
            ("=XY=41=4", "=XYA=4", true),
            ("==41", "=A", true),
            ("soft=\r\nbreak= \t\nhere=", "softbreakhere", false),
            ("blank \t\nkept=20\n", r"blank\nkept \n", false),
            ("a\n\x0c\nb", r"a\n\x0c\nb", false),
            ("caf\u{e9}=E9", r"caf\xc3\xa9\xe9", false),
            ("", "", false),
        ] {
            let fault = is_malformed.then(|| "malformed quoted-printable".to_owned());
            let decoded = shown(quoted_printable(text.as_bytes()));
            assert_eq!(decoded, (expected.to_owned(), fault), "{text:?}");
        }
    }

    #[test]
    fn base64_with_faults_is_decoded_around_them() {
        let malformed = Some("malformed base64");
        for (text, expected, fault) in [
            ("SGVsbG8=", "Hello", None),
            ("SGVs\r\nbG8", "Hello", None),
            ("SGVs\r\nb!G8*=", "Hello", malformed),
            ("SGVsb", "Hel", Some("base64 ends too early")),
            // Two texts, one after the other.
            ("SGVsbG8=\nSGVsbG8=\n", "HelloHello", None),
            // The footer of a list.
            (
                "SGVsbG8=\n-- \nThe list",
                r"Hello-- \nThe list",
                Some("text after the base64"),
            ),
            (
                "SGVs\n____\nThe list\n",
                r"Hel____\nThe list\n",
                Some("text after the base64"),
            ),
            ("====", "", None),
            ("No base64 at all!", "No base64 at all!", Some("no base64")),
        ] {
            let decoded = shown(base64(text.as_bytes()));
            assert_eq!(
                decoded,
                (expected.to_owned(), fault.map(str::to_owned)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn long_base64_takes_time_in_proportion_to_its_length() {
        // Squares of these lengths take minutes.
        let padded = b"QQ==\n".repeat(200_000);
        assert_eq!(base64(&padded).octets, b"A".repeat(200_000));
        let foreign = [b"QUFB".repeat(100), b"!".repeat(1_000_000)].concat();
        assert_eq!(base64(&foreign).octets, b"A".repeat(300));
    }

    #[test]
    fn encodings_are_known_by_their_names() {
        let text = TransferEncoding::named(b"X-UUEncode").decode(b"begin 644 a\n#0V%T\n`\nend\n");
        assert_eq!(shown(text), ("Cat".to_owned(), None));
        let odd = TransferEncoding::named(b"x-odd").decode(b"a=41");
        assert_eq!(
            shown(odd),
            ("a=41".to_owned(), Some("unknown encoding x-odd".to_owned()))
        );
    }

    proptest! {
        #[test]
        fn encoded_octets_are_decoded(octets: Vec<u8>, foreign in "[!#%.]{0,2}") {
            let quoted: Vec<String> = octets.iter().map(|octet| format!("={octet:02x}=\r\n")).collect();
            prop_assert_eq!(quoted_printable(quoted.concat().as_bytes()).octets, &octets[..]);
            let mut text = ::base64::engine::general_purpose::STANDARD.encode(&octets);
            text.insert_str(text.len() / 2, &foreign);
            let decoded = base64(text.as_bytes());
            prop_assert!(decoded.octets == octets || decoded.fault.is_some(), "{}", text);
            prop_assert!(!foreign.is_empty() || decoded.fault.is_none());
        }

        #[test]
        fn any_octets_are_decoded(octets: Vec<u8>) {
            for name in ["7bit", "quoted-printable", "base64", "x-uuencode", "x"] {
                let decoded = TransferEncoding::named(name.as_bytes()).decode(&octets);
                prop_assert!(decoded.all().len() <= octets.len());
            }
        }
    }
}
