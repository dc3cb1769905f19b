//! Decoding by the charset that a mail or an article declares.
//!
//! The names and decoders are mail-parser's, and two charsets of old news that neither it nor the WHATWG list decodes:
//!
//! ```text
//! hz = *( ascii / "~~" / "~" LF / "~{" *( octet octet ) "~}" )        ; RFC 1843: GB 2312 in seven bits
//! kr = [ ESC "$)C" ] *( ascii / SO *( octet octet ) SI )              ; RFC 1557: KS X 1001 in seven bits
//! ```

use mail_parser::decoders::charsets::map::charset_decoder;

use super::Charset;

/// Decodes octets by the charset with this name. Returns `None` if the charset is unknown, or the octets are malformed in
/// it. The result is not safe to show.
pub fn decode_declared(name: &[u8], octets: &[u8]) -> Option<String> {
    let decoded = match SevenBit::named(name) {
        Some(charset) => charset.decode(octets),
        None => charset_decoder(name)?(octets),
    };
    (!decoded.contains(char::REPLACEMENT_CHARACTER)).then_some(decoded)
}

/// Returns true if the octets of the charset with this name shift between states: each encoded word begins in the first
/// one (RFC 2047, section 3).
pub fn is_stateful(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    let families = [
        "iso-2022-",
        "iso2022",
        "csiso2022",
        "hz",
        "utf-7",
        "utf7",
        "csutf7",
        "unicode-1-1-utf-7",
    ];
    families
        .iter()
        .any(|family| name.starts_with(family.as_bytes()))
}

/// A charset of two octets to a character in seven bits, and its form in eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SevenBit {
    /// HZ, the form of GB 2312.
    Hz,
    /// ISO-2022-KR, the form of EUC-KR.
    Kr,
}

impl SevenBit {
    fn named(name: &[u8]) -> Option<Self> {
        match name.to_ascii_lowercase().as_slice() {
            b"hz-gb-2312" | b"hz" => Some(Self::Hz),
            b"iso-2022-kr" | b"csiso2022kr" => Some(Self::Kr),
            _ => None,
        }
    }

    fn decode(self, octets: &[u8]) -> String {
        let encoding = match self {
            Self::Hz => encoding_rs::GBK,
            Self::Kr => encoding_rs::EUC_KR,
        };
        Charset::listed(encoding)
            .decode(&self.to_eight_bits(octets))
            .into_owned()
    }

    /// Removes the shifts, and sets the eighth bit of the octets between them. A line end ends a shift.
    fn to_eight_bits(self, octets: &[u8]) -> Vec<u8> {
        let mut plain = Vec::with_capacity(octets.len());
        let mut shifted = false;
        let mut rest = octets;
        while let Some((&octet, after)) = rest.split_first() {
            rest = after;
            let (state, used) = match (self, octet, after) {
                (_, b'\n', _) => {
                    plain.push(octet);
                    (false, 0)
                }
                (Self::Hz, b'~', [b'{', ..]) => (true, 1),
                (Self::Hz, b'~', [b'}', ..]) => (false, 1),
                (Self::Hz, b'~', [b'\n', ..]) if !shifted => (false, 1),
                (Self::Hz, b'~', [b'~', ..]) if !shifted => {
                    plain.push(octet);
                    (false, 1)
                }
                (Self::Kr, 0x1b, [b'$', b')', b'C', ..]) => (shifted, 3),
                (Self::Kr, 0x0e, _) => (true, 0),
                (Self::Kr, 0x0f, _) => (false, 0),
                _ => {
                    let is_half = shifted && octet.is_ascii_graphic();
                    plain.push(if is_half { octet | 0x80 } else { octet });
                    (shifted, 0)
                }
            };
            shifted = state;
            rest = rest.get(used..).unwrap_or_default();
        }
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifted_octets_are_decoded() {
        for (name, octets, text) in [
            (
                "HZ-GB-2312",
                b"~{<:Ky2;~}, ~~ x~\ny".as_slice(),
                "己所不, ~ xy",
            ),
            ("iso-2022-kr", b"\x1b$)C\x0e>H3g\x0f hi", "안녕 hi"),
            ("iso-2022-jp", b"\x1b$B4A;z\x1b(B!", "漢字!"),
            ("utf-7", b"caf+AOk-", "café"),
            ("cp850", b"\x82", "é"),
        ] {
            let decoded = decode_declared(name.as_bytes(), octets);
            assert_eq!(decoded.as_deref(), Some(text), "{name}");
        }
        assert_eq!(decode_declared(b"iso-2022-kr", b"\x0e>\x0f"), None);
        assert_eq!(decode_declared(b"utf-8", b"caf\xe9"), None);
        assert_eq!(decode_declared(b"nothing", b"x"), None);
    }
}
