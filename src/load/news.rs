//! Loading news: `news:` from the server that the user named, `nntp:` from the server in the URL.
//!
//! What a page's octets are: of all groups, the lines of LIST ACTIVE (or COUNTS), a line that is a dot, those of LIST
//! NEWSGROUPS, and for what has changed since then the same again, after a dot each; of a group, the lines of its
//! overview, the newest first; of an article, the article. Overviews are asked for in windows from the highest number
//! down, so that a group of any size opens at once. `nntps:` and `snews:` are the same over TLS.

mod changes;
mod overview;
mod post;
mod reach;
mod sends;
mod stop;
mod wanted;
mod ways;

pub use self::changes::Since;
use self::overview::overview;
pub use self::post::{Listed, NotSent, Posting, Sent, listed, post};
pub use self::reach::news_host;
pub(super) use self::reach::server;
use self::reach::{Dialogue, Server, reach};
pub(super) use self::sends::{sends_news, sends_nntp};
use self::stop::stop;
use self::wanted::{Extent, Wanted, bare, named, wanted, wanted_there};
pub use self::ways::{NewsHost, NewsServer, NewsWays};
use super::protocol_parts::protocol_parts;
use super::{Begin, Failure, PlainLogin, Question, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Net, Security};
use crate::protocol::nntp::{List, Marks, NntpError, ServerDate, Which, message_id};
use crate::text::{Charset, Text};
use crate::url::{GroupPart, News, Nntp, Parts, Url};

/// What the server's first answer brought.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// It is there, and that is all that was asked.
    There,
    /// A block follows.
    Block(Shape),
    /// A list of groups follows; what the server's clock showed before, where it is of use and it said so.
    Groups(Option<ServerDate>),
    /// A group was selected.
    Group(Marks),
}

/// Loads a `news:` URL.
pub(super) async fn news(
    net: &Net,
    request: &Request,
    url: News<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let named = named(&url);
    let wanted = wanted(request, &url, &named)?;
    let server = asked(request)?;
    if let Wanted::Id(id) = wanted {
        // What may not be sent is sent to nobody: no other server is tried either.
        message_id(id).map_err(|error| stop(error, &server, wanted))?;
    }
    match (
        load(net, request, &server, wanted, None, sink).await,
        wanted,
    ) {
        // An article is the same everywhere: the others may have it.
        (Err(Stop::Failed(failed)), Wanted::Id(_)) if !sink.answering.has_begun() => {
            elsewhere(net, request, &server, wanted, failed, sink).await
        }
        (end, _) => end,
    }
}

/// The server that a request goes to.
fn asked(request: &Request) -> Result<Server, Stop> {
    let Some(host) = server(request) else {
        return Err(Stop::Needs(Question::NewsServer));
    };
    Ok(Server::new(request, host))
}

/// Asks whether what a `news:` URL names is there; nothing of it is fetched.
pub(super) async fn is_there(net: &Net, request: &Request, url: &News<'_>) -> Result<(), Stop> {
    let named = named(url);
    there(net, request, wanted(request, url, &named)?).await
}

/// The same of an `nntp:` URL.
pub(super) async fn is_there_by_number(
    net: &Net,
    request: &Request,
    url: &Nntp<'_>,
) -> Result<(), Stop> {
    let group = url.group.octets();
    there(net, request, wanted_there(url, &group)?).await
}

async fn there(net: &Net, request: &Request, wanted: Wanted<'_>) -> Result<(), Stop> {
    let server = asked(request)?;
    if let Wanted::Id(id) = wanted {
        // Before anybody is dialled.
        message_id(id).map_err(|error| stop(error, &server, wanted))?;
    }
    let mut nobody = Sink::nowhere();
    let aim = (wanted, Extent::Existence);
    let (talk, _) = reach(net, request, &server, aim, &mut nobody).await?;
    server.keep(net, talk);
    Ok(())
}

