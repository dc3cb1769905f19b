//! Patterns of names (RFC 3977, section 4).
//!
//! ```text
//! wildmat         = wildmat-pattern *( "," [ "!" ] wildmat-pattern )
//! wildmat-pattern = 1*( wildmat-exact / "*" / "?" )
//! ```
//!
//! Of the patterns that fit a name the last one counts: a name fits where that has no `!` before it. `?` is one
//! character, whatever it takes in UTF-8. Brackets and the backslash, which RFC 3977 leaves out, stand for
//! themselves. A first pattern may have a `!` too, and an empty one fits nothing: both are there while somebody
//! types. Blanks beside a comma are no part of a name.

/// A pattern, ready to be held against names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wildmat(Vec<Pattern>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    is_negated: bool,
    items: Vec<u8>,
}

impl Wildmat {
    /// Reads a pattern; any octets are one.
    pub fn parse(text: &[u8]) -> Self {
        let patterns = text.split(|octet| *octet == b',').map(|pattern| {
            let pattern = pattern.trim_ascii();
            let (is_negated, items) = match pattern.strip_prefix(b"!") {
                Some(rest) => (true, rest),
                None => (false, pattern),
            };
            Pattern {
                is_negated,
                items: items.to_vec(),
            }
        });
        Self(
            patterns
                .filter(|pattern| !pattern.items.is_empty())
                .collect(),
        )
    }

    /// Whether a name fits.
    pub fn fits(&self, name: &[u8]) -> bool {
        let mut patterns = self.0.iter().rev();
        let last = patterns.find(|pattern| glob(&pattern.items, name));
        last.is_some_and(|pattern| !pattern.is_negated)
    }
}

/// Whether all of a text fits one pattern, where `*` is any text and `?` any character. Only the last `*` is ever
/// tried again, so that this takes no longer than the product of both lengths.
pub fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // What stands behind the last `*`, and where it is tried next.
    let mut again: Option<(&[u8], &[u8])> = None;
    loop {
        match (pattern.split_first(), name.split_first()) {
            (Some((b'*', rest)), _) => {
                pattern = rest;
                again = Some((rest, name));
                continue;
            }
            (Some((b'?', rest)), Some(_)) => {
                (pattern, name) = (rest, after_character(name));
                continue;
            }
            (Some((item, rest)), Some((octet, left))) if item == octet => {
                (pattern, name) = (rest, left);
                continue;
            }
            (None, None) => return true,
            (_, _) => {}
        }
        match again {
            Some((rest, from)) if !from.is_empty() => {
                let from = after_character(from);
                (pattern, name) = (rest, from);
                again = Some((rest, from));
            }
            Some(_) | None => return false,
        }
    }
}

/// What follows the first character. An octet that begins none is one by itself.
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
