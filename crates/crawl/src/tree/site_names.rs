//! Local names of the pages of a site: their paths below that of the site, with names that this machine may have, and
//! no name that a server interprets.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use geomys_page::document::suffix;
use geomys_wire::text::Charset;
use rfc1738::{Encoded, Parts, Protocol, Url};

use super::MAX_DEPTH;
use crate::names::{folded, mirror_name};
use crate::site::{SiteScope, host_of, path_of};
use geomys_store::transfer::download::numbered;

/// Names that servers of Gopher interpret: as menus, with rows that are commands, and as programs.
const INTERPRETED: [&str; 3] = ["gophermap", "gophertag", "cgi-bin"];

/// Names that are taken, and the names of new pages.
pub(super) struct SiteNames {
    scope: SiteScope,
    /// The files, as [`folded`] writes their paths.
    files: HashSet<PathBuf>,
    /// The directories, by the same.
    directories: HashMap<PathBuf, PathBuf>,
}

impl SiteNames {
    pub(super) fn new(scope: SiteScope) -> Self {
        Self {
            scope,
            files: HashSet::new(),
            directories: HashMap::new(),
        }
    }

    /// Returns the number of directories, including that of the site.
    pub(super) fn directories(&self) -> usize {
        self.directories.len() + 1
    }

    /// Notes that a file has this name.
    pub(super) fn take(&mut self, name: &Path) {
        self.files.insert(folded(name));
        let above = name.ancestors().skip(1);
        for above in above.filter(|above| !above.as_os_str().is_empty()) {
            let directory = self.directories.entry(folded(above));
            directory.or_insert_with(|| above.to_owned());
        }
    }

    /// Returns a free name for a page, which is then taken; `None` if it would be too deep.
    pub(super) fn name(&mut self, url: &Url) -> Option<PathBuf> {
        let (host, path) = match self.scope.path_below(url) {
            Some(path) => (None, path),
            None => (Some(host_of(url)?), path_of(url)?),
        };
        let mut segments: Vec<String> = host
            .into_iter()
            .map(|host| local(host.as_bytes()))
            .collect();
        let is_directory = lists_below(url, &path);
        let mut own: Vec<&[u8]> = path.split(|&octet| octet == b'/').collect();
        own.retain(|segment| !segment.is_empty());
        segments.extend(own.into_iter().map(local));
        let mut file = if is_directory {
            index_name(url).to_owned()
        } else {
            segments.pop().unwrap_or_else(|| index_name(url).to_owned())
        };
        if let Parts::Http(http) = url.base_parts()
            && let Some(search) = http.search
        {
            file = local(
                format!("{file}?{}", search.as_str())
                    .replace('/', "_")
                    .as_bytes(),
            );
        }
        if segments.len() > MAX_DEPTH {
            return None;
        }
        let mut directory = PathBuf::new();
        for segment in segments {
            directory = self.free(&directory.join(segment), |names, path| {
                let key = folded(path);
                let is_other = |known: &PathBuf| known != path;
                !names.files.contains(&key) && !names.directories.get(&key).is_some_and(is_other)
            });
        }
        let name = self.free(&directory.join(file), |names, path| {
            let key = folded(path);
            !names.files.contains(&key) && !names.directories.contains_key(&key)
        });
        self.take(&name);
        Some(name)
    }

    /// Returns the first of a name and its numbered variants that is usable.
    fn free(&self, path: &Path, is_usable: impl Fn(&Self, &Path) -> bool) -> PathBuf {
        let mut names = (1..).map(|number| numbered(path, number));
        let free = names.find(|path| is_usable(self, path));
        free.unwrap_or_else(|| path.to_owned())
    }
}

/// Returns the name of a segment for files that are served. None hides, and none is one that a server interprets.
pub(crate) fn served_name(segment: &[u8]) -> String {
    let name = mirror_name(segment, Charset::default());
    uninterpreted(match name.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None => name,
    })
}

/// Returns a name that no server interprets.
fn uninterpreted(name: String) -> String {
    let lower = name.to_ascii_lowercase();
    if INTERPRETED.contains(&lower.as_str()) {
        return format!("{name}_");
    }
    // gophernicus reads what has this anywhere but at its beginning as a menu, when it lists a directory.
    let map = lower.find("gophermap").filter(|&at| at > 0);
    match map.and_then(|at| name.split_at_checked(at + "gopher".len())) {
        Some((before, after)) => uninterpreted([before, "_", after].concat()),
        None => name,
    }
}

/// Returns the name of a segment in a mirror, where the names of menus are its own. A leading dot stays, but for the
/// file that configures a server of capsules.
fn local(segment: &[u8]) -> String {
    let name = mirror_name(segment, Charset::default());
    let name = if name.eq_ignore_ascii_case(".molly") {
        served_name(segment)
    } else {
        uninterpreted(name)
    };
    if name.to_ascii_lowercase().ends_with(".gopher") {
        return format!("{name}_");
    }
    name
}

