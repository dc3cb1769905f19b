//! One request to a Gemini server.

use geomys_wire::net::{Net, Security, Stream, Trust, authority, trace};
use geomys_wire::protocol::gemini::{self, GeminiError, Response};
use geomys_wire::text::Text;
use rfc1738::{Http, Protocol, Url, encoded};

use super::titan;
use crate::load::redirect::is_same_server;
use crate::load::small_page;
use crate::load::{Failure, FailureKind, FormAnswers, Phase, Request, Sink, Stop};

/// The response to a request, and where it came from.
pub(super) struct Answer {
    pub(super) authority: String,
    pub(super) response: Response<Stream>,
    pub(super) security: Security,
    /// True if the server could see a client certificate.
    pub(super) has_identity: bool,
}

/// Returns the URL as it is sent: with a path.
fn sent_url(url: &Http<'_>, hidden: Option<&[u8]>) -> String {
    let path = url.path.map_or("", |path| path.as_str());
    let search = match hidden {
        Some(octets) => Some(encoded(octets)),
        None => url.search.map(|search| search.as_str().to_owned()),
    };
    let search = search.map_or(String::new(), |search| format!("?{search}"));
    format!("gemini://{}/{path}{search}", url.address.text)
}

/// Returns the line that a load of a URL sends.
pub(in crate::load) fn request_preview(url: &Http<'_>) -> Vec<u8> {
    format!("{}\r\n", sent_url(url, None)).into_bytes()
}

/// Sends the request for `here`. Only the first request sends a hidden answer.
pub(super) async fn ask(
    net: &Net,
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
    if let Some(seconds) = net.pause_left(&authority) {
        return Err(paused(&authority, seconds).into());
    }
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
        Some(posted) => titan::sent_url(&url, posted),
        None => sent_url(&url, hidden),
    };
    if line.len() > gemini::MAX_URL_BYTES {
        return Err(Failure::new(GeminiError::LongUrl.to_string()).into());
    }
    sink.phase(Phase::Connecting).await?;
    let is_own_server = is_same_server(&titan::as_gemini(here), &titan::as_gemini(&request.url));
    let trust = if is_own_server {
        request.trust.clone()
    } else {
        Trust::default()
    };
    let path = format!("/{}", url.path.map_or("", |path| path.as_str()));
    let name = request.identity.as_deref().filter(|_| is_first);
    let identity = net.identity(&authority, &path, name).await?;
    let connecting = net.connect_on_first_use(host, port, &trust, identity.as_ref());
    let (stream, security) = connecting.await?;
    sink.phase(Phase::Waiting).await?;
    let data = posted.map_or(b"".as_slice(), |posted| &posted.octets);
    let response = gemini::request(stream, line.as_bytes(), data, &authority, net.limits()).await;
    let response = response.map_err(|error| match error {
        GeminiError::Net(error) => Stop::from(error),
        GeminiError::Header(error) => small_page::header_stop(error),
        long @ GeminiError::LongUrl => Failure::new(long.to_string()).into(),
    })?;
    let answer = Answer {
        has_identity: identity.is_some(),
        authority,
        response,
        security,
    };
    if answer.response.header.code == 44 {
        net.pause(&answer.authority, seconds(&answer.response.header.meta));
    }
    Ok(answer)
}

/// Returns the pause in the meta of a 44; a minute if it is none.
pub(super) fn seconds(meta: &[u8]) -> u64 {
    let seconds = std::str::from_utf8(meta).ok().map(str::parse);
    seconds.and_then(Result::ok).unwrap_or(60)
}

fn paused(authority: &str, seconds: u64) -> Failure {
    Failure::new(format!(
        "not asked: {} wants no request for another {seconds} s",
        Text::of(authority)
    ))
    .with_kind(FailureKind::Busy)
}
