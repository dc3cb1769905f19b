//! Loading over Gopher and Gopher+, plain or over TLS: how each item is requested, and the questions before it is.
//!
//! The header of a Gopher+ reply gives its end and its outcome; a reply without one is read as plain Gopher, because
//! servers without Gopher+ answer so. Some servers also send Gopher+ errors to plain requests. An item that has moved
//! is not followed: the failure has a link to its new address, because no request goes to a server that no person has
//! chosen.

mod attributes;
mod body;
mod error;
mod phone;
mod plus;
mod reply;
mod server;

use geomys_wire::net::{RequestNet, TransferEnd, authority, write};
use geomys_wire::protocol::gopher;
use geomys_wire::protocol::gopher::attributes::items;
use geomys_wire::protocol::gopher::{
    Outcome, PlusRequest, refusal, refusal_of_plain_request, request,
};
use geomys_wire::text::{Charset, Text, is_harmful};
use rfc1738::{Dialect, Encoded, Gopher, Parts, Url};

use self::body::{GopherBody, ReplyContent};
use self::error::{error_words, missing, refused, speaks_tls};
use self::reply::ReplyStream;
use super::redirect::MovedAway;
use super::words::text;
use super::{
    Failure, FailureKind, FormAnswers, FormKind, GopherItem, NextReason, PageHead, Phase, Purpose,
    Question, Request, ServerForm, Sink, Stop, file_name_of,
};
use geomys_page::archive::Packing;
use geomys_page::document::picture::Format;
use geomys_page::document::{Kind, suffix};

pub use self::attributes::GopherAttributes;
pub use self::server::{HostRules, host_rules, parent_page};

/// Requests a URL and forwards the reply. When a connection without TLS fails before it has answered, and TLS answers
/// there, the failure says so.
pub(super) async fn load(
    net: &RequestNet,
    request: &Request,
    url: Gopher<'_>,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut job = GopherJob::new(net, request, sink);
    let end = request_item(&mut job, url).await;
    let is_asked = job.is_tls_asked;
    let Err(Stop::Failed(failure)) = end else {
        return end;
    };
    if failure.kind == FailureKind::Transient
        && !is_asked
        && !sink.page_source.has_begun()
        && server::is_expected(net, request).await
    {
        let authority = authority(url.address.node(), url.address.port());
        return Err(error::speaks_tls(&authority, &request.url).into());
    }
    if failure.next_reason == NextReason::Moved
        && let Some(link) = &failure.next
        && let Ok(to) = &link.target
    {
        sink.moved_away = Some(MovedAway {
            from: request.url.clone(),
            to: to.clone(),
            is_permanent: true,
        });
    }
    Err(failure.into())
}

async fn request_item(job: &mut GopherJob<'_>, url: Gopher<'_>) -> Result<TransferEnd, Stop> {
    let request = job.request;
    let FormAnswers::Hidden(hidden) = &request.answers else {
        return job.load(&url).await;
    };
    // The filled form is part of a URL only for this request; no person sees this URL.
    let filled = request.url.with_plus(&hidden.0);
    let filled = filled.map_err(|error| Failure::new(error.to_string()))?;
    match filled.base_parts() {
        Parts::Gopher(filled) => job.load(&filled).await,
        _ => job.load(&url).await,
    }
}

/// Returns the line that a load would send.
pub(super) fn request_preview(url: &Gopher<'_>) -> Option<String> {
    let words = url.search.map(Encoded::octets).unwrap_or_default();
    let line = match (url.item_type(), url.plus) {
        (b'2', None) if words.is_empty() => b"fields\r\n".to_vec(),
        (b'2', None) => [b"query ", words.as_ref(), b"\r\n"].concat(),
        _ => gopher::request(url).ok()?,
    };
    Some(line.escape_ascii().to_string())
}

/// Returns the URL with another item type, which a person has chosen for an unknown one.
pub fn with_type(url: &Url, gtype: char) -> Option<Url> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    let path = gopher.path?.as_str();
    let rest = path.strip_prefix(gopher.gtype?.as_str())?;
    let head = url.as_str().strip_suffix(path)?;
    Dialect::Extended
        .parse(&format!("{head}{gtype}{rest}"))
        .ok()
}

