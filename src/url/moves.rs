//! Navigation from a URL to its parents.
//!
//! A move stays on the same server with the same user, and never starts from a URL of another resource. Schemes
//! without a hierarchy that a client may rely on (mailto, prospero, telnet) have no parent.

use super::escape::{self, Encoded, XCHAR};
use super::parts::Parts;
use super::wais::WaisTarget;
use super::{GroupPart, Url};

impl Url {
    /// The URL one level up, or `None` at the top.
    ///
    /// ftp: the parent directory with `;type=d`. gopher: the menu whose selector is this one cut at its last slash, then
    /// the root. http and file: the path up to a slash. nntp: from an article to its group. news: from articles to
    /// their group, from a group to all groups. wais: from a search or document to its database.
    pub fn up(&self) -> Option<Url> {
        let head = self.head();
        let text = match self.base_parts() {
            Parts::Ftp(ftp) => {
                let path = directory_above(ftp.path?.as_str())?;
                format!("{head}/{path};type=d")
            }
            Parts::Gopher(gopher) => {
                let selector = gopher.selector.octets();
                // `URL:http://...` is not a path on this server.
                if selector.starts_with(b"URL:") {
                    return Url::accept(&format!("{head}/")).ok();
                }
                match (menu_above(&selector), gopher.item_type()) {
                    (Some(above), _) => {
                        format!("{head}/1{}", escape::encode(above, &XCHAR))
                    }
                    (None, b'1') if selector_is_root(&selector) && gopher.search.is_none() => {
                        return None;
                    }
                    (None, _) => format!("{head}/"),
                }
            }
            Parts::Http(http) => match (path_above(http.path?), http.search) {
                (Some(above), _) => format!("{head}/{above}"),
                (None, Some(_)) => format!("{head}/"),
                (None, None) => return None,
            },
            Parts::File(file) => format!("{head}/{}", path_above(file.path)?),
            Parts::Nntp(nntp) => {
                if nntp.number.is_none() && nntp.range.is_none() {
                    return None;
                }
                format!("{head}/{}", nntp.group.as_str())
            }
            Parts::News(news) => match (news.server, news.part) {
                (_, GroupPart::All | GroupPart::Article(_)) => return None,
                (Some(_), GroupPart::Articles(group, _)) => format!("{head}/{}", group.as_str()),
                (None, GroupPart::Articles(group, _)) => {
                    format!("{}:{}", self.scheme_name(), group.as_str())
                }
                (Some(_), _) => format!("{head}/*"),
                (None, _) => format!("{}:*", self.scheme_name()),
            },
            Parts::Wais(wais) => match wais.target {
                WaisTarget::Database => return None,
                WaisTarget::Search(_) | WaisTarget::Document { .. } | WaisTarget::Fields { .. } => {
                    format!("{head}/{}", wais.database.as_str())
                }
            },
            Parts::Mailto(_) | Parts::Telnet(_) | Parts::Prospero(_) | Parts::Other(_) => {
                return None;
            }
        };
        Url::accept(&text).ok()
    }

    /// The top of the server: the URL without a path, with the user as written; for news, all groups. `None` for
    /// schemes whose servers have no top (mailto, nntp, wais, and unknown schemes).
    pub fn root(&self) -> Option<Url> {
        let text = match self.base_parts() {
            Parts::Ftp(_)
            | Parts::Gopher(_)
            | Parts::Http(_)
            | Parts::File(_)
            | Parts::Telnet(_)
            | Parts::Prospero(_) => format!("{}/", self.head()),
            Parts::News(news) if news.server.is_some() => format!("{}/*", self.head()),
            Parts::News(_) => format!("{}:*", self.scheme_name()),
            Parts::Mailto(_) | Parts::Nntp(_) | Parts::Wais(_) | Parts::Other(_) => return None,
        };
        Url::accept(&text).ok()
    }

    /// Scheme, login, host and port: everything before the slash that ends them, in schemes with `//`.
    pub(super) fn head(&self) -> &str {
        let text = self.as_str();
        let name = self.scheme_name().len();
        let rest = text.get(name..).unwrap_or("");
        // `file:/path` has no host, and no slash that would end it.
        let after = if rest.starts_with("://") { name + 3 } else { 0 };
        let slash = text.get(after..).and_then(|rest| rest.find('/'));
        text.get(..slash.map_or(text.len(), |at| after + at))
            .unwrap_or(text)
    }

    /// The text after the slash that ends the host, as written. It includes the type of a gopher item, `;type=`, a
    /// search and fields. `None` if that slash is missing, and in schemes without `//`.
    pub fn path(&self) -> Option<&str> {
        self.tail().strip_prefix('/')
    }

    /// The text after [`Url::head`]: empty, or a slash and the rest.
    pub(super) fn tail(&self) -> &str {
        self.as_str().get(self.head().len()..).unwrap_or("")
    }
}

/// The path of the parent directory, without the `;type=d` that follows it.
fn directory_above(path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let mut segments: Vec<&str> = path.split('/').collect();
    if segments.last().is_some_and(|name| name.is_empty()) {
        // `a/` enters `a` and names no file in it, so it means `a` itself.
        segments.pop();
    }
    let left = segments.pop()?;
    if segments.is_empty() {
        // `%2Fetc` is a path from the server's own root. Its parent is `%2F`, not the login directory.
        return match left.to_ascii_uppercase().rfind("%2F") {
            Some(0) if left.len() == 3 => None,
            Some(0) => left.get(..3).map(str::to_owned),
            Some(cut) if starts_at_root(left) => left.get(..cut).map(str::to_owned),
            Some(_) | None => Some(String::new()),
        };
    }
    let mut above = segments.join("/");
    if segments.last().is_some_and(|name| name.is_empty()) {
        // A CWD with a null argument stays one. It does not become an empty file name.
        above.push('/');
    }
    Some(above)
}

fn starts_at_root(segment: &str) -> bool {
    escape::escaped(segment.as_bytes(), 0) == Some(b'/')
}

/// The selector cut at its last slash, or `None` if that leaves the root.
fn menu_above(selector: &[u8]) -> Option<&[u8]> {
    let above = trim_slashes(selector)
        .rsplitn(2, |octet| *octet == b'/')
        .nth(1)?;
    let above = trim_slashes(above);
    (!above.is_empty()).then_some(above)
}

fn selector_is_root(selector: &[u8]) -> bool {
    trim_slashes(selector).is_empty()
}

fn trim_slashes(mut selector: &[u8]) -> &[u8] {
    while let [rest @ .., b'/'] = selector {
        selector = rest;
    }
    selector
}

/// The path up to and including the slash before its last segment.
fn path_above(path: Encoded<'_>) -> Option<&str> {
    let path = path.as_str();
    if path.is_empty() {
        return None;
    }
    let path = path.strip_suffix('/').unwrap_or(path);
    let end = path.rfind('/').map_or(0, |at| at + 1);
    path.get(..end)
}
