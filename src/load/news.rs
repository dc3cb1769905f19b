//! Loading news: `news:` from the configured server, `nntp:` from the server in the URL.
//!
//! The octets of a page are: for a list of groups, the lines of LIST ACTIVE (or COUNTS), a line with a dot, the lines
//! of LIST NEWSGROUPS, and for the changes since then the same again, each after a dot; for a group, the lines of its
//! overview, the newest first; for an article, the article. Overviews are requested in windows from the highest number
//! down, so that a group of any size opens at once. `nntps:` and `snews:` are the same over TLS.

mod changes;
mod connect;
mod error;
mod overview;
mod post;
mod request_preview;
mod settings;
mod target;

pub use self::changes::ChangesQuery;
pub use self::connect::news_host;
pub(super) use self::connect::server;
use self::connect::{NewsDialogue, NewsEndpoint, connect};
use self::error::stop;
use self::overview::overview;
pub use self::post::{PostError, PostOutcome, PostingGroup, PostingStatus, post, posting_groups};
pub(super) use self::request_preview::{news_preview, nntp_preview};
pub use self::settings::{NewsHost, NewsServer, NewsSettings};
use self::target::{NewsTarget, RequestExtent, bare, news_target, nntp_target, url_name};
use super::protocol_parts::protocol_parts;
use super::{Failure, PageHead, PlainLoginConsent, Question, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Net, Security};
use crate::protocol::nntp::{ArticleId, List, NntpError, ServerDate, WaterMarks, message_id};
use crate::text::{Charset, Text};
use crate::url::{GroupPart, News, Nntp, Parts, Url};

/// The first response of the server.
#[derive(Clone, Copy, Debug)]
enum FirstResponse {
    /// The target exists, and nothing else was requested.
    Exists,
    /// A block follows.
    Block(Shape),
    /// A list of groups follows; with the server's time before it, if that is useful and the server reported it.
    Groups(Option<ServerDate>),
    /// A group was selected.
    Group(WaterMarks),
}

/// Loads a `news:` URL.
pub(super) async fn news(
    net: &Net,
    request: &Request,
    url: News<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let url_name = url_name(&url);
    let target = news_target(request, &url, &url_name)?;
    let server = endpoint(request)?;
    if let NewsTarget::MessageId(id) = target {
        // An id that may not be sent is an error for all servers.
        message_id(id).map_err(|error| stop(error, &server, target))?;
    }
    match (
        load(net, request, &server, target, None, sink).await,
        target,
    ) {
        // An article is the same on all servers: another one may have it.
        (Err(Stop::Failed(failed)), NewsTarget::MessageId(_)) if !sink.page_source.has_begun() => {
            try_other_servers(net, request, &server, target, failed, sink).await
        }
        (end, _) => end,
    }
}

/// Returns the server of a request.
fn endpoint(request: &Request) -> Result<NewsEndpoint, Stop> {
    let Some(host) = server(request) else {
        return Err(Stop::Needs(Question::NewsServer));
    };
    Ok(NewsEndpoint::new(request, host))
}

/// Checks that the target of a `news:` URL exists; nothing is fetched.
pub(super) async fn exists(net: &Net, request: &Request, url: &News<'_>) -> Result<(), Stop> {
    let url_name = url_name(url);
    check_exists(net, request, news_target(request, url, &url_name)?).await
}

/// Checks that the target of an `nntp:` URL exists.
pub(super) async fn exists_by_number(
    net: &Net,
    request: &Request,
    url: &Nntp<'_>,
) -> Result<(), Stop> {
    let group = url.group.octets();
    check_exists(net, request, nntp_target(url, &group)?).await
}

async fn check_exists(net: &Net, request: &Request, target: NewsTarget<'_>) -> Result<(), Stop> {
    let server = endpoint(request)?;
    if let NewsTarget::MessageId(id) = target {
        // Checked before connecting.
        message_id(id).map_err(|error| stop(error, &server, target))?;
    }
    let mut sink = Sink::discard();
    let aim = (target, RequestExtent::Existence);
    let (connection, _) = connect(net, request, &server, aim, &mut sink).await?;
    server.store(net, connection);
    Ok(())
}

