//! Masks what a record of requests must not hold besides passwords: the answer to a server of Gemini, and the values of
//! fields of a query or a fragment whose names tell that they are secret.
//!
//! ```text
//! field = ( "?" / "&" / ";" / "#" ) name "=" *value ; in any text, also where a URL is nested and encoded
//! name  = *( ALPHA / DIGIT / "-" / "_" / "." )      ; in any case: [`WORDS`] alone, or ended by one of [`ENDS`]
//! value = any octet up to the next field, a fragment, or the end of the URL
//! ```

use std::borrow::Cow;

use super::Url;
use super::nested::{DecodedOctet, NestedPassword, tokens as decoded};
use super::secret::{MASK, mask, masked};

/// The ends of the names whose values are secret: `access_token`, `X-Amz-Signature`, `apiKey`.
const ENDS: &[&str] = &[
    "token",
    "key",
    "secret",
    "password",
    "passwd",
    "pwd",
    "signature",
    "credential",
    "credentials",
    "sessionid",
    "session",
    "sessid",
];

/// The other names whose values are secret.
const WORDS: &[&str] = &["pass", "pw", "auth", "sig", "sid", "otp", "jwt"];

/// The longest name that is looked at, in octets.
const MAX_NAME_BYTES: usize = 40;

/// `text` with `***` in place of each password, of the query of a Gemini URL, as what its server has asked for may be a
/// password, and of the values of fields as `token` and `api_key`. For records of what was requested and typed.
///
/// ```
/// use rfc1738::mask_answers;
///
/// assert_eq!(mask_answers("gemini://h.example/login?s3cret"), "gemini://h.example/login?***");
/// assert_eq!(mask_answers("http://h.example/?token=s3cret&a=b"), "http://h.example/?token=***&a=b");
/// assert_eq!(mask_answers("ftp://u:p@h.example/a?b"), "ftp://u:***@h.example/a?b");
/// ```
pub fn mask_answers(text: &str) -> Cow<'_, str> {
    with_answers(mask(text))
}

/// A sentence with [`mask_answers`] for each of its words: it may repeat what was typed.
///
/// ```
/// use rfc1738::mask_words;
///
/// assert_eq!(mask_words("not a server: “u:s3cret@h.example”"), "not a server: “u:***@h.example”");
/// ```
pub fn mask_words(sentence: &str) -> Cow<'_, str> {
    let may_have = |octet: u8| b"@?&;#%=".contains(&octet);
    if !sentence.bytes().any(may_have) {
        return Cow::Borrowed(sentence);
    }
    let words: Vec<Cow<'_, str>> = sentence.split(' ').map(mask_answers).collect();
    Cow::Owned(words.join(" "))
}

impl Url {
    /// The text with `***` in place of each password, as [`Url::masked`], and of all that [`mask_answers`] masks.
    ///
    /// ```
    /// use rfc1738::{Dialect, Url};
    ///
    /// let url = Dialect::Extended.parse("http://h.example/?token=s3cret").unwrap();
    /// assert_eq!(url.masked_answers(), "http://h.example/?token=***");
    /// ```
    pub fn masked_answers(&self) -> Cow<'_, str> {
        with_answers(self.masked())
    }
}

