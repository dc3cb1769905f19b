//! Posting: the check of an article's groups, and the article itself.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_wire::net::Net;
use geomys_wire::protocol::nntp::{ArticleId, NntpError, Reply, bare_id, parse_active, patterns};
use geomys_wire::text::{Charset, Text};

use super::endpoint::{NewsConnection, NewsDialogue, NewsEndpoint};
use super::error::{retry_advice, words};
use super::first_response::{FirstResponse, count};
use super::target::NewsJob;
use super::target::{NewsTarget, RequestExtent};
use crate::{Failure, FailureKind, Request, Sink, Stop};

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
pub fn posting_groups<'a>(
    net: &'a Net,
    request: &'a Request,
    groups: &'a [Vec<u8>],
    sink: Sink,
) -> BoxFuture<'a, Result<Vec<PostingGroup>, Stop>> {
    check_groups(net, request, groups, sink).boxed()
}

async fn check_groups(
    net: &Net,
    request: &Request,
    groups: &[Vec<u8>],
    mut sink: Sink,
) -> Result<Vec<PostingGroup>, Stop> {
    let server = NewsEndpoint::of(request)?;
    let wildmats = wildmats(groups);
    let target = &target(&wildmats);
    let job = NewsJob {
        net: &request.network(net),
        request,
        server: &server,
        target,
        sink: &mut sink,
    };
    let (connection, posting_groups) = job.posting_groups(&wildmats, groups).await?;
    job.store(connection);
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
    /// An earlier attempt may have been accepted, and the server cannot tell: nothing was sent.
    Uncertain(Failure),
}

/// An earlier attempt to post an article, which may have succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierPost<'a> {
    /// The Message-ID of the article.
    pub id: &'a str,
    /// True if the article is sent again where its server cannot tell whether it has come: the user knows of it.
    pub may_repeat: bool,
}

/// Makes the octets of an article for the Message-ID that its server recommends.
pub type ArticleForId<'a> =
    Box<dyn FnOnce(Option<String>) -> BoxFuture<'a, Result<Vec<u8>, Failure>> + Send + 'a>;

/// Posts an article to the server of `request`; `groups` are its groups. The article of an earlier attempt is looked up
/// first. In a moderated group it may wait for its approval, so that its absence tells nothing. `article` gives the
/// octets (head and body, lines with either end) for the Message-ID that the server recommends.
///
/// # Errors
/// [`PostError`].
pub fn post<'a>(
    net: &'a Net,
    request: &'a Request,
    groups: &'a [Vec<u8>],
    tried: Option<EarlierPost<'a>>,
    article: ArticleForId<'a>,
    sink: Sink,
) -> BoxFuture<'a, Result<PostOutcome, PostError>> {
    post_article(net, request, groups, tried, article, sink).boxed()
}

async fn post_article(
    net: &Net,
    request: &Request,
    groups: &[Vec<u8>],
    tried: Option<EarlierPost<'_>>,
    article: ArticleForId<'_>,
    mut sink: Sink,
) -> Result<PostOutcome, PostError> {
    let stopped = PostError::Stopped;
    let server = NewsEndpoint::of(request).map_err(stopped)?;
    let wildmats = wildmats(groups);
    let target = &target(&wildmats);
    let job = NewsJob {
        net: &request.network(net),
        request,
        server: &server,
        target,
        sink: &mut sink,
    };
    // This request also shows that the connection is alive, before the article is sent.
    let checked = job.posting_groups(&wildmats, groups).await;
    let (mut connection, listed) = checked.map_err(stopped)?;
    let dialogue = &mut connection.dialogue;
    if let Some(EarlierPost { id, may_repeat }) = tried {
        let is_there = has(dialogue, id).await;
        if is_there.map_err(|error| stopped(job.stop(error)))? {
            job.store(connection);
            return Ok(PostOutcome::AlreadyPosted(Text::of(&format!(
                "it has {id}"
            ))));
        }
        let mut listed = listed.into_iter();
        let moderated = listed.find(|group| group.posting == PostingStatus::Moderated);
        if let Some(group) = moderated.filter(|_| !may_repeat) {
            job.store(connection);
            let group = Text::new(&group.name, Charset::default());
            let sentence = format!("unknown whether it was sent: {group} is moderated");
            return Err(PostError::Uncertain(Failure::new(sentence)));
        }
    }
    let recommended = match dialogue.post().await {
        Ok(recommended) => recommended,
        Err(NntpError::Declined(reply)) if reply.code == 440 => {
            let sentence = format!("{} does not allow posting", server.authority);
            job.store(connection);
            return Err(passing_refusal(&sentence, &reply)
                .unwrap_or_else(|| stopped(declined(sentence, &reply).into())));
        }
        Err(error) => return Err(stopped(job.stop(error))),
    };
    let recommended = recommended.and_then(|id| String::from_utf8(id).ok());
    // The server waits for an article now: without one the connection is closed.
    let article = article(recommended).await;
    let article = article.map_err(|failure| stopped(failure.into()))?;
    let outcome = match dialogue.send_article(&article).await {
        Ok(reply) => Ok(PostOutcome::Accepted(words(&reply))),
        Err(NntpError::Declined(reply)) if reply.code != 400 => {
            let is_there = match tried {
                Some(EarlierPost { id, .. }) if reply.code == 441 => {
                    is_duplicate(&reply) || has(dialogue, id).await.unwrap_or(false)
                }
                Some(_) | None => false,
            };
            let sentence = format!("{} refused the article", server.authority);
            if is_there {
                Ok(PostOutcome::AlreadyPosted(words(&reply)))
            } else {
                Err(passing_refusal(&sentence, &reply)
                    .unwrap_or_else(|| PostError::Refused(declined(sentence, &reply))))
            }
        }
        // The article was sent, and there is no answer.
        Err(error) => {
            return Err(match job.stop(error) {
                Stop::Failed(failure) => PostError::Unknown(failure),
                other => PostError::Stopped(other),
            });
        }
    };
    job.store(connection);
    outcome
}

