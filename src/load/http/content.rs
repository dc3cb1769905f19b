//! What an answer holds, by its media type and its first octets.

use crate::document::{Kind, suffix};
use crate::load::sniff::{is_text, looks_like_html};
use crate::load::{Question, Stop};
use crate::protocol::http::Head;
use crate::text::{Charset, file_name};
use crate::url::{Encoded, Parts, Url};

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Html,
    Text,
    /// It is saved: the words for it.
    File(&'static str),
}

/// A media type (RFC 9110, section 8.3).
#[derive(Clone, Debug, Default)]
pub(super) struct Media {
    /// `text/html`, in small letters; empty where the server does not say.
    name: String,
    charset: Option<Charset>,
}

impl Media {
    /// As the server says it.
    pub(super) fn of(head: &Head) -> Self {
        let field = head.field("content-type").unwrap_or_default();
        let field = String::from_utf8_lossy(field);
        let mut parts = field.split(';');
        let name = parts.next().unwrap_or_default();
        let mut charsets = parts.filter_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let is_it = name.trim().eq_ignore_ascii_case("charset");
            is_it.then(|| Charset::named(value.trim().trim_matches(['"', '\''])))?
        });
        Self {
            charset: charsets.next(),
            name: name.trim().to_ascii_lowercase(),
        }
    }

    /// The charset that it names.
    pub(super) fn charset(&self) -> Option<Charset> {
        self.charset
    }

    /// What becomes of it; while nothing of it has come (`start` is empty), none where that has to be seen first.
    pub(super) fn way(&self, start: &[u8]) -> Option<Way> {
        let (main, sub) = self.name.split_once('/').unwrap_or_default();
        match (main, sub) {
            ("text", "html") | ("application", "xhtml+xml" | "vnd.wap.xhtml+xml") => {
                Some(Way::Html)
            }
            // Servers call texts what they do not know.
            ("text", "plain") | ("", _) if start.is_empty() => None,
            ("text", "plain") | ("", _) if is_utf16(start) => Some(Way::Text),
            ("text", "plain") | ("", _) if !is_text(start) => {
                Some(Way::File(suffix::what(Kind::Binary)))
            }
            ("", _) if looks_like_html(start) => Some(Way::Html),
            ("text" | "message" | "", _)
            | (
                "application",
                "json" | "xml" | "javascript" | "x-javascript" | "ecmascript" | "x-sh" | "x-perl"
                | "x-python" | "toml" | "yaml" | "x-yaml" | "sql" | "x-tex" | "x-latex" | "x-troff",
            ) => Some(Way::Text),
            ("image", _) => Some(Way::File(suffix::what(Kind::Image))),
            ("audio", _) => Some(Way::File(suffix::what(Kind::Sound))),
            ("video", _) => Some(Way::File(suffix::what(Kind::Movie))),
            (_, sub) if sub.ends_with("+json") || sub.ends_with("+xml") => Some(Way::Text),
            (
                "application",
                "pdf" | "postscript" | "rtf" | "msword" | "epub+zip" | "x-dvi" | "vnd.djvu",
            ) => Some(Way::File(suffix::what(Kind::Document))),
            _ => Some(Way::File(suffix::what(Kind::Binary))),
        }
    }
}

fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(&[0xfe, 0xff]) || start.starts_with(&[0xff, 0xfe])
}

/// The question where something is saved.
pub(super) fn save(what: &'static str, head: &Head, url: &Url, size: Option<u64>) -> Stop {
    let named = head.field("content-disposition").and_then(file_named);
    let name = named.unwrap_or_else(|| match url.reading() {
        Parts::Http(http) => http
            .path
            .map(Encoded::octets)
            .unwrap_or_default()
            .into_owned(),
        _ => Vec::new(),
    });
    Stop::Needs(Question::Save {
        what,
        name: file_name(&name, "page"),
        size,
    })
}

/// The name in a `Content-Disposition` (RFC 6266), in its plain form.
fn file_named(field: &[u8]) -> Option<Vec<u8>> {
    let mut parameters = field.split(|&octet| octet == b';').skip(1);
    parameters.find_map(|parameter| {
        let equals = memchr::memchr(b'=', parameter)?;
        let (name, value) = parameter.split_at_checked(equals)?;
        let value = value.get(1..)?.trim_ascii();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value);
        let is_it = name.trim_ascii().eq_ignore_ascii_case(b"filename") && !value.is_empty();
        is_it.then(|| value.to_vec())
    })
}
