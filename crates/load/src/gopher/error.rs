//! Replies that are errors.
//!
//! Plain Gopher has no errors: servers answer with a menu of rows of type 3 and texts, without a link. Errors of
//! Gopher+ have a header that begins with `-`, even in reply to plain requests.

use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::gopher::{self, Refusal};
use geomys_wire::text::Text;
use rfc1738::{Dialect, Url};

use crate::words::{text, trimmed};
use crate::{Failure, FailureKind, NextReason};
use geomys_page::document::{Link, menu};

/// The most octets of a row without its end that can be the beginning of an error.
const MAX_ROW_BYTES: usize = 1024;

/// The most octets of texts before the first error row of an error: a longer text without a link is a page, and is
/// shown.
const MAX_TEXTS_BYTES: usize = 4096;

/// A row that says something instead of leading somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordRow<'a> {
    /// An error, of type 3.
    Error(&'a [u8]),
    /// A text, of type i.
    Text(&'a [u8]),
    /// An empty line, or the final dot.
    Nothing,
}

/// Parses a row with its line end; None for a link, and for a line that is no row.
fn word_row(line: &[u8]) -> Option<WordRow<'_>> {
    let line = line.trim_ascii_end();
    if line.is_empty() || gopher::is_final_dot(line) {
        return Some(WordRow::Nothing);
    }
    let item = gopher::item(line)?;
    match item.gtype {
        b'3' if memchr::memchr_iter(b'\t', line).count() > 2 => Some(WordRow::Error(item.name)),
        b'i' => Some(WordRow::Text(item.name)),
        _ => None,
    }
}

/// The content of a reply, as far as its first octets tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowsSoFar {
    /// A link, or no menu: the reply is no error.
    Content,
    /// Texts without an error.
    Texts,
    /// An error, or the beginning of one.
    Error,
}

/// Reads the beginning of a reply, which may end in the middle of a row.
pub(super) fn rows_so_far(start: &[u8]) -> RowsSoFar {
    let mut so_far = match start.first() {
        Some(b'3') => RowsSoFar::Error,
        Some(b'i') => RowsSoFar::Texts,
        Some(_) | None => return RowsSoFar::Content,
    };
    let mut at = 0;
    for line in start.split_inclusive(|&octet| octet == b'\n') {
        if at > MAX_TEXTS_BYTES && so_far == RowsSoFar::Texts {
            return RowsSoFar::Content;
        }
        at += line.len();
        if line.ends_with(b"\n") {
            match word_row(line) {
                Some(WordRow::Error(_)) => so_far = RowsSoFar::Error,
                Some(WordRow::Text(_) | WordRow::Nothing) => {}
                None => return RowsSoFar::Content,
            }
        } else if !matches!(line.first(), Some(b'3' | b'i' | b'.' | b'\r'))
            || line.len() > MAX_ROW_BYTES
        {
            return RowsSoFar::Content;
        }
    }
    so_far
}

/// The words of an error: those of its first error row, and all of them in order.
pub(super) struct ErrorWords<'a> {
    first: &'a [u8],
    all: Vec<&'a [u8]>,
}

/// Returns the server's words when a whole reply is an error instead of a menu, a text or a file: it has an error row,
/// and nothing but texts beside it.
pub(super) fn error_words(octets: &[u8]) -> Option<ErrorWords<'_>> {
    let (mut first, mut all, mut at) = (None, Vec::new(), 0);
    for line in octets.split_inclusive(|&octet| octet == b'\n') {
        if at > MAX_TEXTS_BYTES && first.is_none() {
            return None;
        }
        at += line.len();
        match word_row(line)? {
            WordRow::Error(name) => {
                first.get_or_insert(name);
                all.push(name);
            }
            WordRow::Text(name) => all.push(name),
            WordRow::Nothing => {}
        }
    }
    Some(ErrorWords { first: first?, all })
}

/// The advice for a dead link.
const OLDER: &str = "the link may be outdated: go up (u) or to the root (U)";

/// Returns the failure for an error. Links may follow the words of a reply whose end is not confirmed.
pub(super) fn missing(authority: &str, words: &ErrorWords<'_>, end: TransferEnd) -> Failure {
    let said = words.all.iter().copied().map(text);
    let failure = if end.is_unconfirmed() {
        Failure::new(format!("{authority} did not confirm the end of its reply"))
            .with_kind(FailureKind::Transient)
    } else {
        Failure::new(format!("{authority} has no such page"))
            .with_kind(FailureKind::Missing)
            .with_brief(&trimmed(words.first))
            .with_advice(OLDER)
    };
    failure.with_words(said.filter(|line| !line.is_blank()))
}

/// Converts an error of Gopher+ (section 2.3) in reply to `asked`: its code in words, the contact, and the item's new
/// address.
pub(super) fn refused(authority: &str, asked: &Url, refusal: &Refusal<'_>) -> Failure {
    let code = refusal.code;
    let (sentence, advice) = match code {
        Some(1) => (format!("{authority} has no such item"), Some(OLDER)),
        Some(2) => (format!("{authority} is busy"), Some("try again later")),
        Some(3) => (format!("the item at {authority} has moved"), None),
        Some(_) | None => (format!("{authority} refused the request"), None),
    };
    let code = code.map_or(String::new(), |code| format!(" (error {code})"));
    let next = refusal.moved.map(|item| {
        let label = text(item.name.trim_ascii());
        Box::new(Link::new(
            label,
            menu::target_on_page(&item, item.gtype, asked),
        ))
    });
    let kind = match refusal.code {
        Some(1 | 3) => FailureKind::Missing,
        // It says so itself: try again later.
        Some(2) => FailureKind::Busy,
        Some(_) | None => FailureKind::Permanent,
    };
    let message = refusal.message.iter().map(|line| trimmed(line));
    let message = message.collect::<Vec<_>>().join(" ");
    let brief = match refusal.code {
        Some(code) if message.is_empty() => format!("error {code} of Gopher+"),
        Some(code) => format!("{message} (error {code})"),
        None => message,
    };
    Failure {
        kind,
        said: refusal.message.iter().copied().map(text).collect(),
        advice,
        admin: Some(Box::new(text(refusal.admin))).filter(|admin| !admin.is_blank()),
        next,
        ..Failure::new(sentence + &code).with_brief(&brief)
    }
}

/// Returns the failure for a server that speaks TLS, and was asked for `asked` without.
pub(super) fn speaks_tls(authority: &str, asked: &Url) -> Failure {
    let rest = asked.as_str().get(asked.scheme_name().len()..);
    let over_tls = Dialect::Extended.parse(&format!("gophers{}", rest.unwrap_or_default()));
    Failure {
        next: Some(Box::new(Link::new(Text::of("the same over TLS"), over_tls))),
        next_reason: NextReason::Tls,
        ..Failure::new(format!("{authority} expects TLS"))
    }
}
