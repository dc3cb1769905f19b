//! Octets and their encoding as characters (RFC 1738, sections 2.2 and 5).
//!
//! ```text
//! safe       = "$" | "-" | "_" | "." | "+"
//! extra      = "!" | "*" | "'" | "(" | ")" | ","
//! reserved   = ";" | "/" | "?" | ":" | "@" | "&" | "="
//! escape     = "%" hex hex
//! unreserved = alpha | digit | safe | extra
//! uchar      = unreserved | escape
//! xchar      = unreserved | reserved | escape
//! ```
//!
//! A [`Class`] holds the literal characters of a production. Where an escape is allowed too (in every production
//! except hosts, ports and groups), the parser adds it. Octets are not converted to text for display here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A set of octets, as a table of 256 flags, 1 or 0, made at compile time.
#[derive(Clone, Copy)]
pub(super) struct Class([u8; 256]);

impl Class {
    /// The set of the octets in `members`.
    #[must_use]
    pub(super) const fn of(members: &[u8]) -> Self {
        Class([0; 256]).and(members)
    }

    /// This set and the octets in `members`.
    #[expect(
        clippy::indexing_slicing,
        reason = "an octet is always inside a table of 256"
    )]
    #[must_use]
    pub(super) const fn and(self, mut members: &[u8]) -> Self {
        let mut table = self.0;
        while let [first, rest @ ..] = members {
            table[*first as usize] = 1;
            members = rest;
        }
        Class(table)
    }

    /// Returns true if `octet` is in the set.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "an octet is always inside a table of 256"
    )]
    pub(super) const fn has(&self, octet: u8) -> bool {
        self.0[octet as usize] != 0
    }

    /// A bit for each of eight octets, set if the octet is in the set; the lowest bit is for the first octet.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        clippy::trivially_copy_pass_by_ref,
        reason = "an octet is always inside a table of 256; eight that come as one word have to be picked out of it"
    )]
    fn which(&self, octets: &[u8; 8]) -> u32 {
        let inside = |octet: &u8| u32::from(self.0[usize::from(*octet)]);
        octets
            .iter()
            .rev()
            .fold(0, |all, octet| all << 1 | inside(octet))
    }

    /// The number of `octets` in the set before the first that is not.
    #[inline]
    fn leading(&self, octets: &[u8]) -> usize {
        octets.iter().take_while(|octet| self.has(**octet)).count()
    }
}

