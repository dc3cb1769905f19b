//! Link checks: whether the target of a URL still exists, without fetching it.
//!
//! Each scheme has its own check in its own file: a gopher selector is sent and its first rows are read, FTP uses MLST,
//! SIZE or CWD, news GROUP or STAT, the Web HEAD, finger its query, a terminal session a connection, WAIS one row or
//! one octet, Prospero the attributes of the object, a file its name. A check asks no questions: what would need a
//! person is [`LinkStatus::Refused`], and a URL with hazards is not sent at all. [`visit_all`] runs many checks, or fetches of many
//! titles or contents, within one set of limits.

mod content;
pub(super) mod file;
pub(super) mod ftp;
pub(super) mod gopher;
pub(super) mod http;
pub(super) mod session;
mod status;
mod title;
mod visit;
pub(super) mod wais;

use std::borrow::Cow;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{Net, ascii_url};
use rfc1738::{Hazard, Scheme, Url};
use tokio::time::{Instant, timeout};

pub use self::content::{FetchContent, PageContent};
pub(super) use self::status::ServerAnswer;
pub use self::status::{LinkStatus, unaccepted_move};
use self::status::{moved_status, stop_status};
pub use self::title::{FetchTitle, FetchedTitle};
pub use self::visit::{Visit, VisitLimits, visit_all, visit_url};
use super::http::REDIRECTIONS;
use super::scheme::{self, uncheckable};
use super::{FormAnswers, Request, hazard_sentences};

/// The result of a link check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkCheckResult {
    /// The status of the URL.
    pub verdict: LinkStatus,
    /// The time from the name lookup to the result.
    pub took: Duration,
    /// True if the server answered, whatever it said; false after a timeout, or when nothing was sent.
    pub is_answered: bool,
}

/// Checks whether the target of a request exists. A server is given no longer than a connection and an idle timeout together
/// ([`geomys_wire::net::Limits`]), and asked once more after a pause that it wants. Nothing is sent after the check is dropped.
pub fn check<'a>(net: &'a Net, request: &'a Request) -> BoxFuture<'a, LinkCheckResult> {
    visit_url(CheckLink, net, request)
}

/// The check of a link.
#[derive(Clone, Copy, Debug)]
pub struct CheckLink;

impl Visit for CheckLink {
    type Outcome = LinkCheckResult;

    fn visit<'a>(self, net: &'a Net, request: &'a Request) -> BoxFuture<'a, LinkCheckResult> {
        check_request(net, request).boxed()
    }

    fn missing_answer(outcome: &LinkCheckResult) -> Option<&str> {
        match &outcome.verdict {
            LinkStatus::Unreachable(words) if !outcome.is_answered => Some(words),
            _ => None,
        }
    }

    fn failed(verdict: LinkStatus) -> LinkCheckResult {
        LinkCheckResult {
            verdict,
            took: Duration::ZERO,
            is_answered: false,
        }
    }
}

async fn check_request(net: &Net, request: &Request) -> LinkCheckResult {
    let start = Instant::now();
    let request = without_fragment(request);
    let (verdict, is_answered) = match prepare(net, &request) {
        Err(why) => (LinkStatus::NotChecked(why), false),
        Ok(prepared) => match ask_servers(net, &prepared).await {
            // A gateway that has moved is not the target.
            (LinkStatus::Moved(_), _) if is_gateway(&prepared, &request) => {
                (LinkStatus::Alive, true)
            }
            answer => answer,
        },
    };
    LinkCheckResult {
        verdict,
        took: start.elapsed(),
        is_answered,
    }
}

/// Asks the server of a request, and the next one where the target has moved to another: a move is accepted only to an address
/// that can be checked, and after it has answered. Returns the status, and true if a server answered.
async fn ask_servers(net: &Net, request: &Request) -> (LinkStatus, bool) {
    let mut prepared = Cow::Borrowed(request);
    let mut moved: Option<Url> = None;
    let mut has_waited = false;
    for _ in 0..=REDIRECTIONS {
        let (answer, is_answered) = ask_server(net, &prepared).await;
        let status = match answer {
            ServerAnswer::MovedAway(from, to) => match prepare_moved(net, request, from, &to) {
                Ok(next) => {
                    moved = Some(to);
                    prepared = Cow::Owned(next);
                    continue;
                }
                Err(why) => return (unaccepted_move(&to, &why), true),
            },
            ServerAnswer::Later(pause, _) if !has_waited => {
                has_waited = true;
                tokio::time::sleep(pause).await;
                continue;
            }
            ServerAnswer::Later(_, status) | ServerAnswer::Status(status) => status,
        };
        return match moved {
            Some(url) => (moved_status(url, status), true),
            None => (status, is_answered),
        };
    }
    let words = format!("more than {REDIRECTIONS} redirects");
    (LinkStatus::Unreachable(words), true)
}

