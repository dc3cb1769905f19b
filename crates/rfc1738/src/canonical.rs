//! The canonical spelling, which is the same for all URLs of one resource (RFC 1738, sections 2.1, 2.2 and 3).
//!
//! Scheme and host are in lower case, and an IPv6 literal is in its short form. Ports and numbers of articles have no
//! leading zeros, and a port is left out if it is the scheme's own. Escapes
//! of unreserved characters are decoded, never those of reserved ones, and hexadecimal digits are in upper case.
//! There is one spelling for a gopher root, for http and telnet URLs without a path, and for WAIS documents. An ftp
//! type is in lower case. A fragment stays: it names another part of the page.
//!
//! What looks alike but may differ on a server is not changed: `.` and `..`, empty segments, letter case in paths,
//! groups and Message-IDs, a file URL with `localhost` and one without a host.

use std::borrow::Cow;

use super::escape;
use super::parts::Parts;
use super::{Dialect, Login, Url};

impl Url {
    /// The canonical spelling, a URL of the same resource. It is its own canonical spelling. An extension scheme is
    /// treated as its base scheme.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("GOPHER://H.example:70/1").unwrap();
    /// assert_eq!(url.canonical().as_str(), "gopher://h.example/");
    /// ```
    #[must_use]
    pub fn canonical(&self) -> Url {
        self.canonical_of(self.base_parts())
    }

    /// The canonical spelling, with the result of [`Url::base_parts`] given by the caller.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("HTTP://h.example").unwrap();
    /// let parts = url.base_parts();
    /// assert_eq!(url.canonical_of(parts).as_str(), "http://h.example/");
    /// ```
    #[must_use]
    pub fn canonical_of(&self, parts: Parts<'_>) -> Url {
        let settled =
            match escape::normalize_escapes(self.as_str(), matches!(parts, Parts::Http(_))) {
                Cow::Borrowed(_) => return spelled(self, parts),
                Cow::Owned(text) => text,
            };
        let settled = Dialect::Extended.parse(&settled).unwrap_or_else(|_| Url {
            // Group names have fewer literal characters than URLs, so their escapes stay.
            text: escape::uppercase_escapes(self.as_str()).into(),
        });
        spelled(&settled, settled.base_parts())
    }

    /// Returns true if both URLs have the same canonical spelling. Different resources may still give the same page.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let one = Url::parse("ftp://h.example/a%2fb").unwrap();
    /// assert!(one.is_same_resource(&Url::parse("ftp://H.example:21/a%2Fb").unwrap()));
    /// assert!(!one.is_same_resource(&Url::parse("ftp://h.example/a/b").unwrap()));
    /// ```
    pub fn is_same_resource(&self, other: &Url) -> bool {
        self == other || self.canonical() == other.canonical()
    }
}

fn spelled(url: &Url, parts: Parts<'_>) -> Url {
    let mut text = String::with_capacity(url.as_str().len());
    spell(url, parts, &mut text);
    if let Some(fragment) = url.fragment() {
        text.push('#');
        text.push_str(&fragment.as_str().replace('~', "%7E"));
    }
    Url { text: text.into() }
}

fn spell(url: &Url, parts: Parts<'_>, text: &mut String) {
    let scheme = url.scheme_name();
    push_small(text, scheme);
    if let Parts::File(file) = parts {
        text.push_str("://");
        push_small(text, file.host.unwrap_or_default());
        text.push('/');
        text.push_str(file.path.as_str());
        return;
    }
    let Some(address) = parts.address() else {
        text.push_str(url.before_fragment().get(scheme.len()..).unwrap_or(""));
        return;
    };
    text.push_str("://");
    if let Some(login) = parts.login() {
        user(&login, text);
    }
    text.push_str(&address.canonical());
    if let Parts::Wais(_) = parts
        && let Some(in_form) = url.in_rfc1738_form()
    {
        text.push_str(in_form.tail());
        return;
    }
    text.push_str(&parts.production().canonical_tail(url.tail()));
}

/// Appends user and password as written, up to the `@`.
fn user(login: &Login<'_>, text: &mut String) {
    let Some(user) = login.user else { return };
    text.push_str(user.as_str());
    if let Some(password) = login.password {
        text.push(':');
        text.push_str(password.as_str());
    }
    text.push('@');
}

fn push_small(text: &mut String, word: &str) {
    let start = text.len();
    text.push_str(word);
    if let Some(word) = text.get_mut(start..) {
        word.make_ascii_lowercase();
    }
}
