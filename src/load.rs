//! The only door to the network: a request goes in, parts of a page come out.
//!
//! [`load`] says what the page is ([`Begin`]), hands on its octets as they arrive, and ends. It never waits for a
//! person: when it needs a word from one it ends with [`Stop::Needs`], and is started again with the answer in the
//! [`Request`]. Dropping its future closes its socket; that is how a load is stopped.
//!
//! A protocol is one file in `load/`: it carries a dialogue of `protocol/` out over `Net` and names the [`Shape`] that
//! its octets have.

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

pub use self::cacheable::{Kept, UseKept, has_changes, kept_as};
pub use self::failure::FailureKind;
pub(crate) use self::file::regular;
pub use self::form::{Answers, Asked, FormOf, Hidden};
pub use self::ftp::{FtpWays, Secret, Upgrade};
pub use self::gateway::Gateways;
pub use self::gopher::Directory;
pub(crate) use self::gopher::{is_same_place, with_type};
pub use self::news::{
    Listed, NewsHost, NewsServer, NewsWays, NotSent, Posting, Sent, Since, listed, news_host, post,
};
use self::protocol_parts::protocol_parts;
pub use self::protocol_parts::speaks;
pub use self::question::{NoTls, Question, Unencrypted, difference, sentences};
pub use self::request::{Caution, GopherItem, Login, PlainLogin, Purpose, Request};
pub use self::resume::{Resume, Version};
pub use self::rules::{HostRules, above, rules};
pub use self::sink::Sink;
pub use self::telnet::{Typed, hold, is_session};
use crate::document::{Link, Remark, Shape};
use crate::net::{Net, NetError, Security, TlsError};
pub use crate::protocol::nntp::ServerDate;
use crate::text::{Charset, Text};
use crate::url::{Parts, Url};

/// What a load reports, in this order: phases, one beginning, octets and remarks, the end.
#[derive(Debug)]
pub enum Part {
    /// What it is busy with.
    Phase(Phase),
    /// The answer has begun.
    Begin(Begin),
    /// A terminal session has begun: what follows as octets is for a terminal.
    Session(Security),
    /// Octets of the content, as they came.
    Octets(Vec<u8>),
    /// Something beside the content: above a listing.
    Remark(Remark),
    /// How far the clock by which a server writes its listings is ahead of UTC, in minutes; negative when it is behind.
    /// It comes after a listing whose form has no zone, when the load could find it out.
    Clock(i32),
    /// Nothing more comes: all of it did, or this is why not.
    End(Result<(), Stop>),
}

/// What a load is busy with before its answer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Looking up the name and connecting.
    Connecting,
    /// Logging in, changing directories.
    Asking,
    /// The request is out.
    Waiting,
    /// The place that was asked has failed: a mirror of it is tried.
    Mirror,
}

/// What is known of a page when its answer begins.
#[derive(Clone, Debug)]
pub struct Begin {
    /// What its octets are.
    pub shape: Shape,
    /// Where it was found, when that is not where it was looked for.
    pub url: Option<Url>,
    /// A title, when the server gave one.
    pub title: Option<Text>,
    /// How many octets it has in all, when that is known.
    pub size: Option<u64>,
    /// Which of them comes first: what [`Request::resume`] asked for, or 0 where the server begins anew.
    pub offset: u64,
    /// What the server says of the file.
    pub version: Version,
    /// Where it was looked for, one after the other, before a redirection led to [`Begin::url`].
    pub from: Vec<Url>,
    /// The charset that it is in, as the server says.
    pub charset: Option<Charset>,
    /// Why the place that was asked did not answer, when a mirror of it did.
    pub instead: Option<String>,
    /// The attributes of every item of [`Request::directory`], when they were asked for and are of use.
    pub directory: Option<Directory>,
    /// What the server itself calls a directory (PWD), whatever way led to it; nothing where it does not say, and for
    /// everything else.
    pub real: Option<Vec<u8>>,
    /// How safe the connection is that they come over.
    pub security: Security,
    /// The highest number of a news group, when the server said.
    pub highest: Option<u64>,
    /// What the clock of a news server showed when its list of groups was asked for: what has changed since then can be
    /// asked for by [`Request::since`].
    pub asked_at: Option<ServerDate>,
    /// It is what was kept of an earlier load, and no server was asked.
    pub kept: Option<Kept>,
}

impl Begin {
    /// An answer of this shape, and nothing else known.
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
            instead: None,
            directory: None,
            real: None,
            security: Security::Plain,
            highest: None,
            asked_at: None,
            kept: None,
        }
    }
}

/// What led to a page, in a sentence.
pub fn redirected(from: &[Url]) -> String {
    let from: Vec<_> = from.iter().map(Url::masked).collect();
    format!("redirected from {}", from.join(", and from "))
}

/// Why a load ended before its content did.
#[derive(Debug)]
pub enum Stop {
    /// It failed.
    Failed(Failure),
    /// It needs an answer from a person.
    Needs(Question),
    /// A page has a cap, in octets; what came is good.
    Cut(u64),
    /// Nobody listens any more.
    Closed,
}