/// Returns the name of the page of a directory.
fn index_name(url: &Url) -> &'static str {
    match url.protocol() {
        Protocol::Gopher(_) => "index.gopher",
        Protocol::Http(_) => "index.html",
        _ => "index.gmi",
    }
}

/// Returns true for a page that is the index of a directory of its name.
fn lists_below(url: &Url, path: &[u8]) -> bool {
    match url.protocol() {
        Protocol::Gopher(gopher) => gopher.item_type() == b'1',
        _ => path.is_empty() || path.ends_with(b"/"),
    }
}

/// Returns true for a page that probably has links: a menu, and what has no suffix of another file.
pub(super) fn lists_others(url: &Url) -> bool {
    let path = |path: Option<Encoded<'_>>| {
        path.map(|path| path.octets().into_owned())
            .unwrap_or_default()
    };
    match url.protocol() {
        Protocol::Gopher(gopher) => matches!(gopher.item_type(), b'1' | b'h'),
        Protocol::Nex(http) => {
            let path = path(http.path);
            path.is_empty() || path.ends_with(b"/") || is_gemtext(&path)
        }
        Protocol::Gemini(http) | Protocol::Spartan(http) => {
            let path = path(http.path);
            is_gemtext(&path) || suffix::kind(&path).is_none()
        }
        Protocol::Http(http) => {
            let path = path(http.path);
            let media_type = suffix::media_type(&path);
            media_type == Some("text/html") || suffix::kind(&path).is_none()
        }
        _ => false,
    }
}

fn is_gemtext(path: &[u8]) -> bool {
    let suffix = suffix::suffix(path).unwrap_or_default();
    suffix.eq_ignore_ascii_case(b"gmi") || suffix.eq_ignore_ascii_case(b"gemini")
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;

    use super::*;

    #[test]
    fn names_are_unique_safe_and_interpreted_by_no_server() {
        let url = |text: &str| Dialect::Extended.parse(text).unwrap();
        let scope = SiteScope::of(&url("gopher://h/1/docs")).unwrap();
        let mut names = SiteNames::new(scope);
        for (page, expected) in [
            ("gopher://h/1/docs", "index.gopher"),
            ("gopher://h/0/docs/a.txt", "a.txt"),
            ("gopher://h/9/docs/a.txt", "a (2).txt"),
            ("gopher://h/0/docs/x", "x"),
            ("gopher://h/0/docs/x/y", "x (2)/y"),
            ("gopher://h/1/docs/x", "x (2)/index.gopher"),
            ("gopher://h/0/docs/gophermap", "gophermap_"),
            ("gopher://h/0/docs/x/GopherMap", "x (2)/GopherMap_"),
            ("gopher://h/0/docs/a.gophermap", "a.gopher_map"),
            (
                "gopher://h/0/docs/my-gophermapgophermap.txt",
                "my-gopher_mapgopher_map.txt",
            ),
            ("gopher://h/0/docs/cgi-bin/a", "cgi-bin_/a"),
            ("gopher://h/0/docs/.molly", "_molly"),
            ("gopher://h/0/docs/.htaccess", ".htaccess"),
            ("gopher://h/0/docs/-rf", "_-rf"),
            ("gopher://h/0/docs/.a.geomys-new", ".a_geomys-new"),
            ("gopher://h/0/docs/X/y", "X (3)/y"),
            ("gopher://h/0/docs/X/Y", "X (3)/Y (2)"),
            ("gopher://h/0/docs//%1b%5b2Jb", "b"),
            ("gopher://i/0/docs/a", "i/docs/a"),
        ] {
            let name = names.name(&url(page)).unwrap();
            assert_eq!(name.to_str(), Some(expected), "{page}");
        }
        let deep = format!("gopher://h/0/docs/{}", "a/".repeat(MAX_DEPTH + 2));
        assert_eq!(names.name(&url(&deep)), None);
        let long = format!("gopher://h/0/docs/{}", "n".repeat(300));
        let name = names.name(&url(&long)).unwrap();
        assert!(name.as_os_str().len() <= 200);
        let scope = SiteScope::of(&url("http://h/a/")).unwrap();
        let mut names = SiteNames::new(scope);
        for (page, expected) in [
            ("http://h/a/", "index.html"),
            ("http://h/a/b?c=/d", "b?c=_d"),
            ("http://h/a/?n=1", "index.html?n=1"),
            ("http://h/a/index.html", "index (2).html"),
        ] {
            let name = names.name(&url(page)).unwrap();
            assert_eq!(name.to_str(), Some(expected), "{page}");
        }
    }
}
