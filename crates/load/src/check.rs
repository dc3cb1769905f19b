//! Link checks: whether the target of a URL still exists, without fetching it.
//!
//! A check is a load that ends when its answer has begun, so a page and a check judge an answer alike. Where a protocol
//! can ask for less, its load does so for [`Purpose::Check`]: HEAD, MLST or SIZE, STAT, one row of WAIS, only the
//! connection of a terminal session. A check asks no questions: what would need a person is [`LinkStatus::Refused`],
//! and a URL with hazards is not sent at all. It follows a permanent move to another server, and waits for a short
//! pause that a server wants. [`run_jobs`] runs many checks, or fetches of many titles or contents, within one set of
//! limits.

mod content;
mod page;
mod stand_in;
mod status;
mod title;
mod url_job;

use std::borrow::Cow;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{Net, TransferEnd, ascii_url, authority};
use rfc1738::{Hazard, Protocol, Scheme, Url};
use tokio::time::{Instant, timeout};

pub use self::content::{FetchContent, PageContent, page_content};
pub use self::page::{CheckPage, CheckedPage, MAX_READ_BYTES, ReceivedPage};
pub use self::stand_in::{is_index_page, stands_for_many};
pub use self::status::{LinkStatus, unaccepted_move};
use self::status::{is_about_content, moved_status, stop_status};
pub use self::title::{FetchTitle, FetchedTitle};
pub use self::url_job::{JobLimits, JobOutcomes, UrlJob, run_job, run_jobs};
use super::question::hazard_sentences;
use super::redirect::{MAX_REDIRECTS, MovedAway};
use super::scheme::{self, uncheckable};
use super::{FailureKind, FormAnswers, Purpose, Reason, Request, Sink, Stop};

/// The longest pauses for a server, in sum, after which it is asked again.
const MAX_PAUSE: Duration = Duration::from_secs(30);

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

/// Checks whether the target of a request exists. A server is given no longer than a connection and an idle timeout
/// together ([`geomys_wire::net::Limits`]), and asked once more after a pause that it wants. Nothing is sent after the
/// check is dropped.
pub fn check<'a>(net: &'a Net, request: &'a Request) -> BoxFuture<'a, LinkCheckResult> {
    run_job(CheckLink, net, request)
}

/// The check of a link.
#[derive(Clone, Copy, Debug)]
pub struct CheckLink;

impl UrlJob for CheckLink {
    type Outcome = LinkCheckResult;

