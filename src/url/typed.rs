//! What a person types, or pastes, where a URL is wanted.
//!
//! Only here is anything guessed, and only where the text is no URL of a known scheme: a host, or a host and a path; a
//! news group that is known; a path of this machine.

use std::borrow::Cow;

use super::context;
use super::cursor::Cursor;
use super::error::ParseError;
use super::escape::{self, FPATH};
use super::scheme::{Later, Scheme};
use super::{Url, login, mask, without_secrets};

/// What helps to guess; nothing of it is needed.
#[derive(Clone, Copy, Default)]
pub struct Guesses<'a> {
    /// Whether there is a news group of this name.
    pub is_group: Option<&'a dyn Fn(&str) -> bool>,
    /// The directory that `./` and `../` start from: an absolute path.
    pub directory: Option<&'a str>,
    /// The directory that `~/` means: an absolute path.
    pub home: Option<&'a str>,
}

/// The URL that `input` holds or hints at: [`meant`], read as [`Url::accept`] does. The error's place is in what
/// [`meant`] gives.
pub fn typed(input: &str, guesses: Guesses<'_>) -> Result<Url, ParseError> {
    Url::accept(&meant(input, guesses))
}

/// The text to parse where a person gave `input`; compare it with the input to see whether something was guessed.
///
/// Taken: a URL; one in `<URL:...>` or `<...>` or behind `URL:`; a whole bookmark line (`Title <URL:...> #tag`), of
/// which the first URL counts; a line of `geomys bookmarks list`; a path that starts with `/`, `./`, `../` or `~/`: `file:`; the name of a known news
/// group: `news:`; a host, with or without a port and a path: `ftp://` if it starts with `ftp.`, else `gopher://`,
/// where a path that names no item type is a menu. Any other text is given back without the white space around it. The
/// result may be no URL.
pub fn meant<'a>(input: &'a str, guesses: Guesses<'_>) -> Cow<'a, str> {
    if let Some(start) = input.to_ascii_lowercase().find("<url:") {
        let inside = input.get(start..).unwrap_or("");
        if let Some(found) = context::urls(inside.as_bytes()).next() {
            let wrapped = folded(inside.get(found.range).unwrap_or(""));
            let wrapped = bare(&wrapped);
            // Only a line break is no part of the URL: a space is a fault, which the caller points at.
            if wrapped.contains(char::is_whitespace) {
                return Cow::Owned(wrapped.to_owned());
            }
            return Cow::Owned(found.url_text.into_owned());
        }
    }
    if let Some(url) = listed(input) {
        return url;
    }
    let text = bare(input);
    let guess = path(text, guesses)
        .or_else(|| group(text, guesses))
        .or_else(|| host(text));
    guess.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The URL of a line that `geomys bookmarks list` prints: title, URL, folder and tags, a TAB between. Where that hides a
/// password, it is left out: it will be asked for.
fn listed(input: &str) -> Option<Cow<'_, str>> {
    let mut fields = input.split('\t');
    let url = fields.nth(1).filter(|url| url.contains(':'))?;
    if fields.count() != 2 {
        return None;
    }
    let hidden = Url::accept(url)
        .ok()
        .filter(|url| mask(url.as_str()) == url.as_str());
    match hidden {
        Some(hidden) if hidden.has_secret() => Some(without_secrets(url)),
        Some(_) | None => Some(Cow::Borrowed(url)),
    }
}

/// `text` without its line breaks and the white space around them: a URL in brackets may run over lines (RFC 1738,
/// appendix).
pub fn folded(text: &str) -> Cow<'_, str> {
    if !text.contains(['\r', '\n']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split(['\r', '\n']).map(str::trim).collect())
}

/// `input` without what may stand around a URL: white space, `<URL:...>` and `<...>`, and `URL:` before it, in any case
/// and however often.
pub fn unwrapped(mut input: &[u8]) -> &[u8] {
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

/// [`unwrapped`], of a text.
pub(super) fn bare(input: &str) -> &str {
    // Only ASCII falls away, so what is left is text.
    std::str::from_utf8(unwrapped(input.as_bytes())).unwrap_or(input)
}

/// The file URL of a path of this machine, as shells write it; nothing where the text does not look like one.
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

/// The news URL of a group that is known.
fn group(text: &str, guesses: Guesses<'_>) -> Option<String> {
    let is_group = guesses.is_group?;
    let name = text.contains('.') && !text.contains(['/', ':']) && is_group(text);
    name.then(|| format!("news:{text}"))
}

/// The URL that a host and what follows it make; nothing where the text does not look like one.
fn host(text: &str) -> Option<String> {
    let end = text.find([':', '/']).unwrap_or(text.len());
    let (host, rest) = text.split_at_checked(end)?;
    let mut cursor = Cursor::beyond(host);
    login::host(&mut cursor).ok()?;
    if rest.starts_with("//") {
        // A scheme that lacks its colon, if anything.
        return None;
    }
    if let Some(after) = rest.strip_prefix(':') {
        // A scheme, unless a port follows: `localhost:7070` is a host, `tel:110` is not.
        let port = after.split('/').next().unwrap_or("");
        let digits = !port.is_empty() && port.bytes().all(|octet| octet.is_ascii_digit());
        let known = Scheme::named(host) != Scheme::Other || Later::named(host).is_some();
        let named = host.contains('.') || host.eq_ignore_ascii_case("localhost");
        if !digits || known || !named {
            return None;
        }
    }
    let starts = host
        .get(..4)
        .is_some_and(|start| start.eq_ignore_ascii_case("ftp."));
    let scheme = if starts { "ftp" } else { "gopher" };
    let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut letters = path.chars();
    let menu = match (letters.next(), letters.next()) {
        // A selector by the look of it; nearly all servers want its slash.
        (Some(_), Some(second)) if scheme == "gopher" && second != '/' => "/1/",
        _ => "/",
    };
    Some(format!("{scheme}://{host}{place}{menu}{path}"))
}
