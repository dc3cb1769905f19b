//! A job: one target at one server.

use geomys_wire::net::Net;
use geomys_wire::protocol::nntp::{List, NntpError, message_id};

use super::endpoint::{NewsConnection, NewsDialogue, NewsEndpoint};
use super::target::NewsTarget;
use crate::load::{Request, Sink, Stop};

/// One target at one server, and the sink of its parts.
pub(super) struct NewsJob<'a> {
    pub(super) net: &'a Net,
    pub(super) request: &'a Request,
    pub(super) server: &'a NewsEndpoint,
    pub(super) target: &'a NewsTarget<'a>,
    pub(super) sink: &'a mut Sink,
}

impl NewsJob<'_> {
    /// Returns an error for a Message-ID that may not be sent, before connecting.
    pub(super) fn check_target(&self) -> Result<(), Stop> {
        if let NewsTarget::MessageId(id) = self.target {
            message_id(id).map_err(|error| self.stop(error))?;
        }
        Ok(())
    }

    /// Returns an idle connection to the pool.
    pub(super) fn store(&self, connection: NewsConnection) {
        self.net.put_pooled(&self.server.pool_key, connection);
    }

    /// Forwards the block that follows.
    pub(super) async fn block(&mut self, dialogue: &mut NewsDialogue) -> Result<(), Stop> {
        while let Some(run) = dialogue.block().await.map_err(|error| self.stop(error))? {
            self.sink.octets(run).await?;
        }
        Ok(())
    }

    /// Forwards the descriptions of groups. They are optional: many servers have none.
    pub(super) async fn describe(
        &mut self,
        dialogue: &mut NewsDialogue,
        pattern: Option<&[u8]>,
    ) -> Result<(), Stop> {
        match dialogue.list(List::Newsgroups, pattern).await {
            Ok(()) => self.block(dialogue).await,
            Err(NntpError::Declined(_)) => Ok(()),
            Err(error) => Err(self.stop(error)),
        }
    }
}
