//! The dialects of gemtext: pages of Spartan have lines that ask for input, directories of nex have links alone.

use rfc1738::{Protocol, Url};

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
