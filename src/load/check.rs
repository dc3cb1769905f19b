//! Link checks: whether the target of a URL still exists, without fetching it.
//!
//! Each scheme has its own check in its own file: a gopher selector is sent and its first rows are read, FTP uses MLST,
//! SIZE or CWD, news GROUP or STAT, the Web HEAD, finger its query, a terminal session a connection, WAIS one row or
//! one octet, Prospero the attributes of the object, a file its name. A check asks no questions: what would need a
//! person is [`LinkStatus::Refused`], and a URL with hazards is not sent at all. [`queue`] decides the order of the
//! checks, [`all`] runs many.

mod all;
mod content;
mod file;
mod ftp;
mod gopher;
mod http;
mod news;
pub mod queue;
mod session;
mod wais_prospero;

use std::borrow::Cow;
use std::time::Duration;

use tokio::time::{Instant, timeout};

pub use self::all::{CheckLimits, all};
pub use self::content::content;
use super::{Failure, FailureKind, Question, Request, Stop, finger, hazard_sentences};
use crate::net::Net;
use crate::url::{Hazard, Parts, Url};

/// The status of a URL after a check. The texts are safe to display, one line, without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// The target exists.
    Alive,
    /// The target exists, and has moved permanently to this URL.
    Moved(Url),
    /// The server says that the target does not exist.
    Dead(String),
    /// The server refuses access: it needs a login, has an untrusted certificate, or denies permission.
    Refused(String),
    /// The server did not answer, or its answer was malformed.
    Unreachable(String),
    /// Nothing was sent: the scheme is not supported, or the URL has hazards.
    NotChecked(String),
}

impl LinkStatus {
    /// Returns the name of the status, which is also used in files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Moved(_) => "moved",
            Self::Dead(_) => "dead",
            Self::Refused(_) => "refused",
            Self::Unreachable(_) => "unreachable",
            Self::NotChecked(_) => "not checked",
        }
    }

    /// The name of the status that a word stands for: the same word, or one of before version 0.2.
    pub fn name_for(word: &str) -> Option<&'static str> {
        Some(match word {
            "alive" => "alive",
            "moved" => "moved",
            "dead" | "gone" => "dead",
            "refused" => "refused",
            "unreachable" | "no answer" | "no-answer" | "silent" => "unreachable",
            _ => return None,
        })
    }

    /// Returns the details of the status.
    pub fn words(&self) -> String {
        match self {
            Self::Alive => String::new(),
            Self::Moved(url) => format!("now {}", url.masked()),
            Self::Dead(words)
            | Self::Refused(words)
            | Self::Unreachable(words)
            | Self::NotChecked(words) => words.clone(),
        }
    }
}

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

/// Checks whether the target of a request exists. It takes no longer than a connection and an idle timeout together
/// ([`crate::net::Limits`]), and sends nothing after it is dropped.
pub async fn check(net: &Net, request: &Request) -> LinkCheckResult {
    let start = Instant::now();
    let limits = net.limits();
    let deadline = limits.connect.saturating_add(limits.idle);
    let (verdict, is_answered) = match prepare(net, request) {
        Err(why) => (LinkStatus::NotChecked(why), false),
        // Boxed: its state is large, and there may be many.
        Ok(prepared) => match timeout(deadline, Box::pin(ask(net, &prepared))).await {
            // A gateway that has moved is not the target.
            Ok(Ok(LinkStatus::Moved(_))) if prepared.url != request.url => {
                (LinkStatus::Alive, true)
            }
            Ok(Ok(verdict)) => (verdict, true),
            Ok(Err(stop)) => {
                let verdict = stop_status(stop);
                let is_answered = !matches!(verdict, LinkStatus::Unreachable(_));
                (verdict, is_answered)
            }
            Err(_) => {
                let words = format!("no answer within {} s", deadline.as_secs());
                (LinkStatus::Unreachable(words), false)
            }
        },
    };
    LinkCheckResult {
        verdict,
        took: start.elapsed(),
        is_answered,
    }
}

