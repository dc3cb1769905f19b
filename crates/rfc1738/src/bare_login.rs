//! Logins without a scheme, as people type them where a host is expected: `user:password@host`.
//!
//! ```text
//! login = user ":" password "@"    ; no white space; the password begins with no "/", and ends at the last "@"
//! ```
//!
//! Such a text is a URL of a scheme with the name of the user, too. It is a login unless that is the name of a scheme
//! whose URLs have an `@`: of RFC 1738, of an extension, or of [`WITH_ADDRESS`].

use std::ops::Range;

use super::{ExtensionScheme, Scheme, Url};

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

impl Url {
    /// Returns true if the URL is perhaps a login without a scheme.
    pub(super) fn is_bare_login(&self) -> bool {
        self.scheme() == Scheme::Other && !bare_logins(self.as_str()).is_empty()
    }
}

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
