//! Names for downloaded files, the same for every scheme.
//!
//! The name is that of a `Content-Disposition` (RFC 6266), else the last segment of the URL's path, else the title of
//! the link, else the host. A name without a suffix gets that of the file's type. The server's part of it,
//! [`ServerFileName`], arrives with the head of the file.

mod url_name;

pub use self::url_name::gopher_view;
use geomys_wire::text::{Charset, CharsetSetting, FileUse, NameCharset, Text, local_file_name};
use rfc1738::{Parts, Url};

use self::url_name::{NameSource, TEXT, UrlType, url_media_type, url_name};
use geomys_page::archive::segments;
use geomys_page::document::{Kind, country, menu, suffix};

/// Hints for the name of a file, from the page that links to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameHints {
    /// The title of the link.
    pub title: Option<Text>,
    /// The charset that the user chose, for a name that is not UTF-8.
    pub charset: CharsetSetting,
    /// The charset of the page, where the user chose none. A directory with few octets to detect one has it too.
    pub prior: Option<Charset>,
    /// The use of the file: in a directory that the user has named for it, it is that of a mirror.
    pub usage: FileUse,
}

impl NameHints {
    /// Returns what is known of the charset in which the names at a URL are shown.
    pub(super) fn names_of(&self, url: &Url) -> NameCharset {
        NameCharset {
            setting: self.charset,
            prior: self.prior,
            label: country(url).map(str::to_owned),
        }
    }

    /// Makes a name for the local file of what was unpacked, from its name.
    pub fn file_name(&self, member: &[u8]) -> String {
        let name = self.local_name(member);
        name.unwrap_or_else(|| "download".to_owned())
    }

    /// Makes a name for a local file; `None` if nothing is left.
    fn local_name(&self, octets: &[u8]) -> Option<String> {
        let charset = match (self.charset, self.prior) {
            (CharsetSetting::Detected, Some(prior)) => prior,
            (setting, _) => setting.charset(),
        };
        local_file_name(octets, charset, self.usage)
    }
}

/// The name of a file, as far as its server tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFileName {
    /// The name in a `Content-Disposition`.
    pub disposition: Option<Vec<u8>>,
    /// The media type, without parameters.
    pub media_type: Option<String>,
}

/// Returns the name for the file of a URL, as far as it is known before the server answers.
pub fn file_name_of(url: &Url, hints: &NameHints) -> String {
    if let Some(member) = member_name(url) {
        return hints.file_name(&member);
    }
    let media_type = url_media_type(url);
    let named = url_name(url);
    let name = named
        .as_ref()
        .and_then(|named| hints.local_name(&named.octets));
    if let (Some(name), Some(named)) = (name, named) {
        return match (media_type, named.source) {
            (_, NameSource::Article) => with_suffix(name, "eml"),
            (Some(UrlType::View(view)), _) => with_view(name, &view),
            (Some(UrlType::Item(media_type)), NameSource::Query) => with_type(name, media_type),
            (Some(UrlType::Item(media_type)), NameSource::File) if media_type != TEXT => {
                with_type(name, media_type)
            }
            (Some(UrlType::Item(_)) | None, NameSource::File) => name,
            (None, NameSource::Query) => with_type(name, TEXT),
        };
    }
    let name = title_or_host(url, hints);
    let media_type = match &media_type {
        Some(UrlType::View(media_type)) => media_type,
        Some(UrlType::Item(media_type)) => *media_type,
        None if url.is_web() => "text/html",
        None => TEXT,
    };
    match suffix::of_mime(media_type) {
        Some(suffix) if !suffix::is_of_mime(name.as_bytes(), media_type) => {
            with_suffix(name, suffix)
        }
        Some(_) | None => name,
    }
}

/// Returns the name of a member, if the name of the file in the URL is that of an archive. The server's octets tell it
/// for certain.
fn member_name(url: &Url) -> Option<Vec<u8>> {
    let fragment = url.fragment()?.octets();
    names_packed_file(&url.without_fragment()).then(|| segments(&fragment).pop())?
}

