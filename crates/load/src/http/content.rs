//! The content of a response, by its media type and its first octets; of a response with an error status, that and the
//! server's message.

use std::time::Duration;

use geomys_wire::net::RequestNet;
use geomys_wire::protocol::http::ResponseHead;
use geomys_wire::protocol::parameters::Parameters;
use geomys_wire::text;
use geomys_wire::text::{Charset, CharsetSetting, Text};
use jiff::Timestamp;
use tokio::time::timeout;

use super::page_head;
use super::response::{Decompressed, HttpResponse, rest_limit};
use crate::sniff::{SAMPLE, begins_with_tag, in_utf_8, is_text};
use crate::words::trimmed;
use crate::{
    ErrorPage, Failure, FailureKind, PageHead, PageStorage, Purpose, Question, Request,
    ServerFileName, Stop, file_name_of, server_file_name,
};
use geomys_page::document::{Document, Kind, Shape, looks_like_feed, suffix};

/// The kind of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageKind {
    Html,
    Gemtext,
    Json,
    Feed,
    Text,
    /// A file that cannot be shown.
    File(Kind),
}

impl PageKind {
    /// The shape of the page.
    ///
    /// # Errors
    /// The kind of a file that is to be saved.
    pub(crate) fn shape(self) -> Result<Shape, Kind> {
        match self {
            Self::Html => Ok(Shape::Html),
            Self::Gemtext => Ok(Shape::Gemtext),
            Self::Json => Ok(Shape::Json),
            Self::Feed => Ok(Shape::Feed),
            Self::Text => Ok(Shape::Text),
            Self::File(kind) => Err(kind),
        }
    }
}

/// A media type (RFC 9110, section 8.3).
#[derive(Clone, Debug, Default)]
pub(crate) struct MediaType {
    /// The type, for example `text/html`, in lower case; empty when the server does not say.
    name: String,
    /// The declared charset.
    pub(crate) charset: Option<Charset>,
    /// The name of the declared charset, as it is written.
    pub(crate) charset_name: Option<Box<str>>,
    /// The declared charset, if nothing is known by that name.
    pub(crate) unknown_charset: Option<Text>,
    /// The charset that the user chose.
    chosen_charset: Option<Charset>,
    /// The declared languages, as `en,fr`.
    pub(crate) languages: Option<Text>,
}

/// Returns the permission to cache a response.
pub(super) fn storage(head: &ResponseHead) -> PageStorage {
    if head.has_element("cache-control", "no-store") {
        PageStorage::Forbidden
    } else {
        PageStorage::Allowed
    }
}

impl MediaType {
    /// Reads the media type from the response head.
    pub(super) fn of(head: &ResponseHead) -> Self {
        Self::parse(head.field("content-type").unwrap_or_default())
    }

    /// The type, for example `text/html`, in lower case; empty when the server does not say.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns true for the type of a compressed file.
    pub(super) fn is_compression(&self) -> bool {
        matches!(
            self.name.as_str(),
            "application/gzip" | "application/x-gzip" | "application/x-compress"
        )
    }

