//! The overview of a group, the newest article first.
//!
//! It is asked for in windows of numbers from the highest down, so that a group of any size opens at once; a server that
//! keeps no overview is asked for the head of each article.

use std::time::Duration;

use tokio::time::Instant;

use super::reach::{Dialogue, Server};
use super::stop::stop;
use super::{Sink, Stop, Wanted};
use crate::protocol::nntp::{Marks, NntpError, overview_line};

/// Numbers in the first window: a screen or two.
const FIRST: u64 = 100;

/// Numbers in the second. From there on windows grow.
const SECOND: u64 = 500;

/// A window that takes longer is large enough: what has come of it is seen when all of it has.
const QUICK: Duration = Duration::from_millis(250);

/// As much of a window as is held back to turn it round, in octets. A window with more comes in several pieces, each
/// turned round by itself.
const HELD: usize = 2 * 1024 * 1024;

/// As much of it as is handed on at once, in octets, so that what waits to be looked at is little.
const PIECE: usize = 256 * 1024;

/// As many articles as are asked for their heads: each costs a question.
const HEADS: usize = 10_000;

/// A window that has come.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Its numbers.
    size: u64,
    /// Its articles.
    lines: u64,
    octets: usize,
    took: Duration,
}

impl Window {
    /// How many numbers the next one has. Windows grow where numbers are sparse, so that a group with a few articles among
    /// millions of numbers is not asked about a million times; and where they come quickly, so that a large group is not
    /// all questions.
    fn next(self) -> u64 {
        let smaller = || (self.size / 2).max(SECOND);
        if self.lines < self.size / 8 {
            self.size.saturating_mul(2)
        } else if self.octets > HELD || self.took > QUICK * 4 {
            smaller()
        } else if self.octets > HELD / 2 || self.took > QUICK {
            self.size.max(SECOND)
        } else {
            self.size.saturating_mul(2).max(SECOND)
        }
    }
}

/// Hands on the overview of a group, window by window from the newest on.
pub(super) async fn overview(
    talk: &mut Dialogue,
    marks: Marks,
    server: &Server,
    wanted: Wanted<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let told = |error| stop(error, server, wanted);
    // Numbers begin at 1 (RFC 3977, section 6), and a server that tells 0 may take none for an answer.
    let low = marks.low.max(1);
    if marks.is_empty() || marks.high < low {
        return Ok(());
    }
    let (mut last, mut size) = (marks.high, FIRST);
    let mut held = Vec::new();
    loop {
        let first = last.saturating_sub(size - 1).max(low);
        let asked = Instant::now();
        let mut window = Window {
            size,
            lines: 0,
            octets: 0,
            took: Duration::ZERO,
        };
        let is_told = match talk.over(first, last).await {
            // It keeps no overview: its articles are asked one by one.
            Err(NntpError::Declined(reply)) if matches!(reply.code, 500..=503) => {
                return heads(talk, low, last, server, wanted, sink).await;
            }
            told_or_not => told_or_not.map_err(told)?,
        };
        if is_told {
            let end = loop {
                match talk.block().await {
                    Ok(Some(run)) => held.extend_from_slice(&run),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(told(error)),
                }
                if held.len() > HELD {
                    window.octets += held.len();
                    window.lines += turn_round(&mut held, sink).await?;
                }
            };
            window.took = asked.elapsed();
            window.octets += held.len();
            // What came before a fault is good.
            window.lines += turn_round(&mut held, sink).await?;
            end?;
        }
        if first <= low {
            return Ok(());
        }
        last = first - 1;
        size = window.next();
    }
}

/// Hands on a line for each article from `last` down to `first`, made of its headers; of no more than the newest.
async fn heads(
    talk: &mut Dialogue,
    first: u64,
    last: u64,
    server: &Server,
    wanted: Wanted<'_>,
    sink: &mut Sink,
) -> Result<(), Stop> {
    let told = |error| stop(error, server, wanted);
    // Numbers may be sparse, and each of them is a question: the server is asked first which there are.
    let there = if last - first < FIRST {
        None
    } else {
        talk.numbers(first, last, HEADS).await.map_err(told)?
    };
    let all = || (first..=last).rev().take(HEADS).collect();
    for number in there.unwrap_or_else(all) {
        if !talk.head(number).await.map_err(told)? {
            continue;
        }
        let mut head = Vec::new();
        while let Some(run) = talk.block().await.map_err(told)? {
            // The rest of a head that is too long is read and let go.
            let room = HELD.saturating_sub(head.len());
            head.extend(run.into_iter().take(room));
        }
        sink.octets(overview_line(number, &head)).await?;
    }
    Ok(())
}

/// Hands on the lines of `held`, the last one first, and empties it. How many there were.
async fn turn_round(held: &mut Vec<u8>, sink: &mut Sink) -> Result<u64, Stop> {
    let mut lines = 0;
    let mut piece = Vec::new();
    let mut end = held.len();
    while let Some(line) = last_line(held, end) {
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
    held.clear();
    sink.octets(piece).await?;
    Ok(lines)
}

/// The last line before `end`, with its own end; nothing at the beginning.
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
        let window = Window {
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
        // Numbers may be sparse, and then not.
        assert_eq!(after(500, 3, 700, 5000), 1000);
        assert_eq!(after(1 << 40, 1 << 38, HELD + 1, 5), 1 << 39);
    }

    #[tokio::test]
    async fn a_window_is_turned_round_in_pieces() {
        let lines = (0..5000).map(|number| format!("{number}\t{}\r\n", "x".repeat(number % 300)));
        let lines: Vec<String> = lines.collect();
        for cut in ["", "5000\tcut off"] {
            let (sender, mut parts) = tokio::sync::mpsc::channel(100);
            let mut sink = Sink::new(LoadId(1), sender);
            let mut held = [lines.concat(), cut.to_owned()].concat().into_bytes();
            let count = turn_round(&mut held, &mut sink).await.unwrap();
            drop(sink);
            let mut turned = Vec::new();
            while let Some((_, part)) = parts.recv().await {
                let Part::Octets(octets) = part else {
                    panic!("{part:?}");
                };
                assert!(octets.len() <= PIECE && octets.ends_with(b"\r\n"));
                turned.extend(octets);
            }
            let mut wanted: Vec<String> = lines.iter().rev().cloned().collect();
            if !cut.is_empty() {
                wanted.insert(0, format!("{cut}\r\n"));
            }
            assert_eq!(count, wanted.len() as u64);
            assert!(turned == wanted.concat().into_bytes());
        }
    }
}
