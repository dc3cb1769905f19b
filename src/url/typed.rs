//! What a person types, or pastes, where a URL is wanted.
//!
//! Only here is anything guessed, and only where the text is no URL of a known scheme: a host, or a host and a path.

use std::borrow::Cow;

use super::context;
use super::cursor::Cursor;
use super::error::ParseError;
use super::scheme::{Later, Scheme};
use super::{Url, login};

/// The URL that `input` holds or hints at: [`meant`], parsed. The error's place is in what [`meant`] gives.
pub fn typed(input: &str) -> Result<Url, ParseError> {
    Url::accept(&meant(input))
}

/// The text to parse where a person gave `input`; compare it with the input to see whether something was guessed.
///
/// Taken: a URL; one in `<URL:...>` or `<...>` or behind `URL:`; a whole bookmark line (`Title <URL:...> #tag`), of
/// which the first URL counts; a host, with or without a port and a path: `ftp://` if it starts with `ftp.`, else
/// `gopher://`, where a path that names no item type is a menu. Any other text is given back without the white space
/// around it. The result may be no URL.
pub fn meant(input: &str) -> Cow<'_, str> {
    let text = unwrapped(input);
    match guessed(&text) {
        Some(guess) => Cow::Owned(guess),
        None => text,
    }
}

/// `input` without white space, `<URL:...>`, `<...>` and `URL:` around it; of a line with a `<URL:...>`, its URL.
pub(super) fn unwrapped(input: &str) -> Cow<'_, str> {
    let mut text = input.trim();
    if let Some(start) = text.to_ascii_lowercase().find("<url:") {
        let inside = text.get(start..).unwrap_or("");
        if let Some(found) = context::urls(inside.as_bytes()).next() {
            return Cow::Owned(found.url_text.into_owned());
        }
    }
    if let Some(inner) = text
        .strip_prefix('<')
        .and_then(|text| text.strip_suffix('>'))
    {
        text = inner.trim();
    }
    match text.split_at_checked(4) {
        Some((word, rest)) if word.eq_ignore_ascii_case("url:") => Cow::Borrowed(rest.trim()),
        _ => Cow::Borrowed(text),
    }
}

/// The URL that a host and what follows it make; nothing where the text does not look like one.
fn guessed(text: &str) -> Option<String> {
    let end = text.find([':', '/']).unwrap_or(text.len());
    let (host, rest) = text.split_at_checked(end)?;
    let mut cursor = Cursor::new(host);
    login::host(&mut cursor).ok()?;
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
    let menu = match (scheme, letters.next(), letters.next()) {
        ("ftp", _, _) | (_, None, _) | (_, Some(_), None | Some('/')) => "",
        // A selector by the look of it; nearly all servers want its slash.
        (_, Some(_), Some(_)) => "1/",
    };
    Some(format!("{scheme}://{host}{place}/{menu}{path}"))
}
