//! Whether what a URL names is still there: asked, and not fetched.
//!
//! Each scheme has its own question, one file each: a gopher selector is sent and its first rows read, FTP tells by MLST,
//! SIZE or CWD, news by GROUP or STAT, the Web by HEAD, finger by its query, a terminal session by a connection, WAIS by
//! one row or one octet, Prospero by what is said of the object, a file by its name. Nobody is asked anything: what would
//! need a person is [`Verdict::Refused`], and what is unwise to open is not sent at all.
//! [`queue`] says who is asked when, [`all`] asks many.

mod all;
mod content;
mod file;
mod ftp;
mod gopher;
mod http;
mod library;
mod news;
pub mod queue;
mod session;

use std::borrow::Cow;
use std::time::Duration;

use tokio::time::{Instant, timeout};

pub use self::all::{AtOnce, all};
pub use self::content::content;
use super::{Failure, FailureKind, Question, Request, Stop, finger, sentences};
use crate::net::Net;
use crate::url::{Hazard, Parts, Url};

/// What is known of a URL once it has been asked. The words are safe for eyes, one line, without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is there.
    Alive,
    /// It is there, and its server says for good that it is elsewhere.
    Moved(Url),
    /// Its server says that there is no such thing.
    Gone(String),
    /// Its server does not give it to us: it wants a login, shows a certificate that nobody vouches for, forbids it.
    Refused(String),
    /// Nobody answered, or not with sense.
    NoAnswer(String),
    /// Nothing was sent: nobody here speaks it, or it is unwise.
    Unasked(String),
}

impl Verdict {
    /// The word for it, which is also what files call it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Moved(_) => "moved",
            Self::Gone(_) => "gone",
            Self::Refused(_) => "refused",
            Self::NoAnswer(_) => "no answer",
            Self::Unasked(_) => "not asked",
        }
    }

    /// What is to be said beside that.
    pub fn words(&self) -> String {
        match self {
            Self::Alive => String::new(),
            Self::Moved(url) => format!("now {}", url.masked()),
            Self::Gone(words)
            | Self::Refused(words)
            | Self::NoAnswer(words)
            | Self::Unasked(words) => words.clone(),
        }
    }
}

/// A verdict, and how long it took to come by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// What is known now.
    pub verdict: Verdict,
    /// From the look for the name to the verdict.
    pub took: Duration,
    /// Somebody was there, whatever they said: not so after a silence, or without any sending.
    pub is_heard: bool,
}

/// Asks whether what a request is for is there. It takes no longer than a connection and a silence may
/// ([`crate::net::Limits`]), and sends nothing after it is dropped.
pub async fn check(net: &Net, request: &Request) -> Checked {
    let start = Instant::now();
    let limits = net.limits();
    let deadline = limits.connect.saturating_add(limits.idle);
    let (verdict, is_heard) = match asked(net, request) {
        Err(why) => (Verdict::Unasked(why), false),
        // Its state is large, and there may be many.
        Ok(asked) => match timeout(deadline, Box::pin(ask(net, &asked))).await {
            // A gateway that has moved is not what was asked about.
            Ok(Ok(Verdict::Moved(_))) if asked.url != request.url => (Verdict::Alive, true),
            Ok(Ok(verdict)) => (verdict, true),
            Ok(Err(stop)) => {
                let verdict = of_stop(stop);
                let is_heard = !matches!(verdict, Verdict::NoAnswer(_));
                (verdict, is_heard)
            }
            Err(_) => {
                let words = format!("no answer within {} s", deadline.as_secs());
                (Verdict::NoAnswer(words), false)
            }
        },
    };
    Checked {
        verdict,
        took: start.elapsed(),
        is_heard,
    }
}

/// Why nobody is asked for what is on another machine, where a person wants to be offline.
fn offline(net: &Net, request: &Request) -> Option<String> {
    let is_here = matches!(request.url.reading(), Parts::File(_));
    (net.is_offline() && !is_here).then(|| "Geomys is offline".to_owned())
}

