//! Text that a user types or pastes as an address.
//!
//! This is the only module that guesses, and only for text that is not a URL of a known scheme: a host, a host and a
//! path, the name of a news group, or a local path.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::error::ParseError;
use super::escape::{self, FPATH};
use super::links_in_text;
use super::scheme::is_known;
use super::slip::with_dots;
use super::{Dialect, Url, host, mask, without_secrets};

/// Optional information for guesses.
///
/// ```
/// use rfc1738::{Guesses, expand_typed};
///
/// let guesses = Guesses { home: Some("/home/ada"), ..Guesses::default() };
/// assert_eq!(expand_typed("~/a b", guesses), "file:///home/ada/a%20b");
/// ```
#[derive(Clone, Copy, Default)]
pub struct Guesses<'a> {
    /// A function that tells whether a news group of this name exists.
    pub is_group: Option<&'a dyn Fn(&str) -> bool>,
    /// The directory for `./` and `../`: an absolute path.
    pub directory: Option<&'a str>,
    /// The directory for `~/`: an absolute path.
    pub home: Option<&'a str>,
}

/// Parses the URL that `input` holds or hints at: the result of [`expand_typed`], read by [`Dialect::ExtendedByBase`].
/// The offset of an error is in the text that [`expand_typed`] returns.
///
/// ```
/// use rfc1738::{Guesses, parse_typed};
///
/// let url = parse_typed("gopher.example/docs", Guesses::default()).unwrap();
/// assert_eq!(url.as_str(), "gopher://gopher.example/1/docs");
/// ```
pub fn parse_typed(input: &str, guesses: Guesses<'_>) -> Result<Url, ParseError> {
    Dialect::ExtendedByBase.parse(&*expand_typed(input, guesses))
}

/// The text to parse for the `input` of a user. It differs from the input if something was guessed.
///
/// Accepted forms: a URL; `news:<id>` and `nntp://host/`, as readers of news write them; a URL in `<URL:...>` or
/// `<...>` or after `URL:`; a whole bookmark line (`Title <URL:...> #tag`), of which the first URL is taken; a line of
/// `geomys bookmarks list`; a path that starts with `/`, `./`, `../` or `~/`, for `file:`; the name of a news group,
/// for `news:`; a host, with or without a port and a path, for `ftp://` if it starts with `ftp.`, `http://` if it
/// starts with `www.` and `gopher://` otherwise, where a path without an item type is a menu. Any other text is
/// returned without the white space around it. The result may not be a URL.
///
/// ```
/// use rfc1738::{Guesses, expand_typed};
///
/// assert_eq!(expand_typed("www.example.org", Guesses::default()), "http://www.example.org/");
/// ```
pub fn expand_typed<'a>(input: &'a str, guesses: Guesses<'_>) -> Cow<'a, str> {
    if let Some(start) = input.to_ascii_lowercase().find("<url:") {
        let inside = input.get(start..).unwrap_or("");
        if let Some(found) = links_in_text(inside).next() {
            let wrapped = join_lines(inside.get(found.range.clone()).unwrap_or(""));
            let wrapped = bare(&wrapped);
            // Only a line break is not part of the URL. A space is a fault, and the caller shows where.
            if wrapped.contains(char::is_whitespace) {
                return Cow::Owned(wrapped.to_owned());
            }
            return Cow::Owned(found.full_text().into_owned());
        }
    }
    if let Some(url) = listed(input) {
        return url;
    }
    let text = bare(input);
    if let Some(url) = news_form(text) {
        return Cow::Owned(url);
    }
    let guess = path(text, guesses)
        .or_else(|| group(text, guesses))
        .or_else(|| host(text));
    guess.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The form that RFC 5538 has for what readers of news write: a Message-ID with its brackets, `news:<id>`, and a server
/// without a group, `nntp://host/`, for its first page.
pub(super) fn news_form(text: &str) -> Option<String> {
    let (name, rest) = text.split_once(':')?;
    let is = |schemes: &[&str]| {
        schemes
            .iter()
            .any(|scheme| name.eq_ignore_ascii_case(scheme))
    };
    if let Some(at) = rest.find('<')
        && is(&["news", "snews"])
    {
        let (server, id) = rest.split_at_checked(at)?;
        let has_server = server.starts_with("//") && server.ends_with('/');
        let url = Url::news_article(id.strip_suffix('>')?.get(1..)?.as_bytes()).ok()?;
        let id = url.as_str().strip_prefix("news:")?;
        return (server.is_empty() || has_server).then(|| format!("{name}:{server}{id}"));
    }
    let authority = rest.strip_prefix("//")?;
    let authority = authority.strip_suffix('/').unwrap_or(authority);
    let scheme = match (is(&["nntp"]), is(&["nntps"])) {
        (true, _) => "news",
        (false, true) => "snews",
        (false, false) => return None,
    };
    let is_host = !authority.is_empty() && !authority.contains(['/', '?', '#', '@']);
    is_host.then(|| format!("{scheme}://{authority}/"))
}

/// The URL of a line that `geomys bookmarks list` prints: title, URL, folder and tags, separated by TABs. A masked
/// password is left out, so that the user is prompted for it.
fn listed(input: &str) -> Option<Cow<'_, str>> {
    let mut fields = input.split('\t');
    let url = fields.nth(1).filter(|url| url.contains(':'))?;
    if fields.count() != 2 {
        return None;
    }
    let hidden = Dialect::Extended
        .parse(url)
        .ok()
        .filter(|url| mask(url.as_str()) == url.as_str());
    match hidden {
        Some(hidden) if hidden.has_secret() => Some(without_secrets(url)),
        Some(_) | None => Some(Cow::Borrowed(url)),
    }
}

