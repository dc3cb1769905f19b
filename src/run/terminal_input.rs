//! The input of the terminal: keys, the mouse and pasted text as events, and the answers of the terminal.
//!
//! A terminal sends answers between the keys, also those that nobody here asked for: another program has asked before
//! it ended, and the answer is late. What is no key and no known answer is dropped, up to its end.

mod keys;
mod sequence;
mod splitter;

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use crossterm::event::Event;
use futures_util::{Stream, StreamExt};
use geomys_page::document::picture::Protocol;
use tokio::time::{Instant, sleep_until};

use self::sequence::Sequence;
use self::splitter::Splitter;
use crate::ui::theme::colours::Background;

/// An event, an answer of the terminal, or a signal of job control.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// A key, pasted text, a report of the mouse or of the focus, a new size.
    Event(Event),
    /// The button of the mouse that goes forward, if true, or back.
    Navigate(bool),
    /// The background of the terminal.
    Background(Background),
    /// A graphics protocol that the terminal has.
    Graphics(Protocol),
    /// The browser is to give the terminal back and to stop.
    Stop,
    /// The browser was continued, and the terminal may have other modes and contents.
    Continue,
}

/// A decoder of the octets that a terminal sends.
#[derive(Debug, Default)]
pub struct InputDecoder(Splitter);

impl InputDecoder {
    /// Decodes the octets of one read.
    pub fn read(&mut self, octets: &[u8]) -> Vec<Input> {
        self.0.push(octets);
        self.0.end_read();
        self.take_input()
    }

    /// Decodes octets of a read that has more of them.
    pub fn read_part(&mut self, octets: &[u8]) -> Vec<Input> {
        self.0.push(octets);
        self.take_input()
    }

    /// Returns the time after which [`Self::expire`] is to be called if nothing is read; `None` if nothing is
    /// incomplete.
    pub fn wait(&self) -> Option<Duration> {
        self.0.wait()
    }

    /// Ends what is incomplete, and returns the keys that it is.
    pub fn expire(&mut self) -> Vec<Input> {
        self.0.expire();
        self.take_input()
    }

    fn take_input(&mut self) -> Vec<Input> {
        let sequences = self.0.take_sequences();
        sequences.into_iter().filter_map(meaning).collect()
    }
}

/// Returns what a sequence means; `None` if it means nothing here.
fn meaning(sequence: Sequence) -> Option<Input> {
    let event = match sequence {
        Sequence::Escape => keys::letter('\u{1b}', false),
        Sequence::Letter { letter, has_alt } => keys::letter(letter, has_alt),
        Sequence::Csi {
            body,
            last,
            has_alt,
        } => match sequence::csi(&body, last) {
            Some(input) => return Some(input),
            None => keys::csi(&body, last, has_alt)?,
        },
        Sequence::Ss3 {
            body,
            last,
            has_alt,
        } => keys::ss3(&body, last, has_alt)?,
        Sequence::Console(letter) => keys::console(letter)?,
        Sequence::Mouse(report) => return sequence::x10(report),
        Sequence::Text { introducer, text } => return sequence::answer(introducer, &text),
        Sequence::Paste(octets) => Event::Paste(String::from_utf8_lossy(&octets).into_owned()),
    };
    Some(Input::Event(event))
}

/// The input in a stream of reads.
pub struct TerminalInput<R> {
    reads: R,
    decoder: InputDecoder,
    /// The time at which what is incomplete ends.
    deadline: Instant,
    ready: VecDeque<Input>,
}

impl<R: Stream<Item = io::Result<Vec<u8>>> + Unpin> TerminalInput<R> {
    /// Decodes a stream of reads: the octets that were available at one time.
    pub fn new(reads: R) -> Self {
        Self {
            reads,
            decoder: InputDecoder::default(),
            deadline: Instant::now(),
            ready: VecDeque::new(),
        }
    }

    /// Waits for the next input. Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<io::Result<Input>> {
        loop {
            if let Some(input) = self.ready.pop_front() {
                return Some(Ok(input));
            }
            let wait = self.decoder.wait();
            let read = tokio::select! {
                biased;
                read = self.reads.next() => read,
                () = sleep_until(self.deadline), if wait.is_some() => Some(Ok(Vec::new())),
            };
            match read {
                Some(Ok(octets)) if octets.is_empty() => self.ready.extend(self.decoder.expire()),
                Some(Ok(octets)) => {
                    self.ready.extend(self.decoder.read(&octets));
                    self.deadline = Instant::now() + self.decoder.wait().unwrap_or_default();
                }
                Some(Err(error)) => return Some(Err(error)),
                None if wait.is_some() => self.ready.extend(self.decoder.expire()),
                None => return None,
            }
        }
    }
}