/// A text without passwords, with masks in place of answers and of the values of secret fields.
fn with_answers(text: Cow<'_, str>) -> Cow<'_, str> {
    match text.split_once('?') {
        Some((before, _)) if before.to_ascii_lowercase().contains("gemini://") => {
            Cow::Owned(format!("{before}?{MASK}"))
        }
        _ => match secret_fields(&text) {
            fields if fields.is_empty() => text,
            fields => Cow::Owned(masked(&text, &fields).into_owned()),
        },
    }
}

/// The values of fields with secret names, in order.
fn secret_fields(text: &str) -> Vec<NestedPassword> {
    // Most texts have none, and this test is fast.
    if !text.contains('=') && !text.contains('%') {
        return Vec::new();
    }
    let octets = decoded(text.as_bytes());
    let (mut found, mut end) = (Vec::new(), 0);
    for (at, sign) in octets.iter().enumerate() {
        if sign.octet != b'=' || at < end || !is_secret(octets.get(..at).unwrap_or_default()) {
            continue;
        }
        let value = octets.get(at + 1..).unwrap_or_default();
        let len = value.iter().position(|octet| ends(octet, sign.level));
        let len = len.unwrap_or(value.len());
        end = at + 1 + len;
        let offset = |at: usize| octets.get(at).map_or(text.len(), |octet| octet.start);
        if len > 0 {
            found.push(NestedPassword {
                colon: sign.start,
                range: offset(at + 1)..offset(end),
            });
        }
    }
    found
}

/// Returns true if a field begins here whose name tells that it is secret: the name stands at the end of the octets.
fn is_secret(octets: &[DecodedOctet]) -> bool {
    let mut before = octets.iter().rev();
    let mut name = Vec::new();
    let begin = loop {
        match before.next().map(|octet| octet.octet) {
            Some(octet) if octet.is_ascii_alphanumeric() || b"-_.".contains(&octet) => {
                name.push(octet.to_ascii_lowercase());
            }
            begin => break begin,
        }
        if name.len() > MAX_NAME_BYTES {
            return false;
        }
    };
    name.reverse();
    let is_field = begin.is_some_and(|octet| b"?&;#".contains(&octet));
    let is_word = |word: &&str| name == word.as_bytes();
    let has_end = |word: &&str| name.ends_with(word.as_bytes());
    is_field && (WORDS.iter().any(is_word) || ENDS.iter().any(has_end))
}

/// Returns true if a value ends before this octet; `level` is the number of times its field is encoded.
fn ends(octet: &DecodedOctet, level: usize) -> bool {
    match octet.octet {
        b'&' | b';' | b'#' => octet.level <= level,
        b' ' | b'<' | b'>' | b'"' | b'\'' => octet.level == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_of_fields_with_secret_names_are_masked() {
        for (text, expected) in [
            ("http://h/?token=s3cret", "http://h/?token=***"),
            (
                "https://h/a?b=c&Access_Token=s3/cret?x=1&d=e#f",
                "https://h/a?b=c&Access_Token=***&d=e#f",
            ),
            (
                "http://h/#id_token=s3cret&a=b",
                "http://h/#id_token=***&a=b",
            ),
            (
                "http://h/a;jsessionid=s3cret?b",
                "http://h/a;jsessionid=***",
            ),
            (
                "http://h/?X-Amz-Signature=s3cret",
                "http://h/?X-Amz-Signature=***",
            ),
            ("http://h/?api%5Fkey=s3cret", "http://h/?api%5Fkey=***"),
            (
                "http://h/?u=http%3A%2F%2Fi%2F%3Ftoken%3Ds3cret%26b%3Dc&d=e",
                "http://h/?u=http%3A%2F%2Fi%2F%3Ftoken%3D***%26b%3Dc&d=e",
            ),
            ("<http://h/?sid=s3cret>", "<http://h/?sid=***>"),
            ("/a?password=s3cret", "/a?password=***"),
            ("spartan://h/a?pw=s3cret", "spartan://h/a?pw=***"),
            ("http://u:pw@h/?key=s3cret", "http://u:***@h/?key=***"),
            // Nothing to mask.
            ("http://h/?q=token", "http://h/?q=token"),
            ("http://h/?token=", "http://h/?token="),
            (
                "http://h/?compass=north&site=x",
                "http://h/?compass=north&site=x",
            ),
            ("--key=value", "--key=value"),
            ("http://h/token=public", "http://h/token=public"),
        ] {
            assert_eq!(mask_answers(text), expected);
        }
    }

    proptest! {
        #[test]
        fn no_value_of_a_secret_field_is_left(
            before in "(http://h/|https://h/a\\?b=c&|gopher://h/0)",
            name in "[?&;#]([a-z]{0,5}[-_])?(token|key|password|TOKEN)",
            secret in "[a-zA-Z0-9%/?:@=+]{0,9}",
            after in "([&#][a-z=]{0,5})?",
        ) {
            let text = format!("{before}{name}=S3CRET{secret}{after}");
            let masked = mask_answers(&text).into_owned();
            prop_assert!(!masked.contains("S3CRET"), "{masked}");
            prop_assert_eq!(mask_answers(&masked), &*masked);
        }

        #[test]
        fn any_text_is_masked_once(text in "[?&;#=a%25 <]{0,9}(token|pw)=.{0,20}") {
            let masked = mask_answers(&text).into_owned();
            prop_assert_eq!(mask_answers(&masked), &*masked);
        }
    }
}
