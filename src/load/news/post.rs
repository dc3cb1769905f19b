//! Posting: which of an article's groups the server has, and the article itself.

use super::reach::{Server, Talk, reach};
use super::stop::stop;
use super::{Answer, Extent, Wanted, asked, count};
use crate::load::{Failure, Request, Sink, Stop};
use crate::net::Net;
use crate::protocol::nntp::{NntpError, Reply, Which, active, patterns};
use crate::text::{Charset, Text};

/// The longest list of an article's groups that is read, in octets.
const LISTED: usize = 1024 * 1024;

/// A group that a server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: Vec<u8>,
    /// Who may write there.
    pub posting: Posting,
}

/// Who may write in a group (RFC 3977, section 7.6.3; RFC 6048, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posting {
    /// Everybody who may post at all.
    Open,
    /// A moderator reads it first.
    Moderated,
    /// Nobody from here.
    Shut,
}

/// Asks the server of `request` which of `groups` it has; the others are missing from the answer.
///
/// # Errors
/// [`Stop`], as a load has it.
pub async fn listed(
    net: &Net,
    request: &Request,
    groups: &[Vec<u8>],
    mut sink: Sink,
) -> Result<Vec<Listed>, Stop> {
    let server = asked(request)?;
    let (talk, listed) = ask(net, request, &server, groups, &mut sink).await?;
    server.keep(net, talk);
    Ok(listed)
}

/// What became of an article that was posted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The server took it, in these words.
    Taken(Text),
    /// The server had it already, from an earlier attempt.
    There(Text),
}

/// Why an article was not posted.
#[derive(Debug)]
pub enum NotSent {
    /// It was not sent.
    Stopped(Stop),
    /// It was sent, and refused.
    Refused(Failure),
    /// It went out, and no answer came: it may have been taken.
    Unknown(Failure),
}

/// Posts an article to the server of `request`; `groups` are its groups. Where it may be there from an earlier attempt,
/// `tried` is the Message-ID of that, for which the server is asked first. `article` gives its octets (head and body, lines
/// with either end), by the Message-ID that the server recommends for it.
///
/// # Errors
/// [`NotSent`].
pub async fn post<A>(
    net: &Net,
    request: &Request,
    groups: &[Vec<u8>],
    tried: Option<&str>,
    article: impl FnOnce(Option<String>) -> A,
    mut sink: Sink,
) -> Result<Sent, NotSent>
where
    A: Future<Output = Result<Vec<u8>, Failure>>,
{
    let stopped = NotSent::Stopped;
    let server = asked(request).map_err(stopped)?;
    let wildmats = wildmats(groups);
    let wanted = Wanted::Groups(wildmats.first().map(Vec::as_slice));
    let told = |error| NotSent::Stopped(stop(error, &server, wanted));
    // Asking about the groups once more shows that the connection is alive: an article is not to be sent into nothing.
    let asked = ask(net, request, &server, groups, &mut sink).await;
    let (mut talk, _) = asked.map_err(stopped)?;
    if let Some(id) = tried
        && has(&mut talk, id).await.map_err(told)?
    {
        server.keep(net, talk);
        return Ok(Sent::There(Text::of(&format!("it has {id}"))));
    }
    let recommended = match talk.dialogue.post().await {
        Ok(recommended) => recommended,
        Err(NntpError::Declined(reply)) if reply.code == 440 => {
            let sentence = format!("{} takes no articles from here", server.place);
            server.keep(net, talk);
            return Err(stopped(declined(sentence, &reply).into()));
        }
        Err(error) => return Err(told(error)),
    };
    let recommended = recommended.and_then(|id| String::from_utf8(id).ok());
    // The server waits for an article now: where there is none the connection is closed.
    let article = article(recommended).await;
    let article = article.map_err(|failure| stopped(failure.into()))?;
    match talk.dialogue.send_article(&article).await {
        Ok(reply) => {
            server.keep(net, talk);
            Ok(Sent::Taken(words(&reply)))
        }
        Err(NntpError::Declined(reply)) if reply.code != 400 => {
            let is_there = match tried {
                Some(id) if reply.code == 441 => {
                    is_duplicate(&reply) || has(&mut talk, id).await.unwrap_or(false)
                }
                Some(_) | None => false,
            };
            if is_there {
                server.keep(net, talk);
                return Ok(Sent::There(words(&reply)));
            }
            let sentence = format!("{} did not take the article", server.place);
            server.keep(net, talk);
            Err(NotSent::Refused(declined(sentence, &reply)))
        }
        Err(error) => Err(unknown(stop(error, &server, wanted))),
    }
}

