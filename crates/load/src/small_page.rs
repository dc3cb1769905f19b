//! The pages of Gemini, Spartan and nex: a body of a media type, up to the end of the connection; and loading over the
//! last two: one request to a connection.
//!
//! Redirects are followed on the same server, ten at most, and reported; one to another server or scheme becomes the
//! link of a failure. Spartan sends the data of a `=:` line or of the URL's query, and nothing to the targets of
//! redirects.
//!
//! ```text
//! nex-request = path CRLF              ; as octets, without the slash that ends the host if nothing follows it
//! directory   = *( "=> " URL [ SP label ] / text )    ; the path is empty or ends with a slash
//! ```
//!
//! Nex (the specification of nightfall.city) has no status, so a missing page is what the server writes about it. A
//! file is what its suffix says.

use std::borrow::Cow;

use geomys_wire::net::{
    NetError, RequestNet, Security, Stream, TransferEnd, authority, sendable, write,
};
use geomys_wire::protocol::reply::{HeaderError, Reply};
use geomys_wire::protocol::spartan;
use geomys_wire::protocol::spartan::{Response, Status};
use geomys_wire::text::Text;
use rfc1738::{Encoded, Http, Protocol, Url};

use super::http::{MediaType, PageKind};
use super::redirect::{Redirect, Redirects, is_same_server, target};
use super::sniff::SAMPLE;
use super::words::trimmed;
use super::{
    Failure, FailureKind, PageHead, PageStorage, Phase, Purpose, Question, Request, ServerFileName,
    Sink, Stop, file_name_of, server_file_name,
};
use geomys_page::document::{Kind, Shape, suffix};

/// A page whose body follows.
pub(super) struct SmallPage {
    pub(super) media: MediaType,
    pub(super) body: Reply<Stream>,
    /// The URL of the page: that of the request, or the last of its redirects.
    pub(super) here: Url,
    /// The URLs that have redirected to it.
    pub(super) from: Vec<Url>,
    pub(super) security: Security,
    pub(super) storage: PageStorage,
    /// The name of the client certificate that the server could see.
    pub(super) identity: Option<String>,
}

/// Returns the reason why a redirect to `to` is not followed: only one to the server of `own` is.
pub(super) fn leaves(to: &Url, own: &Url, protocol: &str) -> Option<String> {
    if is_same_server(to, own) {
        return None;
    }
    Some(if to.extension_scheme() == own.extension_scheme() {
        "that is another server".to_owned()
    } else {
        format!("that is not over {protocol}")
    })
}

/// Converts an error of a header line.
pub(super) fn header_stop(error: HeaderError) -> Stop {
    match error {
        HeaderError::Net(error) => error.into(),
        error @ (HeaderError::TooLong { .. } | HeaderError::Malformed { .. }) => {
            let sentence = Text::of(&error.to_string()).to_string();
            Failure::new(sentence)
                .with_kind(FailureKind::Malformed)
                .with_advice("another protocol may use that port")
                .into()
        }
    }
}

