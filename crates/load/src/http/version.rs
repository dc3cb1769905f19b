//! The version of a file and the range of octets in a response, used to resume a transfer (RFC 9110, sections 8.8,
//! 13.1.5 and 14), and to ask for a page only if it is no longer as its copy (sections 13.1.2 and 13.1.3).

use geomys_wire::protocol::http::{self, ResponseHead};

use super::MediaType;
use crate::words::trimmed;
use crate::{Failure, FailureKind, KnownCopy, Request, Stop, Version};

/// The longest entity tag that is sent, in octets.
const MAX_TAG_BYTES: usize = 1024;

/// A header field: its name and its value.
pub(super) type Condition = (&'static str, String);

/// Returns the field that asks for a page only if it is no longer of this version. An entity tag is sent alone: two
/// versions may have the same date, which says nothing where there is a tag, even if that is one that cannot be sent.
pub(super) fn condition(version: &Version) -> Option<Condition> {
    match &version.tag {
        Some(tag) => is_entity_tag(tag).then(|| ("if-none-match", tag.to_string())),
        None => {
            let date = written(version.modified.as_deref()?)?;
            Some(("if-modified-since", date))
        }
    }
}

/// Returns true if the answer that a page is unchanged is about the version of the copy: it names neither another
/// validator nor another charset (RFC 9111, section 4.3.4). Tags are compared weakly, as for every GET.
pub(super) fn confirms(head: &ResponseHead, copy: &KnownCopy) -> bool {
    fn opaque(tag: &str) -> &str {
        tag.strip_prefix("W/").unwrap_or(tag)
    }
    let (is, was) = (of(head), &copy.version);
    let is_same_version = match (&is.tag, &was.tag, &is.modified) {
        (Some(is), Some(was), _) => opaque(is) == opaque(was),
        (_, None, Some(_)) => is.modified == was.modified,
        (None, Some(_), _) | (_, None, None) => true,
    };
    let charset = MediaType::of(head).charset;
    head.status == 304 && is_same_version && (charset.is_none() || charset == copy.charset)
}

/// Returns true for an entity tag as RFC 9110, section 8.8.3, writes it, in ASCII.
fn is_entity_tag(tag: &str) -> bool {
    let opaque = tag.strip_prefix("W/").unwrap_or(tag);
    let inner = opaque
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let is_tag = |inner: &str| {
        inner
            .bytes()
            .all(|octet| octet.is_ascii_graphic() && octet != b'"')
    };
    tag.len() <= MAX_TAG_BYTES && inner.is_some_and(is_tag)
}

/// Adds the range of the missing octets to a request. A file that has changed is sent whole (`If-Range`).
pub(super) fn resumed(http_request: http::Request, request: &Request) -> http::Request {
    let Some(resume) = request
        .save
        .resume
        .as_ref()
        .filter(|resume| resume.offset > 0)
    else {
        return http_request;
    };
    let last = request
        .save
        .length
        .map(|length| resume.offset + length.max(1) - 1);
    let last = last.map_or(String::new(), |last| last.to_string());
    let http_request = http_request.with("range", format!("bytes={}-{last}", resume.offset));
    let tag = resume.version.tag.as_deref();
    let strong = tag.filter(|tag| tag.starts_with('"') && tag.is_ascii());
    let strong = strong.map(str::to_owned);
    let modified = || resume.version.modified.as_deref().and_then(written);
    match strong.or_else(modified) {
        Some(condition) => http_request.with("if-range", condition),
        None => http_request,
    }
}

/// Reads the version of the file from a response head.
pub(super) fn of(head: &ResponseHead) -> Version {
    let field = |name| Some(trimmed(head.field(name)?));
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

/// Returns the offset of the first octet of a response, and the version of the file.
///
/// # Errors
/// [`crate::Question::Changed`]; a failure when it is not the requested range.
pub(super) fn resume_position(
    head: &ResponseHead,
    request: &Request,
    authority: &str,
) -> Result<(u64, Version), Stop> {
    let version = of(head);
    let resume = request.save.resume.as_ref();
    request.check_version(&version)?;
    if head.status != 206 {
        return Ok((0, version));
    }
    match range(head) {
        Some((first, _)) if first == resume.map_or(0, |resume| resume.offset) => {
            Ok((first, version))
        }
        Some(_) | None => {
            let sentence = format!("{authority} sent another range than requested");
            Err(Failure::new(sentence)
                .with_kind(FailureKind::ResumeMismatch)
                .into())
        }
    }
}

/// Returns the same when the server has no octets after the stored ones; None when it does not report the size.
pub(super) fn ended(
    head: &ResponseHead,
    request: &Request,
) -> Result<Option<(u64, Version)>, Stop> {
    let Some(resume) = &request.save.resume else {
        return Ok(None);
    };
    let total = head.field("content-range").map(trimmed);
    let total = total
        .as_deref()
        .and_then(|range| range.strip_prefix("bytes */"));
    let Some(total) = total.and_then(|total| total.trim().parse::<u64>().ok()) else {
        return Ok(None);
    };
    // The other fields of the head describe the error page, not the file.
    let version = Version {
        size: Some(total),
        ..resume.version.clone()
    };
    if total == resume.offset && resume.version.may_be(&version) {
        return Ok(Some((total, version)));
    }
    request.check_version(&Version {
        size: Some(total),
        ..Version::default()
    })?;
    Ok(None)
}

/// Parses `bytes 100-199/200`: returns the first octet and the total size.
fn range(head: &ResponseHead) -> Option<(u64, Option<u64>)> {
    if head.status != 206 {
        return None;
    }
    let field = trimmed(head.field("content-range")?);
    let (range, total) = field.strip_prefix("bytes ")?.split_once('/')?;
    let (first, _) = range.split_once('-')?;
    Some((first.trim().parse().ok()?, total.trim().parse().ok()))
}

/// Converts `Sun, 06 Nov 1994 08:49:37 GMT` to `19941106084937`.
fn digits(date: &str) -> Option<String> {
    let time = jiff::fmt::rfc2822::parse(date).ok()?;
    Some(time.timestamp().strftime("%Y%m%d%H%M%S").to_string())
}

/// Converts `19941106084937` to `Sun, 06 Nov 1994 08:49:37 GMT`.
fn written(digits: &str) -> Option<String> {
    let time = jiff::civil::DateTime::strptime("%Y%m%d%H%M%S", digits.get(..14)?).ok()?;
    Some(time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
}