impl GopherJob<'_> {
    /// Requests the item of a URL and forwards the reply.
    async fn load(&mut self, url: &Gopher<'_>) -> Result<TransferEnd, Stop> {
        let request = self.request;
        let plus = url.plus.map(Encoded::octets);
        let want = plus.as_deref().map(PlusRequest::parse);
        let content = ReplyContent::of(url.item_type(), want.as_ref());
        if url.item_type() == b'2' && want.is_none() {
            // The last line of a phone book has a code of its own.
            self.phone_book(url).await?;
            return Ok(TransferEnd::Confirmed);
        }
        check_answers(request, url, want.as_ref(), content)?;
        match &want {
            None => {
                // The header of a Gopher+ reply says where it ends, and its errors say more than rows do.
                let is_marked = request.gopher.item == GopherItem::Plus;
                if is_marked && let Some(end) = self.marked(content).await? {
                    return Ok(end);
                }
                let source = self.send(url, content).await?;
                self.plain(source, Vec::new()).await
            }
            Some(PlusRequest::Form) => self.form(url).await,
            Some(PlusRequest::Attributes(names)) => match &request.gopher.directory {
                Some(menu) if names.is_empty() && request.purpose == Purpose::Show => {
                    self.attributes_of_menu(url, menu).await
                }
                Some(_) | None => self.attributes(url).await,
            },
            Some(PlusRequest::EveryAttribute(_)) => self.attributes(url).await,
            Some(PlusRequest::View(_) | PlusRequest::FilledForm(_) | PlusRequest::Other(_)) => {
                self.plus(url, content).await
            }
        }
    }
}

/// Returns an error when a person has to answer before anything is sent.
fn check_answers(
    request: &Request,
    url: &Gopher<'_>,
    want: Option<&PlusRequest<'_>>,
    content: ReplyContent,
) -> Result<(), Stop> {
    if let (Some(PlusRequest::FilledForm(filled)), FormAnswers::Unconfirmed) =
        (want, &request.answers)
    {
        let lines = filled.lines.iter().map(|line| Text::of(&visible(line)));
        return Err(Stop::Needs(Question::Send(lines.collect())));
    }
    if needs_search_words(url) && request.purpose != Purpose::Check {
        return Err(Stop::Needs(Question::Search));
    }
    if request.purpose != Purpose::Show || want == Some(&PlusRequest::Form) {
        return Ok(());
    }
    match content {
        ReplyContent::File(what) => Err(save_question(request, what)),
        ReplyContent::Unknown => Err(Stop::Needs(Question::Unknown(url.item_type()))),
        ReplyContent::Menu
        | ReplyContent::Text
        | ReplyContent::Html
        | ReplyContent::Message
        | ReplyContent::Attributes
        | ReplyContent::Picture
        | ReplyContent::Binary => Ok(()),
    }
}

/// Returns the question for a file that cannot be shown.
fn save_question(request: &Request, what: &'static str) -> Stop {
    let name = file_name_of(&request.url, &request.name_hints);
    let size = None;
    Stop::Needs(Question::Save { what, name, size })
}

