//! Sites: the pages below a URL, as a check of their links and a mirror of them follow them.

pub mod check;
mod faults;
pub(crate) mod links;
mod report;
mod target;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use geomys_load::check::host_key;
use geomys_load::{Reason, Request};
use geomys_page::document::suffix;
use geomys_wire::net::compared_url;
use rfc1738::{Parts, Protocol, Url};

/// The pages of a site: those of one server, at the path of a URL and below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteScope {
    server: String,
    /// The path of the URL.
    top: Vec<u8>,
    /// The beginning of the paths below it, with a slash at the end; empty for all of the server.
    below: Vec<u8>,
}

impl SiteScope {
    /// Returns the scope of the pages below a URL; `None` if its protocol has no pages with links.
    ///
    /// ```
    /// use geomys_crawl::site::SiteScope;
    /// use rfc1738::Dialect;
    ///
    /// let url = |text| Dialect::Extended.parse(text).unwrap();
    /// let scope = SiteScope::of(&url("gopher://h.example/1/docs")).unwrap();
    /// assert!(scope.covers(&url("gopher://h.example/0/docs/a.txt")));
    /// assert!(!scope.covers(&url("gopher://h.example/0/documents")));
    /// ```
    pub fn of(url: &Url) -> Option<Self> {
        let (server, top) = (server_of(url)?, path_of(url)?);
        let below = if is_file(url, &top) {
            let slash = memchr::memrchr(b'/', &top);
            slash.map_or(b"".as_slice(), |slash| {
                top.get(..=slash).unwrap_or_default()
            })
        } else {
            top.as_slice()
        };
        let below = match below {
            b"" | b"/" => Vec::new(),
            path if path.ends_with(b"/") => path.to_vec(),
            path => [path, b"/"].concat(),
        };
        Some(Self { server, top, below })
    }

    /// Returns true for a page of the site.
    pub fn covers(&self, url: &Url) -> bool {
        self.path_below(url).is_some()
    }

    /// Returns true for a URL of the server of the site, above its path too.
    pub fn is_own_server(&self, url: &Url) -> bool {
        server_of(url).is_some_and(|server| server == self.server)
    }

    /// Returns the path of a page of the site below that of the site; `None` for other URLs.
    pub fn path_below(&self, url: &Url) -> Option<Vec<u8>> {
        let path = path_of(url).filter(|_| self.is_own_server(url))?;
        let mut segments = path.split(|&octet| octet == b'/');
        if segments.any(|segment| segment == b"..") {
            return None;
        }
        match path.strip_prefix(self.below.as_slice()) {
            Some(below) => Some(below.to_vec()),
            None if path == self.top || [&path, b"/".as_slice()].concat() == self.below => {
                Some(Vec::new())
            }
            None => None,
        }
    }
}

/// Returns the URL of the menu whose selector has a slash at its end where this one has none, or none where this one
/// has one. Selectors are opaque (RFC 1436, section 2), so that these are two pages; but most servers send the same for
/// both.
pub(crate) fn slash_twin(url: &Url) -> Option<Url> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    if gopher.item_type() != b'1' || gopher.search.is_some() || gopher.plus.is_some() {
        return None;
    }
    let selector = gopher.selector.octets();
    let twin = match selector.strip_suffix(b"/") {
        Some(path) => url.with_selector(b'1', path),
        None => url.with_selector(b'1', &[&selector, &b"/"[..]].concat()),
    };
    Some(compared_url(&twin.ok()?))
}

/// The menus of a site that were read: the hash of the octets of each.
#[derive(Debug, Default)]
pub(crate) struct ReadMenus {
    hasher: RandomState,
    menus: HashMap<Url, u64>,
}

impl ReadMenus {
    /// Notes a page with these octets. Returns true for a menu that repeats the one with a slash at its end, or
    /// without.
    pub(crate) fn repeats(&mut self, url: &Url, octets: &[u8]) -> bool {
        let Some(twin) = slash_twin(url) else {
            return false;
        };
        let hash = self.hasher.hash_one(octets);
        self.menus.insert(compared_url(url), hash);
        self.menus.get(&twin) == Some(&hash)
    }
}

/// Returns the host of a URL, in lower case.
pub fn host_of(url: &Url) -> Option<String> {
    let parts = url.base_parts();
    Some(parts.address()?.node().to_ascii_lowercase())
}

/// Returns true for a URL that names a file, and not a directory or a page with others below it.
fn is_file(url: &Url, path: &[u8]) -> bool {
    match url.base_parts() {
        Parts::Gopher(gopher) => !matches!(gopher.item_type(), b'1' | b'7'),
        _ => {
            let name = path.rsplit(|&octet| octet == b'/').next();
            suffix::kind(name.unwrap_or_default()).is_some()
        }
    }
}

/// Returns the scheme and the authority of a URL whose protocol has pages with links.
fn server_of(url: &Url) -> Option<String> {
    let url = compared_url(url);
    let (authority, _) = host_key(&Request::show(url.clone(), Reason::CommandLine))?;
    Some(format!("{} {authority}", url.scheme_name()))
}

/// Maximum number of pages of a site that are checked or mirrored, unless the user names another.
pub const MAX_PAGES: usize = 10_000;

