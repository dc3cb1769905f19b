//! Posting: the check of an article's groups, and the article itself.

use super::connect::{NewsConnection, NewsEndpoint, connect};
use super::error::stop;
use super::{FirstResponse, NewsTarget, RequestExtent, count, endpoint};
use crate::load::{Failure, Request, Sink, Stop};
use crate::net::Net;
use crate::protocol::nntp::{ArticleId, NntpError, Reply, parse_active, patterns};
use crate::text::{Charset, Text};

/// The longest list of an article's groups that is read, in octets.
const LISTED: usize = 1024 * 1024;

/// A group that a server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingGroup {
    /// The name of the group.
    pub name: Vec<u8>,
    /// The posting status of the group.
    pub posting: PostingStatus,
}

/// The posting status of a group (RFC 3977, section 7.6.3; RFC 6048, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostingStatus {
    /// Every user of the server may post.
    Open,
    /// A moderator approves each article.
    Moderated,
    /// Posting is not allowed.
    Closed,
}

/// Requests the status of `groups` from the server of `request`; groups that the server does not have are missing in
/// the result.
///
/// # Errors
/// [`Stop`], as a load has it.
pub async fn posting_groups(
    net: &Net,
    request: &Request,
    groups: &[Vec<u8>],
    mut sink: Sink,
) -> Result<Vec<PostingGroup>, Stop> {
    let server = endpoint(request)?;
    let (connection, posting_groups) = ask(net, request, &server, groups, &mut sink).await?;
    server.store(net, connection);
    Ok(posting_groups)
}

/// The outcome of posting an article.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostOutcome {
    /// The server accepted the article, with these words.
    Accepted(Text),
    /// The server had the article already, from an earlier attempt.
    AlreadyPosted(Text),
}

/// The reason why an article was not posted.
#[derive(Debug)]
pub enum PostError {
    /// The article was not sent.
    Stopped(Stop),
    /// The server refused the article.
    Refused(Failure),
    /// The article was sent but no answer came: it may have been accepted.
    Unknown(Failure),
}

/// Posts an article to the server of `request`; `groups` are its groups. If an earlier attempt may have succeeded,
/// `tried` is its Message-ID, which is looked up first. `article` gives the octets (head and body, lines with either
/// end) for the Message-ID that the server recommends.
///
/// # Errors
/// [`PostError`].
pub async fn post<A>(
    net: &Net,
    request: &Request,
    groups: &[Vec<u8>],
    tried: Option<&str>,
    article: impl FnOnce(Option<String>) -> A,
    mut sink: Sink,
) -> Result<PostOutcome, PostError>
where
    A: Future<Output = Result<Vec<u8>, Failure>>,
{
    let stopped = PostError::Stopped;
    let server = endpoint(request).map_err(stopped)?;
    let wildmats = wildmats(groups);
    let target = NewsTarget::Groups(wildmats.first().map(Vec::as_slice));
    let to_stop = |error| PostError::Stopped(stop(error, &server, target));
    // This request also shows that the connection is alive, before the article is sent.
    let checked = ask(net, request, &server, groups, &mut sink).await;
    let (mut connection, _) = checked.map_err(stopped)?;
    if let Some(id) = tried
        && has(&mut connection, id).await.map_err(to_stop)?
    {
        server.store(net, connection);
        return Ok(PostOutcome::AlreadyPosted(Text::of(&format!(
            "it has {id}"
        ))));
    }
    let recommended = match connection.dialogue.post().await {
        Ok(recommended) => recommended,
        Err(NntpError::Declined(reply)) if reply.code == 440 => {
            let sentence = format!("{} takes no articles from here", server.authority);
            server.store(net, connection);
            return Err(stopped(declined(sentence, &reply).into()));
        }
        Err(error) => return Err(to_stop(error)),
    };
    let recommended = recommended.and_then(|id| String::from_utf8(id).ok());
    // The server waits for an article now: without one the connection is closed.
    let article = article(recommended).await;
    let article = article.map_err(|failure| stopped(failure.into()))?;
    match connection.dialogue.send_article(&article).await {
        Ok(reply) => {
            server.store(net, connection);
            Ok(PostOutcome::Accepted(words(&reply)))
        }
        Err(NntpError::Declined(reply)) if reply.code != 400 => {
            let is_there = match tried {
                Some(id) if reply.code == 441 => {
                    is_duplicate(&reply) || has(&mut connection, id).await.unwrap_or(false)
                }
                Some(_) | None => false,
            };
            if is_there {
                server.store(net, connection);
                return Ok(PostOutcome::AlreadyPosted(words(&reply)));
            }
            let sentence = format!("{} did not take the article", server.authority);
            server.store(net, connection);
            Err(PostError::Refused(declined(sentence, &reply)))
        }
        Err(error) => Err(unknown(stop(error, &server, target))),
    }
}

