//! Loads pages: the only part of the program that uses the network. A [`Request`] goes in, [`Part`]s of a page come
//! out.
//!
//! [`load`] reports the page's head ([`PageHead`]), forwards its octets as they arrive, and ends. It never waits for a
//! person: when it needs an answer it ends with [`Stop::Needs`], and is started again with the answer in the
//! [`Request`]. Dropping its future closes its socket; that is how a load is cancelled.
//!
//! A request goes to the URL's own server or a gateway, and then to its alternates: a Gopher menu may have `+` rows
//! below an item, each with another server for the same item (RFC 1436, section 3.8). Only a failure leads to the next
//! alternate: a question belongs to the server that asks it, and a page that has begun stays with its server. A
//! person's input for one server is not sent to another.
//!
//! Each protocol is one file in `load/`, Spartan and nex together: it runs a dialogue of `protocol/` over `Net` and
//! names the [`Shape`] of its octets.

mod archives;
mod cache_use;
pub mod check;
mod cookies;
mod failure;
mod file;
mod file_name;
mod finger;
mod form;
mod ftp;
mod gateway;
mod gemini;
mod gopher;
mod http;
mod kind;
mod line_ends;
mod news;
mod part;
mod permission;
mod privacy;
mod prospero;
mod question;
mod reason;
mod redirect;
mod request;
mod resume;
mod scheme;
mod sink;
mod small_page;
mod sniff;
mod telnet;
mod unpack;
mod version;
mod wais;
mod words;

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::{Net, RecordedEnd, TransferEnd, trace};
use geomys_wire::text::Text;
use rfc1738::{ExtensionScheme, Scheme, Url};

use self::archives::{ArchiveParts, SpooledArchive};
use self::request::holds_form;
use self::unpack::{PartialZip, UnpackPlan, Unpacking};
use geomys_page::document::{LinkForm, Shape};

pub use geomys_wire::protocol::nntp::ServerDate;
pub use geomys_wire::protocol::wais::RelevantDocument;

pub use self::archives::ArchiveStore;
pub use self::cache_use::{CacheUse, CachedInfo, NoRequestReason};
pub use self::cookies::CookieJar;
pub use self::failure::{
    AboutAddress, ErrorPage, Failure, FailureCause, FailureKind, NextReason, Stop, names_nothing,
    stays_here,
};
pub use self::file::{path as file_path, regular};
pub use self::file_name::{
    NameHints, ServerFileName, directory_name_of, file_name_of, gopher_view, names_directory,
    names_packed_file, server_file_name,
};
pub use self::form::{FormAnswers, FormKind, HiddenAnswers, PostedAnswers, ServerForm};
pub use self::ftp::{FtpSettings, LoginSecret, TlsUpgrade};
pub use self::gateway::{Gateways, speaks};
pub use self::gemini::upload_token;
pub use self::gopher::{GopherAttributes, HostRules, host_rules, parent_page, with_type};
pub use self::kind::{decompressed, is_compressed_page, is_stand_in, kind_of, may_store};
pub use self::news::{
    ArticleForId, ChangesQuery, EarlierPost, NewsHost, NewsServer, NewsSettings, OverviewFilter,
    OverviewGoal, OverviewQuery, PostError, PostOutcome, PostingGroup, PostingStatus, ReadArticles,
    announce_articles, news_host, post, posting_groups,
};
pub use self::part::{LoadId, PageHead, Part, Phase, UnpackedFile};
pub use self::privacy::{EXCLUDED, NO_STORE, PageStorage, Privacy, PrivateHosts};
pub use self::question::{
    LocalTarget, NoTlsReason, Question, QuestionWords, UnencryptedLogin, version_difference,
};
pub use self::reason::{Namer, Reason};
pub use self::redirect::MAX_REDIRECTS;
pub use self::request::{
    Caution, Consents, GopherItem, GopherRequest, IdentityChoice, IdentityScope, Login, NewsQuery,
    OversizePolicy, PICTURE_LIMIT, PlainLoginConsent, ProtocolSettings, Purpose, RedirectPolicy,
    RedirectRules, Request, SaveRequest, TelnetSettings,
};
pub use self::scheme::{
    cache_key, can_fetch_changes, line_limit, needs_search_words, request_preview,
};
pub use self::sink::{PartSender, Sink, collect};
pub use self::telnet::{TelnetInput, is_telnet, run_telnet};
pub use self::unpack::MAX_UNASKED_BYTES;
pub use self::version::{KnownCopy, ResumeRequest, Version};
pub use self::wais::similar_documents;
pub use geomys_page::archive::level_above;

/// Returns a sentence that names the redirects that led to a page.
pub fn redirected(from: &[Url]) -> String {
    let from: Vec<_> = from.iter().map(Url::masked).collect();
    format!("redirected from {}", from.join(", and from "))
}

