//! The replies that are under way on a connection, so that they can be read to their end when nobody wants them any
//! more.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Dialogue, NntpError, Reply};

/// The commands whose replies can be read to their end, and the code behind which a block follows; 0 for no block. All
/// others change the state of the dialogue, or need an answer.
const READABLE: [(&[u8], u16); 11] = [
    (b"ARTICLE", 220),
    (b"HEAD", 221),
    (b"OVER", 224),
    (b"XOVER", 224),
    (b"HDR", 225),
    (b"LIST", 215),
    (b"LISTGROUP", 211),
    (b"NEWGROUPS", 231),
    (b"GROUP", 0),
    (b"STAT", 0),
    (b"DATE", 0),
];

/// The replies under way.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// For each command without a status line, the code behind which a block follows.
    awaited: VecDeque<u16>,
    is_in_block: bool,
    /// True if the dialogue is out of step, or would be if it ended now.
    is_out_of_step: bool,
}

impl Progress {
    /// Begins to send a command: half of one cannot be completed.
    pub(super) fn begin(&mut self) {
        self.is_out_of_step = true;
    }

    /// Awaits the reply to a command that was sent.
    pub(super) fn sent(&mut self, command: &[u8]) {
        let keyword = command.split(|&octet| octet == b' ').next();
        let mut readable = READABLE.iter();
        let known = readable.find(|(name, _)| Some(*name) == keyword);
        self.awaited.push_back(known.map_or(0, |(_, code)| *code));
        self.is_out_of_step = known.is_none();
    }

    /// Takes the status line of the next reply.
    fn replied(&mut self, code: u16) {
        let block = self.awaited.pop_front().unwrap_or(0);
        self.is_in_block = block == code;
        self.is_out_of_step = false;
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Returns true if a reply is under way that can be read to its end.
    pub fn is_mid_reply(&self) -> bool {
        let progress = &self.progress;
        !progress.is_out_of_step && (progress.is_in_block || !progress.awaited.is_empty())
    }

    /// Reads the replies under way to their end and drops them. Returns false if the dialogue must be dropped too: they
    /// are longer than `most` octets, or it is out of step.
    pub async fn drain(&mut self, most: usize) -> bool {
        let mut octets = 0;
        self.sent_ahead.clear();
        while self.is_mid_reply() {
            let read = if self.progress.is_in_block {
                let run = self.block().await;
                run.map(|run| octets += run.map_or(0, |run| run.len()))
            } else {
                self.status().await.map(drop)
            };
            if read.is_err() || octets > most {
                return false;
            }
        }
        !self.progress.is_out_of_step
    }

    /// Sends commands whose replies are read later, in this order: one round trip for all of them. Only for a server
    /// that supports CAPABILITIES, and so RFC 3977 (section 3.5).
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn send_ahead(&mut self, commands: &[&[u8]]) -> Result<(), NntpError> {
        if self.capabilities.is_none() || !self.sent_ahead.is_empty() {
            return Ok(());
        }
        for command in commands {
            self.write_command(command, "the command").await?;
            self.sent_ahead.push_back(command.to_vec());
        }
        Ok(())
    }

    /// Returns true if a command was sent before, so that its reply is the next one. The replies to other commands that
    /// were sent before are read and dropped, as it may be a login that they wait for.
    pub(super) async fn was_sent_ahead(&mut self, command: &[u8]) -> Result<bool, NntpError> {
        let next = self.sent_ahead.pop_front();
        if next.as_deref() == Some(command) {
            return Ok(true);
        }
        if next.is_some() {
            self.sent_ahead.clear();
            if !self.drain(usize::MAX).await {
                return Err(NntpError::UnexpectedData);
            }
        }
        Ok(false)
    }

    /// Sends a command.
    pub(super) async fn write_command(
        &mut self,
        command: &[u8],
        what: &'static str,
    ) -> Result<(), NntpError> {
        self.progress.begin();
        self.lines.send(command, what).await?;
        self.progress.sent(command);
        Ok(())
    }

    /// Reads the next status line.
    pub(super) async fn status(&mut self) -> Result<Reply, NntpError> {
        let line = self.lines.line().await;
        let reply = line.map_err(NntpError::from).and_then(Reply::parse);
        match &reply {
            Ok(reply) => self.progress.replied(reply.code),
            Err(_) => self.progress.is_out_of_step = true,
        }
        reply
    }

    /// Reads the next part of the block after a reply; `None` at its end.
    ///
    /// # Errors
    /// [`NntpError::Net`].
    pub async fn block(&mut self) -> Result<Option<Vec<u8>>, NntpError> {
        let run = self.lines.block().await;
        match &run {
            Ok(Some(_)) => {}
            Ok(None) => self.progress.is_in_block = false,
            Err(_) => self.progress.is_out_of_step = true,
        }
        Ok(run?)
    }
}
