//! Web checks: HEAD, and GET of one octet before a target is dead or refused: many servers answer HEAD wrongly.
//!
//! A server that limits requests, or has a problem for a while, is asked once more if it says when (RFC 9110, section 10.2.3).
//!
//! 301 and 308 are permanent: the last of them in an unbroken chain from the URL is its new address. 302, 303 and 307
//! are temporary, and followed (RFC 9110, section 15.4). A redirect that a load would not follow without a question is
//! not followed: out of TLS, or to a URL with hazards.

use std::borrow::Cow;
use std::time::Duration;

use geomys_wire::net::{Net, TransferEnd, Trust};
use geomys_wire::protocol::http::{Method, ResponseHead};
use jiff::Timestamp;
use rfc1738::Url;

use super::status::{LinkStatus, ServerAnswer, moved_status, stop_status};
use crate::document::Shape;
use crate::load::http::{
    HttpResponse, MediaType, REDIRECTIONS, exchange, follow_hazard, next, stop,
};
use crate::load::permission::redirected;
use crate::load::words::trimmed;
use crate::load::{Failure, PageHead, Request, ServerFileName, Sink, Stop};

/// The longest pause after which a server is asked again.
const MAX_PAUSE: Duration = Duration::from_secs(30);

pub(in crate::load) async fn check(net: &Net, request: &Request) -> Result<ServerAnswer, Stop> {
    let mut here = request.url.clone();
    let mut net = Cow::Borrowed(net);
    let mut visited = vec![here.clone()];
    // The new permanent address, while every redirect so far was permanent.
    let mut moved: Option<Url> = None;
    let mut is_permanent = true;
    for step in 0..=REDIRECTIONS {
        let head = match head(&net, &here, &trust(request, step)).await {
            Ok(head) => head,
            Err(stop) => match moved {
                Some(url) => return Ok(moved_status(url, stop_status(stop)).into()),
                None => return Err(stop),
            },
        };
        if !is_redirect(&head) {
            let status = match (http_link_status(&head), moved) {
                // The new address exists, for those who may read it.
                (LinkStatus::Refused(_), Some(url)) => LinkStatus::Moved(url),
                (verdict, Some(url)) => moved_status(url, verdict),
                (verdict, None) => verdict,
            };
            return Ok(match pause(&head) {
                Some(pause) => ServerAnswer::Later(pause, status),
                None => status.into(),
            });
        }
        let Some(next) = head.field("location").and_then(|to| next(&here, to)) else {
            let words = format!("{}, without an address", trimmed(&head.status_text()));
            let refused = LinkStatus::Refused(words);
            return Ok(match moved {
                Some(url) => moved_status(url, refused).into(),
                None => refused.into(),
            });
        };
        is_permanent &= matches!(head.status, 301 | 308);
        if is_permanent && !next.is_web() {
            return Ok(ServerAnswer::MovedAway(here, next));
        }
        if is_permanent {
            moved = Some(next.clone());
        }
        if let Some(why) = follow_hazard(&here, &next) {
            // A bookmark must not be changed to it without a question either.
            let words = format!("it leads to {}: {why}", next.masked());
            return Ok(LinkStatus::Refused(words).into());
        }
        if !next.is_web() {
            // The redirect leaves the Web for now.
            return Ok(moved.map_or(LinkStatus::Alive, LinkStatus::Moved).into());
        }
        if visited.contains(&next) {
            let words = format!("redirect loop back to {}", next.masked());
            return Ok(LinkStatus::Unreachable(words).into());
        }
        visited.push(next.clone());
        net = Cow::Owned(redirected(&net, &here));
        here = next;
    }
    let words = format!("more than {REDIRECTIONS} redirects");
    Ok(LinkStatus::Unreachable(words).into())
}

/// Returns the trust for a step of a redirect chain: that of the request is valid for the first server only.
fn trust(request: &Request, step: usize) -> Trust {
    match step {
        0 => request.trust.clone(),
        _ => Trust::default(),
    }
}