/// Whether the server has the article of this Message-ID; not where it cannot tell.
async fn has(talk: &mut Talk, id: &str) -> Result<bool, NntpError> {
    let id = id.trim_start_matches('<').trim_end_matches('>');
    match talk.dialogue.stat(Which::Id(id.as_bytes())).await {
        Ok(()) => Ok(true),
        Err(NntpError::Declined(reply)) if reply.code != 400 => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a refusal (441) says that the server has the article already.
fn is_duplicate(reply: &Reply) -> bool {
    let line = reply.line.to_ascii_lowercase();
    let says = |words: &[u8]| memchr::memmem::find(&line, words).is_some();
    says(b"duplicate") || says(b"already")
}

/// A dialogue with the server, and which of these groups it has.
async fn ask(
    net: &Net,
    request: &Request,
    server: &Server,
    groups: &[Vec<u8>],
    sink: &mut Sink,
) -> Result<(Talk, Vec<Listed>), Stop> {
    let wildmats = wildmats(groups);
    let (first, rest) = wildmats
        .split_first()
        .map_or((&[][..], &[][..]), |(first, rest)| (first.as_slice(), rest));
    let wanted = Wanted::Groups(Some(first));
    let told = |error| stop(error, server, wanted);
    let (mut talk, answer) = reach(net, request, server, (wanted, Extent::Whole), sink).await?;
    let mut lines = Vec::new();
    match answer {
        Answer::Groups(_) | Answer::Block(_) => {
            lines_of(&mut talk, &mut lines).await.map_err(told)?;
        }
        Answer::Group(_) | Answer::There => {}
    }
    for wildmat in rest {
        let asked = count(&mut talk.dialogue, Some(wildmat)).await;
        asked.map_err(told)?;
        lines_of(&mut talk, &mut lines).await.map_err(told)?;
    }
    let lines = lines.split(|&octet| octet == b'\n');
    let listed = lines.filter_map(active).map(|group| Listed {
        name: group.name.to_vec(),
        posting: match group.status.first() {
            Some(b'm') => Posting::Moderated,
            // `=` files under another name, and what is posted there is lost.
            Some(b'n' | b'x' | b'j' | b'=') => Posting::Shut,
            _ => Posting::Open,
        },
    });
    let wanted = |listed: &Listed| groups.contains(&listed.name);
    Ok((talk, listed.filter(wanted).collect()))
}

/// Reads the lines of an answer.
async fn lines_of(talk: &mut Talk, lines: &mut Vec<u8>) -> Result<(), NntpError> {
    while let Some(run) = talk.dialogue.block().await? {
        let room = LISTED.saturating_sub(lines.len());
        lines.extend(run.into_iter().take(room));
    }
    Ok(())
}

/// The patterns that fit these groups and no others: one where they fit into a command. At least one.
fn wildmats(groups: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let wildmats = patterns(groups.iter().map(Vec::as_slice));
    if wildmats.is_empty() {
        // No name of a group among them: the server, or the dialogue before it, says so.
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

/// The article went out, and no answer came.
fn unknown(stop: Stop) -> NotSent {
    match stop {
        Stop::Failed(failure) => NotSent::Unknown(failure),
        other => NotSent::Stopped(other),
    }
}

fn words(reply: &Reply) -> Text {
    Text::new(&reply.line, Charset::default())
}
