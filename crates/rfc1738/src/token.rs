//! Tokens of Titan in URLs: the parameter that permits an upload, as secret as a password.
//!
//! ```text
//! token = "titan://" *any ";token=" *value ; in any text, also where a URL is nested and encoded
//! value = any octet up to the next parameter (";"), a fragment, or the end of the URL
//! ```

use super::nested::{DecodedOctet, NestedPassword, tokens as decoded};

/// The scheme with its colon.
const SCHEME: &[u8] = b"titan:";

/// The name of the parameter, with the signs around it.
const NAME: &[u8] = b";token=";

/// Returns true if a text may have a token. Most have none, and this test is fast.
pub(super) fn may_be_in(text: &[u8]) -> bool {
    let has_sign = text.contains(&b';') || text.contains(&b'%');
    let mut words = text.windows(SCHEME.len() - 1);
    has_sign && words.any(|word| SCHEME.starts_with(&word.to_ascii_lowercase()))
}

/// Returns true if a text is a URL of Titan, valid or not.
pub(super) fn is_titan(text: &str) -> bool {
    let scheme = text.as_bytes().get(..SCHEME.len());
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
}

/// The tokens in a text, in order. The colon of each is the semicolon before its name.
pub(super) fn in_text(text: &str) -> Vec<NestedPassword> {
    if !may_be_in(text.as_bytes()) {
        return Vec::new();
    }
    let octets = decoded(text.as_bytes());
    let start = octets
        .windows(SCHEME.len())
        .position(|octets| are(octets, SCHEME));
    let Some(start) = start else {
        return Vec::new();
    };
    let (mut found, mut at) = (Vec::new(), start);
    while let Some(name) = octets.get(at..at + NAME.len()) {
        at += 1;
        if !are(name, NAME) {
            continue;
        }
        let level = name.iter().map(|octet| octet.level).max().unwrap_or(0);
        let value = octets.get(at + NAME.len() - 1..).unwrap_or_default();
        let len = value.iter().position(|octet| ends(octet, level));
        let begin = value.first().map_or(text.len(), |octet| octet.start);
        let end = len.and_then(|len| value.get(len));
        let end = end.map_or(text.len(), |octet| octet.start);
        if begin < end {
            found.push(NestedPassword {
                colon: name.first().map_or(begin, |octet| octet.start),
                range: begin..end,
            });
        }
    }
    found
}

fn are(octets: &[DecodedOctet], expected: &[u8]) -> bool {
    let octets = octets.iter().map(|octet| octet.octet.to_ascii_lowercase());
    octets.eq(expected.iter().copied())
}

/// Returns true if a token whose name is encoded `level` times ends before this octet.
fn ends(octet: &DecodedOctet, level: usize) -> bool {
    match octet.octet {
        b';' | b'#' => octet.level <= level,
        b'?' | b'&' | b'+' => octet.level < level,
        b' '..=b'~' | 0x80.. => {
            matches!(octet.octet, b' ' | b'<' | b'>' | b'"') && octet.level == 0
        }
        _ => octet.level == 0,
    }
}

#[cfg(test)]
mod tests;