/// The request as it is asked, of its own server or of a gateway.
///
/// # Errors
/// Why nothing is sent, where that is known before.
fn asked<'r>(net: &Net, request: &'r Request) -> Result<Cow<'r, Request>, String> {
    if let Some(why) = offline(net, request).or_else(|| unwise(request)) {
        return Err(why);
    }
    let asked = request.by_gateway().map_err(|failure| failure.sentence)?;
    let asked = asked.map_or(Cow::Borrowed(request), Cow::Owned);
    if asked.is_for_proxy() {
        let scheme = crate::text::Text::of(asked.url.scheme_name());
        return Err(format!(
            "a proxy is asked for {scheme}, and only for what is wanted whole"
        ));
    }
    match unwise(&asked).or_else(|| unspoken(&asked.url)) {
        Some(why) => Err(why),
        None => Ok(asked),
    }
}

/// Why a URL is not sent unasked.
fn unwise(request: &Request) -> Option<String> {
    let url = &request.url;
    if let Some(hazard) = url.forbidden() {
        return Some(hazard.sentence().to_owned());
    }
    let hazards_to_confirm = request.hazards_to_confirm();
    if !hazards_to_confirm.is_empty() {
        return Some(sentences(&hazards_to_confirm));
    }
    None
}

/// Why nobody can be asked about a URL.
fn unspoken(url: &Url) -> Option<String> {
    match url.reading() {
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

async fn ask(net: &Net, request: &Request) -> Result<Verdict, Stop> {
    match request.url.reading() {
        Parts::Gopher(url) => gopher::check(net, request, &url).await,
        Parts::Ftp(url) => ftp::check(net, request, &url).await,
        Parts::News(url) => news::by_name(net, request, &url).await,
        Parts::Nntp(url) => news::by_number(net, request, &url).await,
        Parts::Http(_) => http::check(net, request).await,
        Parts::Telnet(url) => session::check(net, &url).await,
        Parts::File(url) => file::check(&url).await,
        Parts::Other(url) => session::finger(net, &url).await,
        Parts::Wais(url) => library::wais(net, &url).await,
        Parts::Prospero(url) => library::prospero(net, &url).await,
        Parts::Mailto(_) => Ok(Verdict::Unasked("nobody here speaks it".to_owned())),
    }
}

/// What a dialogue that ended early says of what was asked.
fn of_stop(stop: Stop) -> Verdict {
    match stop {
        Stop::Failed(failure) => of_failure(&failure),
        Stop::Needs(question) => Verdict::Refused(match question {
            Question::Password {
                user, said: None, ..
            } => {
                format!("a password is wanted for {}", crate::text::Text::of(&user))
            }
            question => question.unanswered(),
        }),
        Stop::Cut(_) | Stop::Closed => Verdict::NoAnswer("it was stopped".to_owned()),
    }
}

fn of_failure(failure: &Failure) -> Verdict {
    let said = failure.said.last();
    let said = said.map_or(String::new(), |said| format!(": {}", said.as_str().trim()));
    let words = format!("{}{said}", failure.sentence);
    match failure.kind {
        FailureKind::Missing => Verdict::Gone(words),
        FailureKind::Permanent => Verdict::Refused(words),
        FailureKind::Transient | FailureKind::ResumeMismatch | FailureKind::Unreachable => {
            Verdict::NoAnswer(words)
        }
    }
}

/// The place that is asked for a URL, as `host:port` in lower case, and its host alone; nothing where nobody is.
pub fn place_of(request: &Request) -> Option<(String, String)> {
    let url = request.asked();
    let hazards = url.hazards();
    if hazards.into_iter().any(Hazard::forbids) {
        return None;
    }
    let (host, port) = match url.reading() {
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
    Some((crate::net::place(&host, port), host))
}