/// Tries the other configured servers, in order, for an article that the first one did not give, and reports which one
/// has it. No question is asked about them: a server that needs an unknown password, or has an untrusted certificate,
/// is skipped, and the failure says so. The login and the trust of the first server are not used for them.
async fn try_other_servers(
    net: &Net,
    request: &Request,
    first: &NewsEndpoint,
    target: NewsTarget<'_>,
    mut failed: Failure,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let others = request.news.servers.iter();
    let others: Vec<&NewsServer> = others.filter(|other| !first.is(other)).collect();
    let mut without = 0;
    let mut skipped = Vec::new();
    for other in &others {
        let request = Request {
            login: other.login.clone(),
            trust: other.trust.clone(),
            plain_login: PlainLoginConsent::Ask,
            ..request.clone()
        };
        let server = NewsEndpoint::named(other, &request.news);
        let mirror_reason = Some(failed.sentence.as_str());
        match load(net, &request, &server, target, mirror_reason, sink).await {
            Err(Stop::Failed(_)) if !sink.page_source.has_begun() => without += 1,
            Err(Stop::Needs(question)) if !sink.page_source.has_begun() => {
                skipped.push(format!("{} {}", server.authority, skip_reason(&question)));
            }
            end => return end,
        }
    }
    let without = match (without, others.len()) {
        (0, _) => None,
        (1, 1) => Some("the other server did not give it either".to_owned()),
        (1, _) => Some("another server did not give it either".to_owned()),
        (count, all) if count == all => Some(format!("the {count} others did not give it either")),
        (count, _) => Some(format!("{count} others did not give it either")),
    };
    for reason in without.into_iter().chain(skipped) {
        failed.sentence.push_str("; ");
        failed.sentence.push_str(&reason);
    }
    Err(failed.into())
}

/// Returns why a server was skipped that needs an answer from a person.
fn skip_reason(question: &Question) -> &'static str {
    match question {
        Question::Password { said: Some(_), .. } => "did not take the password that is known",
        Question::Login { .. } | Question::Password { .. } | Question::Account { .. } => {
            "wanted a name and a password"
        }
        Question::Certificate(_) => "showed a certificate that is not accepted",
        Question::Unencrypted(_) => "offers TLS no longer, and got no password",
        Question::Search
        | Question::NewsServer
        | Question::Hazards(_)
        | Question::Save { .. }
        | Question::Changed { .. }
        | Question::Unknown(_)
        | Question::Form(_)
        | Question::Send(_) => "wanted an answer",
    }
}

/// Loads an `nntp:` URL.
pub(super) async fn nntp(
    net: &Net,
    request: &Request,
    url: Nntp<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let server = endpoint(request)?;
    let group = url.group.octets();
    let target = nntp_target(&url, &group)?;
    load(net, request, &server, target, None, sink).await
}

/// Returns the URL under which a page of news is cached. Article numbers and lists of groups are valid only for their
/// server; an article by its Message-ID is the same on all servers.
pub(super) fn cache_key(request: &Request) -> Option<Url> {
    let Parts::News(News { part, .. }) = protocol_parts(&request.url) else {
        // The server is in the URL.
        return Some(request.url.clone());
    };
    let here = || Some(NewsEndpoint::new(request, server(request)?));
    match part {
        GroupPart::All => here()?.groups("*"),
        GroupPart::Groups(pattern) => here()?.groups(pattern.as_str()),
        GroupPart::Group(name) => here()?.group(&name.octets()),
        // A range of a group is not cached as the group.
        GroupPart::Articles(..) => None,
        GroupPart::Article(article) => Url::news_article(bare(&article.id.octets())).ok(),
    }
}

async fn load(
    net: &Net,
    request: &Request,
    server: &NewsEndpoint,
    target: NewsTarget<'_>,
    mirror_reason: Option<&str>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let to_stop = |error| stop(error, server, target);
    if let NewsTarget::MessageId(id) = target {
        // Checked before connecting.
        message_id(id).map_err(to_stop)?;
    }
    let (mut connection, answer) =
        connect(net, request, server, (target, RequestExtent::Whole), sink).await?;
    let page_head = |shape| PageHead {
        mirror_reason: mirror_reason.map(str::to_owned),
        ..page_head(shape, server, target, connection.security)
    };
    match answer {
        FirstResponse::Exists => {}
        FirstResponse::Block(shape) => {
            sink.begin(page_head(shape)).await?;
            block(&mut connection.dialogue, server, target, sink).await?;
        }
        FirstResponse::Groups(list_date) => {
            let group_head = page_head(Shape::Groups);
            sink.begin(PageHead {
                list_date,
                ..group_head
            })
            .await?;
            let dialogue = &mut connection.dialogue;
            match target {
                NewsTarget::Changes(since) => {
                    changes::rest(dialogue, since, server, target, sink).await?;
                }
                NewsTarget::Groups(pattern) => {
                    block(dialogue, server, target, sink).await?;
                    sink.octets(b".\r\n".to_vec()).await?;
                    describe(dialogue, pattern, server, target, sink).await?;
                }
                NewsTarget::Group(_)
                | NewsTarget::Range(..)
                | NewsTarget::Number(..)
                | NewsTarget::MessageId(_) => {}
            }
        }
        FirstResponse::Group(marks) => {
            let highest = Some(marks.high);
            let group_head = page_head(Shape::Group);
            sink.begin(PageHead {
                highest,
                ..group_head
            })
            .await?;
            let marks = target.within(marks);
            overview(&mut connection.dialogue, marks, server, target, sink).await?;
        }
    }
    server.store(net, connection);
    Ok(())
}