/// Returns an error for a remote target when Geomys is offline.
fn offline(net: &Net, request: &Request) -> Option<String> {
    let is_here = matches!(request.url.base_parts(), Parts::File(_));
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
    let prepared = request.by_gateway().map_err(|failure| failure.sentence)?;
    let prepared = prepared.map_or(Cow::Borrowed(request), Cow::Owned);
    if prepared.is_for_proxy() {
        let scheme = crate::text::Text::of(prepared.url.scheme_name());
        return Err(format!(
            "a proxy is asked for {scheme}, and only for what is wanted whole"
        ));
    }
    match hazard_reason(&prepared).or_else(|| unsupported(&prepared.url)) {
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
    if !hazards_to_confirm.is_empty() {
        return Some(hazard_sentences(&hazards_to_confirm));
    }
    None
}

/// Returns the reason why a URL cannot be checked.
fn unsupported(url: &Url) -> Option<String> {
    match url.base_parts() {
        Parts::Gopher(_)
        | Parts::Ftp(_)
        | Parts::News(_)
        | Parts::Nntp(_)
        | Parts::Http(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::Prospero(_) => None,
        Parts::File(file) if file.host.is_none_or(super::file::is_here) => None,
        Parts::File(_) => Some("it is a file of another machine".to_owned()),
        Parts::Mailto(_) => Some("an address of mail cannot be asked".to_owned()),
        Parts::Other(_) if finger::speaks(url) => None,
        Parts::Other(_) => {
            let scheme = crate::text::Text::of(url.scheme_name());
            Some(format!("Geomys does not speak {scheme}"))
        }
    }
}

async fn ask(net: &Net, request: &Request) -> Result<LinkStatus, Stop> {
    match request.url.base_parts() {
        Parts::Gopher(url) => gopher::check(net, request, &url).await,
        Parts::Ftp(url) => ftp::check(net, request, &url).await,
        Parts::News(url) => news::by_name(net, request, &url).await,
        Parts::Nntp(url) => news::by_number(net, request, &url).await,
        Parts::Http(_) => http::check(net, request).await,
        Parts::Telnet(url) => session::check(net, &url).await,
        Parts::File(url) => file::check(&url).await,
        Parts::Other(url) => session::finger(net, &url).await,
        Parts::Wais(url) => wais_prospero::wais(net, &url).await,
        Parts::Prospero(url) => wais_prospero::prospero(net, &url).await,
        Parts::Mailto(_) => Ok(LinkStatus::NotChecked("nobody here speaks it".to_owned())),
    }
}

/// Converts the early end of a load to a status.
fn stop_status(stop: Stop) -> LinkStatus {
    match stop {
        Stop::Failed(failure) => failure_status(&failure),
        Stop::Needs(question) => LinkStatus::Refused(match question {
            Question::Password {
                user, said: None, ..
            } => {
                format!("a password is wanted for {}", crate::text::Text::of(&user))
            }
            question => question.unanswered(),
        }),
        Stop::Truncated(_) | Stop::Closed => LinkStatus::Unreachable("it was stopped".to_owned()),
    }
}

fn failure_status(failure: &Failure) -> LinkStatus {
    let said = failure.said.last();
    let said = said.map_or(String::new(), |said| format!(": {}", said.as_str().trim()));
    let words = format!("{}{said}", failure.sentence);
    match failure.kind {
        FailureKind::Missing => LinkStatus::Dead(words),
        FailureKind::Permanent => LinkStatus::Refused(words),
        FailureKind::Transient | FailureKind::ResumeMismatch | FailureKind::Unreachable => {
            LinkStatus::Unreachable(words)
        }
    }
}

/// Returns the authority that a request connects to, as `host:port` in lower case, and its host alone; None when there
/// is no connection.
pub fn host_key(request: &Request) -> Option<(String, String)> {
    let url = request.requested_url();
    let hazards = url.hazards();
    if hazards.into_iter().any(Hazard::is_forbidden) {
        return None;
    }
    let (host, port) = match url.base_parts() {
        Parts::News(_) | Parts::Nntp(_) => {
            let server = super::news::server(request)?;
            (server.host, server.port)
        }
        Parts::Other(other) => {
            let (login, _) = other.ip()?;
            let address = login.address;
            let port = address.port().unwrap_or(finger::PORT);
            (address.node().to_owned(), port)
        }
        parts => {
            let address = parts.address()?;
            (address.node().to_owned(), address.port()?)
        }
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    Some((crate::net::authority(&host, port), host))
}