/// A failure, as a page shows it: what failed and where, the server's own words, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One sentence, lower case, without a full stop.
    pub sentence: String,
    /// Whether the same may do better another time.
    pub kind: FailureKind,
    /// What the server said, line by line.
    pub said: Vec<Text>,
    /// What is known of the address itself, line by line.
    pub about: Box<[Text]>,
    /// What may help, one sentence.
    pub advice: Option<&'static str>,
    /// Whom the server names as the one to tell.
    pub admin: Option<Text>,
    /// Where to go instead: an item that has moved.
    pub next: Option<Box<Link>>,
}

impl Failure {
    /// A failure that the server did not comment on, and that lasts.
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
            TlsError::Doubt(doubt) => Self::Needs(Question::Certificate(doubt)),
        }
    }
}

/// Tells the parts of one load from those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoadId(pub u64);

/// Carries a request out; the last part is always [`Part::End`], unless this future is dropped or nobody listens.
pub async fn load(net: &Net, request: Request, mut sink: Sink) {
    if request.purpose == Purpose::Show {
        let limits = net.limits();
        match request.limit {
            Some(limit) => sink.set_limit(limit, limit),
            None => sink.set_limit(limits.page, limits.list),
        }
    }
    let end = mirror::fetch(net, &request, &mut sink).await;
    // Nobody is left to tell when this fails.
    let _ = sink.put(Part::End(end)).await;
}

/// Whether anybody may be asked at all: nothing that is never sent is in it, and a person knows what is unwise about it.
fn allowed(request: &Request) -> Result<(), Stop> {
    // A letter has lines, and none of them goes to a server.
    let is_letter = matches!(request.url.parts(), Parts::Mailto(_));
    if let Some(forbids) = request.url.forbidden().filter(|_| !is_letter) {
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
    if request.gateways.takes(&request.url) {
        return Box::pin(by_another(net, request, sink)).await;
    }
    speak(net, request, sink).await
}

/// Asks a gateway or a proxy.
async fn by_another(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    let Some(asked) = request.by_gateway()? else {
        return http::load(net, request, sink).await;
    };
    // What is never sent is in none of the two, and each may be unwise.
    allowed(&asked)?;
    sink.answering.by_gateway(&request.url, &asked.url);
    speak(net, &asked, sink).await
}

/// Asks whom a request is for, by the protocol of its URL.
async fn speak(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    match protocol_parts(&request.url) {
        Parts::Gopher(gopher) => gopher::load(net, request, gopher, sink).await,
        // Their state is large, and is not to be part of that of every load.
        Parts::News(news) => Box::pin(news::news(net, request, news, sink)).await,
        Parts::Nntp(nntp) => Box::pin(news::nntp(net, request, nntp, sink)).await,
        Parts::Ftp(ftp) => Box::pin(ftp::load(net, request, ftp, sink)).await,
        Parts::File(file) => Box::pin(file::load(net, request, file, sink)).await,
        Parts::Other(other) if finger::speaks(&request.url) => {
            finger::load(net, request, other, sink).await
        }
        Parts::Telnet(telnet) => Err(telnet::no_page(&telnet)),
        Parts::Wais(wais) => Box::pin(wais::load(net, request, wais, sink)).await,
        Parts::Mailto(mailto) => mailto::load(mailto, sink).await,
        Parts::Http(_) => Box::pin(http::load(net, request, sink)).await,
        Parts::Prospero(prospero) => Box::pin(prospero::load(net, request, prospero, sink)).await,
        Parts::Other(_) => Err(unspoken(&request.url)),
    }
}

/// Whether a request is for a search that has no words yet: its load would end with [`Question::Search`].
pub fn wants_words(request: &Request) -> bool {
    allowed(request).is_ok()
        && !request.gateways.takes(&request.url)
        && match protocol_parts(&request.url) {
            Parts::Gopher(gopher) => gopher::wants_words(&gopher),
            Parts::Wais(wais) => wais::wants_words(&wais),
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

/// What a load of `url` would send, line by line, as far as it is known before the server has spoken.
pub fn sends(url: &Url) -> Option<String> {
    match protocol_parts(url) {
        Parts::Gopher(gopher) => gopher::sends(&gopher),
        Parts::News(news) => Some(news::sends_news(&news)?.escape_ascii().to_string()),
        Parts::Nntp(nntp) => Some(news::sends_nntp(&nntp).escape_ascii().to_string()),
        Parts::Ftp(ftp) => ftp::sends(&ftp),
        Parts::Other(other) if finger::speaks(url) => {
            Some(finger::sends(&other)?.escape_ascii().to_string())
        }
        Parts::Http(http) => Some(http::sends(&http).escape_ascii().to_string()),
        Parts::Mailto(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => None,
    }
}

fn unspoken(url: &Url) -> Stop {
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
