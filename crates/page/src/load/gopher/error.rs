//! Replies that are errors.

use geomys_wire::protocol::gopher::{self, Refusal};
use geomys_wire::text::Text;
use rfc1738::{Dialect, Url};

use crate::document::{Link, menu};
use crate::load::words::text;
use crate::load::{Failure, FailureKind, NextReason};

/// Returns the server's words when the reply is an error item and nothing else, instead of a menu, a text or a file.
pub(super) fn error_item(octets: &[u8]) -> Option<&[u8]> {
    let mut lines = octets
        .split(|&octet| octet == b'\n')
        .map(<[u8]>::trim_ascii_end);
    let item = gopher::item(lines.next()?)?;
    let alone = lines.all(|line| matches!(line, b"" | b"."));
    let fields = memchr::memchr_iter(b'\t', octets).count();
    (alone && item.gtype == b'3' && fields > 2).then_some(item.name)
}

/// The advice for a dead link.
const OLDER: &str = "the link may be outdated: go up (u) or to the root (U)";

pub(super) fn missing(authority: &str, words: &[u8]) -> Failure {
    Failure::new(format!("{authority} has no such page"))
        .with_words([text(words)])
        .with_advice(OLDER)
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
    // It says so itself: try again later.
    let kind = match refusal.code {
        Some(2) => FailureKind::Busy,
        Some(_) | None => FailureKind::Permanent,
    };
    Failure {
        kind,
        said: refusal.message.iter().copied().map(text).collect(),
        advice,
        admin: Some(text(refusal.admin)).filter(|admin| !admin.is_blank()),
        next,
        ..Failure::new(sentence + &code)
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