/// Makes octets visible for confirmation: control characters and invisible characters are escaped, as `\x1b`.
fn visible(octets: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in octets.utf8_chunks() {
        for sign in chunk.valid().chars() {
            match sign {
                '\\' => shown.push_str("\\\\"),
                _ if sign.is_ascii_control() => {
                    shown.push_str(&sign.to_string().as_bytes().escape_ascii().to_string());
                }
                _ if is_harmful(sign) => shown.extend(sign.escape_unicode()),
                _ => shown.push(sign),
            }
        }
        shown.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    shown
}

/// The most octets of attributes that contain a form.
const FORM: usize = 128 * 1024;

impl GopherJob<'_> {
    /// Requests the form of an item, which ends the load with a question. An item without a form is loaded.
    async fn form(&mut self, url: &Gopher<'_>) -> Result<TransferEnd, Stop> {
        let mut source = self.send(url, ReplyContent::Attributes).await?;
        let (authority, limits) = (&source.authority, self.net.limits());
        let reply = gopher::read_whole(&mut source.stream, authority, limits, FORM).await?;
        let header = reply.header;
        if header.is_some_and(|header| header.outcome == Outcome::Refused) {
            return Err(refused(authority, &self.request.url, &refusal(&reply.data)).into());
        }
        if source.is_tls_alert(&reply.data) {
            return Err(speaks_tls(authority, &self.request.url).into());
        }
        let item_attributes = items(&reply.data).next();
        let server_form = item_attributes.and_then(|item| Some((item.block(b"ASK")?, item.info())));
        if let Some((block, info)) = server_form {
            return Err(Stop::Needs(Question::Form(ServerForm {
                title: info.map(|item| text(item.name.trim_ascii())),
                lines: block.lines().map(<[u8]>::to_vec).collect(),
                hints: Vec::new(),
                text: String::new(),
                kind: FormKind::Item,
            })));
        }
        let item_url = self.request.url.with_plus(b"+");
        let request = &Request {
            url: item_url.map_err(|error| Failure::new(error.to_string()))?,
            ..self.request.clone()
        };
        let Parts::Gopher(url) = request.url.base_parts() else {
            return Ok(TransferEnd::Confirmed);
        };
        let content = ReplyContent::of(url.item_type(), None);
        check_answers(request, &url, None, content)?;
        let (net, sink) = (self.net, &mut *self.sink);
        GopherJob::new(net, request, sink).plus(&url, content).await
    }
}

/// One request, and the sink of its parts.
struct GopherJob<'a> {
    net: &'a RequestNet,
    request: &'a Request,
    sink: &'a mut Sink,
    /// True once the server was asked whether it answers over TLS.
    is_tls_asked: bool,
}

/// Returns true for a search that has no words yet.
pub(crate) fn needs_search_words(url: &Gopher<'_>) -> bool {
    url.item_type() == b'7' && url.search.is_none()
}

impl<'a> GopherJob<'a> {
    /// Creates a job.
    fn new(net: &'a RequestNet, request: &'a Request, sink: &'a mut Sink) -> Self {
        Self {
            net,
            request,
            sink,
            is_tls_asked: false,
        }
    }

