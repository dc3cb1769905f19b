//! Responses with an error status: the status, and the server's message.

use geomys_wire::text::{self, CharsetSetting, Text};

use super::content::{MediaType, PageKind};
use super::decompress::Decompressed;
use super::response::HttpResponse;
use crate::document::Document;
use crate::load::words::trimmed;
use crate::load::{Failure, FailureKind};

/// The most octets of the message that are read.
const READ: usize = 32 * 1024;

/// The lines of the message that are shown, and the columns of each.
const LINES: usize = 8;
const COLUMNS: usize = 200;

/// Returns the failure for a response with an error status (RFC 9110, section 15).
pub(super) async fn failure(answer: HttpResponse) -> Failure {
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
        408 | 425 => (FailureKind::Permanent, Some("try again later")),
        500.. => (FailureKind::ServerError, Some("try again later")),
        _ => (FailureKind::Permanent, None),
    };
    Failure {
        kind,
        advice,
        said: said(answer).await,
        ..Failure::new(sentence)
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