    fn run<'a>(self, net: &'a Net, request: &'a Request) -> BoxFuture<'a, LinkCheckResult> {
        let checking = async move {
            let mut attempt = Attempt::patient();
            check_request(net, request, Purpose::Check, &mut attempt).await
        };
        checking.boxed()
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

/// What a check receives, and how often it asks a server that wants a pause.
struct Attempt {
    /// The page that was received.
    page: Option<ReceivedPage>,
    /// True if a server that wants a pause for all requests is asked after each; false if once more.
    is_patient: bool,
}

impl Attempt {
    /// Creates the attempt of many checks at once, each of which may hit the pause that another one has caused.
    const fn patient() -> Self {
        Self {
            page: None,
            is_patient: true,
        }
    }

    /// Creates the attempt that asks once more.
    const fn once_more() -> Self {
        Self {
            page: None,
            is_patient: false,
        }
    }
}

/// Checks a request. For [`Purpose::Save`] the answer is received too, and stored in `attempt`.
async fn check_request(
    net: &Net,
    request: &Request,
    purpose: Purpose,
    attempt: &mut Attempt,
) -> LinkCheckResult {
    let start = Instant::now();
    let request = Request {
        // All fragments of a page have one status.
        url: request.url.without_fragment(),
        purpose,
        ..request.clone()
    };
    let (verdict, is_answered) = match prepare(net, &request) {
        Err(why) => (LinkStatus::NotChecked(why), false),
        Ok(prepared) => match ask_all(net, &request, &prepared, attempt).await {
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

/// Asks the servers of a prepared request, unless it is one to a gateway that would connect to a local address.
async fn ask_all(
    net: &Net,
    request: &Request,
    prepared: &Request,
    attempt: &mut Attempt,
) -> (LinkStatus, bool) {
    if is_gateway(prepared, request)
        && let Err(stop) = request.check_gateway_target(net).await
    {
        return (stop_status(stop), false);
    }
    ask_servers(net, prepared, attempt).await
}

/// Asks the server of a request, and the next one where the target has moved to another: a move is accepted only to an
/// address that can be checked, and after it has answered. Returns the status, and true if a server answered.
async fn ask_servers(net: &Net, request: &Request, attempt: &mut Attempt) -> (LinkStatus, bool) {
    let mut prepared = Cow::Borrowed(request);
    let mut moved: Option<Url> = None;
    for _ in 0..=MAX_REDIRECTS {
        let answer = ask_patiently(net, &prepared, attempt).await;
        if let Some(MovedAway { from, to, .. }) = answer.moved_away {
            match prepare_moved(net, request, from, &to) {
                Ok(next) => prepared = Cow::Owned(next),
                Err(why) => return (unaccepted_move(&to, &why), true),
            }
            moved = Some(to);
            continue;
        }
        return match moved {
            Some(url) => (moved_status(url, answer.status), true),
            None => (answer.status, answer.is_answer),
        };
    }
    let words = format!("more than {MAX_REDIRECTS} redirects");
    (LinkStatus::Unreachable(words), true)
}

/// Asks the server of a prepared request, and again after a short pause that it wants: once more; or, if the attempt is
/// patient, each time where it is a pause for all requests, so that a server with many bookmarks is checked slowly
/// instead of not at all.
async fn ask_patiently(net: &Net, prepared: &Request, attempt: &mut Attempt) -> ServerAnswer {
    let is_received = prepared.purpose == Purpose::Save;
    // Such a load has asked once more itself.
    let mut was_asked = is_received && matches!(prepared.url.protocol(), Protocol::Gemini(_));
    let mut waited = Duration::ZERO;
    loop {
        // A check is not sent in a pause.
        let is_sent = is_received || pause_for_all(net, prepared).is_none();
        let answer = match prepared.purpose {
            Purpose::Save => page::receive(net, prepared, &mut attempt.page).await,
            Purpose::Show | Purpose::Picture | Purpose::Check => ask_server(net, prepared).await,
        };
        if answer.failure != Some(FailureKind::Busy) {
            return answer;
        }
        let is_again = is_sent && std::mem::replace(&mut was_asked, true);
        let for_all = pause_for_all(net, prepared).filter(|_| attempt.is_patient || !is_again);
        let pause = for_all.or(answer.pause.filter(|_| !is_again));
        match pause {
            Some(pause) if waited + pause <= MAX_PAUSE => {
                tokio::time::sleep(pause).await;
                waited += pause;
            }
            Some(_) | None => return answer,
        }
    }
}

/// Returns the time for which the server of a request wants no request at all.
fn pause_for_all(net: &Net, prepared: &Request) -> Option<Duration> {
    let (host, port) = prepared.server()?;
    let seconds = net.pause_left(&authority(&host, port))?;
    Some(Duration::from_secs(seconds))
}

/// The answer of one server to a link check.
struct ServerAnswer {
    status: LinkStatus,
    /// False if there was none.
    is_answer: bool,
    /// The kind of the failure, if the load has failed.
    failure: Option<FailureKind>,
    /// The pause that the server wants.
    pause: Option<Duration>,
    /// The permanent redirect to another protocol or server, which was not asked.
    moved_away: Option<MovedAway>,
}

/// Asks the server of a prepared request within the deadline.
async fn ask_server(net: &Net, prepared: &Request) -> ServerAnswer {
    let limits = net.limits();
    let deadline = limits.connect.saturating_add(limits.idle);
    let (net, mut sink) = (prepared.network(net), Sink::until_head());
    // Boxed: its state is large, and there may be many.
    let load = Box::pin(scheme::load(&net, prepared, &mut sink));
    match timeout(deadline, load).await {
        Ok(end) => ServerAnswer::of(end, sink),
        Err(_) => ServerAnswer::missing(deadline),
    }
}

impl ServerAnswer {
    /// Creates the answer of a server that has not answered before a deadline.
    fn missing(deadline: Duration) -> Self {
        Self {
            status: LinkStatus::Unreachable(format!("no answer within {} s", deadline.as_secs())),
            is_answer: false,
            failure: None,
            pause: None,
            moved_away: None,
        }
    }

    /// Returns the answer by the end of a load, and what its sink has learned.
    fn of(end: Result<TransferEnd, Stop>, sink: Sink) -> Self {
        let has_begun = sink.page_source.has_begun();
        let (status, failure) = match end {
            Err(stop) if !has_begun && sink.moved_away.is_none() => Self::of_stop(stop),
            // A redirect that is temporary leads elsewhere for now, where nothing is asked without a question.
            Ok(_) | Err(_) => (LinkStatus::Alive, None),
        };
        let is_silent = matches!(
            failure,
            Some(FailureKind::Transient | FailureKind::Unreachable)
        );
        Self {
            is_answer: !is_silent || sink.moved.is_some(),
            status: match sink.moved {
                Some(url) => moved_status(url, status),
                None => status,
            },
            failure,
            pause: sink.pause,
            moved_away: sink.moved_away.filter(|moved| moved.is_permanent),
        }
    }

    /// Returns the status for a load that ended before its answer had begun, and the kind of its failure.
    fn of_stop(stop: Stop) -> (LinkStatus, Option<FailureKind>) {
        match &stop {
            Stop::Needs(question) if is_about_content(question) => (LinkStatus::Alive, None),
            Stop::Failed(failure) => {
                let kind = failure.kind;
                (stop_status(stop), Some(kind))
            }
            Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed => (stop_status(stop), None),
        }
    }
}

/// Returns the request to the address that the target of a request has moved to, by what is at `from`. Nobody's login
/// or certificate is valid there.
///
/// # Errors
/// The reason why a bookmark is not changed to this address.
fn prepare_moved(net: &Net, request: &Request, from: Url, to: &Url) -> Result<Request, String> {
    if let Some(why) = unaccepted_target(to) {
        return Err(why);
    }
    let next = Request {
        purpose: Purpose::Check,
        answers: FormAnswers::Unconfirmed,
        settings: request.settings.clone(),
        ..Request::show(to.without_fragment(), Reason::Redirect(from))
    };
    prepare(net, &next).map(Cow::into_owned)
}

/// Returns the reason why a bookmark is never changed to a URL that a server names; `None` if it can be checked.
pub fn unaccepted_target(url: &Url) -> Option<String> {
    let is_file = url.scheme() == Scheme::File;
    let here = is_file.then(|| "a file of this machine".to_owned());
    here.or_else(|| uncheckable(url))
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