    /// Connects to the server of a URL, after checking that the request can be sent.
    async fn connect(
        &self,
        url: &Gopher<'_>,
        content: ReplyContent,
    ) -> Result<ReplyStream<'a>, Stop> {
        request(url)?;
        self.sink.phase(Phase::Connecting).await?;
        let (host, port) = (url.address.node(), url.address.port());
        let connected = server::connect(self.net, self.request, host, port).await?;
        self.sink.phase(Phase::Waiting).await?;
        let limits = self.net.limits();
        Ok(ReplyStream::new(
            connected,
            authority(host, port),
            content,
            limits,
        ))
    }

    /// Connects, sends the request line of a URL, and waits until the reply begins or the server has been silent for
    /// some seconds. When a silent server answers over TLS on a second connection, the failure says so.
    async fn send(
        &mut self,
        url: &Gopher<'_>,
        content: ReplyContent,
    ) -> Result<ReplyStream<'a>, Stop> {
        let line = request(url)?;
        let mut source = self.connect(url, content).await?;
        let limits = self.net.limits();
        write(&mut source.stream, &line, &source.authority, limits).await?;
        if server::is_silent(self.net, &source.stream).await {
            self.is_tls_asked = true;
            if server::waits_for_handshake(self.net, &source.stream, url).await {
                return Err(speaks_tls(&source.authority, &self.request.url).into());
            }
        }
        Ok(source)
    }

    /// Forwards a reply of plain Gopher; `start` is its beginning.
    async fn plain(
        &mut self,
        mut source: ReplyStream<'_>,
        start: Vec<u8>,
    ) -> Result<TransferEnd, Stop> {
        let is_search = self.is_search();
        let mut start = source.opening(start, is_search).await?;
        while is_web(self.request) && Format::may_follow(&start) {
            let octets = source.read().await?;
            if octets.is_empty() {
                break;
            }
            start.extend(octets);
        }
        if source.is_tls_alert(&start) {
            return Err(speaks_tls(&source.authority, &self.request.url).into());
        }
        if let Some(refusal) = refusal_of_plain_request(&start) {
            return Err(refused(&source.authority, &self.request.url, &refusal).into());
        }
        if !is_search && let Some(words) = error_words(&start) {
            return Err(missing(&source.authority, &words, source.end()).into());
        }
        if start.is_empty() {
            self.check_empty(&source).await?;
        }
        source.content = self.shown_content(source.content, &start);
        let page_head = source.begin();
        self.begin_page(source.content, page_head).await?;
        let mut body = GopherBody::plain(source.content, self.request.purpose);
        if self
            .request
            .chosen_charset()
            .is_some_and(Charset::precedes_lines)
        {
            body = body.without_lines();
        }
        if self.request.gopher.keeps_dots {
            body = body.with_dots();
        }
        let end = source.forward(body, start, self.sink).await?;
        Ok(source.dotted(end))
    }

    /// Checks a reply without any octet: a file may be empty, and nothing may be found. A menu has at least its final
    /// dot.
    async fn check_empty(&self, source: &ReplyStream<'_>) -> Result<(), Stop> {
        let (authority, url) = (&source.authority, &self.request.url);
        if server::is_expected(self.net, self.request).await {
            return Err(speaks_tls(authority, url).into());
        }
        let parts = url.base_parts();
        let is_found = matches!(parts, Parts::Gopher(gopher) if gopher.search.is_some());
        if source.content == ReplyContent::Menu && !is_found {
            return Err(Failure::empty(authority).into());
        }
        Ok(())
    }

    /// Returns true if the reply is the results of a search. A link check sends one without words, whose results are
    /// undefined.
    fn is_search(&self) -> bool {
        let parts = self.request.url.base_parts();
        matches!(parts, Parts::Gopher(gopher)
            if gopher.search.is_some() || needs_search_words(&gopher))
    }

    /// Begins a page of this content.
    async fn begin_page(&mut self, content: ReplyContent, page_head: PageHead) -> Result<(), Stop> {
        let kind = match content {
            ReplyContent::Binary => Some(Kind::Binary),
            ReplyContent::Picture => Some(Kind::Image),
            _ => None,
        };
        if let Some(kind) = kind.filter(|_| self.request.purpose == Purpose::Show) {
            let what = suffix::kind_words(kind);
            let question = save_question(self.request, what);
            return self.sink.begin_or(page_head, question);
        }
        self.sink.begin(page_head).await
    }

    /// Returns the content of a reply that begins with `start`: what its type declares, unless its octets are not
    /// lines.
    fn shown_content(&self, declared: ReplyContent, start: &[u8]) -> ReplyContent {
        let is_web = is_web(self.request);
        match declared {
            ReplyContent::Text | ReplyContent::Html
                if is_web && Format::detect(start).is_some() =>
            {
                ReplyContent::Picture
            }
            ReplyContent::Text | ReplyContent::Html if is_packed(start) => ReplyContent::Binary,
            // An item of the Web is HTML, whatever tag it begins with.
            ReplyContent::Text if is_web => ReplyContent::Html,
            declared => declared,
        }
    }
}

/// Returns true for a compressed file or an archive, but not for a mailbox, which is a text.
fn is_packed(start: &[u8]) -> bool {
    Packing::detect(start).is_some_and(|packing| packing != Packing::Mailbox)
}

/// Returns true if the request is for a page of the Web, to be shown.
fn is_web(request: &Request) -> bool {
    match request.url.base_parts() {
        Parts::Gopher(gopher) => gopher.item_type() == b'h' && request.purpose == Purpose::Show,
        _ => false,
    }
}
