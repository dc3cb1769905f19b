//! The spelling that two URLs of one place share (RFC 1738, sections 2.1, 2.2 and 3).
//!
//! Scheme and host in lower case; a port without leading zeros, and none where it is the scheme's own; escapes of
//! unreserved characters decoded, never those of reserved ones, and hexadecimal digits in upper case; the ways to write
//! a gopher root, an http or a telnet URL without a path made one, and those to write a WAIS document; an ftp type in lower
//! case.
//!
//! What looks alike but may differ on a server stays apart: `.` and `..`, empty segments, letter case in paths, groups
//! and Message-IDs, a file URL with `localhost` and one without a host.

use std::borrow::Cow;

use super::escape;
use super::parts::Parts;
use super::{HostPort, Login, Url};

impl Url {
    /// The canonical spelling. It is a URL of the same place, and its own canonical spelling. The schemes of later
    /// documents are treated as the scheme they are kin to.
    #[must_use]
    pub fn canonical(&self) -> Url {
        self.canonical_of(self.reading())
    }

    /// The same, where its [`Url::reading`] is at hand.
    pub(crate) fn canonical_of(&self, parts: Parts<'_>) -> Url {
        let settled = match escape::settle(self.as_str()) {
            Cow::Borrowed(_) => return spelled(self, parts),
            Cow::Owned(text) => text,
        };
        let settled = Url::accept(&settled).unwrap_or_else(|_| Url {
            // Names of groups have fewer characters for themselves than URLs have: their escapes stay.
            text: escape::raise(self.as_str()).into(),
        });
        spelled(&settled, settled.reading())
    }

    /// Whether both have one canonical spelling. Different places may still answer alike.
    pub fn same_place(&self, other: &Url) -> bool {
        self == other || self.canonical() == other.canonical()
    }
}

fn spelled(url: &Url, parts: Parts<'_>) -> Url {
    let mut text = String::with_capacity(url.as_str().len());
    spell(url, parts, &mut text);
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
        text.push_str(url.as_str().get(scheme.len()..).unwrap_or(""));
        return;
    };
    text.push_str("://");
    if let Some(login) = parts.login() {
        user(&login, text);
    }
    place(&address, text);
    let tail = url.tail();
    match parts {
        Parts::Gopher(gopher) => {
            let menu = gopher.gtype.is_none_or(|gtype| gtype.as_str() == "1");
            if menu && gopher.selector.is_empty() && gopher.search.is_none() {
                text.push('/');
            } else {
                text.push_str(tail);
            }
        }
        Parts::Ftp(ftp) => match (ftp.path, ftp.kind) {
            (Some(path), Some(kind)) => {
                text.push('/');
                text.push_str(path.as_str());
                text.push_str(";type=");
                text.push(kind.letter());
            }
            _ => text.push_str(tail),
        },
        Parts::Wais(_) => match url.in_wais_form() {
            Some(in_form) => text.push_str(in_form.tail()),
            None => text.push_str(tail),
        },
        Parts::Http(_) | Parts::Telnet(_) if tail.is_empty() => text.push('/'),
        Parts::Http(_)
        | Parts::Telnet(_)
        | Parts::Nntp(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Mailto(_)
        | Parts::News(_)
        | Parts::Other(_) => text.push_str(tail),
    }
}

/// User and password as written, up to the `@`.
fn user(login: &Login<'_>, text: &mut String) {
    let Some(user) = login.user else { return };
    text.push_str(user.as_str());
    if let Some(password) = login.password {
        text.push(':');
        text.push_str(password.as_str());
    }
    text.push('@');
}

fn place(address: &HostPort<'_>, text: &mut String) {
    push_small(text, address.host);
    if let Some(port) = address.written_port
        && Some(port) != address.default_port
    {
        text.push(':');
        text.push_str(&port.to_string());
    }
}

fn push_small(text: &mut String, word: &str) {
    let start = text.len();
    text.push_str(word);
    if let Some(word) = text.get_mut(start..) {
        word.make_ascii_lowercase();
    }
}
