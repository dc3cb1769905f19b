//! Message-IDs as programs write them, and the one form in which they are compared (RFC 5536, section 3.1.3).
//!
//! ```text
//! references = *( WS / comment / id )
//! id         = "<" bare ">" / "%3C" escaped "%3E"      ; escaped as in a URL, by programs that take it from one
//! ```
//!
//! Two Message-IDs are the same if their bare forms have the same octets.

use std::borrow::Cow;

/// The most Message-IDs of References that are read: the last ones, as the first may be left out anyway.
const MAX_REFERENCES: usize = 64;

/// Returns a Message-ID without its brackets and the blanks around it.
pub fn bare_id(id: &[u8]) -> &[u8] {
    let id = id.trim_ascii();
    let id = id.strip_prefix(b"<").unwrap_or(id);
    id.strip_suffix(b">").unwrap_or(id).trim_ascii()
}

/// The value of a References header.
#[derive(Clone, Debug)]
pub struct References<'a>(Cow<'a, [u8]>);

impl<'a> References<'a> {
    /// Reads the value of a header, however its brackets are written.
    pub fn new(value: &'a [u8]) -> Self {
        Self(unescaped(value))
    }

    /// The value with brackets that are not escaped.
    pub fn octets(&self) -> &[u8] {
        &self.0
    }

    /// The bare Message-IDs, the nearest last; of many the last ones.
    pub fn ids(&self) -> impl Iterator<Item = &[u8]> {
        // The search starts at the end, as a line may contain thousands.
        let starts = memchr::memrchr_iter(b'<', &self.0);
        let start = starts.take(MAX_REFERENCES).last().unwrap_or_default();
        ids(self.0.get(start..).unwrap_or_default())
    }

    /// The bare Message-ID of the first article of the thread.
    pub fn first(&self) -> Option<&[u8]> {
        ids(&self.0).next()
    }
}

/// The bare Message-IDs in a text. What stands between them is ignored.
fn ids(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let behind = text.split(|&octet| octet == b'<').skip(1);
    behind.filter_map(|rest| {
        let end = memchr::memchr(b'>', rest)?;
        // Of an id the part behind the `@` makes it unique (RFC 5322, section 3.6.4).
        let id = rest.get(..end)?.trim_ascii();
        id.contains(&b'@').then_some(id)
    })
}

/// References whose escaped Message-IDs are written plainly.
fn unescaped(references: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(references, b"%3").is_none() {
        return Cow::Borrowed(references);
    }
    let mut plain = Vec::with_capacity(references.len());
    // Inside of brackets: true if these are escaped.
    let mut inside: Option<bool> = None;
    let mut rest = references;
    while let Some((&octet, after)) = rest.split_first() {
        let decoded = match rest {
            [b'%', high, low, ..] => hex(*high).zip(hex(*low)),
            _ => None,
        };
        let decoded = decoded.map(|(high, low)| high * 16 + low);
        let decoded = decoded.filter(|octet| match inside {
            Some(is_escaped) => is_escaped,
            None => *octet == b'<',
        });
        let next = decoded.unwrap_or(octet);
        plain.push(next);
        match next {
            b'<' => inside = Some(decoded.is_some()),
            b'>' => inside = None,
            _ => {}
        }
        rest = if decoded.is_some() {
            rest.get(3..).unwrap_or_default()
        } else {
            after
        };
    }
    Cow::Owned(plain)
}

/// The value of a hexadecimal digit.
fn hex(octet: u8) -> Option<u8> {
    u8::try_from(char::from(octet).to_digit(16)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids_of(value: &str) -> Vec<String> {
        let references = References::new(value.as_bytes());
        let ids = references.ids();
        ids.map(|id| String::from_utf8_lossy(id).into_owned())
            .collect()
    }

    #[test]
    fn ids_are_read_however_they_are_escaped() {
        for (value, ids) in [
            ("<1@x> words <2@x>,<3@x>", &["1@x", "2@x", "3@x"][..]),
            ("%3C1@x%3E <2%@x> %3C3@x%3E", &["1@x", "2%@x", "3@x"]),
            ("%3c1%40x%3e", &["1@x"]),
            ("%3C1%2B%@x%3E <2%2B%3C@x>", &["1+%@x", "2%2B%3C@x"]),
            ("< 1@x >", &["1@x"]),
            ("<no id> <1@x", &[]),
            ("%3", &[]),
        ] {
            assert_eq!(ids_of(value), ids, "{value}");
        }
        assert_eq!(
            References::new(b"%3C1@x%3E <2@x>").first(),
            Some(&b"1@x"[..])
        );
        assert_eq!(bare_id(b" < 1@x >"), b"1@x");
    }

    #[test]
    fn last_ids_of_many_are_read() {
        let value: Vec<String> = (0..200).map(|number| format!("<{number}@x>")).collect();
        let ids = ids_of(&value.concat());
        assert_eq!((ids.len(), ids.last().unwrap().as_str()), (64, "199@x"));
    }

    proptest::proptest! {
        #[test]
        fn escaped_and_plain_ids_are_the_same(ids in proptest::collection::vec("[a-z+=%/]{1,9}@[a-z.]{1,9}", 0..5), upper: bool) {
            let plain: Vec<String> = ids.iter().map(|id| format!("<{id}> ")).collect();
            let escaped = ids.iter().flat_map(|id| format!("<{id}>").into_bytes()).map(|octet| match octet {
                b'a'..=b'z' => char::from(octet).to_string(),
                _ if upper => format!("%{octet:02X}"),
                _ => format!("%{octet:02x}"),
            });
            let escaped: String = escaped.collect();
            proptest::prop_assert_eq!(ids_of(&escaped), &ids[..]);
            proptest::prop_assert_eq!(ids_of(&plain.concat()), ids);
        }

        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            let references = References::new(&octets);
            proptest::prop_assert!(references.octets().len() <= octets.len());
            references.ids().for_each(drop);
        }
    }
}