    /// Parses a media type with its parameters.
    pub(crate) fn parse(field: &[u8]) -> Self {
        let field = String::from_utf8_lossy(field);
        let mut parts = field.split(';');
        let name = parts.next().unwrap_or_default();
        let parameters: Vec<(&str, &str)> = parts
            .filter_map(|parameter| parameter.split_once('='))
            .map(|(name, value)| (name.trim(), value.trim().trim_matches(['"', '\''])))
            .collect();
        let values = |wanted: &'static str| {
            let all = parameters.iter();
            all.filter(move |(name, _)| name.eq_ignore_ascii_case(wanted))
                .map(|(_, value)| *value)
        };
        let charset = values("charset").find_map(Charset::named);
        let declared = values("charset").find(|name| !name.is_empty());
        let is_known = |name: &&str| Charset::named(name).is_some();
        let charset_name = values("charset").find(is_known).or(declared);
        Self {
            charset,
            charset_name: charset_name.map(Into::into),
            unknown_charset: declared.filter(|_| charset.is_none()).map(Text::of),
            chosen_charset: None,
            languages: values("lang").find(|value| !value.is_empty()).map(Text::of),
            name: name.trim().to_ascii_lowercase(),
        }
    }

    /// Returns the type of a page that is read in the charset that the user chose, if any.
    pub(crate) fn read_as(self, chosen_charset: Option<Charset>) -> Self {
        Self {
            chosen_charset,
            ..self
        }
    }

    /// Returns the kind of the page. When `start` is empty and the first octets are needed to decide, returns None.
    pub(crate) fn kind(&self, start: &[u8]) -> Option<PageKind> {
        let (main, sub) = self.name.split_once('/').unwrap_or_default();
        let file = PageKind::File;
        let charset = self.chosen_charset.or(self.charset);
        let is_text = |start| is_text(start, charset);
        let is_feed = |start| looks_like_feed(&in_utf_8(start, charset));
        Some(match (main, sub) {
            ("text", "html") | ("application", "xhtml+xml" | "vnd.wap.xhtml+xml") => PageKind::Html,
            ("text", "gemini") => PageKind::Gemtext,
            ("application", "feed+json") => PageKind::Feed,
            ("text" | "application", "json") if start.is_empty() => return None,
            ("text" | "application", "json") if is_feed(start) => PageKind::Feed,
            ("text" | "application", "json") => PageKind::Json,
            (_, sub) if sub.ends_with("+json") => PageKind::Json,
            ("application", "rss+xml" | "atom+xml" | "rdf+xml") => PageKind::Feed,
            // Servers use the first type for everything they do not recognise.
            ("text", "plain" | "xml") | ("application", "xml") | ("", _) if start.is_empty() => {
                return None;
            }
            ("text", "plain") | ("", _) if is_utf16(start) => PageKind::Text,
            ("text", "plain") | ("", _) if !is_text(start) => file(Kind::Binary),
            ("", _) if begins_with_tag(start, charset) => PageKind::Html,
            ("text" | "application", "xml") | ("", _) if is_feed(start) => PageKind::Feed,
            ("text" | "message" | "", _)
            | (
                "application",
                "xml" | "javascript" | "x-javascript" | "ecmascript" | "x-sh" | "x-perl"
                | "x-python" | "toml" | "yaml" | "x-yaml" | "sql" | "x-tex" | "x-latex" | "x-troff",
            ) => PageKind::Text,
            ("image", _) => file(Kind::Image),
            ("audio", _) => file(Kind::Sound),
            ("video", _) => file(Kind::Movie),
            (_, sub) if sub.ends_with("+xml") => PageKind::Text,
            (
                "application",
                "pdf" | "postscript" | "rtf" | "msword" | "epub+zip" | "x-dvi" | "vnd.djvu",
            ) => file(Kind::Document),
            _ => file(Kind::Binary),
        })
    }
}

fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(&[0xfe, 0xff]) || start.starts_with(&[0xff, 0xfe])
}

/// Returns what a response tells about the name of its file.
pub(super) fn server_name(head: &ResponseHead) -> ServerFileName {
    let media_type = MediaType::of(head).name;
    ServerFileName {
        disposition: head
            .field("content-disposition")
            .and_then(|field| Parameters::parse(field).text("filename")),
        media_type: Some(media_type).filter(|name| !name.is_empty()),
    }
}

/// Returns the question for a file that is to be saved, which is of the kind that is passed to the result.
pub(super) fn save_question(
    answer: &HttpResponse,
    request: &Request,
    size: Option<u64>,
) -> impl FnOnce(Kind) -> Stop + use<> {
    let name = file_name_of(&request.url, &request.name_hints);
    let server = server_name(&answer.head);
    let name = server_file_name(&name, &request.url, Some(&answer.here), &server);
    move |kind| {
        let what = suffix::kind_words(kind);
        Stop::Needs(Question::Save { what, name, size })
    }
}

/// The most octets of the message that are read.
const READ: usize = 32 * 1024;

/// The most octets of a page with the status of an error.
const MAX_ERROR_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// The lines of the message that are shown, and the columns of each.
const LINES: usize = 8;
const COLUMNS: usize = 200;

/// Returns true for the statuses of a server that could answer otherwise after a while: too slow, too early, too many
/// requests, or not available.
pub(super) fn says_later(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 503)
}

/// Returns the failure for a response with an error status (RFC 9110, section 15).
pub(super) async fn failure(net: &RequestNet, answer: HttpResponse, request: &Request) -> Failure {
    let purpose = request.purpose;
    let status = answer.head.status;
    let words = trimmed(&answer.head.status_text());
    let sentence = match status {
        301..=303 | 307 | 308 => format!("{} answered {words} without a target", answer.authority),
        _ => format!("{} answered {words}", answer.authority),
    };
    let (kind, advice) = match status {
        404 | 410 => (
            FailureKind::Missing,
            Some("the link may be outdated: go up (u) or to the root (U)"),
        ),
        // These alone say that a later request makes sense.
        429 | 503 => (FailureKind::Busy, Some("try again later")),
        // No copy was named, or another one.
        304 | 412 => (FailureKind::Malformed, None),
        // The target may be there, but a download does not begin again by itself.
        408 | 425 if purpose == Purpose::Check => (FailureKind::ServerError, None),
        408 | 425 => (FailureKind::Permanent, Some("try again later")),
        500.. => (FailureKind::ServerError, Some("try again later")),
        _ => (FailureKind::Permanent, None),
    };
    let failure = Failure {
        kind,
        advice,
        ..Failure::new(sentence).with_brief(&brief(status, words))
    };
    if purpose == Purpose::Check {
        // The message is not fetched.
        return failure;
    }
    // A login for a proxy is asked for elsewhere, and these have no page of their own.
    let may_be_page = !matches!(status, 304 | 407 | 412);
    let shows_page = request.is_attended && purpose == Purpose::Show && may_be_page;
    let max_bytes = if shows_page {
        MAX_ERROR_PAGE_BYTES
    } else {
        READ
    };
    let head = page_head(&answer, Shape::Text);
    let page = error_page(net, answer, request, (head, max_bytes)).await;
    let said = page
        .as_ref()
        .map_or_else(Vec::new, |page| said(page, request));
    Failure {
        page: page.filter(|_| shows_page).map(Box::new),
        ..failure
    }
    .with_words(said)
}

