//! The replies that are under way on a connection, so that they can be read to their end when nobody wants them any
//! more.

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncWrite};

use super::{ARTICLES_AHEAD, COMMAND, Dialogue, NntpError, Reply};
use crate::net::NetError;

/// The commands whose replies can be read to their end, and the code behind which a block follows; 0 for no block. All
/// others change the state of the dialogue, or need an answer.
const READABLE: [(&[u8], u16); 12] = [
    (b"ARTICLE", 220),
    (b"HEAD", 221),
    (b"OVER", 224),
    (b"XOVER", 224),
    (b"HDR", 225),
    (b"XHDR", 221),
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
    /// The number of replies that have come to the commands that were sent together; `None` if the last command was
    /// sent alone.
    answered: Option<usize>,
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
        self.answered = self.answered.map(|answered| answered + 1);
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
    /// that supports CAPABILITIES, and so RFC 3977 (section 3.5), and that was not found to lose such commands.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn send_ahead(&mut self, commands: &[&[u8]]) -> Result<(), NntpError> {
        if !self.takes_windows() || !self.sent_ahead.is_empty() {
            return Ok(());
        }
        let commands = commands.iter().map(|command| command.to_vec()).collect();
        self.write_window(commands).await
    }

    /// Sends those of the next commands of one kind that were not sent yet. Nothing is sent if others are under way.
    pub(super) async fn send_more_ahead(
        &mut self,
        mut next: Vec<Vec<u8>>,
    ) -> Result<(), NntpError> {
        let sent = self.sent_ahead.len();
        if self.sent_ahead.iter().ne(next.iter().take(sent)) {
            return Ok(());
        }
        let more = next.split_off(sent.min(next.len()));
        if more.is_empty() {
            return Ok(());
        }
        self.write_window(more).await
    }

    /// Returns true if more of so many commands of one kind are to be sent: half of the earlier ones were answered.
    pub(super) fn takes_more(&self, count: usize) -> bool {
        self.takes_windows() && count > 1 && self.sent_ahead.len() <= ARTICLES_AHEAD / 2
    }

    /// Sends commands at once, behind those that were sent before; none if one of them is too long, which its own
    /// request reports.
    pub(super) async fn write_window(&mut self, commands: Vec<Vec<u8>>) -> Result<(), NntpError> {
        if commands.iter().any(|command| command.len() > COMMAND) {
            return Ok(());
        }
        if self.sent_ahead.is_empty() {
            self.progress.answered = Some(0);
        }
        self.progress.begin();
        let lines = commands.iter().map(Vec::as_slice);
        self.lines.send_all(lines, "the command").await?;
        for command in commands {
            self.progress.sent(&command);
            self.sent_ahead.push_back(command);
        }
        Ok(())
    }

    /// Returns true if commands may be sent together.
    pub(super) fn takes_windows(&self) -> bool {
        self.capabilities.is_some() && !self.loses_windows
    }

    /// Allows commands that are sent together, or sends each alone from here on, as the server may lose them.
    pub fn allow_windows(&mut self, allowed: bool) {
        self.loses_windows = !allowed;
    }

    /// Returns true if commands were sent before they are asked.
    pub fn has_sent_ahead(&self) -> bool {
        !self.sent_ahead.is_empty()
    }

    /// Returns true if an error shows that the server loses commands that are sent together: its replies are out of
    /// step, or end after the first ones, outside of a block. A reset may destroy the first ones: the server closed
    /// before it had read all commands.
    pub fn has_lost_window(&self, error: &NntpError) -> bool {
        let answered = self.progress.answered;
        match error {
            // Of a window whose first command is refused, the other replies are awaited, and may not come.
            NntpError::Malformed(_) | NntpError::UnexpectedData => answered.is_some(),
            NntpError::Net(_) if self.progress.is_in_block => false,
            NntpError::Net(error) if error.is_reset() => answered.is_some(),
            NntpError::Net(error) => {
                let is_end = error.is_closed() || matches!(error, NetError::Timeout { .. });
                is_end && answered > Some(0)
            }
            NntpError::Declined(_)
            | NntpError::Goodbye(_)
            | NntpError::NoCapabilities(_)
            | NntpError::LoginWhileCompressed(_)
            | NntpError::LoginRequired(_)
            | NntpError::PasswordRequired(..)
            | NntpError::LoginRefused(_)
            | NntpError::InsecureLogin
            | NntpError::Withdrawn(_)
            | NntpError::NoTls(_)
            | NntpError::Unsendable { .. } => false,
        }
    }

    /// Returns true if an error shows that no command of those that were sent together was answered in time. The server
    /// may be slow, or it may not take them.
    pub fn has_no_answer(&self, error: &NntpError) -> bool {
        let is_timeout = matches!(error, NntpError::Net(NetError::Timeout { .. }));
        is_timeout && self.progress.answered == Some(0)
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
        self.progress.answered = None;
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

    /// Reads the next status line. Behind the first one of a window it should be under way: a server that is silent for
    /// long has lost the command.
    pub(super) async fn status(&mut self) -> Result<Reply, NntpError> {
        let line = if self.progress.answered > Some(0) {
            self.lines.overdue_line().await
        } else {
            self.lines.line().await
        };
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