/// Returns true for a URL that names an archive or a compressed file, as far as it is known before the server answers:
/// by its suffix, and over Gopher by its item type too, as a menu or a text may have any name.
pub fn names_packed_file(url: &Url) -> bool {
    let parts = url.base_parts();
    let is_file = match parts {
        Parts::Gopher(gopher) => matches!(
            menu::kind(gopher.item_type()),
            Kind::Binary | Kind::Mail | Kind::Unknown
        ),
        Parts::Http(http) => !http.path.is_some_and(|path| path.as_str().ends_with('/')),
        _ => !parts.is_directory(),
    };
    is_file && url_name(url).is_some_and(|name| suffix::is_packed(&name.octets))
}

/// Returns true if a URL names a directory by its form: on a server, or in an archive.
pub fn names_directory(url: &Url) -> bool {
    let member = url.fragment().filter(|path| path.as_str().ends_with('/'));
    url.base_parts().is_directory() || member.is_some() && member_name(url).is_some()
}

/// Returns the name for the local directory of a URL that is downloaded with all it contains: the last segment of its
/// path, else the title of the link, else the host; without a suffix of a type.
pub fn directory_name_of(url: &Url, hints: &NameHints) -> String {
    let name = member_name(url).or_else(|| Some(url_name(url)?.octets));
    let name = name.and_then(|name| hints.local_name(&name));
    name.unwrap_or_else(|| title_or_host(url, hints))
}

/// Returns the name for a file among others, of a text in UTF-8.
fn single(octets: &[u8]) -> Option<String> {
    local_file_name(octets, Charset::default(), FileUse::Single)
}

/// Returns the name for what has none in its URL.
fn title_or_host(url: &Url, hints: &NameHints) -> String {
    let title = hints.title.as_ref().map(Text::as_str);
    let title = title.and_then(|title| single(title.as_bytes()));
    let parts = url.base_parts();
    let address = match parts {
        Parts::Other(other) => other.ip().map(|(login, _)| login.address),
        _ => parts.address(),
    };
    let host = || single(address?.node().as_bytes());
    title.or_else(host).unwrap_or_else(|| "download".to_owned())
}

/// Returns the name for a file whose server has answered. `name` is the one by its URL, `here` the URL after redirects.
pub fn server_file_name(
    name: &str,
    url: &Url,
    here: Option<&Url>,
    server: &ServerFileName,
) -> String {
    let disposition = server.disposition.as_ref();
    let disposition = disposition.and_then(|name| single(name));
    let media_type = server.media_type.as_deref().filter(|name| *name != TEXT);
    if let Some(name) = disposition {
        return typed(name, media_type);
    }
    let has_path = url_name(url).is_some();
    let redirected = here
        .filter(|_| !has_path || suffix::suffix(name.as_bytes()).is_none())
        .filter(|here| url_name(here).is_some_and(|named| suffix::suffix(&named.octets).is_some()))
        .map(|here| file_name_of(here, &NameHints::default()));
    if let Some(name) = redirected {
        return name;
    }
    match name.strip_suffix(".html") {
        // The suffix was a guess.
        Some(stem)
            if !has_path && media_type.is_some_and(|name| suffix::of_mime(name).is_some()) =>
        {
            typed(stem.to_owned(), media_type)
        }
        Some(_) | None => typed(name.to_owned(), media_type),
    }
}

/// Adds the suffix of a media type to a name that has none.
fn typed(name: String, media_type: Option<&str>) -> String {
    match media_type {
        Some(media_type) => with_type(name, media_type),
        None => name,
    }
}

/// Adds the suffix of a media type to a name without one.
fn with_type(name: String, media_type: &str) -> String {
    let has_suffix = suffix::suffix(name.as_bytes()).is_some_and(is_suffix);
    match suffix::of_mime(media_type).filter(|_| !has_suffix) {
        Some(suffix) => with_suffix(name, suffix),
        None => name,
    }
}

/// Gives a name the suffix of a Gopher+ view; the suffix of another type is replaced.
fn with_view(name: String, view: &str) -> String {
    let Some(suffix) = suffix::of_mime(view) else {
        return name;
    };
    if suffix::is_of_mime(name.as_bytes(), view) {
        return name;
    }
    let is_typed = suffix::kind(name.as_bytes()).is_some();
    let stem = name
        .rsplit_once('.')
        .filter(|(stem, _)| is_typed && !stem.is_empty());
    let stem = stem.map_or(name.as_str(), |(stem, _)| stem);
    with_suffix(stem.to_owned(), suffix)
}