/// Returns the status in words, with its meaning where it says nothing about the target.
fn brief(status: u16, words: String) -> String {
    match status {
        429 => format!("it answered {words}: the server limits the number of requests"),
        408 | 425 => format!("it answered {words}: try again later"),
        500.. => format!("it answered {words}: the server has a problem"),
        // The sentence says what is missing.
        301..=303 | 307 | 308 => String::new(),
        _ => words,
    }
}

/// Returns the pause that a server wants before the next request (RFC 9110, section 10.2.3): seconds, or a date.
pub(super) fn pause(head: &ResponseHead) -> Option<Duration> {
    if !matches!(head.status, 429 | 503) {
        return None;
    }
    let written = str::from_utf8(head.field("retry-after")?).ok()?.trim();
    match written.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => {
            let time = jiff::fmt::rfc2822::parse(written).ok()?.timestamp();
            Some(Duration::try_from(time.duration_since(Timestamp::now())).unwrap_or_default())
        }
    }
}

/// Reads the page of an answer with the status of an error, up to `max_bytes`; None if it is empty or no text.
async fn error_page(
    net: &RequestNet,
    answer: HttpResponse,
    request: &Request,
    (head, max_bytes): (PageHead, usize),
) -> Option<ErrorPage> {
    let status = trimmed(&answer.head.status_text());
    let media = MediaType::of(&answer.head).read_as(request.chosen_charset());
    let mut body = Decompressed::new(answer.body, &answer.head, &answer.authority).ok()?;
    let (mut octets, mut read) = (Vec::new(), 0);
    let reading = async {
        while read < max_bytes.max(rest_limit(net))
            && let Ok(Some(more)) = body.next().await
        {
            read += more.len();
            if octets.len() < max_bytes {
                octets.extend(more);
            }
        }
    };
    // Read errors are ignored, and so is what drips: the status says enough.
    let _ = timeout(net.limits().idle, reading).await;
    octets.truncate(max_bytes);
    let kind = media.kind(octets.get(..SAMPLE).unwrap_or(&octets));
    let shape = kind.unwrap_or(PageKind::Text).shape().ok()?;
    let is_page = matches!(shape, Shape::Html | Shape::Text | Shape::Gemtext);
    let is_blank = octets.iter().all(u8::is_ascii_whitespace);
    let cut = if read > max_bytes {
        format!(", cut at {}", text::octets(max_bytes as u64))
    } else {
        String::new()
    };
    (is_page && !is_blank).then(|| ErrorPage {
        head: PageHead {
            shape,
            size: None,
            error_status: Some(Text::of(&format!("{status}{cut}"))),
            storage: PageStorage::Forbidden,
            ..head
        },
        octets,
    })
}

/// Returns the beginning of the message, without the status and without lines that are repeated.
fn said(page: &ErrorPage, request: &Request) -> Vec<Text> {
    let status = page.head.error_status.as_ref().map_or("", Text::as_str);
    let url = page.head.url_of(&request.url);
    let mut document = Document::new(url, page.head.shape, CharsetSetting::Detected);
    document.declare(page.head.charset);
    document.append(page.octets.get(..READ).unwrap_or(&page.octets));
    let document = document.finished();
    let rows = (0..document.count()).filter_map(|number| document.row(number));
    let lines = rows.map(|row| text::shorten(row.text().trim(), COLUMNS, "..."));
    let mut said: Vec<String> = Vec::new();
    for line in lines {
        // The status is in the sentence before, and a rule separates nothing here.
        let words = line.trim_matches(['#', '-', ' ', '!', '.']);
        let is_new = !words.is_empty() && !status.eq_ignore_ascii_case(words);
        if is_new && !said.contains(&line) && said.len() < LINES {
            said.push(line);
        }
    }
    said.iter().map(|line| Text::of(line)).collect()
}
