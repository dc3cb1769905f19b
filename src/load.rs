//! Loads pages: the only part of the program that uses the network. A [`Request`] goes in, [`Part`]s of a page come
//! out.
//!
//! [`load`] reports the page's head ([`PageHead`]), forwards its octets as they arrive, and ends. It never waits for a
//! person: when it needs an answer it ends with [`Stop::Needs`], and is started again with the answer in the
//! [`Request`]. Dropping its future closes its socket; that is how a load is cancelled.
//!
//! Each protocol is one file in `load/`: it runs a dialogue of `protocol/` over `Net` and names the [`Shape`] of its
//! octets.

mod answer;
mod cacheable;
pub mod check;
mod day;
mod failure;
mod file;
mod finger;
mod form;
mod ftp;
mod gateway;
mod gopher;
mod http;
mod mailto;
mod mirror;
mod news;
mod prospero;
mod protocol_parts;
mod question;
mod request;
mod resume;
mod rules;
mod sink;
mod sniff;
mod telnet;
mod wais;

pub use self::cacheable::{CacheUse, CachedInfo, cache_key, can_fetch_changes};
pub use self::failure::FailureKind;
pub(crate) use self::file::regular;
pub use self::form::{FormAnswers, FormKind, HiddenAnswers, ServerForm};
pub use self::ftp::{FtpSettings, LoginSecret, TlsUpgrade};
pub use self::gateway::Gateways;
pub use self::gopher::GopherAttributes;
pub(crate) use self::gopher::{is_same_server, with_type};
pub use self::news::{
    ChangesQuery, NewsHost, NewsServer, NewsSettings, PostError, PostOutcome, PostingGroup,
    PostingStatus, news_host, post, posting_groups,
};
use self::protocol_parts::protocol_parts;
pub use self::protocol_parts::speaks;
pub use self::question::{
    NoTlsReason, Question, UnencryptedLogin, hazard_sentences, version_difference,
};
pub use self::request::{Caution, GopherItem, Login, PlainLoginConsent, Purpose, Request};
pub use self::resume::{ResumeRequest, Version};
pub use self::rules::{HostRules, host_rules, parent_page};
pub use self::sink::Sink;
pub use self::telnet::{SessionInput, is_session, run_session};
use crate::document::{Link, Remark, Shape};
use crate::net::{Net, NetError, Security, TlsError};
pub use crate::protocol::nntp::ServerDate;
use crate::text::{Charset, Text};
use crate::url::{Parts, Url};

/// One report of a load. They come in this order: phases, one head, octets and remarks, the end.
#[derive(Debug)]
pub enum Part {
    /// The current phase, before the answer begins.
    Phase(Phase),
    /// The answer has begun.
    Head(PageHead),
    /// A terminal session has begun: what follows as octets is for a terminal.
    Session(Security),
    /// Octets of the content, as they came.
    Octets(Vec<u8>),
    /// A text beside the content, shown above a listing.
    Remark(Remark),
    /// The offset of the server's listing clock from UTC, in minutes; negative when it is behind. It comes after a
    /// listing whose format has no time zone, when the load could find it out.
    Clock(i32),
    /// The end of the load: success, or the reason why it stopped.
    End(Result<(), Stop>),
}

/// The phase of a load before its answer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Resolving the name and connecting.
    Connecting,
    /// Logging in, changing directories.
    Negotiating,
    /// Waiting for the answer: the request has been sent.
    Waiting,
    /// Trying a mirror, because the server has failed.
    Mirror,
}

/// The head of a page: its type and metadata, sent before its octets.
#[derive(Clone, Debug)]
pub struct PageHead {
    /// The type of the octets.
    pub shape: Shape,
    /// The URL of the page, when it differs from the requested one.
    pub url: Option<Url>,
    /// The title, when the server gave one.
    pub title: Option<Text>,
    /// The total size in octets, when known.
    pub size: Option<u64>,
    /// The offset of the first octet: the one of [`Request::resume`], or 0 when the server starts from the beginning.
    pub offset: u64,
    /// The version of the file, as the server reports it.
    pub version: Version,
    /// The redirect chain: the URLs that led to [`PageHead::url`], in order.
    pub from: Vec<Url>,
    /// The charset that the server declares.
    pub charset: Option<Charset>,
    /// The error of the original server, when a mirror answered instead.
    pub mirror_reason: Option<String>,
    /// The attributes of all items of [`Request::directory`], when they were requested and are usable.
    pub directory: Option<GopherAttributes>,
    /// The directory's path as the server reports it (PWD), independent of the path that led to it. None when the
    /// server does not say, and for everything that is not a directory.
    pub real: Option<Vec<u8>>,
    /// The security of the connection.
    pub security: Security,
    /// The highest article number of a news group, when the server said so.
    pub highest: Option<u64>,
    /// The time of a news server's clock when its list of groups was requested. [`Request::since`] uses it to request
    /// what has changed since then.
    pub list_date: Option<ServerDate>,
    /// The origin of a cached page; None when the page comes from its server.
    pub cached: Option<CachedInfo>,
}