fn with_suffix(name: String, suffix: &str) -> String {
    let own = suffix::suffix(name.as_bytes());
    match own {
        Some(own) if own.eq_ignore_ascii_case(suffix.as_bytes()) => name,
        Some(_) | None => format!("{name}.{suffix}"),
    }
}

/// Returns true for a suffix as files have it: not the end of a sentence or of a version.
fn is_suffix(suffix: &[u8]) -> bool {
    suffix.len() <= 8 && suffix.iter().all(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rfc1738::Dialect;

    use super::*;

    fn name(url: &str) -> String {
        file_name_of(
            &Dialect::Extended.parse(url).unwrap(),
            &NameHints::default(),
        )
    }

    #[test]
    fn archive_is_a_file_by_its_type_and_its_name() {
        for (url, expected) in [
            ("http://h/a.tar.gz?x", true),
            ("gemini://h/a.zip", true),
            ("gemini://h/a.zip/", false),
            ("gemini://h/a.zip/b", false),
            ("ftp://h/a.zip", true),
            ("ftp://h/a.zip;type=i", true),
            ("ftp://h/a.zip;type=d", false),
            ("ftp://h/a.zip/", false),
            ("gopher://h/5/a.zip", true),
            ("gopher://h/9/a.zip", true),
            ("gopher://h/M/mail.mbox", true),
            ("gopher://h/0/a.zip", false),
            ("gopher://h/1/a.zip", false),
            ("gopher://h/7/a.zip", false),
            ("gopher://h/h/a.zip", false),
            ("gopher://h/9/a.bin", false),
        ] {
            let parsed = Dialect::Extended.parse(url).unwrap();
            assert_eq!(names_packed_file(&parsed), expected, "{url}");
        }
    }

    #[test]
    fn name_is_the_last_segment_in_every_scheme() {
        for (url, expected) in [
            ("http://h/med.bin", "med.bin"),
            ("http://h:8000/a/b.tar.gz?x=1", "b.tar.gz"),
            ("http://h/a/", "a"),
            ("http://h.example/", "h.example.html"),
            ("http://h.example/?x=/a.gif", "h.example.html"),
            ("https://h/%2e%2e/.bashrc", "bashrc"),
            ("ftp://h/pub/README", "README"),
            ("ftp://h/pub/a;type=i", "a"),
            ("gopher://h/0/docs/about", "about"),
            ("gopher://h/9/a.bin", "a.bin"),
            ("gopher://h/g/pic", "pic.gif"),
            ("gopher://h/g/pic.GIF", "pic.GIF"),
            ("gopher://h/I/pic", "pic"),
            ("gopher://h:105/2%09ada%20lovelace", "ada lovelace.txt"),
            ("gopher://h:105/2", "h.txt"),
            ("gopher://h/7/find%09a/b", "find"),
            ("gopher://h/1", "h.txt"),
            ("wais://h/db/TEXT/0%20100%20%2Fdocs%2Fmap.txt", "map.txt"),
            ("wais://h/db/TEXT/id7", "id7.txt"),
            ("wais://h/db/PS/id7", "id7.ps"),
            ("wais://h/db?old%20map", "old map.txt"),
            ("prospero://h/a/b.txt;x=y", "b.txt"),
            ("finger://h/ada", "ada.txt"),
            ("finger://ada@h", "ada.txt"),
            ("finger://h/W%20ada", "W ada.txt"),
            ("finger://h", "h.txt"),
            ("news:a.1@h.example", "a.1@h.example.eml"),
            ("nntp://h/misc.test/7", "misc.test.7.eml"),
        ] {
            assert_eq!(name(url), expected, "{url}");
        }
    }

    #[test]
    fn directory_has_no_suffix_of_a_type() {
        let hints = NameHints::default();
        for (url, expected) in [
            ("ftp://h.example/", "h.example"),
            ("ftp://h.example/pub/;type=d", "pub"),
            ("ftp://h/pub/v1.2/;type=d", "v1.2"),
            ("gopher://h.example/1", "h.example"),
            ("gopher://h/1/docs", "docs"),
            ("file:///", "download"),
        ] {
            let url = Dialect::Extended.parse(url).unwrap();
            assert_eq!(directory_name_of(&url, &hints), expected, "{url}");
        }
        let hints = NameHints {
            title: Some(Text::of("Public files")),
            ..hints
        };
        let url = Dialect::Extended.parse("ftp://h.example/").unwrap();
        assert_eq!(directory_name_of(&url, &hints), "Public files");
    }

    #[test]
    fn view_gives_the_suffix() {
        for (url, expected) in [
            ("gopher://h/0/a%09%09+application/postscript", "a.ps"),
            (
                "gopher://h/0/a.txt%09%09+Application/Postscript%20En_US",
                "a.ps",
            ),
            ("gopher://h/0/a.v2%09%09+image/gif", "a.v2.gif"),
            ("gopher://h/I/a.jpeg%09%09+image/jpeg", "a.jpeg"),
            ("gopher://h/I/a.ps%09%09+text/plain", "a.txt"),
            ("gopher://h/0/a%09%09+", "a"),
            ("gopher://h/0/a%09%09+nonsense", "a"),
        ] {
            assert_eq!(name(url), expected, "{url}");
        }
    }

    #[test]
    fn title_names_what_has_no_path() {
        let hints = NameHints {
            title: Some(Text::of("../My home: page")),
            ..NameHints::default()
        };
        let url = Dialect::Extended.parse("http://h/").unwrap();
        assert_eq!(file_name_of(&url, &hints), "My home_ page.html");
        let url = Dialect::Extended.parse("http://h/a.gif").unwrap();
        assert_eq!(file_name_of(&url, &hints), "a.gif");
    }

    #[test]
    fn server_names_its_file() {
        let named = |address: &str, disposition: Option<&str>, media_type: Option<&str>| {
            let url = Dialect::Extended.parse(address).unwrap();
            let server = ServerFileName {
                disposition: disposition.map(|name| name.as_bytes().to_vec()),
                media_type: media_type.map(str::to_owned),
            };
            server_file_name(&name(address), &url, None, &server)
        };
        for (url, disposition, media_type, expected) in [
            ("http://h/get", Some("a.zip"), None, "a.zip"),
            ("http://h/get", Some("../../.ssh/config"), None, "config"),
            (
                "http://h/get",
                Some("-rf"),
                Some("application/pdf"),
                "rf.pdf",
            ),
            ("http://h/get", Some(".."), None, "get"),
            ("http://h/get", None, Some("application/pdf"), "get.pdf"),
            ("http://h/get", None, Some("text/html"), "get.html"),
            ("http://h/README", None, Some("text/plain"), "README"),
            ("http://h/a.cgi", None, Some("text/html"), "a.cgi"),
            ("http://h/", None, Some("application/pdf"), "h.pdf"),
            ("http://h/", None, Some("text/html"), "h.html"),
            ("http://h/", None, Some("x/y"), "h.html"),
        ] {
            assert_eq!(
                named(url, disposition, media_type),
                expected,
                "{url} {disposition:?}"
            );
        }
    }

    #[test]
    fn redirect_names_what_has_no_suffix() {
        let here = Dialect::Extended.parse("http://h/files/a.tar.gz").unwrap();
        for (address, expected) in [
            ("http://h/", "a.tar.gz"),
            ("http://h/latest?v=1", "a.tar.gz"),
            ("http://h/b.zip", "b.zip"),
        ] {
            let url = Dialect::Extended.parse(address).unwrap();
            let server = ServerFileName::default();
            let named = server_file_name(&name(address), &url, Some(&here), &server);
            assert_eq!(named, expected, "{address}");
        }
    }

    proptest! {
        #[test]
        fn name_is_safe_for_any_url(path in "[a-z/.%2eC5-]{0,20}", scheme in "(http|ftp|gopher|wais|prospero|finger)") {
            if let Ok(url) = Dialect::Extended.parse(&format!("{scheme}://h/{path}")) {
                let name = file_name_of(&url, &NameHints::default());
                prop_assert!(!name.contains(['/', '\\', '\0']) && !name.starts_with(['.', '-']), "{name}");
            }
        }
    }
}
