//! The overview of a group, the newest article first.
//!
//! It is requested in windows of numbers from the highest down, so that a group of any size opens at once. A server
//! without an overview is queried for the head of each article.

use std::time::Duration;

use tokio::time::Instant;

use super::endpoint::NewsDialogue;
use super::job::NewsJob;
use crate::load::{Sink, Stop};
use crate::protocol::nntp::{NntpError, WaterMarks, overview_line};

/// The article numbers in the first window: a screen or two.
const FIRST: u64 = 100;

/// The article numbers in the second window. After that windows grow.
const SECOND: u64 = 500;

/// The time after which windows stop growing: a window is shown only when it is complete.
const QUICK: Duration = Duration::from_millis(250);

/// The most octets of a window that are buffered to reverse their order. A larger window comes in several pieces, each
/// reversed by itself.
const MAX_BUFFERED: usize = 2 * 1024 * 1024;

/// The most octets that are forwarded at once, so that little data waits in the channel.
const PIECE: usize = 256 * 1024;

/// The most articles whose heads are requested: each needs one command.
const HEADS: usize = 10_000;

/// The statistics of a window that has arrived.
#[derive(Clone, Copy, Debug)]
struct OverviewWindow {
    /// The count of its numbers.
    size: u64,
    /// The count of its articles.
    lines: u64,
    octets: usize,
    took: Duration,
}

impl OverviewWindow {
    /// Returns the size of the next window. Windows grow when numbers are sparse, so that a group with a few articles
    /// among millions of numbers does not need a million requests, and when they arrive quickly, so that a large group
    /// needs few requests.
    fn next(self) -> u64 {
        let smaller = || (self.size / 2).max(SECOND);
        if self.lines < self.size / 8 {
            self.size.saturating_mul(2)
        } else if self.octets > MAX_BUFFERED || self.took > QUICK * 4 {
            smaller()
        } else if self.octets > MAX_BUFFERED / 2 || self.took > QUICK {
            self.size.max(SECOND)
        } else {
            self.size.saturating_mul(2).max(SECOND)
        }
    }
}

impl NewsJob<'_> {
    /// Forwards the overview of a group, window by window, the newest first.
    pub(super) async fn overview(
        &mut self,
        dialogue: &mut NewsDialogue,
        marks: WaterMarks,
    ) -> Result<(), Stop> {
        // Numbers begin at 1 (RFC 3977, section 6), and a server that reports 0 may not accept it.
        let low = marks.low.max(1);
        if marks.is_empty() || marks.high < low {
            return Ok(());
        }
        let (mut last, mut size) = (marks.high, FIRST);
        let mut buffered = Vec::new();
        loop {
            let first = last.saturating_sub(size - 1).max(low);
            let start = Instant::now();
            let mut window = OverviewWindow {
                size,
                lines: 0,
                octets: 0,
                took: Duration::ZERO,
            };
            let has_overview = match dialogue.over(first, last).await {
                // The server has no overview: the articles are requested one by one.
                Err(NntpError::Declined(reply)) if matches!(reply.code, 500..=503) => {
                    return self.heads(dialogue, low, last).await;
                }
                result => result.map_err(|error| self.stop(error))?,
            };
            if has_overview {
                let end = loop {
                    match dialogue.block().await {
                        Ok(Some(run)) => buffered.extend_from_slice(&run),
                        Ok(None) => break Ok(()),
                        Err(error) => break Err(self.stop(error)),
                    }
                    if buffered.len() > MAX_BUFFERED {
                        window.octets += buffered.len();
                        window.lines += forward_reversed(&mut buffered, self.sink).await?;
                    }
                };
                window.took = start.elapsed();
                window.octets += buffered.len();
                // The lines before an error are valid.
                window.lines += forward_reversed(&mut buffered, self.sink).await?;
                end?;
            }
            if first <= low {
                return Ok(());
            }
            last = first - 1;
            size = window.next();
        }
    }

    /// Forwards an overview line for each article from `last` down to `first`, made of its headers; only for the newest
    /// ones.
    async fn heads(
        &mut self,
        dialogue: &mut NewsDialogue,
        first: u64,
        last: u64,
    ) -> Result<(), Stop> {
        // Numbers may be sparse, and each costs a command, so the existing numbers are requested first.
        let numbers = if last - first < FIRST {
            None
        } else {
            let numbers = dialogue.numbers(first, last, HEADS).await;
            numbers.map_err(|error| self.stop(error))?
        };
        let all = || (first..=last).rev().take(HEADS).collect();
        for number in numbers.unwrap_or_else(all) {
            let has_head = dialogue.head(number).await;
            if !has_head.map_err(|error| self.stop(error))? {
                continue;
            }
            let mut head = Vec::new();
            while let Some(run) = dialogue.block().await.map_err(|error| self.stop(error))? {
                // The rest of a head that is too long is read and dropped.
                let room = MAX_BUFFERED.saturating_sub(head.len());
                head.extend(run.into_iter().take(room));
            }
            self.sink.octets(overview_line(number, &head)).await?;
        }
        Ok(())
    }
}

