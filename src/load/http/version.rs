//! Which version of a file an answer is of, and which octets of it: what a broken transfer goes on by (RFC 9110, sections
//! 8.8, 13.1.5 and 14).

use super::text;
use crate::load::{Failure, FailureKind, Question, Request, Stop, Version};
use crate::protocol::http::{self, Head};

/// A request for the octets that are not here yet. A file that has changed is sent whole (`If-Range`).
pub(super) fn resumed(asked: http::Request, request: &Request) -> http::Request {
    let Some(resume) = request.resume.as_ref().filter(|resume| resume.offset > 0) else {
        return asked;
    };
    let asked = asked.with("range", format!("bytes={}-", resume.offset));
    let tag = resume.version.tag.as_deref();
    let strong = tag.filter(|tag| tag.starts_with('"') && tag.is_ascii());
    let strong = strong.map(str::to_owned);
    let modified = || resume.version.modified.as_deref().and_then(written);
    match strong.or_else(modified) {
        Some(condition) => asked.with("if-range", condition),
        None => asked,
    }
}

/// What a head says of the file.
pub(super) fn of(head: &Head) -> Version {
    let field = |name| Some(text(head.field(name)?));
    let size = match range(head) {
        Some((_, total)) => total,
        None => field("content-length").and_then(|size| size.parse().ok()),
    };
    Version {
        size,
        modified: field("last-modified").and_then(|date| digits(&date)),
        tag: field("etag")
            .filter(|tag| tag.ends_with('"'))
            .map(Into::into),
    }
}

/// Which octet an answer begins with, and of which version.
///
/// # Errors
/// [`Question::Changed`]; a failure where it is not the part that was asked for.
pub(super) fn begins(head: &Head, request: &Request, place: &str) -> Result<(u64, Version), Stop> {
    let version = of(head);
    let known = request
        .resume
        .clone()
        .unwrap_or_else(|| crate::load::Resume {
            offset: 0,
            version: Version::default(),
        });
    if !known.version.may_be(&version) {
        let was = known.version;
        return Err(Stop::Needs(Question::Changed { was, is: version }));
    }
    if head.status != 206 {
        return Ok((0, version));
    }
    match range(head) {
        Some((first, _)) if first == known.offset => Ok((first, version)),
        Some(_) | None => Err(Stop::Failed(Failure {
            kind: FailureKind::ResumeMismatch,
            ..Failure::new(format!(
                "{place} sent another part of it than was asked for"
            ))
        })),
    }
}

/// The same where the server has nothing behind what is here; nothing where it does not say how much there is.
pub(super) fn ended(head: &Head, request: &Request) -> Result<Option<(u64, Version)>, Stop> {
    let Some(resume) = &request.resume else {
        return Ok(None);
    };
    let total = head.field("content-range").map(text);
    let total = total
        .as_deref()
        .and_then(|range| range.strip_prefix("bytes */"));
    let Some(total) = total.and_then(|total| total.trim().parse::<u64>().ok()) else {
        return Ok(None);
    };
    // What the head says else is of its own words, not of the file.
    let version = Version {
        size: Some(total),
        ..resume.version.clone()
    };
    if total == resume.offset && resume.version.may_be(&version) {
        return Ok(Some((total, version)));
    }
    let was = resume.version.clone();
    let is = Version {
        size: Some(total),
        ..Version::default()
    };
    if was.may_be(&is) {
        return Ok(None);
    }
    Err(Stop::Needs(Question::Changed { was, is }))
}

/// `bytes 100-199/200`: the first octet, and how many there are in all.
fn range(head: &Head) -> Option<(u64, Option<u64>)> {
    if head.status != 206 {
        return None;
    }
    let field = text(head.field("content-range")?);
    let (range, total) = field.strip_prefix("bytes ")?.split_once('/')?;
    let (first, _) = range.split_once('-')?;
    Some((first.trim().parse().ok()?, total.trim().parse().ok()))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` as `19941106084937`.
fn digits(date: &str) -> Option<String> {
    let time = jiff::fmt::rfc2822::parse(date).ok()?;
    Some(time.timestamp().strftime("%Y%m%d%H%M%S").to_string())
}

/// The other way.
fn written(digits: &str) -> Option<String> {
    let time = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", digits.get(..14)?).ok()?;
    Some(time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
}
