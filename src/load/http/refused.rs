//! An answer that is none: its status, and what the server says to people.

use super::content::{Media, Way};
use super::packed::Unpacked;
use super::{Answer, text};
use crate::document::{Document, Shape};
use crate::load::{Failure, FailureKind};
use crate::text::{self, ReadAs, Text};

/// Octets of what it says that are read.
const READ: usize = 32 * 1024;

/// Lines of it that are shown, and columns of each.
const LINES: usize = 8;
const COLUMNS: usize = 200;

/// The failure that an answer with such a status is (RFC 9110, section 15).
pub(super) async fn refused(answer: Answer) -> Failure {
    let status = answer.head.status;
    let words = text(&answer.head.words());
    let sentence = format!("{} answered {words}", answer.place);
    let (kind, advice) = match status {
        404 | 410 => (
            FailureKind::Missing,
            Some("the link may be older than what it led to: go up, or to the server's root"),
        ),
        408 | 425 | 429 | 500.. => (FailureKind::Transient, Some("try again later")),
        _ => (FailureKind::Permanent, None),
    };
    Failure {
        kind,
        advice,
        said: said(answer).await,
        ..Failure::new(sentence)
    }
}

/// The beginning of what it says, as far as it is a text.
async fn said(answer: Answer) -> Vec<Text> {
    let media = Media::of(&answer.head);
    let Ok(mut body) = Unpacked::new(answer.body, &answer.head, &answer.place) else {
        return Vec::new();
    };
    let mut octets = Vec::new();
    // What does not come is not said: the status tells enough.
    while octets.len() < READ
        && let Ok(Some(more)) = body.next().await
    {
        octets.extend(more);
    }
    octets.truncate(READ);
    let shape = match media.way(&octets) {
        Some(Way::Html) => Shape::Html,
        Some(Way::Text) | None => Shape::Text,
        Some(Way::File(_)) => return Vec::new(),
    };
    let mut document = Document::new(answer.here, shape, ReadAs::Detected);
    document.declare(media.charset());
    document.append(&octets);
    let document = document.finished();
    let rows = (0..document.count()).filter_map(|number| document.row(number));
    let lines = rows.map(|row| text::shorten(row.text().trim(), COLUMNS, "..."));
    let lines = lines.filter(|line| !line.is_empty()).take(LINES);
    lines.map(|line| Text::of(&line)).collect()
}
