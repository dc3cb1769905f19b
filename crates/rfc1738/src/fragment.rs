//! Fragments (RFC 3986, section 3.5): the text after `#`, which names a part of a page.
//!
//! ```text
//! fragment = *( xchar | "~" )
//! ```
//!
//! RFC 1738 forbids `#` in a URL, so a fragment is a departure, in every scheme. It is for the reader of the page
//! alone: the parts of a URL are read without it, and no server gets it. `%23` is data and starts no fragment.
//!
//! A `#` before an `@` that could end a user starts none, because other programs read another host there.

use super::escape::{self, Class, Encoded, XCHAR};
use super::{Dialect, Url};

/// The literal characters of a fragment.
const FRAGMENT: Class = XCHAR.and(b"~");

/// The text before the fragment, and the fragment, if the text has one.
///
/// ```
/// use rfc1738::split_fragment;
///
/// assert_eq!(split_fragment("http://h.example/a#b"), ("http://h.example/a", Some("b")));
/// ```
pub fn split(text: &str) -> (&str, Option<&str>) {
    // Most texts have no fragment, and this test takes many octets at once.
    let found = |found, octet| found | u8::from(octet == b'#');
    if text.bytes().fold(0, found) == 0 {
        return (text, None);
    }
    match text.split_once('#') {
        Some((before, fragment)) if is_behind_host(before) || !fragment.contains('@') => {
            (before, Some(fragment))
        }
        Some(_) | None => (text, None),
    }
}

/// The text before a fragment without faults. A text with a faulty fragment is returned whole.
pub(super) fn without_valid(text: &str) -> (&str, Option<&str>) {
    let (before, fragment) = split(text);
    match fragment {
        Some(fragment) if escape::span(fragment.as_bytes(), &FRAGMENT) == fragment.len() => {
            (before, Some(fragment))
        }
        Some(_) | None => (text, None),
    }
}

/// Returns true if a slash ends the host, so that a later `@` ends no user.
fn is_behind_host(before: &str) -> bool {
    let rest = before.split_once("://").map(|(_, rest)| rest);
    rest.is_some_and(|rest| rest.contains('/'))
}

impl Url {
    /// The fragment without its `#`, as written and as octets; `None` if there is none.
    ///
    /// ```
    /// use rfc1738::Dialect;
    ///
    /// let url = Dialect::Extended.parse("http://h.example/a#b").unwrap();
    /// assert_eq!(url.fragment().unwrap().as_str(), "b");
    /// ```
    pub fn fragment(&self) -> Option<Encoded<'_>> {
        split(self.as_str()).1.map(Encoded::new)
    }

    /// The text before the `#` of a fragment: all that a server may get.
    ///
    /// ```
    /// use rfc1738::Dialect;
    ///
    /// let url = Dialect::Extended.parse("http://h.example/a#b").unwrap();
    /// assert_eq!(url.before_fragment(), "http://h.example/a");
    /// ```
    pub fn before_fragment(&self) -> &str {
        split(self.as_str()).0
    }

    /// The URL without its fragment.
    ///
    /// ```
    /// use rfc1738::Dialect;
    ///
    /// let url = Dialect::Extended.parse("gopher://h.example/0/a#b").unwrap();
    /// assert_eq!(url.without_fragment().as_str(), "gopher://h.example/0/a");
    /// ```
    #[must_use]
    pub fn without_fragment(&self) -> Url {
        Url {
            text: self.before_fragment().into(),
        }
    }

    /// The URL with this fragment instead of its own; characters that a fragment must not contain become escapes.
    /// Unchanged where a fragment would change the host that other programs read.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("http://h.example/a").unwrap();
    /// assert_eq!(url.with_fragment("b c").as_str(), "http://h.example/a#b%20c");
    /// ```
    #[must_use]
    pub fn with_fragment(&self, fragment: &str) -> Url {
        let fragment = escape::escape_unencoded(fragment, &FRAGMENT);
        let text = format!("{}#{fragment}", self.before_fragment());
        Dialect::Extended
            .parse(&text)
            .unwrap_or_else(|_| self.clone())
    }
}