/// Runs a request. The last part is always [`Part::End`], unless this future is dropped or the receiver is closed.
///
/// ```
/// use geomys_load::{LoadId, Part, Reason, Request, Sink, load};
/// use geomys_wire::net::{Limits, Net};
/// use rfc1738::Url;
///
/// # block_on(async {
/// let url = Url::parse("gopher://127.0.0.1:1/").unwrap();
/// let (parts, mut received) = tokio::sync::mpsc::channel(16);
/// let net = Net::new(Limits::default());
/// load(&net, Request::show(url, Reason::Typed), Sink::new(LoadId(1), parts)).await;
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
pub fn load(net: &Net, request: Request, sink: Sink) -> BoxFuture<'_, ()> {
    run_request(net, request, sink).boxed()
}

async fn run_request(net: &Net, mut request: Request, mut sink: Sink) {
    let plan = UnpackPlan::of(&request, net.limits());
    if request.url.fragment().is_some() {
        // What is known of a member says nothing about its archive.
        (request.save.resume, request.save.listed) = (None, None);
    }
    // No server, proxy or gateway gets a fragment.
    let member = request.url.fragment().map(|_| request.url.clone());
    request.url = request.url.without_fragment();
    let start = Instant::now();
    trace::note("", format_args!("load {}", request.url.masked()));
    sink.takes_holes = request.save.takes_holes;
    if request.purpose == Purpose::Show {
        let limits = net.limits();
        match request.limit {
            Some(limit) => sink.set_limit(limit, limit),
            None => sink.set_limit(limits.page, limits.list),
        }
    }
    if request.purpose == Purpose::Picture {
        let limit = PICTURE_LIMIT.min(net.limits().page);
        sink.set_limit(limit, limit);
        sink.file_shape = Shape::Picture;
    }
    let end = follow_links(net, &request, member.as_ref(), (plan, &mut sink)).await;
    let end = end.map_err(|stop| match stop {
        Stop::Failed(failure) => Stop::Failed(failure.with_hint(&request.url)),
        stop => stop,
    });
    if let Some(recording) = net.recording() {
        recording.end(recorded_end(&end));
    }
    let (url, time) = (request.url.masked(), start.elapsed().as_millis());
    match &end {
        Ok(end) => {
            let note = end.note().map_or(String::new(), |note| format!(": {note}"));
            trace::note("", format_args!("loaded {url} in {time} ms{note}"));
        }
        Err(stop) => {
            let why = Text::of(&stop.sentence());
            trace::note("", format_args!("{url} ended after {time} ms: {why}"));
        }
    }
    // An error means that the receiver is closed, so there is nothing to report.
    let _ = sink.put(Part::End(end)).await;
}

/// Carries a request out, once more for each link from one member of an archive to another.
async fn follow_links(
    net: &Net,
    request: &Request,
    member: Option<&Url>,
    (mut plan, sink): (Option<UnpackPlan>, &mut Sink),
) -> Result<TransferEnd, Stop> {
    for _ in 0..MAX_LINKS {
        let spooled = stored_spool(request).zip(plan.clone());
        if let Some((archive, plan_of_member)) = spooled {
            let end = sink.open_spooled(&archive, plan_of_member).await;
            match sink.linked.take() {
                Some(target) => plan = plan.map(|plan| plan.with_target(target)),
                None => return end,
            }
            continue;
        }
        let partial =
            stored_parts(request, member).filter(|_| plan.is_some() && request.posted().is_none());
        if let (Some(parts), Some(plan)) = (partial, plan.clone()) {
            sink.partial = Some(Box::new(PartialZip { plan, parts }));
        }
        if let Some(zip) = sink.partial.take() {
            match zip.open(net, request, sink).await {
                Some(end) => match sink.linked.take() {
                    Some(target) => plan = plan.map(|plan| plan.with_target(target)),
                    None => return end,
                },
                // The server sends no parts.
                None => plan = plan.map(UnpackPlan::without_parts),
            }
            continue;
        }
        let stored = stored_archive(request, member);
        if let Some(plan) = plan.clone() {
            sink.unpacking = Unpacking::Planned(plan.storing(stored.is_none()));
        }
        let end = if let FormAnswers::Fill(form) = &request.answers {
            Err(form_question(request, form))
        } else if let Some((head, octets)) = stored {
            send_archive(head, octets, sink).await
        } else {
            // The states of all protocols are large.
            Box::pin(try_servers(net, request, sink)).await
        };
        let end = sink.finish(end).await;
        if sink.partial.is_some() {
            continue;
        }
        match sink.linked.take() {
            Some(target) => plan = plan.map(|plan| plan.with_target(target)),
            None => return end,
        }
    }
    Err(Failure::new("the links in the archive go in a circle").into())
}

/// Returns the end of a load for its record.
fn recorded_end(end: &Result<TransferEnd, Stop>) -> RecordedEnd {
    match end {
        Err(Stop::Truncated(_)) => RecordedEnd::Limit,
        Err(Stop::Failed(failure)) if failure.kind == FailureKind::Transient => RecordedEnd::Failed,
        Ok(_) | Err(Stop::Failed(_) | Stop::Needs(_) | Stop::Closed) => RecordedEnd::Answered,
    }
}

