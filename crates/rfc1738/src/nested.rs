//! Passwords of URLs nested in another text: in the selector of a gopher URL (`hURL:ftp://u:pw@h/`), in a query
//! (`?u=ftp%3A%2F%2Fu%3Apw%40h%2F`), in prose.
//!
//! A nested URL may be encoded as a whole, and again together with the URL that contains it. A character counts even
//! if its escape was encoded again, up to [`LEVELS`] times. A nested URL ends at a delimiter that is encoded fewer
//! times than the URL itself, in a prospero URL at an unencoded semicolon, which starts a field (RFC 1738, section
//! 3.11), and in a gopher URL at an encoded tab, which starts the search or the Gopher+ string (section 3.4.1).

use std::cmp::Reverse;
use std::ops::Range;

use super::scheme::leading_scheme;
use super::{escape, token};

/// The number of times a character may be encoded and still count as itself: `%25252540` is an `@` of level 4.
const LEVELS: usize = 4;

/// The octet range of a password in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NestedPassword {
    /// The offset of the colon before the password, which may be encoded.
    pub(super) colon: usize,
    pub(super) range: Range<usize>,
}

impl NestedPassword {
    /// A password in the text's own login, which is not encoded.
    pub(super) fn own(range: Range<usize>) -> Self {
        Self {
            colon: range.start.saturating_sub(1),
            range,
        }
    }
}

/// Returns true if a URL may hold a password. Most have none, and this test is fast.
///
/// ```
/// use rfc1738::may_hold_secret;
///
/// assert!(may_hold_secret(b"ftp://u:p@h.example/"));
/// assert!(!may_hold_secret(b"ftp://h.example/"));
/// ```
pub fn may_hold_secret(url: &[u8]) -> bool {
    url.contains(&b'@')
        || url.contains(&b'%') && url.windows(2).any(|pair| pair == b"40")
        || token::may_be_in(url)
}

/// The passwords in a text with this scheme, in order: that of its own login, which `own` finds, those of nested URLs,
/// and the tokens of Titan.
pub(super) fn with_nested<'a>(
    text: &str,
    scheme: impl FnOnce() -> &'a str,
    own: impl FnOnce() -> Option<Range<usize>>,
) -> Vec<NestedPassword> {
    if !may_hold_secret(text.as_bytes()) {
        return Vec::new();
    }
    let mut all: Vec<NestedPassword> = own().map(NestedPassword::own).into_iter().collect();
    let own_end = all.first().map_or(0, |own| own.range.end);
    if may_nest(text) {
        // Everything in the text's own password is masked with it.
        all.extend(nested(text, scheme()).filter(|secret| secret.colon >= own_end));
    }
    all.extend(token::in_text(text));
    without_overlaps(all)
}

/// Sorts passwords, and makes one of those that overlap or touch: two masks would be one password when they are read
/// again.
pub(super) fn without_overlaps(mut all: Vec<NestedPassword>) -> Vec<NestedPassword> {
    all.sort_by_key(|secret| (secret.range.start, Reverse(secret.range.end)));
    all.dedup_by(|next, last| {
        let touches = next.range.start <= last.range.end;
        if touches {
            last.range.end = last.range.end.max(next.range.end);
        }
        touches
    });
    all
}

/// Returns true if the text may hold `://`, with or without escapes, behind its own scheme. Most have none, and this
/// test is fast.
fn may_nest(text: &str) -> bool {
    let own = leading_scheme(text).map_or(0, |scheme| scheme.len() + 1);
    let rest = text.as_bytes().get(own..).unwrap_or_default();
    let mut pairs = rest.windows(2);
    let mut triples = rest.windows(3);
    pairs.any(|pair| matches!(pair, [b':', b'/' | b'%']))
        || triples.any(|triple| matches!(triple, [b'3', b'A' | b'a', b'/' | b'%']))
}

/// A character of a text with its escapes decoded.
#[derive(Clone, Copy)]
pub(super) struct DecodedOctet {
    pub(super) octet: u8,
    /// The number of times it was encoded.
    pub(super) level: usize,
    /// The offset in the text.
    pub(super) start: usize,
}

