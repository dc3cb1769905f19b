//! The changes in the list of all groups since it was last requested: the new groups, and the article counts of the
//! subscribed groups.
//!
//! The format is that of the list, so that the changes can be appended to it: a line with a dot, lines of LIST ACTIVE
//! (or COUNTS), a line with a dot, lines of LIST NEWSGROUPS.

use super::connect::{NewsDialogue, NewsEndpoint};
use super::error::stop;
use super::{NewsTarget, Sink, Stop, block, count, describe};
use crate::protocol::nntp::{NntpError, ServerDate, parse_active, patterns};

/// The most octets of the new groups for which descriptions are requested.
const NEW: usize = 1024 * 1024;

/// A request for the changes of a list of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesQuery {
    /// The time of the previous request, by the server's clock.
    pub date: ServerDate,
    /// The groups whose counts are requested.
    pub subscribed: Vec<Vec<u8>>,
}

/// Forwards the data after the response to NEWGROUPS.
pub(super) async fn rest(
    dialogue: &mut NewsDialogue,
    since: &ChangesQuery,
    server: &NewsEndpoint,
    target: NewsTarget<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let to_stop = |error: NntpError| stop(error, server, target);
    let mut new = Vec::new();
    sink.octets(b".\r\n".to_vec()).await?;
    while let Some(run) = dialogue.block().await.map_err(to_stop)? {
        let room = NEW.saturating_sub(new.len());
        new.extend_from_slice(run.get(..room.min(run.len())).unwrap_or_default());
        sink.octets(run).await?;
    }
    for pattern in patterns(since.subscribed.iter().map(Vec::as_slice)) {
        count(dialogue, Some(&pattern)).await.map_err(to_stop)?;
        block(dialogue, server, target, sink).await?;
    }
    let lines = new.split(|&octet| octet == b'\n').filter_map(parse_active);
    let new = patterns(lines.map(|group| group.name));
    sink.octets(b".\r\n".to_vec()).await?;
    for pattern in new {
        describe(dialogue, Some(&pattern), server, target, sink).await?;
    }
    Ok(())
}