impl SmallPage {
    /// Forwards the page: its head, and its body as it comes.
    pub(super) async fn forward(
        mut self,
        request: &Request,
        sink: &mut Sink,
    ) -> Result<TransferEnd, Stop> {
        self.media = self.media.read_as(request.chosen_charset());
        let (mut start, mut end) = (Vec::new(), None::<Result<TransferEnd, NetError>>);
        let shape: Result<Shape, Kind> = match request.purpose {
            Purpose::Save | Purpose::Picture | Purpose::Check => Ok(Shape::Text),
            Purpose::Show => {
                let kind = self.media.kind(b"");
                while kind.is_none() && start.len() < SAMPLE && end.is_none() {
                    match self.body.next().await {
                        Ok(octets) if octets.is_empty() => end = Some(Ok(self.body.end())),
                        Ok(octets) => start.extend(octets),
                        // The part that came is shown, even if the rest is missing.
                        Err(error) if !start.is_empty() => end = Some(Err(error)),
                        Err(error) => return Err(error.into()),
                    }
                }
                let sample = start.get(..SAMPLE).unwrap_or(&start);
                let kind = kind.or_else(|| self.media.kind(sample));
                kind.unwrap_or(PageKind::Text).shape()
            }
        };
        let question = shape.err().map(|file| self.save_question(request, file));
        let page_head = PageHead {
            file_name: self.file_name(),
            url: (!self.from.is_empty()).then_some(self.here),
            from: self.from,
            charset: self.media.charset,
            charset_name: self.media.charset_name,
            unknown_charset: self.media.unknown_charset,
            languages: self.media.languages,
            security: self.security,
            storage: self.storage,
            identity: self.identity,
            ..PageHead::new(shape.unwrap_or(Shape::Text))
        };
        match question {
            None => sink.begin(page_head).await?,
            Some(question) if shape == Err(Kind::Binary) => {
                sink.begin_or(page_head, question)?;
            }
            Some(question) => return Err(question),
        }
        sink.octets(start).await?;
        if let Some(end) = end {
            return Ok(end?);
        }
        loop {
            let octets = self.body.next().await?;
            if octets.is_empty() {
                return Ok(self.body.end());
            }
            sink.octets(octets).await?;
        }
    }

    /// Returns the question for a file that is to be saved. A file that answers a form is not saved, as the answers
    /// would be sent again.
    fn save_question(&self, request: &Request, file: Kind) -> Stop {
        let what = suffix::kind_words(file);
        if request.posted().is_some() && self.from.is_empty() {
            let sentence = format!("the reply to what was sent is {what}");
            return Failure::new(sentence)
                .with_advice("not saved: saving would send it again")
                .into();
        }
        let name = file_name_of(&request.url, &request.name_hints);
        let name = server_file_name(&name, &request.url, Some(&self.here), &self.file_name());
        Stop::Needs(Question::Save {
            what,
            name,
            size: None,
        })
    }

    /// Returns what the media type tells about the name of the file.
    fn file_name(&self) -> ServerFileName {
        ServerFileName {
            disposition: None,
            media_type: Some(self.media.name().to_owned()).filter(|name| !name.is_empty()),
        }
    }
}

/// Returns the path of a request of nex, decoded. A question mark has no meaning in nex.
fn nex_path(url: &Http<'_>) -> Vec<u8> {
    let part = |part: Option<Encoded<'_>>| part.map(Encoded::octets).unwrap_or_default().to_vec();
    let path = [b"/".to_vec(), part(url.path)].concat();
    match url.search {
        Some(_) => [path, b"?".to_vec(), part(url.search)].concat(),
        None => path,
    }
}

/// Returns the line that a load of a nex URL sends.
pub(super) fn nex_preview(url: &Http<'_>) -> Vec<u8> {
    [nex_path(url), b"\r\n".to_vec()].concat()
}

/// Connects, and sends the path of a URL. Returns the stream of the reply, and the authority.
async fn send_path(
    net: &RequestNet,
    url: &Http<'_>,
    sink: &Sink,
) -> Result<(Stream, String), Stop> {
    sendable(&nex_path(url), "the path")?;
    let host = url.address.node();
    if host.is_empty() {
        return Err(Failure::new("the URL has no host").into());
    }
    let port = url.address.port();
    let authority = authority(host, port);
    sink.phase(Phase::Connecting).await?;
    let mut stream = net.recorded(net.connect(host, port).await?);
    sink.phase(Phase::Waiting).await?;
    write(&mut stream, &nex_preview(url), &authority, net.limits()).await?;
    Ok((stream, authority))
}

/// Requests a nex URL, and forwards the reply.
pub(super) async fn load_nex(
    net: &RequestNet,
    request: &Request,
    url: Http<'_>,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let (stream, authority) = send_path(net, &url, sink).await?;
    let path = nex_path(&url);
    let is_directory = path.ends_with(b"/");
    let mut body = Reply::new(stream, &authority, net.limits());
    // A file may be empty.
    if !body.has_octets().await? && is_directory {
        return Err(Failure::empty(&authority).into());
    }
    let media = if is_directory {
        "text/gemini"
    } else {
        suffix::media_type(&path).unwrap_or_default()
    };
    let page = SmallPage {
        media: MediaType::parse(media.as_bytes()),
        body,
        here: request.url.clone(),
        from: Vec::new(),
        security: Security::Plain,
        storage: PageStorage::Allowed,
        identity: None,
    };
    page.forward(request, sink).await
}