/// Returns true if the server has the article of this Message-ID; false when it cannot tell.
async fn has(connection: &mut NewsConnection, id: &str) -> Result<bool, NntpError> {
    let id = id.trim_start_matches('<').trim_end_matches('>');
    match connection
        .dialogue
        .stat(ArticleId::MessageId(id.as_bytes()))
        .await
    {
        Ok(()) => Ok(true),
        Err(NntpError::Declined(reply)) if reply.code != 400 => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns true if a refusal (441) says that the server has the article already.
fn is_duplicate(reply: &Reply) -> bool {
    let line = reply.line.to_ascii_lowercase();
    let says = |words: &[u8]| memchr::memmem::find(&line, words).is_some();
    says(b"duplicate") || says(b"already")
}

/// Connects to the server, and returns those of `groups` that it has.
async fn ask(
    net: &Net,
    request: &Request,
    server: &NewsEndpoint,
    groups: &[Vec<u8>],
    sink: &mut Sink,
) -> Result<(NewsConnection, Vec<PostingGroup>), Stop> {
    let wildmats = wildmats(groups);
    let (first, rest) = wildmats
        .split_first()
        .map_or((&[][..], &[][..]), |(first, rest)| (first.as_slice(), rest));
    let target = NewsTarget::Groups(Some(first));
    let to_stop = |error| stop(error, server, target);
    let (mut connection, answer) =
        connect(net, request, server, (target, RequestExtent::Whole), sink).await?;
    let mut lines = Vec::new();
    match answer {
        FirstResponse::Groups(_) | FirstResponse::Block(_) => {
            lines_of(&mut connection, &mut lines)
                .await
                .map_err(to_stop)?;
        }
        FirstResponse::Group(_) | FirstResponse::Exists => {}
    }
    for wildmat in rest {
        let counted = count(&mut connection.dialogue, Some(wildmat)).await;
        counted.map_err(to_stop)?;
        lines_of(&mut connection, &mut lines)
            .await
            .map_err(to_stop)?;
    }
    let lines = lines.split(|&octet| octet == b'\n');
    let posting_groups = lines.filter_map(parse_active).map(|group| PostingGroup {
        name: group.name.to_vec(),
        posting: match group.status.first() {
            Some(b'm') => PostingStatus::Moderated,
            // `=` is an alias, and articles posted to it are lost.
            Some(b'n' | b'x' | b'j' | b'=') => PostingStatus::Closed,
            _ => PostingStatus::Open,
        },
    });
    let target = |posting_groups: &PostingGroup| groups.contains(&posting_groups.name);
    Ok((connection, posting_groups.filter(target).collect()))
}

/// Reads the lines of a response.
async fn lines_of(connection: &mut NewsConnection, lines: &mut Vec<u8>) -> Result<(), NntpError> {
    while let Some(run) = connection.dialogue.block().await? {
        let room = LISTED.saturating_sub(lines.len());
        lines.extend(run.into_iter().take(room));
    }
    Ok(())
}

/// Returns the patterns that match exactly these groups: one pattern if they fit into one command. At least one.
fn wildmats(groups: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let wildmats = patterns(groups.iter().map(Vec::as_slice));
    if wildmats.is_empty() {
        // None of them is a valid group name: the server, or the dialogue before it, reports the error.
        return vec![groups.join(&b',')];
    }
    wildmats
}

fn declined(sentence: String, reply: &Reply) -> Failure {
    Failure {
        said: vec![words(reply)],
        ..Failure::new(sentence)
    }
}

/// Returns the error for an article that was sent and got no answer.
fn unknown(stop: Stop) -> PostError {
    match stop {
        Stop::Failed(failure) => PostError::Unknown(failure),
        other => PostError::Stopped(other),
    }
}

fn words(reply: &Reply) -> Text {
    Text::new(&reply.line, Charset::default())
}
