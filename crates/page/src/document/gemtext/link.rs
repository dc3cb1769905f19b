//! The lines of links, and the dialects of gemtext: pages of Spartan have lines that ask for input, directories of nex
//! have links alone.

use rfc1738::{Encoded, GroupPart, ParseError, Protocol, Url, Usenet};

use crate::document::row::Kind;
use crate::document::{menu, suffix};

/// The reference in the rest of a line after `=>`, with the text behind it; `None` if there is no reference.
pub(super) fn reference(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = rest.trim_ascii();
    if rest.is_empty() {
        return None;
    }
    let end = rest.iter().position(|octet| matches!(octet, b' ' | b'\t'));
    let (reference, label) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
    Some((reference, label.trim_ascii()))
}

/// Returns true for a link line that asks for input.
pub(super) fn is_prompt(line: &[u8]) -> bool {
    line.starts_with(b"=:")
}

/// The reference and the label of a link line. Without a label of its own the reference is the label.
pub(super) fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let prefix: &[u8] = if is_prompt(line) { b"=:" } else { b"=>" };
    let rest = line.strip_prefix(prefix).unwrap_or(line);
    match reference(rest) {
        Some((reference, b"")) => (reference, reference),
        Some(parts) => parts,
        None => (b"", rest),
    }
}

/// The kind of a link's row, by the scheme of its target.
pub(super) fn kind(target: Option<&Result<Url, ParseError>>) -> Kind {
    match target {
        Some(Ok(url)) => kind_of(url),
        Some(Err(_)) | None => Kind::Malformed,
    }
}

/// Returns the kind of page that a URL is probably of, by its scheme, its item type or its suffix.
pub fn kind_of(url: &Url) -> Kind {
    match url.protocol() {
        Protocol::Gopher(gopher) | Protocol::Cso(gopher) => menu::kind(gopher.item_type()),
        Protocol::Ftp(_) | Protocol::File(_) | Protocol::Prospero(_) => {
            let parts = url.base_parts();
            if parts.is_directory() {
                return Kind::Menu;
            }
            suffix::kind(&parts.title_path().octets()).unwrap_or(Kind::Binary)
        }
        Protocol::Nex(_) if is_nex_directory(url) => Kind::Menu,
        Protocol::Nex(http)
        | Protocol::Gemini(http)
        | Protocol::Titan(http)
        | Protocol::Spartan(http) => {
            let path = http.path.map(Encoded::octets).unwrap_or_default();
            suffix::kind(&path).unwrap_or(Kind::Text)
        }
        Protocol::Http(_) => Kind::Web,
        Protocol::Nntp(Usenet::News(news)) => match news.part {
            GroupPart::Article(_) => Kind::Article,
            GroupPart::All
            | GroupPart::Group(_)
            | GroupPart::Groups(_)
            | GroupPart::Articles(..) => Kind::Group,
        },
        Protocol::Nntp(Usenet::Nntp(nntp)) if nntp.number.is_some() => Kind::Article,
        Protocol::Nntp(Usenet::Nntp(_)) => Kind::Group,
        Protocol::Telnet(_) => Kind::Session,
        Protocol::Wais(_) => Kind::Search,
        Protocol::Mailto(_) => Kind::Mail,
        Protocol::Finger(_) => Kind::Text,
        Protocol::Other(_) => Kind::Unknown,
    }
}

/// The dialect of a page, by its URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Gemtext.
    Gemini,
    /// Gemtext with `=:` lines, which are links that ask for input.
    Spartan,
    /// A directory of nex: lines of text, and links after `=> `.
    Nex,
}

impl Dialect {
    /// The dialect of the page at a URL.
    pub(super) fn of(url: &Url) -> Self {
        match url.protocol() {
            Protocol::Spartan(_) => Self::Spartan,
            Protocol::Nex(_) if is_nex_directory(url) => Self::Nex,
            _ => Self::Gemini,
        }
    }
}

/// Returns true for a URL of nex without a path, or with one that ends with a slash.
pub(super) fn is_nex_directory(url: &Url) -> bool {
    let Protocol::Nex(http) = url.protocol() else {
        return false;
    };
    let path = http.path.map_or("", |path| path.as_str());
    path.is_empty() || path.ends_with('/')
}
