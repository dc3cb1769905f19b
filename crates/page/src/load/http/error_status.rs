//! Responses with an error status: the status, and the server's message.

use std::time::Duration;

use geomys_wire::protocol::http::ResponseHead;
use geomys_wire::text::{self, CharsetSetting, Text};
use jiff::Timestamp;

use super::content::{MediaType, PageKind};
use super::decompress::Decompressed;
use super::response::HttpResponse;
use crate::document::Document;
use crate::load::words::trimmed;
use crate::load::{Failure, FailureKind, Purpose};

/// The most octets of the message that are read.
const READ: usize = 32 * 1024;

/// The lines of the message that are shown, and the columns of each.
const LINES: usize = 8;
const COLUMNS: usize = 200;

/// Returns true for the statuses of a server that could answer otherwise after a while: too slow, too early, too many
/// requests, or not available.
pub(super) fn says_later(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 503)
}

/// Returns the failure for a response with an error status (RFC 9110, section 15).
pub(super) async fn failure(answer: HttpResponse, purpose: Purpose) -> Failure {
    let status = answer.head.status;
    let words = trimmed(&answer.head.status_text());
    let sentence = format!("{} answered {words}", answer.authority);
    let (kind, advice) = match status {
        404 | 410 => (
            FailureKind::Missing,
            Some("the link may be outdated: go up (u) or to the root (U)"),
        ),
        // These alone say that a later request makes sense.
        429 | 503 => (FailureKind::Busy, Some("try again later")),
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
    let said = match purpose {
        Purpose::Show | Purpose::Save | Purpose::Picture => said(answer).await,
        // The message is not fetched.
        Purpose::Check => Vec::new(),
    };
    failure.with_words(said)
}

/// Returns the status in words, with its meaning where it says nothing about the target.
fn brief(status: u16, words: String) -> String {
    match status {
        429 => format!("it answered {words}: the server limits the number of requests"),
        408 | 425 => format!("it answered {words}: try again later"),
        500.. => format!("it answered {words}: the server has a problem"),
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

/// Returns the beginning of the message, if it is a text; without the status and without lines that are repeated.
async fn said(answer: HttpResponse) -> Vec<Text> {
    let status = trimmed(&answer.head.status_text());
    let media = MediaType::of(&answer.head);
    let Ok(mut body) = Decompressed::new(answer.body, &answer.head, &answer.authority) else {
        return Vec::new();
    };
    let mut octets = Vec::new();
    // Read errors are ignored: the status says enough.
    while octets.len() < READ
        && let Ok(Some(more)) = body.next().await
    {
        octets.extend(more);
    }
    octets.truncate(READ);
    let kind = media.kind(&octets).unwrap_or(PageKind::Text);
    let Ok(shape) = kind.shape() else {
        return Vec::new();
    };
    let mut document = Document::new(answer.here, shape, CharsetSetting::Detected);
    document.declare(media.charset);
    document.append(&octets);
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