impl PageHead {
    /// Creates a head with this shape and no other metadata.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            url: None,
            title: None,
            size: None,
            offset: 0,
            version: Version::default(),
            from: Vec::new(),
            charset: None,
            mirror_reason: None,
            directory: None,
            real: None,
            security: Security::Plain,
            highest: None,
            list_date: None,
            cached: None,
        }
    }
}

/// Returns a sentence that names the redirects that led to a page.
pub fn redirected(from: &[Url]) -> String {
    let from: Vec<_> = from.iter().map(Url::masked).collect();
    format!("redirected from {}", from.join(", and from "))
}

/// The reason why a load ended before its content was complete.
#[derive(Debug)]
pub enum Stop {
    /// The load failed.
    Failed(Failure),
    /// The load needs an answer from a person.
    Needs(Question),
    /// The page reached this size limit, in octets; what came is valid.
    Truncated(u64),
    /// The receiver of the parts was dropped.
    Closed,
}

/// A failure, as a page shows it: what failed and where, the server's own words, and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One sentence, lower case, without a full stop.
    pub sentence: String,
    /// The kind of failure, which says if a retry makes sense.
    pub kind: FailureKind,
    /// The server's words, line by line.
    pub said: Vec<Text>,
    /// Details of the address itself, line by line.
    pub about: Box<[Text]>,
    /// Advice, as one sentence.
    pub advice: Option<&'static str>,
    /// The contact for reports, as the server names it.
    pub admin: Option<Text>,
    /// The link to follow instead, when the item has moved.
    pub next: Option<Box<Link>>,
}

