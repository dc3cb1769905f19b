//! The changes in the list of all groups since it was last requested: the new groups, and the article counts of the
//! subscribed groups.
//!
//! The format is that of the list, so that the changes can be appended to it: a line with a dot, lines of LIST ACTIVE
//! (or COUNTS), a line with a dot, lines of LIST NEWSGROUPS.

use std::collections::HashSet;

use geomys_wire::net::LentConnection;
use geomys_wire::protocol::nntp::{NntpError, parse_active, patterns};

use super::endpoint::{NewsConnection, NewsDialogue, dialogue};
use super::first_response::count;
use super::settings::ChangesQuery;
use super::target::NewsJob;
use crate::Stop;

/// The most groups that are counted one by one.
const MAX_SINGLE_GROUPS: usize = 500;

/// The most octets of the new groups for which descriptions are requested.
const NEW: usize = 1024 * 1024;

impl NewsJob<'_> {
    /// Forwards the counts of groups as lines of a list. Groups that the server does not list are counted one by one,
    /// as with a server that knows no patterns. `is_listed` is true if the list of the first ones follows.
    pub(super) async fn counts(
        &mut self,
        dialogue: &mut NewsDialogue,
        query: &ChangesQuery,
        is_listed: bool,
    ) -> Result<(), Stop> {
        let mut listed = HashSet::new();
        let patterns = patterns(query.subscribed.iter().map(Vec::as_slice));
        let patterns = if is_listed { patterns } else { Vec::new() };
        for (index, pattern) in patterns.iter().enumerate() {
            if index > 0 {
                match count(dialogue, Some(pattern)).await {
                    Ok(()) => {}
                    Err(NntpError::Declined(_)) => break,
                    Err(error) => return Err(self.stop(error)),
                }
            }
            let names: HashSet<&[u8]> = pattern.split(|&octet| octet == b',').collect();
            let mut is_any = false;
            while let Some(run) = dialogue.block().await.map_err(|error| self.stop(error))? {
                let lines = run.split(|&octet| octet == b'\n').filter_map(parse_active);
                is_any |= lines.filter(|group| names.contains(group.name)).count() > 0;
                self.sink.octets(run).await?;
            }
            // A server that lists none of them may not know a list of names as a pattern.
            if is_any {
                listed.extend(names.into_iter().map(<[u8]>::to_vec));
            }
        }
        let single = query
            .subscribed
            .iter()
            .filter(|name| !listed.contains(*name));
        for name in single.take(MAX_SINGLE_GROUPS) {
            match dialogue.group(name).await {
                Ok(marks) => {
                    let (high, low, count) = (marks.high, marks.low, marks.count);
                    let numbers = format!(" {high} {low} {count} y\r\n");
                    self.sink
                        .octets([name, numbers.as_bytes()].concat())
                        .await?;
                }
                Err(NntpError::Declined(_) | NntpError::Unsendable { .. }) => {}
                Err(error) => return Err(self.stop(error)),
            }
        }
        Ok(())
    }

    /// Forwards the data after the response to NEWGROUPS.
    pub(super) async fn changes(
        &mut self,
        lent: &mut LentConnection<NewsConnection>,
        since: &ChangesQuery,
    ) -> Result<(), Stop> {
        let mut new = Vec::new();
        let connected = dialogue(lent)?;
        self.sink.octets(b".\r\n".to_vec()).await?;
        while let Some(run) = (connected.block().await).map_err(|error| self.stop(error))? {
            let room = NEW.saturating_sub(new.len());
            new.extend_from_slice(run.get(..room).unwrap_or(&run));
            self.sink.octets(run).await?;
        }
        for pattern in patterns(since.subscribed.iter().map(Vec::as_slice)) {
            let counted = count(connected, Some(&pattern)).await;
            counted.map_err(|error| self.stop(error))?;
            self.block(connected).await?;
        }
        let lines = new.split(|&octet| octet == b'\n').filter_map(parse_active);
        let new = patterns(lines.map(|group| group.name));
        self.sink.octets(b".\r\n".to_vec()).await?;
        for pattern in new {
            self.describe(lent, Some(&pattern)).await?;
        }
        Ok(())
    }
}
