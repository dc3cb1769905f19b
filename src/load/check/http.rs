//! Web checks: HEAD, and GET of one octet if a server does not support HEAD.
//!
//! 301 and 308 are permanent: the last of them in an unbroken chain from the URL is its new address. 302, 303 and 307
//! are temporary, and followed (RFC 9110, section 15.4). A redirect that a load would not follow without a question is
//! not followed: out of TLS, or to a URL with hazards.

use super::LinkStatus;
use crate::load::http::{dial, follow_hazard};
use crate::load::{Failure, FailureKind, Request, Stop};
use crate::net::{Net, Stream, Trust, authority};
use crate::protocol::http::{self, Body, HttpError, Method, ResponseHead};
use crate::text::{Charset, Text};
use crate::url::{ExtensionScheme, Parts, Url, repair_reference};

/// The most redirects that are followed.
const REDIRECTIONS: usize = 10;

pub(super) async fn check(net: &Net, request: &Request) -> Result<LinkStatus, Stop> {
    let mut here = request.url.clone();
    // The new permanent address, while every redirect so far was permanent.
    let mut moved = None;
    let mut is_permanent = true;
    for step in 0..=REDIRECTIONS {
        let trust = match step {
            0 => request.trust.clone(),
            // The trust in a certificate is valid for the first server only.
            _ => Trust::default(),
        };
        let head = match head(net, &here, &trust).await {
            Ok(head) => head,
            // The URL has moved, whatever the state of its new address.
            Err(_) if moved.is_some() => break,
            Err(stop) => return Err(stop),
        };
        let Some(kind) = RedirectKind::of(head.status) else {
            return Ok(match (http_link_status(&head), moved) {
                (LinkStatus::Dead(words), Some(url)) => {
                    let url: Url = url;
                    LinkStatus::Dead(format!("moved to {}, and there: {words}", url.masked()))
                }
                (_, Some(url)) => LinkStatus::Moved(url),
                (verdict, None) => verdict,
            });
        };
        let Some(next) = head.field("location").and_then(|to| next(&here, to)) else {
            let words = format!("{}, without an address", text(&head.status_text()));
            return Ok(moved.map_or(LinkStatus::Refused(words), LinkStatus::Moved));
        };
        is_permanent &= kind == RedirectKind::Permanent;
        if is_permanent {
            moved = Some(next.clone());
        }
        if let Some(why) = follow_hazard(&here, &next) {
            // A bookmark must not be changed to it without a question either.
            let words = format!("it leads to {}: {why}", next.masked());
            return Ok(LinkStatus::Refused(words));
        }
        if !matches!(next.base_parts(), Parts::Http(_)) {
            // The redirect leaves the Web.
            return Ok(moved.map_or(LinkStatus::Alive, LinkStatus::Moved));
        }
        here = next;
    }
    let words = format!("more than {REDIRECTIONS} redirections");
    Ok(moved.map_or(LinkStatus::Unreachable(words), LinkStatus::Moved))
}

/// The kind of a redirect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RedirectKind {
    Permanent,
    Temporary,
}

impl RedirectKind {
    fn of(status: u16) -> Option<Self> {
        match status {
            301 | 308 => Some(Self::Permanent),
            302 | 303 | 307 => Some(Self::Temporary),
            _ => None,
        }
    }
}

/// Returns the content of a URL of the Web, at most `room` octets; redirects are followed.
pub(super) async fn get(net: &Net, request: &Request, room: usize) -> Result<Vec<u8>, Stop> {
    let mut here = request.url.clone();
    for step in 0..=REDIRECTIONS {
        let trust = match step {
            0 => request.trust.clone(),
            _ => Trust::default(),
        };
        let (head, mut body) = ask(net, &here, &trust, Method::Get).await?;
        if RedirectKind::of(head.status).is_some()
            && let Some(next) = head.field("location").and_then(|to| next(&here, to))
        {
            if let Some(why) = follow_hazard(&here, &next) {
                let words = format!("it leads to {}: {why}", next.masked());
                return Err(Failure::new(words).into());
            }
            here = next;
            continue;
        }
        if !(200..300).contains(&head.status) {
            return Err(Failure::new(text(&head.status_text())).into());
        }
        let mut all = Vec::new();
        while all.len() < room
            && let Some(octets) = body.next().await.map_err(stop)?
        {
            all.extend(octets);
        }
        all.truncate(room);
        return Ok(all);
    }
    Err(Failure::new(format!("more than {REDIRECTIONS} redirections")).into())
}

/// Returns the target of a redirect, without its fragment.
fn next(here: &Url, to: &[u8]) -> Option<Url> {
    let to = std::str::from_utf8(to).ok()?.trim();
    let to = to.split('#').next().unwrap_or_default();
    here.resolve(to).ok().or_else(|| repair_reference(to, here))
}

/// Returns the head of the response to HEAD, or to GET if the server does not support HEAD. The body is dropped, and
/// the connection with it.
async fn head(net: &Net, url: &Url, trust: &Trust) -> Result<ResponseHead, Stop> {
    let (head, _) = ask(net, url, trust, Method::Head).await?;
    match head.status {
        405 | 501 => Ok(ask(net, url, trust, Method::GetOctet).await?.0),
        _ => Ok(head),
    }
}

async fn ask(
    net: &Net,
    url: &Url,
    trust: &Trust,
    method: Method,
) -> Result<(ResponseHead, Body<Stream>), Stop> {
    let Parts::Http(parts) = url.base_parts() else {
        return Err(Failure::new("this is no address of the Web").into());
    };
    let is_tls = url.extension_scheme() == Some(ExtensionScheme::Https);
    let host = parts.address.node();
    let port = if is_tls { 443 } else { 80 };
    let port = parts.address.port().unwrap_or(port);
    let request = http::Request::new(method, &parts);
    let (stream, _, request) = dial(net, &parts, is_tls, trust, request).await?;
    let authority = authority(host, port);
    let exchanged = http::exchange(stream, &authority, net.limits(), &request).await;
    exchanged.map_err(stop)
}

fn stop(error: HttpError) -> Stop {
    match error {
        HttpError::Net(error) => error.into(),
        HttpError::Malformed { .. } => Stop::Failed(Failure {
            kind: FailureKind::Transient,
            ..Failure::new(Text::of(&error.to_string()).to_string())
        }),
        HttpError::Unsendable => Failure::new(error.to_string()).into(),
    }
}

/// Converts a status that is not a redirect (RFC 9110, section 15).
fn http_link_status(head: &ResponseHead) -> LinkStatus {
    let words = text(&head.status_text());
    match head.status {
        // 416: the file is empty, so it exists.
        200..=399 | 416 => LinkStatus::Alive,
        404 | 410 => LinkStatus::Dead(words),
        408 | 425 | 429 | 500.. => LinkStatus::Unreachable(words),
        _ => LinkStatus::Refused(words),
    }
}

fn text(octets: &[u8]) -> String {
    Text::new(octets, Charset::default())
        .as_str()
        .trim()
        .to_owned()
}