impl Failure {
    /// Creates a permanent failure without any words of the server.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self {
            sentence: sentence.into(),
            kind: FailureKind::default(),
            said: Vec::new(),
            about: Box::default(),
            advice: None,
            admin: None,
            next: None,
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<NetError> for Stop {
    fn from(error: NetError) -> Self {
        Self::Failed(Failure {
            kind: FailureKind::of(&error),
            advice: error.advice(),
            ..Failure::new(Text::of(&error.to_string()).to_string())
        })
    }
}

impl From<TlsError> for Stop {
    fn from(error: TlsError) -> Self {
        match error {
            TlsError::Net(error) => error.into(),
            TlsError::UntrustedCertificate(cert_error) => {
                Self::Needs(Question::Certificate(cert_error))
            }
        }
    }
}

/// The id of a load, which its parts carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoadId(pub u64);

/// Runs a request. The last part is always [`Part::End`], unless this future is dropped or the receiver is closed.
///
/// ```
/// use geomys::load::{LoadId, Part, Request, Sink, load};
/// use geomys::net::{Limits, Net};
/// use geomys::url::Url;
///
/// # block_on(async {
/// let url = Url::parse("gopher://127.0.0.1:1/").unwrap();
/// let (parts, mut received) = tokio::sync::mpsc::channel(16);
/// let net = Net::new(Limits::default());
/// load(&net, Request::show(url), Sink::new(LoadId(1), parts)).await;
/// while let Some((_, part)) = received.recv().await {
///     if let Part::End(end) = part {
///         assert!(end.is_err()); // nothing listens there
///     }
/// }
/// # });
/// # fn block_on(future: impl Future<Output = ()>) {
/// #     tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future);
/// # }
/// ```
pub async fn load(net: &Net, request: Request, mut sink: Sink) {
    if request.purpose == Purpose::Show {
        let limits = net.limits();
        match request.limit {
            Some(limit) => sink.set_limit(limit, limit),
            None => sink.set_limit(limits.page, limits.list),
        }
    }
    let end = mirror::fetch(net, &request, &mut sink).await;
    // An error means that the receiver is closed, so there is nothing to report.
    let _ = sink.put(Part::End(end)).await;
}

/// Checks that the URL may be sent: it holds nothing that is never sent, and its hazards were confirmed by the user.
fn allowed(request: &Request) -> Result<(), Stop> {
    // A mail has lines, and none of them goes to a server.
    let is_letter = matches!(request.url.parts(), Parts::Mailto(_));
    if let Some(forbids) = request.url.forbidden_hazard().filter(|_| !is_letter) {
        return Err(Stop::Failed(Failure {
            advice: Some(
                "such an address may smuggle a second command or argument into the request; Geomys never sends it",
            ),
            ..Failure::new(format!(
                "not sent, as the address holds {}",
                forbids.sentence()
            ))
        }));
    }
    let hazards_to_confirm = request.hazards_to_confirm();
    if !hazards_to_confirm.is_empty() {
        return Err(Stop::Needs(Question::Hazards(hazards_to_confirm)));
    }
    Ok(())
}

async fn fetch(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    allowed(request)?;
    if request.gateways.uses_gateway(&request.url) {
        return Box::pin(load_by_gateway(net, request, sink)).await;
    }
    load_direct(net, request, sink).await
}

/// Sends the request to a gateway or a proxy.
async fn load_by_gateway(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    let Some(target) = request.by_gateway()? else {
        return http::load(net, request, sink).await;
    };
    // Both URLs are checked: neither may hold what is never sent, and each may have hazards.
    allowed(&target)?;
    sink.page_source.by_gateway(&request.url, &target.url);
    load_direct(net, &target, sink).await
}

/// Loads the request by the protocol of its URL.
async fn load_direct(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    match protocol_parts(&request.url) {
        Parts::Gopher(gopher) => gopher::load(net, request, gopher, sink).await,
        // Boxed: their state is large and would otherwise be part of every load.
        Parts::News(news) => Box::pin(news::news(net, request, news, sink)).await,
        Parts::Nntp(nntp) => Box::pin(news::nntp(net, request, nntp, sink)).await,
        Parts::Ftp(ftp) => Box::pin(ftp::load(net, request, ftp, sink)).await,
        Parts::File(file) => Box::pin(file::load(net, request, file, sink)).await,
        Parts::Other(other) if finger::speaks(&request.url) => {
            finger::load(net, request, other, sink).await
        }
        Parts::Telnet(telnet) => Err(telnet::session_failure(&telnet)),
        Parts::Wais(wais) => Box::pin(wais::load(net, request, wais, sink)).await,
        Parts::Mailto(mailto) => mailto::load(mailto, sink).await,
        Parts::Http(_) => Box::pin(http::load(net, request, sink)).await,
        Parts::Prospero(prospero) => Box::pin(prospero::load(net, request, prospero, sink)).await,
        Parts::Other(_) => Err(unsupported(&request.url)),
    }
}

/// Returns true for a search that has no words yet: its load would end with [`Question::Search`].
pub fn needs_search_words(request: &Request) -> bool {
    allowed(request).is_ok()
        && !request.gateways.uses_gateway(&request.url)
        && match protocol_parts(&request.url) {
            Parts::Gopher(gopher) => gopher::needs_search_words(&gopher),
            Parts::Wais(wais) => wais::needs_search_words(&wais),
            Parts::Ftp(_)
            | Parts::Http(_)
            | Parts::Mailto(_)
            | Parts::News(_)
            | Parts::Nntp(_)
            | Parts::Telnet(_)
            | Parts::File(_)
            | Parts::Prospero(_)
            | Parts::Other(_) => false,
        }
}

/// Returns the lines that a load of `url` would send, as far as they are known before the server has answered.
pub fn request_preview(url: &Url) -> Option<String> {
    match protocol_parts(url) {
        Parts::Gopher(gopher) => gopher::request_preview(&gopher),
        Parts::News(news) => Some(news::news_preview(&news)?.escape_ascii().to_string()),
        Parts::Nntp(nntp) => Some(news::nntp_preview(&nntp).escape_ascii().to_string()),
        Parts::Ftp(ftp) => ftp::request_preview(&ftp),
        Parts::Other(other) if finger::speaks(url) => {
            Some(finger::request_preview(&other)?.escape_ascii().to_string())
        }
        Parts::Http(http) => Some(http::request_preview(&http).escape_ascii().to_string()),
        Parts::Mailto(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => None,
    }
}

fn unsupported(url: &Url) -> Stop {
    let scheme = Text::of(&url.scheme_name().to_ascii_lowercase());
    let parts = url.explanation();
    let width = parts.iter().map(|(label, _)| label.len()).max();
    let width = width.unwrap_or_default();
    let parts = parts.into_iter();
    let about = parts.map(|(label, value)| Text::of(&format!("{label:width$}  {value}")));
    Stop::Failed(Failure {
        about: about.collect(),
        advice: Some(
            "a gateway that is asked for such addresses is set under [gateways] in settings.toml, a program for them \
             under [open]; or copy the address for a program that speaks it",
        ),
        ..Failure::new(format!(
            "Geomys does not speak {scheme}, and no gateway is set for it, so nobody was asked"
        ))
    })
}
