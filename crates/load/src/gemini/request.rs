//! One request to a Gemini server, and its failures as failures of a load.

use std::time::Duration;

use geomys_wire::net::{RequestNet, Security, Stream, Trust, authority, trace};
use geomys_wire::protocol::gemini;
use geomys_wire::protocol::gemini::{
    CertificateRequest, GeminiError, PermanentFailure, Response, Status, TemporaryFailure,
};
use geomys_wire::text::Text;
use rfc1738::{Http, Protocol, Url, encoded};

use super::words;
use crate::redirect::is_same_server;
use crate::{
    Failure, FailureKind, FormAnswers, IdentityScope, Phase, Purpose, Request, Sink, Stop,
    small_page,
};

/// The longest pause of a server that a load waits for.
const MAX_WAIT_SECONDS: u64 = 60;

/// The response to a request, and where it came from.
pub(super) struct Answer {
    pub(super) authority: String,
    pub(super) response: Response<Stream>,
    pub(super) security: Security,
    /// The name of the client certificate that the server could see.
    pub(super) identity: Option<String>,
}

/// Returns the URL as it is sent: with a path.
fn sent_url(url: &Http<'_>, hidden: Option<&[u8]>) -> String {
    let path = url.path.map_or("", |path| path.as_str());
    let search = match hidden {
        Some(octets) => Some(encoded(octets)),
        None => url.search.map(|search| search.as_str().to_owned()),
    };
    let search = search.map_or(String::new(), |search| format!("?{search}"));
    format!("gemini://{}/{path}{search}", url.address.canonical())
}

/// Returns the octets of the line that a request sends, without its end; at most [`gemini::MAX_URL_BYTES`] are taken.
pub(crate) fn line_bytes(url: &Http<'_>, answers: &FormAnswers) -> usize {
    let hidden = match answers {
        FormAnswers::Hidden(hidden) => Some(hidden.0.as_slice()),
        _ => None,
    };
    sent_url(url, hidden).len()
}

/// Returns the line that a load of a URL sends.
pub(crate) fn request_preview(url: &Http<'_>) -> Vec<u8> {
    format!("{}\r\n", sent_url(url, None)).into_bytes()
}

/// Sends the request for `here`. Only the first request sends a hidden answer.
pub(super) async fn ask(
    net: &RequestNet,
    request: &Request,
    here: &Url,
    is_first: bool,
    sink: &Sink,
) -> Result<Answer, Stop> {
    let (Protocol::Gemini(url) | Protocol::Titan(url)) = here.protocol() else {
        return Err(Failure::unsupported(here).into());
    };
    let host = url.address.node();
    if host.is_empty() {
        return Err(Failure::new(format!("{} has no host", here.masked())).into());
    }
    let port = url.address.port();
    let authority = authority(host, port);
    wait(net, request, &authority, sink).await?;
    let hidden = match &request.answers {
        FormAnswers::Hidden(hidden) if is_first => Some(hidden.0.as_slice()),
        _ => None,
    };
    let posted = request
        .posted()
        .filter(|_| is_first && super::is_titan(here));
    let token = posted.map(|posted| posted.token.as_bytes());
    hidden.into_iter().chain(token).for_each(trace::secret);
    let line = match posted {
        Some(posted) => super::sent_url(&url, posted),
        None if super::is_titan(here) => super::edit_url(&url),
        None => sent_url(&url, hidden),
    };
    if line.len() > gemini::MAX_URL_BYTES {
        return Err(Failure::new(GeminiError::LongUrl.to_string()).into());
    }
    sink.phase(Phase::Connecting).await?;
    let is_own_server = is_same_server(&super::as_gemini(here), &super::as_gemini(&request.url));
    let trust = if is_own_server {
        request.trust.clone()
    } else {
        Trust::default()
    };
    let path = url.path.map_or("", |path| path.as_str());
    let path = if super::is_titan(here) {
        super::without_parameters(path)
    } else {
        path
    };
    let path = format!("/{path}");
    let name = request.certificate.name.as_deref().filter(|_| is_first);
    let mut identity = net.identity(&authority, &path, name).await?;
    if name.is_some() && request.certificate.scope == IdentityScope::Host {
        // The page has this certificate now, and so has the host.
        identity = net.identity(&authority, "/", name).await?;
    }
    let connecting = net.connect_on_first_use(host, port, &trust, identity.as_ref());
    let (stream, security) = connecting.await?;
    let stream = net.recorded(stream);
    sink.phase(Phase::Waiting).await?;
    let data = posted.map_or(b"".as_slice(), |posted| &posted.octets);
    let response = gemini::request(stream, line.as_bytes(), data, &authority, net.limits()).await;
    let response = response.map_err(|error| match error {
        GeminiError::Net(error) => Stop::from(error),
        GeminiError::Header(error) => small_page::header_stop(error),
        long @ GeminiError::LongUrl => Failure::new(long.to_string()).into(),
    })?;
    let answer = Answer {
        identity: identity.map(|identity| identity.name().to_owned()),
        authority,
        response,
        security,
    };
    if answer.response.header.code == 44 {
        net.pause(&answer.authority, seconds(&answer.response.header.meta));
    }
    Ok(answer)
}