/// `digit`
pub(super) const DIGIT: Class = Class::of(b"0123456789");
/// `alpha`
pub(super) const ALPHA: Class = Class::of(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
/// `alphadigit`
pub(super) const ALPHADIGIT: Class = ALPHA.and(b"0123456789");
/// `unreserved`: characters that are allowed anywhere and mean the same encoded or not.
pub(super) const UNRESERVED: Class = ALPHADIGIT.and(b"$-_.+!*'(),");
/// The unreserved characters that mean themselves in the answers to a form.
const FORM_LITERAL: Class = ALPHADIGIT.and(b"$-_.!*'(),");
/// `reserved`: characters that may have a special meaning in a scheme.
pub(super) const RESERVED: Class = Class::of(b";/?:@&=");
/// The literal part of `uchar`.
pub(super) const UCHAR: Class = UNRESERVED;
/// The literal part of `xchar`.
pub(super) const XCHAR: Class = UNRESERVED.and(b";/?:@&=");
/// The characters of a `scheme`, upper case included (section 2.1).
pub(super) const SCHEME: Class = ALPHADIGIT.and(b"+-.");
/// The literal part of `user` and `password`.
pub(super) const USER: Class = UCHAR.and(b";?&=");
/// The literal part of `fsegment`, and of Prospero's `psegment`.
pub(super) const FSEGMENT: Class = UCHAR.and(b"?:@&=");
/// The literal part of `fpath` and `ppath`: segments and the slashes between them.
pub(super) const FPATH: Class = FSEGMENT.and(b"/");
/// The literal part of `hsegment`.
pub(super) const HSEGMENT: Class = UCHAR.and(b";:@&=");
/// The literal part of `hpath`.
pub(super) const HPATH: Class = HSEGMENT.and(b"/");
/// The literal part of `search`.
pub(super) const SEARCH: Class = HSEGMENT;
/// The literal part of the text before the `@` of an `article`.
pub(super) const ARTICLE: Class = UCHAR.and(b";/?:&=");
/// The characters of a `group` after its first letter; no escapes.
pub(super) const GROUP: Class = ALPHADIGIT.and(b"-.+_");
/// The literal part of Prospero's `fieldname` and `fieldvalue`.
pub(super) const FIELD: Class = UCHAR.and(b"?:@&");

/// The number of octets at the start of `text` that are literals of `class` or whole escapes.
#[inline]
pub(super) fn span(text: &[u8], class: &Class) -> usize {
    let mut at = literal_span(text, class);
    while text.get(at) == Some(&b'%') && escaped(text, at).is_some() {
        at += 3;
        at += literal_span(text.get(at..).unwrap_or(&[]), class);
    }
    at
}

/// The number of octets at the start of `text` that are literals of `class`.
#[inline]
pub(super) fn literal_span(text: &[u8], class: &Class) -> usize {
    let mut at = 0;
    // Eight octets are tested at a time, because the end of a part is unpredictable for a processor. So branches are
    // rare, and the position among the eight is computed by counting bits.
    while let Some(octets) = text.get(at..).and_then(<[u8]>::first_chunk) {
        let which = class.which(octets);
        if which != 0xFF {
            return at + which.trailing_ones() as usize;
        }
        at += 8;
    }
    // Fewer than eight octets are left: they are the end of the last eight octets of the text.
    let left = text.len() - at;
    match text.last_chunk() {
        Some(octets) => at + (class.which(octets) >> (8 - left)).trailing_ones() as usize,
        None => at + class.leading(text),
    }
}

/// The octet that the escape at `at` encodes; `None` if there is no whole escape.
#[inline]
pub(super) fn escaped(text: &[u8], at: usize) -> Option<u8> {
    match text.get(at..)? {
        [b'%', high, low, ..] => Some((hex(*high)? << 4) | hex(*low)?),
        _ => None,
    }
}

/// The value of a hexadecimal digit.
pub(super) const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// The octets of `text` with its escapes decoded. A `%` that starts no escape is itself.
fn decoded(text: &str) -> impl Iterator<Item = u8> {
    let octets = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let octet = *octets.get(at)?;
        let value = escaped(octets, at);
        at += if value.is_some() { 3 } else { 1 };
        Some(value.unwrap_or(octet))
    })
}

/// Decodes `text` to octets. A `%` that starts no escape is itself, so decoding never fails; a part of a
/// [`Url`](super::Url) has no such `%`. Borrows if there is nothing to decode.
///
/// ```
/// use rfc1738::decode;
///
/// assert_eq!(&*decode("a%2Fb%FF"), b"a/b\xFF");
/// ```
pub fn decode(text: &str) -> Cow<'_, [u8]> {
    if text.contains('%') {
        Cow::Owned(decoded(text).collect())
    } else {
        Cow::Borrowed(text.as_bytes())
    }
}

/// Encodes `octets` as a part of a URL: those in `literal` as themselves, all others as escapes in upper case. A `%`
/// becomes `%25`; use [`escape_unencoded`] for text that already has escapes.
pub(super) fn encode(octets: &[u8], literal: &Class) -> String {
    let mut text = String::with_capacity(octets.len());
    for &octet in octets {
        push(&mut text, octet, literal);
    }
    text
}

