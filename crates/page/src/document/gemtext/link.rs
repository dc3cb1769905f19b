//! The lines of links.

use rfc1738::{Encoded, ExtensionScheme, GroupPart, ParseError, Parts, Url};

use super::dialect::is_nex_directory;
use crate::document::menu;
use crate::document::row::Kind;
use crate::document::suffix;

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
    let Some(Ok(url)) = target else {
        return Kind::Malformed;
    };
    let parts = url.base_parts();
    match parts {
        Parts::Gopher(gopher) => menu::kind(gopher.item_type()),
        Parts::Ftp(_) | Parts::File(_) | Parts::Prospero(_) if parts.is_directory() => Kind::Menu,
        Parts::Ftp(_) | Parts::File(_) | Parts::Prospero(_) => {
            suffix::kind(&parts.title_path().octets()).unwrap_or(Kind::Binary)
        }
        Parts::Http(_) if is_nex_directory(url) => Kind::Menu,
        Parts::Http(http) if !url.is_web() => {
            let path = http.path.map(Encoded::octets).unwrap_or_default();
            suffix::kind(&path).unwrap_or(Kind::Text)
        }
        Parts::Http(_) => Kind::Web,
        Parts::News(news) => match news.part {
            GroupPart::Article(_) => Kind::Article,
            GroupPart::All
            | GroupPart::Group(_)
            | GroupPart::Groups(_)
            | GroupPart::Articles(..) => Kind::Group,
        },
        Parts::Nntp(nntp) if nntp.number.is_some() => Kind::Article,
        Parts::Nntp(_) => Kind::Group,
        Parts::Telnet(_) => Kind::Session,
        Parts::Wais(_) => Kind::Search,
        Parts::Mailto(_) => Kind::Mail,
        Parts::Other(_) if url.extension_scheme() == Some(ExtensionScheme::Finger) => Kind::Text,
        Parts::Other(_) => Kind::Unknown,
    }
}
