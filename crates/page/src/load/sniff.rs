//! The type of a content, when the protocol does not give it: by the URL, or by the first octets.

use rfc1738::{Parts, Url, WaisTarget};

use super::file_name::TEXT;

use std::borrow::Cow;

use geomys_wire::text::Charset;

/// The octets of a file that are examined to tell text from binary data, when that many arrive.
pub(super) const SAMPLE: usize = 512;

/// Returns true if the beginning of a file looks like text: it has no NUL, and almost no control characters that texts
/// do not use.
pub(super) fn is_text(head: &[u8]) -> bool {
    let head = &*in_utf_8(head);
    let odd = head.iter().filter(|&&octet| {
        octet < b' ' && !matches!(octet, b'\t' | b'\n' | b'\r' | 8 | 12 | 26 | 27)
    });
    memchr::memchr(0, head).is_none() && odd.count() * 32 <= head.len()
}

/// The beginning of a text in UTF-16 with a byte order mark as UTF-8; other octets unchanged.
pub(super) fn in_utf_8(head: &[u8]) -> Cow<'_, [u8]> {
    let is_marked = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let charset = Charset::named("utf-16").filter(|_| is_marked);
    let whole = head.get(..head.len() / 2 * 2).unwrap_or(head);
    let text = charset.map(|charset| charset.decode(whole));
    // The last character may be cut; other octets than text have halves of characters everywhere.
    let is_text = |text: &Cow<'_, str>| {
        let whole = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
        !whole.contains(char::REPLACEMENT_CHARACTER)
    };
    match text.filter(is_text) {
        Some(text) => Cow::Owned(text.into_owned().into_bytes()),
        None => Cow::Borrowed(head),
    }
}

/// Returns true if a text begins like an HTML page.
pub(super) fn looks_like_html(start: &[u8]) -> bool {
    let start = &*in_utf_8(start);
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let start = start.trim_ascii_start().to_ascii_lowercase();
    let begins = [
        b"<!doctype html".as_slice(),
        b"<html",
        b"<head",
        b"<title",
        b"<body",
        b"<h1",
    ];
    begins.iter().any(|begin| start.starts_with(begin))
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

/// Returns the media type of the Gopher+ view in a URL, in lower case. It may become an argument of a program, so only the
/// characters of registered types are accepted, not all characters of a token (RFC 2045, section 5.1): none of them has a
/// meaning for a shell or begins an option.
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
