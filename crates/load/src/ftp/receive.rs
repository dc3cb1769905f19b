//! Receiving the data of a transfer, and its end.
//!
//! The final reply is believed. SIZE and LIST are estimates: the file may have grown or shrunk since, and a file that
//! is made while it is read has another size. Where the numbers differ the server is asked again, once: for the size,
//! and for what is missing.

use geomys_wire::net::TransferEnd;
use geomys_wire::protocol::ftp::{DataReply, FtpError, Reply, Transfer};

use super::command::{TargetError, TargetJob, TargetOutcome};
use super::failure;
use crate::{Failure, FailureKind, OversizePolicy, Part, Purpose, Stop};
use suppaftp::Status;

/// The most octets behind the announced size that are held back until the server has told the size again.
const MAX_HELD_BYTES: u64 = 4 * 1024 * 1024;

/// The most octets at the end of what came that a server has to send again before it is believed to go on from there.
const MAX_TAIL_BYTES: usize = 4096;

/// The data of one transfer, and its end.
struct Received {
    /// The offset behind the last octet, counted with those that are held back.
    position: u64,
    /// The octets behind the announced size.
    held: Vec<Vec<u8>>,
    /// The last octets, at most [`MAX_TAIL_BYTES`].
    tail: Vec<u8>,
    /// True if the receiver stopped because too much was held back: the final reply confirms nothing.
    is_stopped: bool,
    /// True if all that was wanted of the file has come ([`SaveRequest::length`](crate::SaveRequest::length)).
    is_part: bool,
    end: TransferEnd,
    reply: Result<Reply, FtpError>,
}