fn is_redirect(head: &ResponseHead) -> bool {
    matches!(head.status, 301 | 302 | 303 | 307 | 308)
}

/// Returns the content of a URL of the Web, at most `room` octets, and its head; redirects are followed.
pub(super) async fn get(
    net: &Net,
    request: &Request,
    room: usize,
) -> Result<(Vec<u8>, PageHead, TransferEnd), Stop> {
    let mut here = request.url.clone();
    let mut net = Cow::Borrowed(net);
    for step in 0..=REDIRECTIONS {
        let HttpResponse { head, mut body, .. } =
            ask(&net, &here, &trust(request, step), Method::Get).await?;
        if is_redirect(&head)
            && let Some(next) = head.field("location").and_then(|to| next(&here, to))
        {
            if let Some(why) = follow_hazard(&here, &next) {
                let words = format!("it leads to {}: {why}", next.masked());
                return Err(Failure::new(words).into());
            }
            net = Cow::Owned(redirected(&net, &here));
            here = next;
            continue;
        }
        if !(200..300).contains(&head.status) {
            return Err(Failure::new(trimmed(&head.status_text())).into());
        }
        let mut all = Vec::new();
        while all.len() < room
            && let Some(octets) = body.next().await.map_err(stop)?
        {
            all.extend(octets);
        }
        all.truncate(room);
        let media = MediaType::parse(head.field("content-type").unwrap_or_default());
        let page_head = PageHead {
            url: Some(here),
            charset: media.charset,
            file_name: ServerFileName {
                disposition: None,
                media_type: Some(media.name().to_owned()),
            },
            ..PageHead::new(Shape::Text)
        };
        return Ok((all, page_head, body.end()));
    }
    Err(Failure::new(format!("more than {REDIRECTIONS} redirects")).into())
}

/// Returns the head of the response to HEAD, or to GET of one octet where HEAD is not believed. The body is dropped, and the
/// connection with it.
async fn head(net: &Net, url: &Url, trust: &Trust) -> Result<ResponseHead, Stop> {
    let head = ask(net, url, trust, Method::Head).await?.head;
    if is_redirect(&head) || says_later(&head) || http_link_status(&head) == LinkStatus::Alive {
        return Ok(head);
    }
    Ok(ask(net, url, trust, Method::GetOctet).await?.head)
}

/// Returns true if a server could answer otherwise after a while: too many requests, too slow, too early, or not available.
fn says_later(head: &ResponseHead) -> bool {
    matches!(head.status, 408 | 425 | 429 | 503)
}

/// Returns the pause that a server wants before the next request (429, 503), if it is short: seconds, or a date.
fn pause(head: &ResponseHead) -> Option<Duration> {
    if !matches!(head.status, 429 | 503) {
        return None;
    }
    let written = str::from_utf8(head.field("retry-after")?).ok()?.trim();
    let pause = match written.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let time = jiff::fmt::rfc2822::parse(written).ok()?.timestamp();
            Duration::try_from(time.duration_since(Timestamp::now())).unwrap_or_default()
        }
    };
    (pause <= MAX_PAUSE).then_some(pause)
}

async fn ask(net: &Net, url: &Url, trust: &Trust, method: Method) -> Result<HttpResponse, Stop> {
    let sink = Sink::discard();
    exchange(net, url.clone(), trust, method, |request| request, &sink).await
}

/// Converts a status that is not a redirect (RFC 9110, section 15).
fn http_link_status(head: &ResponseHead) -> LinkStatus {
    let words = trimmed(&head.status_text());
    match head.status {
        // 416: the file is empty, so it exists.
        200..=399 | 416 => LinkStatus::Alive,
        404 | 410 => LinkStatus::Dead(words),
        429 => LinkStatus::Unreachable(format!(
            "it answered {words}: the server limits the number of requests"
        )),
        408 | 425 => LinkStatus::Unreachable(format!("it answered {words}: try again later")),
        500.. => LinkStatus::Unreachable(format!("it answered {words}: the server has a problem")),
        _ => LinkStatus::Refused(words),
    }
}