/// Returns true if the server has the article of this Message-ID; false when it cannot tell.
async fn has(dialogue: &mut NewsDialogue, id: &str) -> Result<bool, NntpError> {
    match dialogue
        .stat(ArticleId::MessageId(bare_id(id.as_bytes())))
        .await
    {
        Ok(()) => Ok(true),
        Err(NntpError::Declined(reply)) if reply.passing().is_none() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns true if a refusal (441) says that the server has the article already.
fn is_duplicate(reply: &Reply) -> bool {
    let line = reply.line.to_ascii_lowercase();
    let says = |words: &[u8]| memchr::memmem::find(&line, words).is_some();
    // INN passes the reply of its own transfer on: "441 435 Duplicate".
    says(b"duplicate") || says(b"already") || says(b"441 435")
}

impl NewsJob<'_> {
    /// Connects to the server, and returns those of `groups` that it has; `wildmats` match them.
    async fn posting_groups(
        &self,
        wildmats: &[Vec<u8>],
        groups: &[Vec<u8>],
    ) -> Result<(NewsConnection, Vec<PostingGroup>), Stop> {
        let (lent, answer) = self.connect(RequestExtent::Whole).await?;
        let mut connection = lent.take().ok_or(Stop::Closed)?;
        let dialogue = &mut connection.dialogue;
        let mut lines = Vec::new();
        // The first one is the target.
        for (number, wildmat) in wildmats.iter().enumerate() {
            let counted = match (number, answer) {
                (0, FirstResponse::Groups(_)) => read_lines(dialogue, &mut lines).await,
                (0, _) => Ok(()),
                _ => match count(dialogue, Some(wildmat)).await {
                    Ok(()) => read_lines(dialogue, &mut lines).await,
                    Err(error) => Err(error),
                },
            };
            counted.map_err(|error| self.stop(error))?;
        }
        let lines = lines.split(|&octet| octet == b'\n');
        let posting_groups = lines.filter_map(parse_active).map(|group| PostingGroup {
            name: group.name.to_vec(),
            posting: match group.status.first() {
                Some(b'm') => PostingStatus::Moderated,
                _ if group.is_closed() => PostingStatus::Closed,
                _ => PostingStatus::Open,
            },
        });
        let is_asked = |group: &PostingGroup| groups.contains(&group.name);
        Ok((connection, posting_groups.filter(is_asked).collect()))
    }
}

/// Reads the lines of a response.
async fn read_lines(dialogue: &mut NewsDialogue, lines: &mut Vec<u8>) -> Result<(), NntpError> {
    while let Some(run) = dialogue.block().await? {
        let room = LISTED.saturating_sub(lines.len());
        lines.extend(run.into_iter().take(room));
    }
    Ok(())
}

/// Returns the list of groups that is requested first.
fn target(wildmats: &[Vec<u8>]) -> NewsTarget<'static> {
    NewsTarget::Groups(Some(wildmats.first().cloned().unwrap_or_default()))
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

/// Returns the error of a refusal whose words say that it will end; the article is not there.
fn passing_refusal(sentence: &str, reply: &Reply) -> Option<PostError> {
    let passing = reply.passing()?;
    let failure = declined(sentence.to_owned(), reply).with_kind(FailureKind::Busy);
    Some(PostError::Stopped(
        failure.with_advice(retry_advice(passing)).into(),
    ))
}

fn declined(sentence: String, reply: &Reply) -> Failure {
    Failure::new(sentence).with_words([words(reply)])
}