/// Sends the first command with a useful response.
async fn ask(
    dialogue: &mut NewsDialogue,
    (target, extent): (NewsTarget<'_>, RequestExtent),
) -> Result<FirstResponse, NntpError> {
    match extent {
        RequestExtent::Existence => stat(dialogue, target).await,
        RequestExtent::Whole => first(dialogue, target).await,
    }
}

/// Checks that the target exists.
async fn stat(
    dialogue: &mut NewsDialogue,
    target: NewsTarget<'_>,
) -> Result<FirstResponse, NntpError> {
    match target {
        // The greeting has arrived, which is enough.
        NewsTarget::Groups(_) | NewsTarget::Changes(_) => {}
        NewsTarget::Group(name) | NewsTarget::Range(name, ..) => drop(dialogue.group(name).await?),
        NewsTarget::Number(name, number) => {
            dialogue.group(name).await?;
            dialogue.stat(ArticleId::Number(number)).await?;
        }
        NewsTarget::MessageId(id) => dialogue.stat(ArticleId::MessageId(id)).await?,
    }
    Ok(FirstResponse::Exists)
}

/// Requests the content of the target.
async fn first(
    dialogue: &mut NewsDialogue,
    target: NewsTarget<'_>,
) -> Result<FirstResponse, NntpError> {
    match target {
        NewsTarget::Groups(pattern) => {
            // Requested before the list, so that changes during the transfer are reported the next time.
            let list_date = match pattern {
                None => dialogue.date().await?,
                Some(_) => None,
            };
            count(dialogue, pattern).await?;
            Ok(FirstResponse::Groups(list_date))
        }
        NewsTarget::Changes(since) => {
            let list_date = dialogue.date().await?;
            dialogue.new_groups(&since.date).await?;
            Ok(FirstResponse::Groups(list_date))
        }
        NewsTarget::Group(name) | NewsTarget::Range(name, ..) => {
            Ok(FirstResponse::Group(dialogue.group(name).await?))
        }
        NewsTarget::Number(name, number) => {
            dialogue.group(name).await?;
            dialogue.article(ArticleId::Number(number)).await?;
            Ok(FirstResponse::Block(Shape::Article))
        }
        NewsTarget::MessageId(id) => {
            dialogue.article(ArticleId::MessageId(id)).await?;
            Ok(FirstResponse::Block(Shape::Article))
        }
    }
}

/// Requests a list of groups, with their counts if the server supports them.
async fn count(dialogue: &mut NewsDialogue, pattern: Option<&[u8]>) -> Result<(), NntpError> {
    if dialogue.has_counts() {
        match dialogue.list(List::Counts, pattern).await {
            Err(NntpError::Declined(_)) => {}
            done => return done,
        }
    }
    dialogue.list(List::Active, pattern).await
}

/// Forwards the descriptions of groups. They are optional: many servers have none.
async fn describe(
    dialogue: &mut NewsDialogue,
    pattern: Option<&[u8]>,
    server: &NewsEndpoint,
    target: NewsTarget<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    match dialogue.list(List::Newsgroups, pattern).await {
        Ok(()) => block(dialogue, server, target, sink).await,
        Err(NntpError::Declined(_)) => Ok(()),
        Err(error) => Err(stop(error, server, target)),
    }
}

fn page_head(
    shape: Shape,
    server: &NewsEndpoint,
    target: NewsTarget<'_>,
    security: Security,
) -> PageHead {
    let (url, title) = match target {
        NewsTarget::Groups(None) | NewsTarget::Changes(_) => {
            (None, Some(format!("News groups of {}", server.host)))
        }
        NewsTarget::Groups(Some(pattern)) => (None, Some(shown(pattern).to_string())),
        // Article numbers are valid only on their server, so the page has to know it.
        NewsTarget::Group(name) => (server.group(name), Some(shown(name).to_string())),
        NewsTarget::Range(name, first, last) => {
            let last = if last == u64::MAX {
                String::new()
            } else {
                last.to_string()
            };
            let written = format!("{first}-{last}");
            let url = server.part_of_group(name, &written);
            (url, Some(format!("{} {written}", shown(name))))
        }
        NewsTarget::Number(name, number) => (server.part_of_group(name, &number.to_string()), None),
        // The same for an article from another server than the requested one.
        NewsTarget::MessageId(id) if server.is_other => (server.article(id), None),
        NewsTarget::MessageId(_) => (None, None),
    };
    PageHead {
        url,
        title: title.map(|title| Text::of(&title)),
        security,
        ..PageHead::new(shape)
    }
}

/// Returns the name of a group, or a pattern, for display.
fn shown(name: &[u8]) -> Text {
    Text::new(name, Charset::default())
}

/// Forwards the block that follows.
async fn block(
    dialogue: &mut NewsDialogue,
    server: &NewsEndpoint,
    target: NewsTarget<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    while let Some(run) = dialogue
        .block()
        .await
        .map_err(|error| stop(error, server, target))?
    {
        sink.octets(run).await?;
    }
    Ok(())
}
