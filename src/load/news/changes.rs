//! The changes in the list of all groups since it was last requested: the new groups, and the article counts of the
//! subscribed groups.
//!
//! The format is that of the list, so that the changes can be appended to it: a line with a dot, lines of LIST ACTIVE
//! (or COUNTS), a line with a dot, lines of LIST NEWSGROUPS.

use super::endpoint::NewsDialogue;
use super::first_response::count;
use super::job::NewsJob;
use super::settings::ChangesQuery;
use crate::load::Stop;
use crate::protocol::nntp::{parse_active, patterns};

/// The most octets of the new groups for which descriptions are requested.
const NEW: usize = 1024 * 1024;

impl NewsJob<'_> {
    /// Forwards the data after the response to NEWGROUPS.
    pub(super) async fn changes(
        &mut self,
        dialogue: &mut NewsDialogue,
        since: &ChangesQuery,
    ) -> Result<(), Stop> {
        let mut new = Vec::new();
        self.sink.octets(b".\r\n".to_vec()).await?;
        while let Some(run) = dialogue.block().await.map_err(|error| self.stop(error))? {
            let room = NEW.saturating_sub(new.len());
            new.extend_from_slice(run.get(..room).unwrap_or(&run));
            self.sink.octets(run).await?;
        }
        for pattern in patterns(since.subscribed.iter().map(Vec::as_slice)) {
            let counted = count(dialogue, Some(&pattern)).await;
            counted.map_err(|error| self.stop(error))?;
            self.block(dialogue).await?;
        }
        let lines = new.split(|&octet| octet == b'\n').filter_map(parse_active);
        let new = patterns(lines.map(|group| group.name));
        self.sink.octets(b".\r\n".to_vec()).await?;
        for pattern in new {
            self.describe(dialogue, Some(&pattern)).await?;
        }
        Ok(())
    }
}
