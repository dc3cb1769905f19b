//! Posting: which of an article's groups the server has, and the article itself.

use super::reach::{Server, Talk, reach};
use super::stop::stop;
use super::{Answer, Extent, Wanted, asked, count};
use crate::load::{Failure, FailureKind, Request, Sink, Stop};
use crate::net::Net;
use crate::protocol::nntp::{NntpError, Reply, active, patterns};
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

/// Posts `article` (head and body, lines with either end) to the server of `request`; `groups` are its groups. Gives the
/// server's words.
///
/// # Errors
/// [`Stop`], as a load has it. Its sentence says so where nobody knows whether the article was taken.
pub async fn post(
    net: &Net,
    request: &Request,
    groups: &[Vec<u8>],
    article: &[u8],
    mut sink: Sink,
) -> Result<Text, Stop> {
    let server = asked(request)?;
    let wildmats = wildmats(groups);
    let wanted = Wanted::Groups(wildmats.first().map(Vec::as_slice));
    // Asking about the groups once more shows that the connection is alive: an article is not to be sent into nothing.
    let (mut talk, _) = ask(net, request, &server, groups, &mut sink).await?;
    match talk.dialogue.post().await {
        Ok(()) => {}
        Err(NntpError::Declined(reply)) if reply.code == 440 => {
            let sentence = format!("{} takes no articles from here", server.place);
            server.keep(net, talk);
            return Err(declined(sentence, &reply));
        }
        Err(error) => return Err(stop(error, &server, wanted)),
    }
    match talk.dialogue.send_article(article).await {
        Ok(reply) => {
            server.keep(net, talk);
            Ok(words(&reply))
        }
        Err(NntpError::Declined(reply)) => {
            let sentence = format!("{} did not take the article", server.place);
            server.keep(net, talk);
            Err(declined(sentence, &reply))
        }
        Err(error) => Err(unknown(stop(error, &server, wanted))),
    }
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

fn declined(sentence: String, reply: &Reply) -> Stop {
    Stop::Failed(Failure {
        said: vec![words(reply)],
        ..Failure::new(sentence)
    })
}

/// The article went out, and no answer came.
fn unknown(stop: Stop) -> Stop {
    match stop {
        Stop::Failed(failure) => Stop::Failed(Failure {
            sentence: format!(
                "nobody knows whether the article was taken: {}",
                failure.sentence
            ),
            advice: Some("look into the group before you send it again"),
            kind: FailureKind::default(),
            ..failure
        }),
        other => other,
    }
}

fn words(reply: &Reply) -> Text {
    Text::new(&reply.line, Charset::default())
}