/// Encodes the characters that are missing an escape: those outside `literal` become escapes (a non-ASCII one as its
/// UTF-8 octets), whole escapes stay, and a lone `%` becomes `%25`. Borrows if nothing changes. The function is
/// idempotent.
pub(super) fn escape_unencoded<'a>(text: &'a str, literal: &Class) -> Cow<'a, str> {
    let octets = text.as_bytes();
    if span(octets, literal) == octets.len() {
        return Cow::Borrowed(text);
    }
    let mut escaped_text = String::with_capacity(octets.len() + 8);
    for (at, &octet) in octets.iter().enumerate() {
        if octet == b'%' && escaped(octets, at).is_some() {
            escaped_text.push('%');
        } else {
            push(&mut escaped_text, octet, literal);
        }
    }
    Cow::Owned(escaped_text)
}

/// `text` with the escapes of unreserved characters decoded and all other escapes in upper case: the same octets with
/// the same meaning, in one spelling (section 2.2). `has_form` is true if a query may have the answers to a form, where
/// a plus sign is a blank (RFC 1866, section 8.2.1), and its escape is not. Borrows if nothing changes.
pub(super) fn normalize_escapes(text: &str, has_form: bool) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let query = text.find('?').filter(|_| has_form).unwrap_or(text.len());
    let (text, query) = text.split_at(query);
    Cow::Owned(with_escapes(text, &UNRESERVED) + &with_escapes(query, &FORM_LITERAL))
}

/// `text` with the hexadecimal digits of its escapes in upper case.
pub(super) fn uppercase_escapes(text: &str) -> String {
    with_escapes(text, &Class::of(b""))
}

/// `text` with its escapes in one form: those of `literal` are decoded, all others are in upper case.
fn with_escapes(text: &str, literal: &Class) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        written.push_str(before);
        rest = match escaped(rest.as_bytes(), before.len()) {
            Some(octet) => {
                push(&mut written, octet, literal);
                after.get(2..).unwrap_or_default()
            }
            None => {
                written.push('%');
                after
            }
        };
    }
    written.push_str(rest);
    written
}

fn push(text: &mut String, octet: u8, literal: &Class) {
    if literal.has(octet) {
        text.push(char::from(octet));
    } else {
        // Writing to a String cannot fail.
        let _ = write!(text, "%{octet:02X}");
    }
}

/// A part of a URL, as it is written; [`Encoded::octets`] decodes it.
///
/// ```
/// use rfc1738::{Parts, Url};
///
/// let url = Url::parse("file:///a%20b").unwrap();
/// let Parts::File(file) = url.base_parts() else { panic!() };
/// assert_eq!(file.path.as_str(), "a%20b");
/// assert_eq!(&*file.path.octets(), b"a b");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Encoded<'a>(&'a str);

impl<'a> Encoded<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Encoded(text)
    }

    /// The part as written in the URL, with its escapes.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("nntp://h.example/a.b").unwrap();
    /// assert_eq!(url.group().unwrap().as_str(), "a.b");
    /// ```
    pub const fn as_str(self) -> &'a str {
        self.0
    }

    /// The decoded octets; borrowed if there is no escape.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://a%40b@h.example/").unwrap();
    /// let login = url.base_parts().login().unwrap();
    /// assert_eq!(&*login.user.unwrap().octets(), b"a@b");
    /// ```
    pub fn octets(self) -> Cow<'a, [u8]> {
        decode(self.0)
    }

    /// Returns true if the part is empty.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://@h.example/").unwrap();
    /// assert!(url.base_parts().login().unwrap().user.unwrap().is_empty());
    /// ```
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn encoding_round_trips(octets in vec(any::<u8>(), 0..64)) {
            const NOTHING: Class = Class::of(b"");
            for class in [&UNRESERVED, &XCHAR, &FSEGMENT, &NOTHING] {
                let text = encode(&octets, class);
                prop_assert_eq!(span(text.as_bytes(), class), text.len());
                prop_assert_eq!(&*decode(&text), &octets);
            }
        }

        #[test]
        fn escaping_is_idempotent(text in "(\\PC|%4[0-9a-g]|%){0,20}") {
            let once = escape_unencoded(&text, &XCHAR).into_owned();
            prop_assert_eq!(decode(&once), decode(&text));
            prop_assert_eq!(&*escape_unencoded(&once, &XCHAR), &once);
        }
    }
}