/// Returns true for an item of Gopher that needs words or a program of its own: a phone book, a search, a session, a
/// request of Gopher+. It is no page that anything fetches by itself.
pub(crate) fn needs_words(url: &Url) -> bool {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return false;
    };
    matches!(gopher.item_type(), b'2' | b'7' | b'8' | b'T') || gopher.plus.is_some()
}

/// Returns true for a URL whose protocol has pages with links.
pub fn has_pages(url: &Url) -> bool {
    path_of(url).is_some()
}

/// Returns the path of a page, decoded: of Gopher the selector without a copy of the type before it. `None` for a
/// protocol without pages.
pub fn path_of(url: &Url) -> Option<Vec<u8>> {
    match url.protocol() {
        Protocol::Gopher(gopher) => {
            let selector = gopher.selector.octets();
            Some(gopher.without_type_copy(&selector).1.to_vec())
        }
        Protocol::Gemini(http)
        | Protocol::Spartan(http)
        | Protocol::Nex(http)
        | Protocol::Http(http) => {
            let path = http.path.map(|path| path.octets().into_owned());
            Some([b"/", path.unwrap_or_default().as_slice()].concat())
        }
        Protocol::Ftp(_)
        | Protocol::Cso(_)
        | Protocol::Finger(_)
        | Protocol::Nntp(_)
        | Protocol::Titan(_)
        | Protocol::Wais(_)
        | Protocol::Prospero(_)
        | Protocol::File(_)
        | Protocol::Mailto(_)
        | Protocol::Telnet(_)
        | Protocol::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;

    use super::*;

    #[test]
    fn pages_of_the_server_below_the_path_are_covered() {
        let url = |text: &str| Dialect::Extended.parse(text).unwrap();
        for (top, page, expected) in [
            ("gopher://h/", "gopher://h/0/a", Some("/a")),
            ("gopher://h/", "gopher://H:70/1", Some("")),
            ("gopher://h/", "gopher://h:7070/0/a", None),
            ("gopher://h/", "gopher://i/0/a", None),
            ("gopher://h/", "gopher://h/0/a/../b", None),
            ("gopher://h/1/docs", "gopher://h/1/docs", Some("")),
            ("gopher://h/1/docs", "gopher://h/1/docs/", Some("")),
            ("gopher://h/1/docs", "gopher://h/9/docs/a%20b", Some("a b")),
            ("gopher://h/1/docs", "gopher://h/1/", None),
            ("gopher://h/1/docs", "gopher://h/1/docs2", None),
            ("gopher://h/11/docs", "gopher://h/00/docs/a", Some("a")),
            ("gopher://h/0/docs/a", "gopher://h/0/docs/b", Some("b")),
            ("gemini://h/docs/", "gemini://h/docs/a", Some("a")),
            ("gemini://h/docs/", "gemini://h/docs", Some("")),
            ("gemini://h/docs/", "gemini://h/", None),
            ("gemini://h/docs/", "gemini://h/docs/%2e%2e/a", None),
            ("gemini://h/docs/i.gmi", "gemini://h/docs/a", Some("a")),
            ("gemini://h/v1.2", "gemini://h/v1.2/a", Some("a")),
            ("gemini://h/v1.2", "gemini://h/v1.3", None),
            ("gemini://h/", "spartan://h/a", None),
            ("http://h/%7ea/", "http://h/%7Ea/b?c", Some("b")),
        ] {
            let scope = SiteScope::of(&url(top)).unwrap();
            let below = scope.path_below(&url(page));
            let below = below.map(|path| String::from_utf8(path).unwrap());
            assert_eq!(below.as_deref(), expected, "{top} {page}");
        }
        assert_eq!(SiteScope::of(&url("mailto:a@b")), None);
    }

    #[test]
    fn menu_has_a_twin_with_or_without_a_slash() {
        let url = |text: &str| Dialect::Extended.parse(text).unwrap();
        for (one, twin) in [
            ("gopher://h", Some("gopher://h/1/")),
            ("gopher://H:70/1/a", Some("gopher://h/1/a/")),
            ("gopher://h/1a/", Some("gopher://h/1a")),
            ("gopher://h/0/a", None),
            ("gopher://h/1/a%09x", None),
            ("gemini://h/a", None),
        ] {
            assert_eq!(
                slash_twin(&url(one)),
                twin.map(|twin| compared_url(&url(twin))),
                "{one}"
            );
        }
    }

    #[test]
    fn menu_is_repeated_by_its_twin_with_the_same_octets_alone() {
        let url = |text: &str| Dialect::Extended.parse(text).unwrap();
        let mut menus = ReadMenus::default();
        let (one, other) = (b"1A\t/a", b"1B\t/b");
        assert!(!menus.repeats(&url("gopher://h/1/a"), one));
        assert!(!menus.repeats(&url("gopher://h/1/b/"), one));
        assert!(!menus.repeats(&url("gopher://h/1/b"), other));
        assert!(menus.repeats(&url("gopher://h/1/a/"), one));
        assert!(!menus.repeats(&url("gopher://h/0/a/"), one));
    }
}