/// Forwards the lines of `buffered` in reverse order, and empties it. Returns the number of lines.
async fn forward_reversed(buffered: &mut Vec<u8>, sink: &mut Sink) -> Result<u64, Stop> {
    let mut lines = 0;
    let mut piece = Vec::new();
    let mut end = buffered.len();
    while let Some(line) = last_line(buffered, end) {
        end -= line.len();
        let length = line.len() + 2;
        if piece.len() + length > PIECE {
            sink.octets(std::mem::take(&mut piece)).await?;
        }
        if piece.is_empty() {
            piece.reserve_exact(PIECE.min(end + length).max(length));
        }
        piece.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            piece.extend_from_slice(b"\r\n");
        }
        lines += 1;
    }
    buffered.clear();
    sink.octets(piece).await?;
    Ok(lines)
}

/// Returns the last line before `end`, including its line end; None at the beginning.
fn last_line(octets: &[u8], end: usize) -> Option<&[u8]> {
    let above = octets.get(..end.checked_sub(1)?)?;
    let start = memchr::memrchr(b'\n', above).map_or(0, |before| before + 1);
    octets.get(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{LoadId, Part};

    fn after(size: u64, lines: u64, octets: usize, milliseconds: u64) -> u64 {
        let window = OverviewWindow {
            size,
            lines,
            octets,
            took: Duration::from_millis(milliseconds),
        };
        window.next()
    }

    #[test]
    fn windows_grow_while_they_come_quickly() {
        assert_eq!(after(100, 100, 25_000, 5), 500);
        assert_eq!(after(500, 500, 125_000, 5), 1000);
        assert_eq!(after(1000, 1000, 250_000, 300), 1000);
        assert_eq!(after(4000, 4000, 1_000_000, 5), 8000);
        assert_eq!(after(8000, 8000, 2_000_000, 5), 8000);
        assert_eq!(after(8000, 8000, 2_000_000, 1200), 4000);
        assert_eq!(after(500, 500, 125_000, 5000), 500);
        // Numbers may be sparse first and dense later.
        assert_eq!(after(500, 3, 700, 5000), 1000);
        assert_eq!(after(1 << 40, 1 << 38, MAX_BUFFERED + 1, 5), 1 << 39);
    }

    #[tokio::test]
    async fn a_window_is_reversed_in_pieces() {
        let lines = (0..5000).map(|number| format!("{number}\t{}\r\n", "x".repeat(number % 300)));
        let lines: Vec<String> = lines.collect();
        for cut in ["", "5000\tcut off"] {
            let (sender, mut parts) = tokio::sync::mpsc::channel(100);
            let mut sink = Sink::new(LoadId(1), sender);
            let mut buffered = [lines.concat(), cut.to_owned()].concat().into_bytes();
            let count = forward_reversed(&mut buffered, &mut sink).await.unwrap();
            drop(sink);
            let mut reversed = Vec::new();
            while let Some((_, part)) = parts.recv().await {
                let Part::Octets(octets) = part else {
                    panic!("{part:?}");
                };
                assert!(octets.len() <= PIECE && octets.ends_with(b"\r\n"));
                reversed.extend(octets);
            }
            let mut target: Vec<String> = lines.iter().rev().cloned().collect();
            if !cut.is_empty() {
                target.insert(0, format!("{cut}\r\n"));
            }
            assert_eq!(count, target.len() as u64);
            assert!(reversed == target.concat().into_bytes());
        }
    }
}