/// Asks the server of a prepared request within the deadline. Returns its answer, and false if there was none.
async fn ask_server(net: &Net, prepared: &Request) -> (ServerAnswer, bool) {
    let limits = net.limits();
    let deadline = limits.connect.saturating_add(limits.idle);
    // Boxed: its state is large, and there may be many.
    match timeout(
        deadline,
        Box::pin(scheme::check(&prepared.network(net), prepared)),
    )
    .await
    {
        Ok(Ok(answer)) => (answer, true),
        Ok(Err(stop)) => {
            let status = stop_status(stop);
            let is_answered = !matches!(status, LinkStatus::Unreachable(_));
            (status.into(), is_answered)
        }
        Err(_) => {
            let words = format!("no answer within {} s", deadline.as_secs());
            (LinkStatus::Unreachable(words).into(), false)
        }
    }
}

/// Returns the request to the address that the target of a request has moved to, by what is at `from`. Nobody's login or
/// certificate is valid there.
///
/// # Errors
/// The reason why a bookmark is not changed to this address.
fn prepare_moved(net: &Net, request: &Request, from: Url, to: &Url) -> Result<Request, String> {
    if let Some(why) = unaccepted_target(to) {
        return Err(why);
    }
    let next = Request {
        answers: FormAnswers::Unconfirmed,
        referrer: Some(from),
        ftp: request.ftp.clone(),
        news: request.news.clone(),
        telnet: request.telnet.clone(),
        gateways: request.gateways.clone(),
        ..Request::show(to.without_fragment())
    };
    prepare(net, &next).map(Cow::into_owned)
}

/// Returns the reason why a bookmark is never changed to a URL that a server names; `None` if it can be checked.
pub fn unaccepted_target(url: &Url) -> Option<String> {
    let is_file = url.scheme() == Scheme::File;
    let here = is_file.then(|| "a file of this machine".to_owned());
    here.or_else(|| uncheckable(url))
}

/// Returns the request for the page: all its fragments have one status.
fn without_fragment(request: &Request) -> Cow<'_, Request> {
    if request.url.fragment().is_none() {
        return Cow::Borrowed(request);
    }
    Cow::Owned(Request {
        url: request.url.without_fragment(),
        ..request.clone()
    })
}

/// Returns true if a prepared request goes to a gateway in place of its own server.
fn is_gateway(prepared: &Request, request: &Request) -> bool {
    ascii_url(&request.url).is_ok_and(|own| *own != prepared.url)
}

/// Returns an error for a remote target when Geomys is offline.
fn offline(net: &Net, request: &Request) -> Option<String> {
    let is_here = request.url.scheme() == Scheme::File;
    (net.is_offline() && !is_here).then(|| "Geomys is offline".to_owned())
}

/// Returns the request to send, to its own server or to a gateway.
///
/// # Errors
/// The reason why nothing can be sent.
fn prepare<'r>(net: &Net, request: &'r Request) -> Result<Cow<'r, Request>, String> {
    if let Some(why) = offline(net, request).or_else(|| hazard_reason(request)) {
        return Err(why);
    }
    let request = request
        .with_ascii_host()
        .map_err(|error| error.to_string())?;
    let prepared = request.by_gateway().map_err(|failure| failure.sentence)?;
    let prepared = prepared.map_or(request, Cow::Owned);
    match hazard_reason(&prepared).or_else(|| uncheckable(&prepared.url)) {
        Some(why) => Err(why),
        None => Ok(prepared),
    }
}

/// Returns the hazards for which a URL is not sent.
fn hazard_reason(request: &Request) -> Option<String> {
    let url = &request.url;
    if let Some(hazard) = url.forbidden_hazard() {
        return Some(hazard.sentence().to_owned());
    }
    let hazards_to_confirm = request.hazards_to_confirm();
    (!hazards_to_confirm.is_empty()).then(|| hazard_sentences(&hazards_to_confirm))
}

/// Returns the authority that a request connects to, as `host:port` in lower case, and its host alone; None when there
/// is no connection.
pub fn host_key(request: &Request) -> Option<(String, String)> {
    let url = request.requested_url();
    let hazards = url.hazards();
    if hazards.into_iter().any(Hazard::is_forbidden) {
        return None;
    }
    let (host, port) = request.server()?;
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    Some((geomys_wire::net::authority(&host, port), host))
}