/// Asks the other servers that are set for an article that the first did not give, one after the other, and says which
/// has it. Nobody is asked about them: one that wants a password which is not known, or shows a certificate that nobody
/// vouches for, is passed over, and the failure says so. None is told what was said to the first.
async fn elsewhere(
    net: &Net,
    request: &Request,
    first: &Server,
    wanted: Wanted<'_>,
    mut failed: Failure,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let others = request.news.servers.iter();
    let others: Vec<&NewsServer> = others.filter(|other| !first.is(other)).collect();
    let mut without = 0;
    let mut shut = Vec::new();
    for other in &others {
        let request = Request {
            login: other.login.clone(),
            trust: other.trust.clone(),
            plain_login: PlainLogin::Ask,
            ..request.clone()
        };
        let server = Server::named(other, &request.news);
        let instead = Some(failed.sentence.as_str());
        match load(net, &request, &server, wanted, instead, sink).await {
            Err(Stop::Failed(_)) if !sink.answering.has_begun() => without += 1,
            Err(Stop::Needs(question)) if !sink.answering.has_begun() => {
                shut.push(format!("{} {}", server.place, passed_over(&question)));
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
    for told in without.into_iter().chain(shut) {
        failed.sentence.push_str("; ");
        failed.sentence.push_str(&told);
    }
    Err(failed.into())
}

/// Why a server was passed over that might have been asked, with a person's help.
fn passed_over(question: &Question) -> &'static str {
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
    let server = asked(request)?;
    let group = url.group.octets();
    let wanted = wanted_there(&url, &group)?;
    load(net, request, &server, wanted, None, sink).await
}

/// The URL under which a page of news is kept. Numbers, and lists of groups, mean something on their server only; an
/// article by its Message-ID is the same everywhere.
pub(super) fn kept_as(request: &Request) -> Option<Url> {
    let Parts::News(News { part, .. }) = protocol_parts(&request.url) else {
        // Its server is in the URL.
        return Some(request.url.clone());
    };
    let here = || Some(Server::new(request, server(request)?));
    match part {
        GroupPart::All => here()?.groups("*"),
        GroupPart::Groups(pattern) => here()?.groups(pattern.as_str()),
        GroupPart::Group(name) => here()?.group(&name.octets()),
        // Some of a group are not the group.
        GroupPart::Articles(..) => None,
        GroupPart::Article(article) => Url::news_article(bare(&article.id.octets())).ok(),
    }
}

async fn load(
    net: &Net,
    request: &Request,
    server: &Server,
    wanted: Wanted<'_>,
    instead: Option<&str>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let told = |error| stop(error, server, wanted);
    if let Wanted::Id(id) = wanted {
        // Before anybody is dialled.
        message_id(id).map_err(told)?;
    }
    let (mut talk, answer) = reach(net, request, server, (wanted, Extent::Whole), sink).await?;
    let begin = |shape| Begin {
        instead: instead.map(str::to_owned),
        ..begin(shape, server, wanted, talk.security)
    };
    match answer {
        Answer::There => {}
        Answer::Block(shape) => {
            sink.begin(begin(shape)).await?;
            block(&mut talk.dialogue, server, wanted, sink).await?;
        }
        Answer::Groups(asked_at) => {
            let begun = begin(Shape::Groups);
            sink.begin(Begin { asked_at, ..begun }).await?;
            let talk = &mut talk.dialogue;
            match wanted {
                Wanted::Changes(since) => changes::rest(talk, since, server, wanted, sink).await?,
                Wanted::Groups(pattern) => {
                    block(talk, server, wanted, sink).await?;
                    sink.octets(b".\r\n".to_vec()).await?;
                    describe(talk, pattern, server, wanted, sink).await?;
                }
                Wanted::Group(_) | Wanted::Range(..) | Wanted::Number(..) | Wanted::Id(_) => {}
            }
        }
        Answer::Group(marks) => {
            let highest = Some(marks.high);
            let begun = begin(Shape::Group);
            sink.begin(Begin { highest, ..begun }).await?;
            let marks = wanted.within(marks);
            overview(&mut talk.dialogue, marks, server, wanted, sink).await?;
        }
    }
    server.keep(net, talk);
    Ok(())
}

/// The first command whose answer is of use.
async fn ask(
    talk: &mut Dialogue,
    (wanted, extent): (Wanted<'_>, Extent),
) -> Result<Answer, NntpError> {
    match extent {
        Extent::Existence => stat(talk, wanted).await,
        Extent::Whole => first(talk, wanted).await,
    }
}

/// Asks whether something is there.
async fn stat(talk: &mut Dialogue, wanted: Wanted<'_>) -> Result<Answer, NntpError> {
    match wanted {
        // The greeting has come.
        Wanted::Groups(_) | Wanted::Changes(_) => {}
        Wanted::Group(name) | Wanted::Range(name, ..) => drop(talk.group(name).await?),
        Wanted::Number(name, number) => {
            talk.group(name).await?;
            talk.stat(Which::Number(number)).await?;
        }
        Wanted::Id(id) => talk.stat(Which::Id(id)).await?,
    }
    Ok(Answer::There)
}

/// Asks for something.
async fn first(talk: &mut Dialogue, wanted: Wanted<'_>) -> Result<Answer, NntpError> {
    match wanted {
        Wanted::Groups(pattern) => {
            // Before the list: what is new while it comes is told the next time, too.
            let asked_at = match pattern {
                None => talk.date().await?,
                Some(_) => None,
            };
            count(talk, pattern).await?;
            Ok(Answer::Groups(asked_at))
        }
        Wanted::Changes(since) => {
            let asked_at = talk.date().await?;
            talk.new_groups(&since.date).await?;
            Ok(Answer::Groups(asked_at))
        }
        Wanted::Group(name) | Wanted::Range(name, ..) => Ok(Answer::Group(talk.group(name).await?)),
        Wanted::Number(name, number) => {
            talk.group(name).await?;
            talk.article(Which::Number(number)).await?;
            Ok(Answer::Block(Shape::Article))
        }
        Wanted::Id(id) => {
            talk.article(Which::Id(id)).await?;
            Ok(Answer::Block(Shape::Article))
        }
    }
}

/// Asks for a list of groups: with their counts, where the server has them.
async fn count(talk: &mut Dialogue, pattern: Option<&[u8]>) -> Result<(), NntpError> {
    if talk.has_counts() {
        match talk.list(List::Counts, pattern).await {
            Err(NntpError::Declined(_)) => {}
            done => return done,
        }
    }
    talk.list(List::Active, pattern).await
}

/// Hands on the descriptions of groups. They are an ornament: many servers have none.
async fn describe(
    talk: &mut Dialogue,
    pattern: Option<&[u8]>,
    server: &Server,
    wanted: Wanted<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    match talk.list(List::Newsgroups, pattern).await {
        Ok(()) => block(talk, server, wanted, sink).await,
        Err(NntpError::Declined(_)) => Ok(()),
        Err(error) => Err(stop(error, server, wanted)),
    }
}

fn begin(shape: Shape, server: &Server, wanted: Wanted<'_>, security: Security) -> Begin {
    let (url, title) = match wanted {
        Wanted::Groups(None) | Wanted::Changes(_) => {
            (None, Some(format!("News groups of {}", server.host)))
        }
        Wanted::Groups(Some(pattern)) => (None, Some(shown(pattern).to_string())),
        // Numbers of articles mean something on their server only, so that the page must know it.
        Wanted::Group(name) => (server.group(name), Some(shown(name).to_string())),
        Wanted::Range(name, first, last) => {
            let last = if last == u64::MAX {
                String::new()
            } else {
                last.to_string()
            };
            let written = format!("{first}-{last}");
            let url = server.part_of_group(name, &written);
            (url, Some(format!("{} {written}", shown(name))))
        }
        Wanted::Number(name, number) => (server.part_of_group(name, &number.to_string()), None),
        // So has an article that another server has than the one that was asked.
        Wanted::Id(id) if server.is_other => (server.article(id), None),
        Wanted::Id(_) => (None, None),
    };
    Begin {
        url,
        title: title.map(|title| Text::of(&title)),
        security,
        ..Begin::new(shape)
    }
}

/// The name of a group, or a pattern, for eyes.
fn shown(name: &[u8]) -> Text {
    Text::new(name, Charset::default())
}

/// Hands on the block that follows.
async fn block(
    talk: &mut Dialogue,
    server: &Server,
    wanted: Wanted<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    while let Some(run) = talk
        .block()
        .await
        .map_err(|error| stop(error, server, wanted))?
    {
        sink.octets(run).await?;
    }
    Ok(())
}
