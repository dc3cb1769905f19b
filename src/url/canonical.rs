//! The spelling that two URLs of one place share (RFC 1738, sections 2.1, 2.2 and 3).
//!
//! Scheme and host in lower case; a port without leading zeros, and none where it is the scheme's own; escapes of
//! unreserved characters decoded, never those of reserved ones, and hexadecimal digits in upper case; the ways to write
//! a gopher root, an http or a telnet URL without a path made one; an ftp type in lower case.
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
        let settled = match escape::settle(self.as_str()) {
            Cow::Borrowed(_) => self.clone(),
            Cow::Owned(text) => Url::accept(&text).unwrap_or_else(|_| self.clone()),
        };
        Url::accept(&spell(&settled)).unwrap_or(settled)
    }

    /// Whether both have one canonical spelling. Different places may still answer alike.
    pub fn same_place(&self, other: &Url) -> bool {
        self == other || self.canonical() == other.canonical()
    }
}

fn spell(url: &Url) -> String {
    let scheme = url.scheme_name().to_ascii_lowercase();
    let parts = url.reading();
    let mut text = match (parts.login(), parts.address(), parts) {
        (Some(login), _, _) => format!("{scheme}://{}{}", user(&login), place(&login.address)),
        (None, Some(address), _) => format!("{scheme}://{}", place(&address)),
        (None, None, Parts::File(file)) => {
            let host = file.host.unwrap_or_default().to_ascii_lowercase();
            format!("{scheme}://{host}")
        }
        (None, None, _) => {
            let rest = url.as_str().get(scheme.len()..).unwrap_or("");
            return scheme + rest;
        }
    };
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
        Parts::Http(_) | Parts::Telnet(_) if tail.is_empty() => text.push('/'),
        Parts::Http(_)
        | Parts::Telnet(_)
        | Parts::Nntp(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Mailto(_)
        | Parts::News(_)
        | Parts::Other(_) => text.push_str(tail),
    }
    text
}

/// User and password as written, up to the `@`.
fn user(login: &Login<'_>) -> String {
    match (login.user, login.password) {
        (Some(user), Some(password)) => format!("{}:{}@", user.as_str(), password.as_str()),
        (Some(user), None) => format!("{}@", user.as_str()),
        (None, _) => String::new(),
    }
}

fn place(address: &HostPort<'_>) -> String {
    let host = address.host.to_ascii_lowercase();
    match address.written_port {
        Some(port) if Some(port) != address.default_port => format!("{host}:{port}"),
        _ => host,
    }
}