/// Returns the path of a request of Spartan.
fn spartan_path(url: &Http<'_>) -> String {
    format!("/{}", url.path.map_or("", |path| path.as_str()))
}

/// Returns the data that a URL itself holds: its query.
fn query<'a>(url: &Http<'a>) -> Cow<'a, [u8]> {
    url.search.map(Encoded::octets).unwrap_or_default()
}

/// Returns what a load of a Spartan URL sends.
pub(super) fn spartan_preview(url: &Http<'_>) -> Vec<u8> {
    let data = query(url);
    let host = url.address.node().to_ascii_lowercase();
    let line = spartan::request_line(&host, &spartan_path(url), data.len()).unwrap_or_default();
    [&line, data.as_ref()].concat()
}

/// Requests a Spartan URL, and forwards the response.
pub(super) async fn load_spartan(
    net: &RequestNet,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut redirects = Redirects::new(net, request);
    loop {
        let here = &redirects.here;
        let posted = request.posted().filter(|_| redirects.from.is_empty());
        let posted = posted.map(|posted| posted.octets.as_slice());
        let (authority, response) = ask(&redirects.net, here, posted, sink).await?;
        let meta = &response.header.meta;
        match response.header.status {
            Status::Success => {
                let page = SmallPage {
                    media: MediaType::parse(meta),
                    body: response.body,
                    here: redirects.here,
                    from: redirects.from,
                    security: Security::Plain,
                    storage: PageStorage::Allowed,
                    identity: None,
                };
                return page.forward(request, sink).await;
            }
            Status::Redirect => {
                let to = target(here, meta, &authority)?;
                let redirect = Redirect {
                    leaves: leaves(&to, here, "Spartan"),
                    is_permanent: false,
                    to,
                };
                redirects.follow(redirect, sink)?;
            }
            Status::ClientError | Status::ServerError => {
                return Err(failure(&authority, &response).into());
            }
        }
    }
}

/// Sends a request, with `posted` or the query of the URL as its data.
async fn ask(
    net: &RequestNet,
    here: &Url,
    posted: Option<&[u8]>,
    sink: &Sink,
) -> Result<(String, Response<Stream>), Stop> {
    let Protocol::Spartan(url) = here.protocol() else {
        return Err(Failure::unsupported(here).into());
    };
    let host = url.address.node();
    if host.is_empty() {
        return Err(Failure::new(format!("{} has no host", here.masked())).into());
    }
    let port = url.address.port();
    let authority = authority(host, port);
    let query = query(&url);
    let data = posted.unwrap_or(&query);
    sink.phase(Phase::Connecting).await?;
    let stream = net.recorded(net.connect(host, port).await?);
    sink.phase(Phase::Waiting).await?;
    let path = spartan_path(&url);
    let name = host.to_ascii_lowercase();
    let fields = (name.as_str(), path.as_str());
    let response = spartan::request(stream, fields, data, &authority, net.limits()).await;
    Ok((authority, response.map_err(header_stop)?))
}

/// Returns the failure that a response with a status of an error is.
fn failure(authority: &str, response: &Response<Stream>) -> Failure {
    let header = &response.header;
    let (what, kind) = match header.status {
        Status::ServerError => ("the server has failed", FailureKind::ServerError),
        Status::Success | Status::Redirect | Status::ClientError => (
            "no such page, or a request that it does not accept",
            FailureKind::Missing,
        ),
    };
    let words = trimmed(&header.meta);
    let said = (!words.is_empty()).then(|| Text::of(&words));
    let digit = header.status.digit();
    Failure::new(format!("{authority} answered {digit}: {what}"))
        .with_kind(kind)
        .with_words(said)
}