/// The most links from one member of an archive to another.
const MAX_LINKS: usize = 16;

/// Returns the archive of a request that saves a member, if it was unpacked whole.
fn stored_spool(request: &Request) -> Option<Arc<SpooledArchive>> {
    let is_saved = request.purpose == Purpose::Save;
    is_saved.then(|| request.settings.archives.spooled(&request.url))?
}

/// Returns the stored archive of a member that is opened, not reloaded.
fn stored_archive(request: &Request, member: Option<&Url>) -> Option<(PageHead, Vec<u8>)> {
    let is_reload =
        request.purpose == Purpose::Show && request.cache_use == CacheUse::IfUnreachable;
    member.filter(|_| !is_reload)?;
    request.settings.archives.get(&request.url)
}

/// Returns the known parts of the archive of a member that is opened, not reloaded.
fn stored_parts(request: &Request, member: Option<&Url>) -> Option<ArchiveParts> {
    let is_reload =
        request.purpose == Purpose::Show && request.cache_use == CacheUse::IfUnreachable;
    let parts = request.settings.archives.take_parts(&request.url)?;
    member.filter(|_| !is_reload)?;
    Some(parts)
}

/// Passes a stored archive to its reader.
async fn send_archive(
    head: PageHead,
    octets: Vec<u8>,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    sink.begin(head).await?;
    sink.octets(octets).await?;
    Ok(TransferEnd::Confirmed)
}

/// Returns the question with the form of a link.
fn form_question(request: &Request, form: &LinkForm) -> Stop {
    let form = match form {
        LinkForm::Web(form) => ServerForm::web(form),
        LinkForm::Input => ServerForm::upload(&request.url, &[]),
    };
    match request.purpose {
        Purpose::Show => Stop::Needs(Question::Form(form)),
        Purpose::Save | Purpose::Picture | Purpose::Check => {
            Failure::new("this is a form, not a file").into()
        }
    }
}

/// Runs a request, without its alternates.
async fn fetch(net: &Net, request: &Request, sink: &mut Sink) -> Result<TransferEnd, Stop> {
    // Before the host is in ASCII, where its letters cannot be seen.
    request.allowed()?;
    let request = &*request.with_ascii_host()?;
    if let Some(target) = request.by_gateway()? {
        return Box::pin(by_gateway(net, request, &target, sink)).await;
    }
    scheme::load(&request.network(net), request, sink).await
}

/// Sends a request for a gateway, in place of the `request` for the URL's own server.
async fn by_gateway(
    net: &Net,
    request: &Request,
    target: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    request.check_gateway_target(net).await?;
    // Both URLs are checked: neither may hold what is never sent, and each may have hazards.
    target.allowed()?;
    let net = &target.network(net);
    sink.page_source.by_gateway(&request.url, &target.url);
    scheme::load(net, target, sink).await
}

/// Runs a request at its own server, else at the first alternate that works.
async fn try_servers(net: &Net, request: &Request, sink: &mut Sink) -> Result<TransferEnd, Stop> {
    let mut failed = match fetch(net, request, sink).await {
        Err(Stop::Failed(failure)) => failure,
        end => return end,
    };
    let mut tried = 0_usize;
    // Answers to a form are for one server only.
    if request.sends_answers() {
        return Err(failed.into());
    }
    let alternates = request.gopher.alternates.iter();
    for alternate in alternates.filter(|alternate| is_usable(request, alternate)) {
        if sink.page_source.has_begun() {
            break;
        }
        sink.phase(Phase::Alternate).await?;
        sink.page_source.by_alternate(alternate, &failed.sentence);
        // Logins, answers and trust belong to the original server.
        let request = Request {
            purpose: request.purpose,
            settings: request.settings.clone(),
            limit: request.limit,
            ..Request::show(alternate.clone(), request.reason.clone())
        };
        match fetch(net, &request, sink).await {
            Err(Stop::Failed(_) | Stop::Needs(Question::LocalAddress(_)))
                if !sink.page_source.has_begun() =>
            {
                tried += 1;
            }
            end => return end,
        }
    }
    failed.sentence = match tried {
        0 => failed.sentence,
        1 => format!("{}; its mirror failed too", failed.sentence),
        many => format!("{}; its {many} mirrors failed too", failed.sentence),
    };
    Err(failed.into())
}

/// Returns true if an alternate may be tried. No question is asked about an alternate, so it is skipped if it has
/// hazards, would receive a form, is less secure than the original server, or is a local file.
fn is_usable(request: &Request, alternate: &Url) -> bool {
    let mut hazards = alternate.hazards().into_iter();
    let is_unsafe = hazards.any(|hazard| hazard.needs_confirmation() || hazard.is_forbidden());
    let is_less_safe = request.url.extension_scheme() == Some(ExtensionScheme::Gophers)
        && alternate.extension_scheme() != Some(ExtensionScheme::Gophers);
    let is_local = alternate.scheme() == Scheme::File;
    !is_unsafe && !holds_form(alternate) && !is_less_safe && !is_local
}
