//! Patterns of names (RFC 3977, section 4).
//!
//! ```text
//! wildmat         = wildmat-pattern *( "," [ "!" ] wildmat-pattern )
//! wildmat-pattern = 1*( wildmat-exact / "*" / "?" )
//! ```
//!
//! Of the patterns that match a name the last one counts: the name matches if that pattern has no `!`. `?` is one
//! character, with any number of octets in UTF-8. Brackets and the backslash, which RFC 3977 leaves out, are literal. The
//! first pattern may have a `!` too, and an empty pattern matches nothing: both happen while the user types. Blanks beside
//! a comma are no part of a name.

/// A parsed pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wildmat(Vec<Pattern>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    is_negated: bool,
    items: Vec<u8>,
}

impl Wildmat {
    /// Parses a pattern; any octets are valid.
    pub fn parse(text: &[u8]) -> Self {
        let patterns = text.split(|octet| *octet == b',').map(|pattern| {
            let pattern = pattern.trim_ascii();
            let negated = pattern.strip_prefix(b"!");
            Pattern {
                is_negated: negated.is_some(),
                items: negated.unwrap_or(pattern).to_vec(),
            }
        });
        let patterns = patterns.filter(|pattern| !pattern.items.is_empty());
        Self(patterns.collect())
    }

    /// Returns true if a name matches.
    pub fn matches(&self, name: &[u8]) -> bool {
        let mut patterns = self.0.iter().rev();
        let last = patterns.find(|pattern| glob(&pattern.items, name));
        last.is_some_and(|pattern| !pattern.is_negated)
    }
}

/// Returns true if a whole text matches one pattern, where `*` is any text and `?` any character. Only the last `*` is
/// retried, so the time is at most the product of both lengths.
pub fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // The pattern after the last `*`, and the text where it is tried next.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        match (pattern.split_first(), name.split_first()) {
            (Some((b'*', rest)), _) => {
                pattern = rest;
                retry = Some((rest, name));
                continue;
            }
            (Some((b'?', rest)), Some(_)) => {
                (pattern, name) = (rest, after_character(name));
                continue;
            }
            (Some((item, rest)), Some((octet, after))) if item == octet => {
                (pattern, name) = (rest, after);
                continue;
            }
            (None, None) => return true,
            (_, _) => {}
        }
        match retry {
            Some((rest, from)) if !from.is_empty() => {
                let from = after_character(from);
                (pattern, name) = (rest, from);
                retry = Some((rest, from));
            }
            Some(_) | None => return false,
        }
    }
}

/// Returns the text after the first character. An octet that begins no character counts as one.
fn after_character(text: &[u8]) -> &[u8] {
    let length = match text.first() {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        Some(_) | None => 1,
    };
    let is_whole = text
        .get(..length)
        .is_some_and(|character| std::str::from_utf8(character).is_ok());
    let length = if is_whole { length } else { 1 };
    text.get(length..).unwrap_or_default()
}