/// `text` without its line breaks and the white space around them: a URL in brackets may run over lines (RFC 1738,
/// appendix).
///
/// ```
/// use rfc1738::join_lines;
///
/// assert_eq!(join_lines("http://h.example/one/\n  two"), "http://h.example/one/two");
/// ```
pub fn join_lines(text: &str) -> Cow<'_, str> {
    if !text.contains(['\r', '\n']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split(['\r', '\n']).map(str::trim).collect())
}

/// `input` without the wrapper around a URL: white space, `<URL:...>` and `<...>`, and `URL:` before it, in any
/// letter case and repeated any number of times.
///
/// ```
/// use rfc1738::strip_wrapper;
///
/// assert_eq!(strip_wrapper(b" <URL:news:a.b> "), b"news:a.b");
/// ```
pub fn strip_wrapper(mut input: &[u8]) -> &[u8] {
    loop {
        let trimmed = input.trim_ascii();
        let inside = trimmed
            .strip_prefix(b"<")
            .and_then(|text| text.strip_suffix(b">"))
            .unwrap_or(trimmed);
        let inside = match inside.split_at_checked(4) {
            Some((word, rest)) if word.eq_ignore_ascii_case(b"url:") => rest,
            _ => inside,
        };
        if inside.len() == input.len() {
            return input;
        }
        input = inside;
    }
}

/// [`strip_wrapper`] for text.
pub(super) fn bare(input: &str) -> &str {
    // Only ASCII is removed, so the rest is still UTF-8.
    std::str::from_utf8(strip_wrapper(input.as_bytes())).unwrap_or(input)
}

/// The file URL of a local path, as shells write it, or `None` if the text does not look like one.
fn path(text: &str, guesses: Guesses<'_>) -> Option<String> {
    let from = |directory: Option<&str>, rest: &str| {
        let directory = directory?.strip_suffix('/').or(directory)?;
        Some(format!("{directory}/{rest}"))
    };
    let path = if text.starts_with('/') && !text.starts_with("//") {
        text.to_owned()
    } else if let Some(rest) = text.strip_prefix("~/") {
        from(guesses.home, rest)?
    } else if let Some(rest) = text.strip_prefix("./") {
        from(guesses.directory, rest)?
    } else if text == "~" {
        from(guesses.home, "")?
    } else if text == "." || text == ".." || text.starts_with("../") {
        from(guesses.directory, text)?
    } else {
        return None;
    };
    let mut names: Vec<&str> = Vec::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(name) = parts.next() {
        let last = parts.peek().is_none();
        match name {
            "." if last => names.push(""),
            "" if !last => {}
            "." => {}
            ".." => {
                names.pop();
                if last {
                    names.push("");
                }
            }
            name => names.push(name),
        }
    }
    let path = escape::encode(names.join("/").as_bytes(), &FPATH);
    Some(format!("file:///{path}"))
}

/// The news URL of an existing group.
fn group(text: &str, guesses: Guesses<'_>) -> Option<String> {
    let is_group = guesses.is_group?;
    let name = text.contains('.') && !text.contains(['/', ':']) && is_group(text);
    name.then(|| format!("news:{text}"))
}

/// The URL made of a host and the text after it, or `None` if the text does not look like one.
fn host(text: &str) -> Option<String> {
    let dotted = with_dots(text);
    let text = dotted.as_deref().unwrap_or(text);
    let end = text.find([':', '/']).unwrap_or(text.len());
    let (host, rest) = text.split_at_checked(end)?;
    let mut cursor = Cursor::lenient(host);
    host::host(&mut cursor).ok()?;
    if rest.starts_with("//") {
        // Probably a scheme without its colon.
        return None;
    }
    if let Some(after) = rest.strip_prefix(':') {
        // This is a scheme unless a port follows: `localhost:7070` is a host, `tel:110` is not.
        let port = after.split('/').next().unwrap_or("");
        let digits = !port.is_empty() && port.bytes().all(|octet| octet.is_ascii_digit());
        let is_host = host.contains('.') || host.eq_ignore_ascii_case("localhost");
        if !digits || is_known(host) || !is_host {
            return None;
        }
    }
    let starts_with = |word: &str| {
        let start = host.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    let scheme = if starts_with("ftp.") {
        "ftp"
    } else if starts_with("www.") {
        "http"
    } else {
        "gopher"
    };
    let (port, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut letters = path.chars();
    let menu = match (letters.next(), letters.next()) {
        // This looks like a selector. Nearly all servers expect its slash. An item type is one ASCII character.
        (Some(first), second)
            if scheme == "gopher"
                && (!first.is_ascii() || second.is_some_and(|second| second != '/')) =>
        {
            "/1/"
        }
        _ => "/",
    };
    Some(format!("{scheme}://{host}{port}{menu}{path}"))
}
