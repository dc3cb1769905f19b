//! The keys of the real terminal: a stream for the browser, and one after the other for the questions of a command.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, stdin};
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use crossterm::event::Event;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{read, retry_on_intr};
use rustix::termios::ttyname;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;

use crate::run::terminal_input::{Input, InputDecoder, TerminalInput};

/// The maximum size of one read, in bytes.
const MAX_READ_BYTES: usize = 4096;

/// A stream of the terminal's input. Before another program reads the terminal, the stream is closed; it opens again when the
/// loop reads the next key. It ends with an error, also where the terminal is closed.
#[derive(Clone, Default)]
pub(super) struct KeyStream(Arc<Mutex<Option<BoxStream<'static, io::Result<Input>>>>>);

impl KeyStream {
    fn reading(&self) -> MutexGuard<'_, Option<BoxStream<'static, io::Result<Input>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the stream.
    pub(super) fn close(&self) {
        *self.reading() = None;
    }
}

impl Stream for KeyStream {
    type Item = io::Result<Input>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.reading()
            .get_or_insert_with(|| inputs().boxed())
            .poll_next_unpin(context)
    }
}

/// Returns the input of the terminal.
fn inputs() -> impl Stream<Item = io::Result<Input>> {
    stream::unfold(TerminalInput::new(Box::pin(reads())), |mut input| async {
        Some((input.next().await?, input))
    })
}

/// Returns the reads of the terminal, the last of which is an error.
fn reads() -> impl Stream<Item = io::Result<Vec<u8>>> {
    // What tokio has for pipes reads a terminal as well, and needs no unsafe code.
    let terminal = open_terminal().and_then(Receiver::from_owned_fd_unchecked);
    stream::unfold(Some(terminal), |terminal| async {
        let mut octets = vec![0; MAX_READ_BYTES];
        let (read, terminal) = match terminal? {
            Ok(mut terminal) => (terminal.read(&mut octets).await, Some(Ok(terminal))),
            Err(error) => (Err(error), None),
        };
        match read.and_then(some) {
            Ok(count) => {
                octets.truncate(count);
                Some((Ok(octets), terminal))
            }
            Err(error) => Some((Err(error), None)),
        }
    })
}

/// Opens the terminal for reads that do not block. Its own open file description leaves other programs theirs as it is.
fn open_terminal() -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let input = stdin();
    if !input.is_terminal() {
        return Ok(open("/dev/tty", flags, Mode::empty())?);
    }
    let named = ttyname(&input, Vec::new()).and_then(|name| open(name, flags, Mode::empty()));
    match named.or_else(|_| open("/dev/tty", flags, Mode::empty())) {
        Ok(terminal) => Ok(terminal),
        // After `su` it may belong to another user, who has it open. It is read only when there is something to read.
        Err(_) => input.as_fd().try_clone_to_owned(),
    }
}

/// Returns the number of octets of a read; none is the end of a closed terminal, and an error.
fn some(count: usize) -> io::Result<usize> {
    if count == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(count)
}

/// Waits until there is something to read, without an end if `time` is `None`. Returns false if the time is over.
fn is_readable(terminal: impl AsFd, time: Option<Duration>) -> io::Result<bool> {
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    let mut waiting = [PollFd::new(&terminal, PollFlags::IN)];
    Ok(retry_on_intr(|| poll(&mut waiting, time.as_ref()))? > 0)
}

/// The keys for a question of a command. Only the octets of the answer are read: the next question reads the next ones.
#[derive(Default)]
pub(super) struct PromptKeys {
    decoder: InputDecoder,
    ready: VecDeque<Input>,
}

impl PromptKeys {
    /// Waits for the next event. Answers of the terminal are dropped: a command asks it nothing.
    pub(super) fn next(&mut self) -> io::Result<Event> {
        let terminal = stdin();
        loop {
            match self.ready.pop_front() {
                Some(Input::Event(event)) => return Ok(event),
                Some(_) => {}
                None if is_readable(&terminal, self.decoder.wait())? => self.read(&terminal)?,
                None => self.ready.extend(self.decoder.expire()),
            }
        }
    }

    fn read(&mut self, terminal: impl AsFd) -> io::Result<()> {
        let mut octet = [0];
        some(retry_on_intr(|| read(&terminal, &mut octet[..]))?)?;
        self.ready
            .extend(if is_readable(&terminal, Some(Duration::ZERO))? {
                self.decoder.read_part(&octet)
            } else {
                self.decoder.read(&octet)
            });
        Ok(())
    }
}