pub(super) fn tokens(text: &[u8]) -> Vec<DecodedOctet> {
    let mut tokens = Vec::with_capacity(text.len());
    let mut start = 0;
    while let Some(&octet) = text.get(start) {
        let mut token = DecodedOctet {
            octet,
            level: 0,
            start,
        };
        let mut end = start + 1;
        if octet == b'%' {
            while let Some(value) = hex(text, end) {
                (token.octet, token.level) = (value, token.level + 1);
                end += 2;
                if value != b'%' || token.level == LEVELS {
                    break;
                }
            }
        }
        tokens.push(token);
        start = end;
    }
    tokens
}

/// The value of the two hexadecimal digits at an offset.
fn hex(text: &[u8], at: usize) -> Option<u8> {
    Some((escape::hex(*text.get(at)?)? << 4) | escape::hex(*text.get(at + 1)?)?)
}

fn nested(text: &str, scheme: &str) -> impl Iterator<Item = NestedPassword> {
    let separator = match scheme.to_ascii_lowercase().as_str() {
        "prospero" => Some((b';', 0)),
        "gopher" | "gophers" => Some((b'\t', 1)),
        _ => None,
    };
    let tokens = tokens(text.as_bytes());
    // The scheme of the text itself.
    let own = leading_scheme(text).map(str::len);
    let mut end = 0;
    (1..tokens.len()).filter_map(move |at| {
        let colon = tokens.get(at)?;
        if colon.octet != b':' || own == Some(colon.start) {
            return None;
        }
        let secret = behind_scheme(&tokens, at, separator)?;
        // A URL nested in a password is masked with it.
        if secret.colon < end {
            return None;
        }
        end = secret.range.end;
        Some(secret)
    })
}

/// The password of the URL whose scheme ends with the colon at this index. The separator is an octet, encoded this many
/// times, between the parts of the whole text.
fn behind_scheme(
    tokens: &[DecodedOctet],
    colon: usize,
    separator: Option<(u8, usize)>,
) -> Option<NestedPassword> {
    let before = tokens.get(colon.checked_sub(1)?)?;
    let head = tokens.get(colon..colon + 3)?;
    let is_url =
        before.octet.is_ascii_alphanumeric() && head.iter().map(|token| token.octet).eq(*b"://");
    if !is_url {
        return None;
    }
    let level = head.iter().map(|token| token.level).max()?;
    let rest = tokens.get(colon + 3..)?;
    let ends = |token: &DecodedOctet| match token.octet {
        b'/' => token.level <= level,
        octet if separator == Some((octet, token.level)) => true,
        b'?' | b'#' | b'&' | b';' | b'+' => token.level < level,
        b' '..=b'~' | 0x80.. => {
            matches!(token.octet, b' ' | b'<' | b'>' | b'"') && token.level == 0
        }
        _ => token.level == 0,
    };
    let len = rest.iter().position(ends).unwrap_or(rest.len());
    let authority = rest.get(..len)?;
    let is_at = |token: &DecodedOctet| token.octet == b'@';
    let strict = authority
        .iter()
        .rposition(|token| is_at(token) && token.level <= level);
    let end = strict.or_else(|| authority.iter().rposition(is_at))?;
    let colon = authority
        .iter()
        .take(end)
        .position(|token| token.octet == b':')?;
    Some(NestedPassword {
        colon: authority.get(colon)?.start,
        range: authority.get(colon + 1)?.start..authority.get(end)?.start,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The fast tests never rule out a text with a password.
        #[test]
        fn fast_tests_find_every_text_with_a_nested_password(
            pieces in proptest::collection::vec(
                prop_oneof![
                    Just("gopher"), Just("ftp"), Just("h"), Just(":"), Just("%3A"), Just("%3a"),
                    Just("%253A"), Just("/"), Just("//"), Just("%2F%2F"), Just("%252F%252F"),
                    Just("://"), Just("u:p@"), Just("u%3Ap%40"), Just("@"), Just("%2540"), Just(" "),
                ],
                0..12,
            )
        ) {
            let text = pieces.concat();
            let scheme = text.split(':').next().unwrap_or_default();
            if nested(&text, scheme).next().is_some() {
                prop_assert!(may_hold_secret(text.as_bytes()), "{text}");
                prop_assert!(may_nest(&text), "{text}");
            }
        }
    }

    #[test]
    fn encoded_nested_url_has_a_password() {
        let text = "http://h/?u=ftp%3a%2F%2Fu%3Ap%40h%2F";
        let found: Vec<_> = with_nested(text, || "http", || None);
        assert_eq!(found.len(), 1);
        assert_eq!(text.get(found[0].range.clone()), Some("p"));
    }
}
