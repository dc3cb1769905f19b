//! The Web: HEAD, and GET of one octet where a server knows no HEAD.
//!
//! 301 and 308 are for good: the last of them that leads on from the URL itself is where it is now. 302, 303 and 307 are
//! for this time, and followed. RFC 9110, section 15.4. None is followed that a load would not follow unasked: out of TLS,
//! or to what a person would be asked about.

use super::Verdict;
use crate::load::http::{dial, unfollowed};
use crate::load::{Failure, FailureKind, Request, Stop};
use crate::net::{Net, Stream, Trust, place};
use crate::protocol::http::{self, Body, Head, HttpError, Method};
use crate::text::{Charset, Text};
use crate::url::{Later, Parts, Url, repaired};

/// Redirections that are followed.
const REDIRECTIONS: usize = 10;

pub(super) async fn check(net: &Net, request: &Request) -> Result<Verdict, Stop> {
    let mut here = request.url.clone();
    // What the URL has become for good, while every step so far was.
    let mut moved = None;
    let mut is_for_good = true;
    for step in 0..=REDIRECTIONS {
        let trust = match step {
            0 => request.trust.clone(),
            // What is known of a certificate is known of the first place.
            _ => Trust::default(),
        };
        let head = match head(net, &here, &trust).await {
            Ok(head) => head,
            // It has moved, whatever becomes of where it is now.
            Err(_) if moved.is_some() => break,
            Err(stop) => return Err(stop),
        };
        let Some(kind) = Redirection::of(head.status) else {
            return Ok(match (of_status(&head), moved) {
                (Verdict::Gone(words), Some(url)) => {
                    let url: Url = url;
                    Verdict::Gone(format!("moved to {}, and there: {words}", url.masked()))
                }
                (_, Some(url)) => Verdict::Moved(url),
                (verdict, None) => verdict,
            });
        };
        let Some(next) = head.field("location").and_then(|to| next(&here, to)) else {
            let words = format!("{}, without an address", text(&head.words()));
            return Ok(moved.map_or(Verdict::Refused(words), Verdict::Moved));
        };
        is_for_good &= kind == Redirection::ForGood;
        if is_for_good {
            moved = Some(next.clone());
        }
        if let Some(why) = unfollowed(&here, &next) {
            // Nor is it where the bookmark may be led without a question.
            let words = format!("it leads to {}: {why}", next.masked());
            return Ok(Verdict::Refused(words));
        }
        if !matches!(next.reading(), Parts::Http(_)) {
            // It leads out of the Web.
            return Ok(moved.map_or(Verdict::Alive, Verdict::Moved));
        }
        here = next;
    }
    let words = format!("more than {REDIRECTIONS} redirections");
    Ok(moved.map_or(Verdict::NoAnswer(words), Verdict::Moved))
}

/// What a redirection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Redirection {
    ForGood,
    ForNow,
}

impl Redirection {
    fn of(status: u16) -> Option<Self> {
        match status {
            301 | 308 => Some(Self::ForGood),
            302 | 303 | 307 => Some(Self::ForNow),
            _ => None,
        }
    }
}

/// What is at an address of the Web now, no more of it than `room` octets: its redirections are followed.
pub(super) async fn get(net: &Net, request: &Request, room: usize) -> Result<Vec<u8>, Stop> {
    let mut here = request.url.clone();
    for step in 0..=REDIRECTIONS {
        let trust = match step {
            0 => request.trust.clone(),
            _ => Trust::default(),
        };
        let (head, mut body) = ask(net, &here, &trust, Method::Get).await?;
        if Redirection::of(head.status).is_some()
            && let Some(next) = head.field("location").and_then(|to| next(&here, to))
        {
            if let Some(why) = unfollowed(&here, &next) {
                let words = format!("it leads to {}: {why}", next.masked());
                return Err(Failure::new(words).into());
            }
            here = next;
            continue;
        }
        if !(200..300).contains(&head.status) {
            return Err(Failure::new(text(&head.words())).into());
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

/// Where a redirection leads, without its fragment.
fn next(here: &Url, to: &[u8]) -> Option<Url> {
    let to = std::str::from_utf8(to).ok()?.trim();
    let to = to.split('#').next().unwrap_or_default();
    here.resolve(to).ok().or_else(|| repaired(to, here))
}

/// The beginning of the answer to HEAD, or to GET where the server has none. The body is dropped, and the connection with
/// it.
async fn head(net: &Net, url: &Url, trust: &Trust) -> Result<Head, Stop> {
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
) -> Result<(Head, Body<Stream>), Stop> {
    let Parts::Http(parts) = url.reading() else {
        return Err(Failure::new("this is no address of the Web").into());
    };
    let is_sealed = url.later() == Some(Later::Https);
    let host = parts.address.node();
    let port = if is_sealed { 443 } else { 80 };
    let port = parts.address.port().unwrap_or(port);
    let request = http::Request::new(method, &parts);
    let (stream, _, request) = dial(net, &parts, is_sealed, trust, request).await?;
    let place = place(host, port);
    let exchanged = http::exchange(stream, &place, net.limits(), &request).await;
    exchanged.map_err(stop)
}

fn stop(error: HttpError) -> Stop {
    match error {
        HttpError::Net(error) => error.into(),
        HttpError::Garbled { .. } => Stop::Failed(Failure {
            kind: FailureKind::Transient,
            ..Failure::new(Text::of(&error.to_string()).to_string())
        }),
        HttpError::Unsendable => Failure::new(error.to_string()).into(),
    }
}

/// What a status that leads nowhere else means (RFC 9110, section 15).
fn of_status(head: &Head) -> Verdict {
    let words = text(&head.words());
    match head.status {
        // 416: there is not even one octet of it, so it is there.
        200..=399 | 416 => Verdict::Alive,
        404 | 410 => Verdict::Gone(words),
        408 | 425 | 429 | 500.. => Verdict::NoAnswer(words),
        _ => Verdict::Refused(words),
    }
}

fn text(octets: &[u8]) -> String {
    Text::new(octets, Charset::default())
        .as_str()
        .trim()
        .to_owned()
}