/// Waits until a server takes requests again, and reports the remaining seconds. A link check does not wait here.
async fn wait(
    net: &RequestNet,
    request: &Request,
    authority: &str,
    sink: &Sink,
) -> Result<(), Stop> {
    while let Some(seconds) = net.pause_left(authority) {
        if seconds > MAX_WAIT_SECONDS || !waits(request) {
            return Err(paused(authority, seconds).into());
        }
        sink.phase(Phase::Pause(seconds)).await?;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// Returns true if the load waits for the pause that an answer asks for.
pub(super) fn can_wait(request: &Request, answer: &Answer) -> bool {
    waits(request) && seconds(&answer.response.header.meta) <= MAX_WAIT_SECONDS
}

fn waits(request: &Request) -> bool {
    request.waits && request.purpose != Purpose::Check
}

/// Returns the pause in the meta of a 44; a minute if it is none.
fn seconds(meta: &[u8]) -> u64 {
    let seconds = std::str::from_utf8(meta).ok().map(str::parse);
    seconds.and_then(Result::ok).unwrap_or(60)
}

fn paused(authority: &str, seconds: u64) -> Failure {
    Failure::new(format!(
        "not requested: {} asked to wait another {seconds} s",
        Text::of(authority)
    ))
    .with_kind(FailureKind::Busy)
}

/// Returns the failure that a response with a status of an error is.
pub(super) fn failure(answer: &Answer) -> Failure {
    let header = &answer.response.header;
    let has_identity = answer.identity.is_some();
    let (what, kind, advice) = meaning(header.status(), has_identity);
    let sentence = format!("{} answered {}: {what}", answer.authority, header.code);
    if header.code == 44 {
        let seconds = seconds(&header.meta);
        let sentence = format!("{sentence} ({seconds} s)");
        return Failure::new(sentence).with_kind(kind);
    }
    let said = words(answer).map(|words| Text::of(&words));
    let failure = Failure::new(sentence).with_kind(kind).with_words(said);
    match advice {
        Some(advice) => failure.with_advice(advice),
        None => failure,
    }
}

/// Returns the meaning of a status in words, the kind of its failure, and advice.
fn meaning(
    status: Status,
    has_identity: bool,
) -> (&'static str, FailureKind, Option<&'static str>) {
    match status {
        Status::TemporaryFailure(temporary) => match temporary {
            TemporaryFailure::Unspecified => ("temporary failure", FailureKind::ServerError, None),
            TemporaryFailure::Unavailable => ("it is busy", FailureKind::Busy, None),
            TemporaryFailure::Cgi => ("its program failed", FailureKind::ServerError, None),
            TemporaryFailure::Proxy => (
                "the server behind it failed",
                FailureKind::ServerError,
                None,
            ),
            TemporaryFailure::SlowDown => ("it asks to wait", FailureKind::Busy, None),
        },
        Status::PermanentFailure(permanent) => match permanent {
            PermanentFailure::Unspecified => ("permanent failure", FailureKind::Permanent, None),
            PermanentFailure::NotFound => ("there is no such page", FailureKind::Missing, None),
            PermanentFailure::Gone => ("the page is gone", FailureKind::Missing, None),
            PermanentFailure::ProxyRefused => (
                "it does not serve this address",
                FailureKind::Permanent,
                None,
            ),
            PermanentFailure::BadRequest => (
                "it does not understand the request",
                FailureKind::Permanent,
                None,
            ),
        },
        Status::Certificate(request) => {
            let what = match request {
                _ if !has_identity => "it needs a client certificate",
                CertificateRequest::Required => "it requires a client certificate",
                CertificateRequest::NotAuthorised => "the client certificate has no permission",
                CertificateRequest::NotValid => "the client certificate is not valid",
            };
            (what, FailureKind::Permanent, None)
        }
        // These are no failures.
        Status::Input { .. } | Status::Success | Status::Redirect { .. } => {
            ("no failure", FailureKind::Permanent, None)
        }
    }
}
