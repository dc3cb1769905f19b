//! Loading news: `news:` from the server that the user named, `nntp:` from the server in the URL.
//!
//! What a page's octets are: all groups, the lines of LIST ACTIVE (or COUNTS), a line that is a dot, those of LIST
//! NEWSGROUPS; a group, the lines of its overview, the newest first; an article, the article. Overviews are asked for
//! in windows from the highest number down, so that a group of any size opens at once. `nntps:` and `snews:` are the
//! same over TLS.

mod post;
mod reach;
mod stop;
mod ways;

pub use self::post::{Listed, Posting, listed, post};
pub(super) use self::reach::server;
use self::reach::{Dialogue, Server, reach};
use self::stop::stop;
pub use self::ways::{NewsServer, NewsWays};
use super::{Begin, Failure, Question, Request, Sink, Stop};
use crate::document::Shape;
use crate::net::{Net, Security, Trust};
use crate::protocol::nntp::{List, Marks, NntpError, Which, message_id, overview_line};
use crate::text::{Charset, Text};
use crate::url::{Encoded, GroupPart, News, Nntp};

/// Numbers in the first window of an overview: a screen or two.
const FIRST: u64 = 100;

/// Numbers in the windows after it.
const WINDOW: u64 = 500;

/// As much of a window as is held back to turn it round, in octets. A window with more comes in several pieces, each
/// turned round by itself.
const HELD: usize = 4 * 1024 * 1024;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
enum Wanted<'a> {
    /// Groups: all, or those that fit a pattern.
    Groups(Option<&'a [u8]>),
    Group(&'a [u8]),
    Number(&'a [u8], u64),
    Id(&'a [u8]),
}

/// What the server's first answer brought.
#[derive(Clone, Copy, Debug)]
enum Answer {
    /// A block follows.
    Block(Shape),
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
    let named = match url.part {
        GroupPart::All => Encoded::default(),
        GroupPart::Group(name) | GroupPart::Groups(name) => name,
        GroupPart::Article(article) => article.id,
    };
    let named = named.octets();
    let wanted = match url.part {
        GroupPart::All => Wanted::Groups(None),
        GroupPart::Groups(_) => Wanted::Groups(Some(&named)),
        GroupPart::Group(_) => Wanted::Group(&named),
        GroupPart::Article(_) => Wanted::Id(bare(&named)),
    };
    let Some((host, port)) = server(request) else {
        return Err(Stop::Needs(Question::NewsServer));
    };
    let server = Server::new(request, host, port);
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

/// Asks the other servers that are set for an article that the first did not give, one after the other, and says which
/// has it. Nobody is asked about them: one that wants a password, or shows a certificate that nobody vouches for, is
/// passed over, and none is told what was said to the first.
async fn elsewhere(
    net: &Net,
    request: &Request,
    first: &Server,
    wanted: Wanted<'_>,
    mut failed: Failure,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let request = Request {
        login: None,
        trust: Trust::default(),
        ..request.clone()
    };
    let others = request.news.servers.iter();
    let others: Vec<&NewsServer> = others.filter(|other| !first.is(other)).collect();
    for other in &others {
        let server = Server::named(other);
        let instead = Some(failed.sentence.as_str());
        match load(net, &request, &server, wanted, instead, sink).await {
            Err(Stop::Failed(_) | Stop::Needs(_)) if !sink.answering.has_begun() => {}
            end => return end,
        }
    }
    match others.len() {
        0 => {}
        1 => failed
            .sentence
            .push_str("; the other server did not give it either"),
        count => {
            failed.sentence = format!(
                "{}; the {count} others did not give it either",
                failed.sentence
            );
        }
    }
    Err(failed.into())
}

/// A Message-ID without the angle brackets that some write into URLs.
fn bare(id: &[u8]) -> &[u8] {
    let inside = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">"));
    inside.unwrap_or(id)
}

/// Loads an `nntp:` URL.
pub(super) async fn nntp(
    net: &Net,
    request: &Request,
    url: Nntp<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let Some((host, port)) = server(request) else {
        return Err(Stop::Needs(Question::NewsServer));
    };
    let server = Server::new(request, host, port);
    let group = url.group.octets();
    let wanted = match (url.number, url.article()) {
        (None, _) => Wanted::Group(&group),
        (Some(_), Some(number)) => Wanted::Number(&group, number),
        (Some(digits), None) => {
            return Err(Failure::new(format!("no server counts as far as {digits}")).into());
        }
    };
    load(net, request, &server, wanted, None, sink).await
}

/// The lines that a load of this URL sends, as far as they are known before.
pub(super) fn sends_news(url: &News<'_>) -> Option<Vec<u8>> {
    Some(match url.part {
        GroupPart::All => b"LIST ACTIVE\r\n".to_vec(),
        GroupPart::Groups(pattern) => [b"LIST ACTIVE ", &*pattern.octets(), b"\r\n"].concat(),
        GroupPart::Group(name) => [b"GROUP ", &*name.octets(), b"\r\n"].concat(),
        GroupPart::Article(article) => {
            let id = message_id(bare(&article.id.octets())).ok()?;
            [b"ARTICLE ", id.as_slice(), b"\r\n"].concat()
        }
    })
}

/// The same of an `nntp:` URL.
pub(super) fn sends_nntp(url: &Nntp<'_>) -> Vec<u8> {
    let article = url
        .article()
        .map_or(String::new(), |number| format!("ARTICLE {number}\r\n"));
    [b"GROUP ", &*url.group.octets(), b"\r\n", article.as_bytes()].concat()
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
    let (mut talk, answer) = reach(net, request, server, wanted, sink).await?;
    let begin = |shape| Begin {
        instead: instead.map(str::to_owned),
        ..begin(shape, server, wanted, talk.security)
    };
    match answer {
        Answer::Block(shape) => {
            sink.begin(begin(shape)).await?;
            let talk = &mut talk.dialogue;
            block(talk, server, wanted, sink).await?;
            if let Wanted::Groups(pattern) = wanted {
                sink.octets(b".\r\n".to_vec()).await?;
                match talk.list(List::Newsgroups, pattern).await {
                    Ok(()) => block(talk, server, wanted, sink).await?,
                    // Descriptions are an ornament: many servers have none.
                    Err(NntpError::Declined(_)) => {}
                    Err(error) => return Err(told(error)),
                }
            }
        }
        Answer::Group(marks) => {
            let highest = Some(marks.high);
            let begun = begin(Shape::Group);
            sink.begin(Begin { highest, ..begun }).await?;
            overview(&mut talk.dialogue, marks, server, wanted, sink).await?;
        }
    }
    server.keep(net, talk);
    Ok(())
}

/// The first command whose answer is of use.
async fn ask(talk: &mut Dialogue, wanted: Wanted<'_>) -> Result<Answer, NntpError> {
    match wanted {
        Wanted::Groups(pattern) => {
            if talk.has_counts() {
                match talk.list(List::Counts, pattern).await {
                    Err(NntpError::Declined(_)) => {}
                    done => return done.map(|()| Answer::Block(Shape::Groups)),
                }
            }
            talk.list(List::Active, pattern).await?;
            Ok(Answer::Block(Shape::Groups))
        }
        Wanted::Group(name) => Ok(Answer::Group(talk.group(name).await?)),
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

fn begin(shape: Shape, server: &Server, wanted: Wanted<'_>, security: Security) -> Begin {
    let (url, title) = match wanted {
        Wanted::Groups(None) => (None, Some(format!("News groups of {}", server.host))),
        Wanted::Groups(Some(pattern)) => (None, Some(shown(pattern).to_string())),
        // Numbers of articles mean something on their server only, so that the page must know it.
        Wanted::Group(name) => (server.group(name), Some(shown(name).to_string())),
        // So has an article that another server has than the one that was asked.
        Wanted::Id(id) if server.is_other => (server.article(id), None),
        Wanted::Number(..) | Wanted::Id(_) => (None, None),
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

/// Hands on the overview of a group, window by window from the newest on. Where numbers are sparse the windows grow, so
/// that a group with a few articles among millions of numbers is not asked about a million times.
async fn overview(
    talk: &mut Dialogue,
    marks: Marks,
    server: &Server,
    wanted: Wanted<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let told = |error| stop(error, server, wanted);
    if marks.is_empty() {
        return Ok(());
    }
    let (mut last, mut size) = (marks.high, FIRST);
    loop {
        let first = last.saturating_sub(size - 1).max(marks.low);
        let mut lines = 0_u64;
        let is_told = match talk.over(first, last).await {
            // It keeps no overview: its articles are asked one by one.
            Err(NntpError::Declined(reply)) if matches!(reply.code, 500..=503) => {
                return heads(talk, marks.low, last, server, wanted, sink).await;
            }
            told_or_not => told_or_not.map_err(told)?,
        };
        if is_told {
            let mut window = Vec::new();
            let end = loop {
                match talk.block().await {
                    Ok(Some(run)) => window.extend_from_slice(&run),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(told(error)),
                }
                if window.len() > HELD {
                    lines += turn_round(&mut window, sink).await?;
                }
            };
            // What came before a fault is good.
            lines += turn_round(&mut window, sink).await?;
            end?;
        }
        if first <= marks.low {
            return Ok(());
        }
        last = first - 1;
        size = if lines < size / 8 {
            size.saturating_mul(2)
        } else {
            WINDOW
        };
    }
}

/// Hands on a line for each article from `last` down to `first`, made of its headers.
async fn heads(
    talk: &mut Dialogue,
    first: u64,
    last: u64,
    server: &Server,
    wanted: Wanted<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let told = |error| stop(error, server, wanted);
    for number in (first..=last).rev() {
        if !talk.head(number).await.map_err(told)? {
            continue;
        }
        let mut head = Vec::new();
        while let Some(run) = talk.block().await.map_err(told)? {
            // The rest of a head that is too long is read and let go.
            let room = HELD.saturating_sub(head.len());
            head.extend(run.into_iter().take(room));
        }
        sink.octets(overview_line(number, &head)).await?;
    }
    Ok(())
}

/// Hands on the lines of `window`, the last one first, and empties it. How many there were.
async fn turn_round(window: &mut Vec<u8>, sink: &mut Sink) -> Result<u64, Stop> {
    let mut turned = Vec::with_capacity(window.len() + 2);
    let mut lines = 0;
    for line in window.split_inclusive(|&octet| octet == b'\n').rev() {
        turned.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            turned.extend_from_slice(b"\r\n");
        }
        lines += 1;
    }
    window.clear();
    sink.octets(turned).await?;
    Ok(lines)
}
