//! The kind of an answer: one judgement for pages that are shown, checked, synced and mirrored.
//!
//! What a server says is believed: the protocol's own type, and the media type. The first octets are looked at only
//! where there is none: over Gopher and nex, for files, and over HTTP without `Content-Type`.

use std::io::Read;

use flate2::read::MultiGzDecoder;
use rfc1738::{Protocol, Url};

use super::http::{MediaType, PageKind};
use super::sniff::{SAMPLE, is_text};
use super::{EXCLUDED, PageHead, Privacy, Request};
use geomys_page::document::{Kind, Shape};

/// The beginning of a file of gzip (RFC 1952, section 2.3.1).
const GZIP: &[u8] = b"\x1f\x8b\x08";

/// Returns the shape of an answer to a request for `requested`, whose content begins with `octets`.
///
/// # Errors
/// The kind of a file that is no page.
pub fn kind_of(head: &PageHead, requested: &Url, octets: &[u8]) -> Result<Shape, Kind> {
    if head.shape != Shape::Text {
        return Ok(head.shape);
    }
    let start = octets.get(..SAMPLE).unwrap_or(octets);
    let url = head.url.as_ref().unwrap_or(requested);
    if let Protocol::Gopher(gopher) = url.protocol()
        && gopher.item_type() == b'h'
        && is_text(start, head.charset)
    {
        // Whatever tag it begins with.
        return Ok(Shape::Html);
    }
    let media = head.file_name.media_type.as_deref().unwrap_or_default();
    let media = MediaType::parse(media.as_bytes()).read_as(head.charset);
    let kind = media.kind(start);
    kind.map_or(Ok(Shape::Text), PageKind::shape)
}

/// Returns true for a page that would not replace a copy: the copy came as a file or as a list, and what comes now in
/// its place is a page of HTML, as servers send it to who is logged out, or in maintenance. The types are those of
/// their servers.
pub fn is_stand_in(copy: Option<&str>, now: Option<&str>) -> bool {
    let media = |name: Option<&str>| MediaType::parse(name.unwrap_or_default().as_bytes());
    let (copy, now) = (media(copy), media(now));
    let is_other = matches!(
        copy.kind(b""),
        Some(PageKind::File(_) | PageKind::Feed | PageKind::Gemtext)
    );
    // That type says nothing: servers use it for what they do not recognise.
    is_other && copy.name() != "application/octet-stream" && now.kind(b"") == Some(PageKind::Html)
}

/// Returns true for the octets of a page that its server has compressed without being asked, as a type that says
/// nothing of it is declared.
pub fn is_compressed_page(head: &PageHead, requested: &Url, octets: &[u8]) -> bool {
    octets.starts_with(GZIP) && kind_of(head, requested, octets).is_ok()
}

/// Decompresses octets of gzip, up to `max_bytes`; others are returned unchanged. What is damaged ends before that.
pub fn decompressed(octets: Vec<u8>, max_bytes: usize) -> Vec<u8> {
    if !octets.starts_with(GZIP) {
        return octets;
    }
    let mut content = Vec::new();
    let decoder = MultiGzDecoder::new(octets.as_slice());
    // The part before an error is read.
    let _ = decoder.take(max_bytes as u64).read_to_end(&mut content);
    content
}

/// Says whether an answer may be written to the disk. Every place that stores pages asks here, before the body: the
/// rules hold for each URL of a chain of redirects, not for the requested one alone.
///
/// # Errors
/// The reason why it may not, for a list that names the page.
pub fn may_store(request: &Request, answer: &PageHead) -> Result<(), &'static str> {
    let hosts = &request.settings.private_hosts;
    if request.settings.privacy == Privacy::Private {
        return Err("its tab is private");
    }
    if hosts.include(&request.url) {
        return Err(EXCLUDED);
    }
    if answer
        .from
        .iter()
        .chain(&answer.url)
        .any(|url| hosts.include(url))
    {
        return Err("it redirects to a host in [history] except");
    }
    answer.storage.permits()
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;

    use super::*;
    use crate::ServerFileName;

    #[test]
    fn declared_type_is_believed_and_octets_are_looked_at_without_one() {
        let html = b"<html><a href='/x'>x</a>".as_slice();
        for (url, media, octets, expected) in [
            (
                "http://h/",
                Some("text/html"),
                b"<p>x".as_slice(),
                Ok(Shape::Html),
            ),
            ("http://h/", Some("text/plain"), html, Ok(Shape::Text)),
            ("http://h/a.html", None, html, Ok(Shape::Html)),
            ("http://h/a.html", None, b"<p>x", Ok(Shape::Html)),
            ("http://h/", None, b"<pear> is text", Ok(Shape::Text)),
            ("http://h/", Some("image/png"), html, Err(Kind::Image)),
            ("http://h/", Some("text/gemini"), b"# x", Ok(Shape::Gemtext)),
            (
                "gemini://h/page.txt",
                Some("text/gemini"),
                b"=> x",
                Ok(Shape::Gemtext),
            ),
            (
                "gemini://h/page.gmi",
                Some("text/plain"),
                b"=> x",
                Ok(Shape::Text),
            ),
            ("gopher://h/hx", None, b"<ul><li>x", Ok(Shape::Html)),
            (
                "gopher://h/hx",
                None,
                b"\x89PNG\r\n\x1a\n\0\0",
                Err(Kind::Binary),
            ),
            ("gopher://h/0x", None, b"text", Ok(Shape::Text)),
        ] {
            let head = PageHead {
                file_name: ServerFileName {
                    media_type: media.map(str::to_owned),
                    ..ServerFileName::default()
                },
                ..PageHead::new(Shape::Text)
            };
            let requested = Dialect::Extended.parse(url).unwrap();
            assert_eq!(
                kind_of(&head, &requested, octets),
                expected,
                "{url} {media:?}"
            );
        }
    }
}
