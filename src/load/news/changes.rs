//! What has changed in the list of all groups since it was last asked for: the groups that are new, and how many articles
//! there are in those that somebody reads.
//!
//! It comes as the list does, to be put behind that: a line that is a dot, lines of LIST ACTIVE (or COUNTS), a line that is
//! a dot, lines of LIST NEWSGROUPS.

use super::reach::{Dialogue, Server};
use super::stop::stop;
use super::{Sink, Stop, Wanted, block, count, describe};
use crate::protocol::nntp::{NntpError, ServerDate, active, patterns};

/// As much of the new groups as is looked at for their descriptions, in octets.
const NEW: usize = 1024 * 1024;

/// Since when, and whose counts are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Since {
    /// By the server's clock.
    pub date: ServerDate,
    /// The groups whose counts are asked for.
    pub subscribed: Vec<Vec<u8>>,
}

/// Hands on what follows the answer to NEWGROUPS.
pub(super) async fn rest(
    talk: &mut Dialogue,
    since: &Since,
    server: &Server,
    wanted: Wanted<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let told = |error: NntpError| stop(error, server, wanted);
    let mut new = Vec::new();
    sink.octets(b".\r\n".to_vec()).await?;
    while let Some(run) = talk.block().await.map_err(told)? {
        let room = NEW.saturating_sub(new.len());
        new.extend_from_slice(run.get(..room.min(run.len())).unwrap_or_default());
        sink.octets(run).await?;
    }
    for pattern in patterns(since.subscribed.iter().map(Vec::as_slice)) {
        count(talk, Some(&pattern)).await.map_err(told)?;
        block(talk, server, wanted, sink).await?;
    }
    let lines = new.split(|&octet| octet == b'\n').filter_map(active);
    let new = patterns(lines.map(|group| group.name));
    sink.octets(b".\r\n".to_vec()).await?;
    for pattern in new {
        describe(talk, Some(&pattern), server, wanted, sink).await?;
    }
    Ok(())
}
