//! The name and the media type of a file by its URL.

use rfc1738::{Encoded, GroupPart, Parts, Protocol, Url, WaisTarget};

/// The media type of texts; a name without a suffix is usual for them.
pub(super) const TEXT: &str = "text/plain";

/// A name by the URL alone.
pub(super) struct UrlName {
    pub(super) octets: Vec<u8>,
    pub(super) source: NameSource,
}

/// The part of a URL that a name comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NameSource {
    /// The name of a file, whose suffix tells its type, if it has one.
    File,
    /// A query, an id or a user.
    Query,
    /// An article.
    Article,
}

/// Returns the name in a URL; `None` if it names no file.
pub(super) fn url_name(url: &Url) -> Option<UrlName> {
    use NameSource::{Article, File, Query};
    let last = |path: Encoded<'_>| last_segment(&path.octets());
    let (octets, source) = match url.base_parts() {
        Parts::Ftp(ftp) => {
            let mut names = ftp.segments().rev();
            let name = names.find(|name| !name.is_empty())?;
            (name.octets().into_owned(), File)
        }
        Parts::Http(http) => (last(http.path?)?, File),
        Parts::File(file) => (last(file.path)?, File),
        Parts::Prospero(prospero) => (last(prospero.path)?, File),
        Parts::Gopher(gopher) => match (last(gopher.selector), gopher.search) {
            (Some(name), _) => (name, File),
            (None, search) => (words(&search?.octets())?, Query),
        },
        Parts::Wais(wais) => match (wais.target.id(), wais.target) {
            (Some(id), _) => (last_word(&id)?.to_vec(), Query),
            (None, WaisTarget::Search(search)) => (words(&search.octets())?, Query),
            (None, _) => (last(wais.database)?, Query),
        },
        Parts::News(news) => match news.part {
            GroupPart::Article(article) => (last(article.id)?, Article),
            GroupPart::Group(group) | GroupPart::Groups(group) | GroupPart::Articles(group, _) => {
                (last(group)?, Query)
            }
            GroupPart::All => return None,
        },
        Parts::Nntp(nntp) => {
            let group = last(nntp.group)?;
            match nntp.number {
                Some(number) => (
                    [&group, b".".as_slice(), number.as_bytes()].concat(),
                    Article,
                ),
                None => (group, Query),
            }
        }
        Parts::Other(other) => match other.ip() {
            Some((login, path)) => {
                let is_finger = matches!(url.protocol(), Protocol::Finger(_));
                let user = login.user.filter(|_| is_finger).map(Encoded::octets);
                let name = path.and_then(last).or_else(|| words(&user?))?;
                (name, Query)
            }
            None => (last(other.schemepart)?, Query),
        },
        Parts::Mailto(_) | Parts::Telnet(_) => return None,
    };
    Some(UrlName { octets, source })
}

/// Returns the last segment of a path that is not empty.
fn last_segment(path: &[u8]) -> Option<Vec<u8>> {
    let mut segments = path.rsplit(|&octet| octet == b'/');
    let last = segments.find(|segment| !segment.is_empty())?;
    Some(last.to_vec())
}

/// Returns the words of a query, whose slashes and tabs separate nothing in a file name.
fn words(query: &[u8]) -> Option<Vec<u8>> {
    let is_separator = |octet: &u8| matches!(octet, b'/' | b'\\') || octet.is_ascii_whitespace();
    let words: Vec<&[u8]> = query
        .split(is_separator)
        .filter(|word| !word.is_empty())
        .collect();
    (!words.is_empty()).then(|| words.join(&b' '))
}

/// Returns the last word of the id of a WAIS document.
fn last_word(id: &[u8]) -> Option<&[u8]> {
    let parts = |octet: &u8| !matches!(octet, b'!'..=b'~') || *octet == b'/';
    id.split(parts).rfind(|word| !word.is_empty())
}

/// The media type that a URL tells.
pub(super) enum UrlType {
    /// A view of Gopher+, which was selected.
    View(String),
    /// The type of a Gopher item or a WAIS document.
    Item(&'static str),
}

/// Returns the media type that a URL tells: its Gopher+ view, its item type, the type of its WAIS document.
pub(super) fn url_media_type(url: &Url) -> Option<UrlType> {
    if let Some(view) = gopher_view(url) {
        return Some(UrlType::View(view));
    }
    let media_type = match url.base_parts() {
        Parts::Gopher(gopher) => match gopher.item_type() {
            b'g' => "image/gif",
            b'p' => "image/png",
            b'P' => "application/pdf",
            b'h' => "text/html",
            b'4' => "application/mac-binhex40",
            b'0' | b'2' | b'7' => TEXT,
            _ => return None,
        },
        Parts::Wais(wais) => match wais.target {
            WaisTarget::Document { wtype, .. } | WaisTarget::Fields { wtype, .. } => {
                match wtype.octets().to_ascii_uppercase().as_slice() {
                    b"GIF" => "image/gif",
                    b"TIFF" => "image/tiff",
                    b"JPEG" => "image/jpeg",
                    b"XBM" => "image/x-xbitmap",
                    b"PS" => "application/postscript",
                    b"DVI" => "application/x-dvi",
                    b"PDF" => "application/pdf",
                    b"RTF" => "application/rtf",
                    b"HTML" => "text/html",
                    b"MAIL" | b"RMAIL" | b"NETNEWS" => "message/rfc822",
                    b"TEXT" | b"TEXT-FTP" | b"" => TEXT,
                    // No suffix is usual for it.
                    _ => "application/octet-stream",
                }
            }
            WaisTarget::Database | WaisTarget::Search(_) => TEXT,
        },
        _ => return None,
    };
    Some(UrlType::Item(media_type))
}

/// Returns the media type of the Gopher+ view in a URL, in lower case. It may become an argument of a program, so only
/// the characters of registered types are accepted, not all characters of a token (RFC 2045, section 5.1): none of them
/// has a meaning for a shell or begins an option.
pub fn gopher_view(url: &Url) -> Option<String> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    let plus = gopher.plus?.octets();
    let mut view = plus
        .strip_prefix(b"+")?
        .split(|octet| matches!(octet, b' ' | b'\t' | b';'));
    let text = std::str::from_utf8(view.next()?).ok()?.to_ascii_lowercase();
    let is_token = |token: &str| {
        let mut signs = token.bytes();
        signs
            .next()
            .is_some_and(|first| first.is_ascii_alphanumeric())
            && signs.all(|sign| sign.is_ascii_alphanumeric() || b"+-._".contains(&sign))
    };
    let (kind, subtype) = text.split_once('/')?;
    (is_token(kind) && is_token(subtype)).then_some(text)
}