impl TargetJob<'_> {
    /// Forwards the data of a listing, `head` first. `watch` sees each later piece.
    pub(super) async fn stream(
        &mut self,
        transfer: Transfer,
        head: Vec<u8>,
        watch: impl FnMut(&[u8]),
    ) -> Result<TargetOutcome, TargetError> {
        let offset = transfer.offset();
        let received = self.receive(transfer, (offset, head), None, watch);
        let received = received.await?;
        self.ended(received)
    }

    /// Forwards a file, `head` first, for which the server has announced a size: 0 holds only if nothing comes.
    pub(super) async fn file(
        &mut self,
        name: &[u8],
        transfer: Transfer,
        head: Vec<u8>,
        announced: Option<u64>,
    ) -> Result<TargetOutcome, TargetError> {
        let offset = transfer.offset();
        let size = announced.filter(|&size| size > 0);
        let received = self.receive(transfer, (offset, head), size, |_| {});
        let received = received.await?;
        if received.is_part {
            // The server may tell that it was interrupted, and stays usable.
            let end = TransferEnd::Confirmed;
            return Ok(match received.reply {
                Ok(reply) if reply.status() != Status::NotAvailable => TargetOutcome::Complete(end),
                Ok(_) | Err(_) => TargetOutcome::OutOfStep(end),
            });
        }
        let is_done = received.reply.as_ref().is_ok_and(Reply::is_done);
        match size {
            None if announced == Some(received.position) && is_done => Ok(all_came(is_done)),
            Some(size) if !received.held.is_empty() => {
                self.longer(name, received, (offset, size)).await
            }
            Some(size) if received.position == size => Ok(all_came(is_done)),
            Some(size) if received.position < size && is_done => {
                self.shorter(name, &received, size).await
            }
            Some(_) | None => self.ended(received),
        }
    }

    /// Forwards data up to the announced size, `head` at its position first, and holds back what is behind it. What is
    /// shown has no such bound.
    async fn receive(
        &mut self,
        mut transfer: Transfer,
        (mut position, head): (u64, Vec<u8>),
        size: Option<u64>,
        mut watch: impl FnMut(&[u8]),
    ) -> Result<Received, TargetError> {
        let is_bounded = self.request.purpose == Purpose::Save
            && self.request.save.oversize == OversizePolicy::Stop;
        let bound = size.filter(|_| is_bounded).unwrap_or(u64::MAX);
        let (mut held, mut tail) = (Vec::new(), Vec::new());
        let (mut is_stopped, mut is_part) = (false, false);
        let mut lost = None;
        let mut octets = head;
        let last = self
            .request
            .save
            .length
            .map(|length| position.saturating_add(length));
        loop {
            if let Some(last) = last
                && position + octets.len() as u64 >= last
            {
                octets.truncate(usize::try_from(last - position).unwrap_or(usize::MAX));
                position += octets.len() as u64;
                self.forward(octets).await?;
                is_part = true;
                break;
            }
            position += octets.len() as u64;
            keep_tail(&mut tail, &octets);
            let excess = usize::try_from(position.saturating_sub(bound)).unwrap_or(usize::MAX);
            let over = octets.split_off(octets.len().saturating_sub(excess));
            if let Some(size) = size.filter(|&size| !is_bounded && position > size)
                && transfer.offset() > 0
            {
                return Err(self.resume_mismatch(size));
            }
            self.forward(octets).await?;
            if !over.is_empty() {
                held.push(over);
            }
            if position.saturating_sub(bound) > MAX_HELD_BYTES {
                is_stopped = true;
                break;
            }
            octets = match self.connection.read(self.net, &mut transfer).await {
                // Devices may not end at all: the final reply tells whether this was all.
                Err(FtpError::Net(error)) if size.is_some_and(|size| position >= size) => {
                    lost = Some(error);
                    break;
                }
                octets => octets?,
            };
            if octets.is_empty() {
                break;
            }
            watch(&octets);
        }
        if let Some(ends) = &mut self.ends {
            self.sink.octets(ends.finish()).await?;
        }
        let lost = lost.or_else(|| transfer.take_reset());
        let is_all = size.is_some_and(|size| position >= size);
        let end = transfer.end();
        let is_over = is_all || is_part || lost.is_some();
        let mut reply = self.connection.finish(self.net, transfer, is_over).await;
        if let (Some(error), false) = (lost, reply.as_ref().is_ok_and(Reply::is_done)) {
            reply = Err(error.into());
        }
        Ok(Received {
            position,
            held,
            tail,
            is_stopped,
            is_part,
            end,
            reply,
        })
    }

    async fn forward(&mut self, octets: Vec<u8>) -> Result<(), Stop> {
        let octets = match &mut self.ends {
            Some(ends) => ends.push(&octets),
            None => octets,
        };
        self.sink.octets(octets).await
    }

    /// Returns the outcome of data whose end only the final reply tells.
    #[expect(
        clippy::result_large_err,
        reason = "the same error as that of its callers, which are async"
    )]
    fn ended(&self, received: Received) -> Result<TargetOutcome, TargetError> {
        let reply = received.reply?;
        if reply.is_done() {
            return Ok(TargetOutcome::Complete(received.end));
        }
        Err(self.broken_off(received.position, &reply))
    }

    /// Ends a file of which more came than was announced: it is taken as far as the server announces now. If it
    /// announces no more, the receiver stops at the announced size.
    async fn longer(
        &mut self,
        name: &[u8],
        mut received: Received,
        (offset, size): (u64, u64),
    ) -> Result<TargetOutcome, TargetError> {
        let now = match received.reply {
            Ok(_) => self.connection.size(name).await?.ok(),
            Err(_) => None,
        };
        let Some(now) = now.filter(|&now| now > size) else {
            if offset > 0 {
                return Err(self.resume_mismatch(size));
            }
            for octets in std::mem::take(&mut received.held) {
                self.forward(octets).await?;
            }
            return self.ended(received);
        };
        self.sink.put(Part::Size(now)).await?;
        let mut room = now - size;
        for mut octets in std::mem::take(&mut received.held) {
            octets.truncate(usize::try_from(room).unwrap_or(usize::MAX));
            room -= octets.len() as u64;
            self.forward(octets).await?;
        }
        let is_done = received.reply.as_ref().is_ok_and(Reply::is_done);
        if received.position >= now {
            return Ok(all_came(is_done));
        }
        let more = self.more(name, &received, now).await?;
        match more {
            Some(more) if more.position >= now => {
                Ok(all_came(more.reply.is_ok_and(|reply| reply.is_done())))
            }
            Some(more) if more.reply.as_ref().is_ok_and(Reply::is_done) => {
                Ok(TargetOutcome::Complete(TransferEnd::Differs {
                    announced: now,
                    received: more.position,
                }))
            }
            Some(more) => self.ended(more),
            // What came before was confirmed.
            None if is_done && !received.is_stopped => Ok(TargetOutcome::OutOfStep(received.end)),
            None => Err(TargetError::Load(
                self.not_resumed(received.position).into(),
            )),
        }
    }

    /// Ends a file of which less came than was announced, though the server has reported success: if it has no more
    /// when it is asked again, this is all.
    async fn shorter(
        &mut self,
        name: &[u8],
        received: &Received,
        size: u64,
    ) -> Result<TargetOutcome, TargetError> {
        let position = received.position;
        if self.connection.size(name).await? == Ok(position) {
            return Ok(TargetOutcome::Complete(received.end));
        }
        let Some(more) = self.more(name, received, size).await? else {
            return Err(TargetError::Load(self.incomplete(position, size).into()));
        };
        let reply = more.reply?;
        if !reply.is_done() {
            return Err(self.broken_off(more.position, &reply));
        }
        if more.position >= size {
            return Ok(TargetOutcome::Complete(TransferEnd::Confirmed));
        }
        if more.position > position {
            // The transfer can resume from there.
            let failure = self.incomplete(more.position, size);
            return Ok(TargetOutcome::Stopped(failure.into()));
        }
        let is_unconfirmed = received.end.is_unconfirmed() || more.end.is_unconfirmed();
        Ok(TargetOutcome::Complete(if is_unconfirmed {
            TransferEnd::Unconfirmed
        } else {
            TransferEnd::Differs {
                announced: size,
                received: position,
            }
        }))
    }

    /// Requests and forwards the octets from `position` to `size`. None if the server has others than these: it cannot
    /// restart, and has more. The connection is not reusable then.
    async fn more(
        &mut self,
        name: &[u8],
        before: &Received,
        size: u64,
    ) -> Result<Option<Received>, TargetError> {
        let (position, tail) = (before.position, before.tail.as_slice());
        let from = position.saturating_sub(tail.len() as u64);
        let mut transfer = match self.retrieve(name, false, from).await? {
            DataReply::Transfer(transfer) => transfer,
            DataReply::Empty => return Ok(None),
            DataReply::Refused(reply) => return Err(self.broken_off(position, &reply)),
        };
        if transfer.offset() == from {
            let mut head = Vec::new();
            while head.len() < tail.len() && tail.starts_with(&head) {
                let octets = self.connection.read(self.net, &mut transfer).await?;
                if octets.is_empty() {
                    break;
                }
                head.extend(octets);
            }
            // A server may accept REST and send the file from its beginning.
            if head.starts_with(tail) {
                let rest = head.split_off(tail.len());
                let received = self.receive(transfer, (position, rest), Some(size), |_| {});
                return Ok(Some(received.await?));
            }
        }
        // The file comes again from its beginning, or has changed: only its length is of interest.
        let lengths = [position, position - transfer.offset()];
        while transfer.received() <= position {
            if self
                .connection
                .read(self.net, &mut transfer)
                .await?
                .is_empty()
            {
                let (end, received) = (transfer.end(), transfer.received());
                let reply = self.connection.finish(self.net, transfer, false).await;
                return Ok(lengths.contains(&received).then_some(Received {
                    position,
                    held: Vec::new(),
                    tail: Vec::new(),
                    is_stopped: false,
                    is_part: false,
                    end,
                    reply,
                }));
            }
        }
        Ok(None)
    }

    /// Returns the error for a transfer that the server broke off.
    pub(super) fn broken_off(&self, received: u64, reply: &Reply) -> TargetError {
        let authority = self.connection.authority();
        let sentence = format!("{authority} closed the connection after {received} bytes");
        TargetError::Load(failure(sentence, reply).into())
    }

    /// Returns the failure for a server that reports success before it has sent all that it has.
    fn incomplete(&self, received: u64, size: u64) -> Failure {
        let authority = self.connection.authority();
        let sentence = format!("{authority} sent {received} of {size} bytes and reported success");
        Failure::new(sentence).with_kind(FailureKind::Transient)
    }

    /// Returns the failure for a server that has more than it has sent, and sends it only from the beginning.
    fn not_resumed(&self, received: u64) -> Failure {
        let authority = self.connection.authority();
        let sentence = format!("{authority} has more than {received} bytes, but cannot resume");
        Failure::new(sentence).with_kind(FailureKind::Transient)
    }

    /// Returns the error for a server that accepts REST, but sends the whole file again.
    fn resume_mismatch(&self, size: u64) -> TargetError {
        let authority = self.connection.authority();
        let sentence =
            format!("{authority} was asked to resume inside {size} bytes, but sends more");
        let failure = Failure::new(sentence).with_kind(FailureKind::ResumeMismatch);
        TargetError::Load(failure.into())
    }
}

/// Adds octets to the last ones, and forgets those before.
fn keep_tail(tail: &mut Vec<u8>, octets: &[u8]) {
    let kept = octets.len().min(MAX_TAIL_BYTES);
    let over = (tail.len() + kept).saturating_sub(MAX_TAIL_BYTES);
    tail.drain(..over);
    tail.extend_from_slice(octets.split_at(octets.len() - kept).1);
}

/// Returns the outcome of a file that came up to its announced size.
fn all_came(is_done: bool) -> TargetOutcome {
    if is_done {
        TargetOutcome::Complete(TransferEnd::Confirmed)
    } else {
        TargetOutcome::OutOfStep(TransferEnd::Confirmed)
    }
}
