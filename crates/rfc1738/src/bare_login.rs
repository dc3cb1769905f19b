//! Logins without a scheme, as people type them where a host is expected: `user:password@host`.
//!
//! ```text
//! login = user ":" password "@"    ; no white space; the password begins with no "/", and ends at the last "@"
//! ```
//!
//! Such a text is a URL of a scheme with the name of the user, too. It is a login unless that is the name of a scheme
//! whose URLs have an `@`: of RFC 1738, of an extension, or of [`WITH_ADDRESS`].

use std::ops::Range;

use super::scheme::{ExtensionScheme, Scheme};

/// Other schemes whose URLs may have an `@` behind something that is no password, in lower case (from the registry of
/// IANA, and in common use).
const WITH_ADDRESS: &[&str] = &[
    "about",
    "acct",
    "aim",
    "callto",
    "cid",
    "data",
    "facetime",
    "geomys",
    "im",
    "jabber",
    "javascript",
    "magnet",
    "matrix",
    "mid",
    "pres",
    "sip",
    "sips",
    "skype",
    "tag",
    "urn",
    "vbscript",
    "view-source",
    "xmpp",
];

/// The ranges of the passwords of logins without a scheme, in order.
pub(super) fn bare_logins(text: &str) -> Vec<Range<usize>> {
    // Most texts have no `@`, and this test is fast.
    if !text.as_bytes().contains(&b'@') {
        return Vec::new();
    }
    let mut start = 0;
    let words = text.split(char::is_whitespace).map(|word| {
        let at = start;
        start += word.len() + text.get(at + word.len()..).map_or(0, first_len);
        (at, word)
    });
    let found = words.filter_map(|(at, word)| {
        let range = in_word(word)?;
        Some(at + range.start..at + range.end)
    });
    found.collect()
}

/// The length of the first character, in octets.
fn first_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// The range of the password in a word.
fn in_word(word: &str) -> Option<Range<usize>> {
    let (user, rest) = word.split_once(':')?;
    let password = rest.get(..rest.rfind('@')?)?;
    let is_user = !user.is_empty() && !user.contains(['/', '?', '#', '@', '<']);
    // A path, or a URL; and a port with what follows it.
    let begins_path = password.starts_with('/');
    let digits = password.bytes().take_while(u8::is_ascii_digit).count();
    let after_digits = password.as_bytes().get(digits);
    let has_port = digits > 0 && after_digits.is_some_and(|octet| b"/?#".contains(octet));
    if !is_user || password.is_empty() || begins_path || has_port || has_scheme(user) {
        return None;
    }
    let start = user.len() + 1;
    Some(start..start + password.len())
}

/// Returns true if the text before a colon ends with the name of a scheme whose URLs may have an `@`.
fn has_scheme(user: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    let start = user.rfind(|letter| !is_part(letter));
    let name = start.map_or(user, |at| {
        let end = at + user.get(at..).map_or(0, first_len);
        user.get(end..).unwrap_or_default()
    });
    let name = name.to_ascii_lowercase();
    Scheme::named(&name) != Scheme::Other
        || ExtensionScheme::named(&name).is_some()
        || WITH_ADDRESS.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Dialect, Hazard, mask};

    #[test]
    fn login_without_a_scheme_is_masked_and_an_address_is_not() {
        for (text, masked) in [
            ("u:p@h", "u:***@h"),
            ("ada.l:p/q?r#s@h:70/x", "ada.l:***@h:70/x"),
            ("u:p@@h", "u:***@h"),
            ("u:p:q@h", "u:***@h"),
            ("-Pu:p@h", "-Pu:***@h"),
            ("see “u:p@h”, or v:qé@i", "see “u:***@h”, or v:***@i"),
            ("u:1234@h", "u:***@h"),
        ] {
            assert_eq!(mask(text), masked);
            assert_eq!(mask(masked), masked);
        }
        for text in [
            "mailto:bo@h.example",
            "news:a.b@h.example",
            "(mailto:bo@h.example)",
            "XMPP:bo@h.example",
            "localhost:8080/~a@b",
            "h.example:70?a@b",
            "<a:b@c>",
            "a@b:c",
            "x:/p@q",
            "12:30 bo@h.example",
            "u:@h",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_password_of_a_login_is_shown(
            user in "[a-z][a-z0-9.]{0,8}",
            password in "S3CRET[!-~]{0,9}",
            host in "[a-z]{1,5}(\\.[a-z]{1,5})?(:7070)?(/[a-z]{0,5})?",
        ) {
            prop_assume!(!has_scheme(&user));
            let text = format!("{user}:{password}@{host}");
            let masked = mask(&text).into_owned();
            prop_assert!(!masked.contains("S3CRET"), "{masked}");
            prop_assert_eq!(mask(&masked), &*masked);
            if let Ok(url) = Dialect::Extended.parse(&text) {
                prop_assert!(!url.masked().contains("S3CRET"), "{}", url.masked());
                prop_assert!(url.hazards().contains(&Hazard::Password));
            }
        }
    }
}
