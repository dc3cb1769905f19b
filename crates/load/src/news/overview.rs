//! The overview of a group: the unread articles first, then the newest ones.
//!
//! It is requested in windows of numbers from the highest down, so that a group of any size opens at once, and each
//! line is forwarded when it arrives: in ascending order within a window, as servers send them. Lines that were not
//! requested are dropped. A server without an overview is queried for the head of each article.

mod plan;

use std::collections::HashSet;
use std::time::Duration;

use geomys_wire::net::LentConnection;
use geomys_wire::protocol::nntp::{NntpError, overview_line};
use geomys_wire::protocol::octets;
use tokio::time::Instant;

use self::plan::FIRST;
pub(super) use self::plan::probable_window;
use super::endpoint::{NewsConnection, NewsDialogue, dialogue};
use super::target::NewsJob;
use crate::{Failure, Part, Stop};
use geomys_page::document::ArticleNumbers;

pub(super) use self::plan::OverviewPlan;

/// The article numbers in the second window. After that windows grow.
const SECOND: u64 = 500;

/// The most numbers of a window of listed headers, which is kept in memory and cut at a size: for so many articles it
/// has room, at 1,000 octets a header.
const MAX_LISTED: u64 = 4000;

/// The time after which windows stop growing: a load that is stopped has all windows before the last.
const QUICK: Duration = Duration::from_millis(250);

/// The octets of a window after which windows stop growing.
const LARGE: usize = 2 * 1024 * 1024;

/// The most octets of the head of an article.
const MAX_HEAD_BYTES: usize = 2 * 1024 * 1024;

/// The most octets of lines that were not requested.
const MAX_DROPPED_BYTES: usize = 4 * 1024 * 1024;

/// The most articles whose heads are requested: each needs one command.
const HEADS: usize = 10_000;

/// A window that was requested with its group, before the marks were known.
#[derive(Clone, Copy, Debug)]
pub(super) struct EarlyWindow {
    pub(super) first: u64,
    pub(super) last: u64,
    /// True if its lines follow.
    pub(super) has_lines: bool,
}

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
        if self.is_sparse() {
            self.size.saturating_mul(2)
        } else if self.octets > LARGE || self.took > QUICK * 4 {
            smaller()
        } else if self.octets > LARGE / 2 || self.took > QUICK {
            self.size.max(SECOND)
        } else {
            self.size.saturating_mul(2).max(SECOND)
        }
    }
}

impl OverviewWindow {
    /// Returns the size of the next window, of no more articles than are wanted.
    fn next_of(self, plan: &OverviewPlan) -> u64 {
        if self.is_sparse() {
            self.next()
        } else {
            self.next().min(plan.left()).max(1)
        }
    }

    /// Returns true if most of the numbers are no articles.
    fn is_sparse(self) -> bool {
        self.lines < self.size / 8
    }
}

impl NewsJob<'_> {
    /// Forwards the overview of a group, window by window, by the plan; first the window that was requested with the
    /// group.
    pub(super) async fn overview(
        &mut self,
        lent: &mut LentConnection<NewsConnection>,
        mut plan: OverviewPlan,
        early: Option<EarlyWindow>,
    ) -> Result<(), Stop> {
        let connected = dialogue(lent)?;
        let mut window = OverviewWindow {
            size: FIRST,
            lines: FIRST,
            octets: 0,
            took: Duration::ZERO,
        };
        let mut size = FIRST.min(plan.left());
        let mut early = early.map(|early| plan.clamp(early));
        if let Some(early) = early.take_if(|early| early.first > early.last) {
            self.skip(connected, early).await?;
        }
        loop {
            let start = Instant::now();
            let planned = || plan.next(size);
            let next = early.map(|early| (early.first, early.last));
            let Some((first, last)) = next.or_else(planned) else {
                return Ok(());
            };
            let has_lines = match early.take() {
                Some(early) => Ok(early.has_lines),
                None => connected.over(first, last).await,
            };
            let has_lines = match has_lines {
                // The server has no overview: it may list headers, else the articles are requested one by one.
                Err(NntpError::Declined(reply)) if reply.is_unsupported() => {
                    if self.listed_headers(lent, &mut plan).await? {
                        return Ok(());
                    }
                    return self.heads(lent, plan).await;
                }
                result => result.map_err(|error| self.stop(error))?,
            };
            let mut filter = OverviewFilter::new(first, last);
            window = OverviewWindow {
                size: last - first + 1,
                octets: 0,
                ..window
            };
            if has_lines {
                window.octets = self.window(connected, &mut filter).await?;
            }
            (window.lines, window.took) = (filter.articles, start.elapsed());
            plan.received((first, last), filter.articles);
            self.covered(first, last).await?;
            size = window.next_of(&plan);
        }
    }

    /// Drops the lines of a window that has none of the group.
    async fn skip(&self, dialogue: &mut NewsDialogue, early: EarlyWindow) -> Result<(), Stop> {
        let mut octets = 0;
        while early.has_lines
            && let Some(run) = dialogue.block().await.map_err(|error| self.stop(error))?
        {
            octets += run.len();
            if octets > MAX_DROPPED_BYTES {
                return Err(self.unrequested());
            }
        }
        Ok(())
    }

    /// Returns the end of a load whose server sends what was not requested.
    fn unrequested(&self) -> Stop {
        let authority = &self.server.authority;
        Failure::new(format!("{authority} sent articles that were not requested")).into()
    }

    /// Forwards the lines of one window that were requested. Returns the number of received octets.
    async fn window(
        &mut self,
        dialogue: &mut NewsDialogue,
        filter: &mut OverviewFilter,
    ) -> Result<usize, Stop> {
        let mut octets = 0;
        // The beginning of a line: whole lines are forwarded, as the page gets lines from the cache as well.
        let mut begun = Vec::new();
        loop {
            match dialogue.block().await {
                Ok(Some(run)) => {
                    octets += run.len();
                    begun.extend(filter.filter(run));
                    if !filter.is_open() || begun.len() > LARGE {
                        self.sink.octets(std::mem::take(&mut begun)).await?;
                    }
                }
                Ok(None) => return Ok(octets),
                Err(error) => {
                    // The lines before an error are valid.
                    if filter.is_open() {
                        begun.extend_from_slice(b"\r\n");
                    }
                    self.sink.octets(begun).await?;
                    return Err(self.stop(error));
                }
            }
            if filter.dropped > MAX_DROPPED_BYTES {
                return Err(self.unrequested());
            }
        }
    }

    /// Reports that all articles from `first` to `last` have arrived.
    async fn covered(&mut self, first: u64, last: u64) -> Result<(), Stop> {
        let covered = Part::Covered(ArticleNumbers::range(first, last));
        self.sink.put(covered).await
    }

    /// Forwards overview lines made of the headers that the server lists, window by window. Returns false if it lists
    /// none.
    async fn listed_headers(
        &mut self,
        lent: &mut LentConnection<NewsConnection>,
        plan: &mut OverviewPlan,
    ) -> Result<bool, Stop> {
        let mut size = SECOND;
        while let Some((first, last)) = plan.next(size) {
            let start = Instant::now();
            let lines = match dialogue(lent)?.listed_headers(first, last).await {
                Ok(Some(lines)) => lines,
                Ok(None) => return Ok(false),
                Err(error) => {
                    self.connect_again(lent, error).await?;
                    continue;
                }
            };
            let mut filter = OverviewFilter::new(first, last);
            let octets = lines.len();
            self.sink.octets(filter.filter(lines)).await?;
            plan.received((first, last), filter.articles);
            self.covered(first, last).await?;
            let window = OverviewWindow {
                size: last - first + 1,
                lines: filter.articles,
                octets,
                took: start.elapsed(),
            };
            size = window.next_of(plan).min(MAX_LISTED);
        }
        Ok(true)
    }

    /// Forwards an overview line for each planned article, made of its headers; only for the newest ones.
    async fn heads(
        &mut self,
        lent: &mut LentConnection<NewsConnection>,
        plan: OverviewPlan,
    ) -> Result<(), Stop> {
        let Some((first, last)) = plan.bounds() else {
            return Ok(());
        };
        // Numbers may be sparse, and each costs a command, so the existing numbers are requested first.
        let numbers = if last - first < FIRST {
            None
        } else {
            let numbers = dialogue(lent)?.numbers(first, last, HEADS).await;
            numbers.map_err(|error| self.stop(error))?
        };
        let numbers = match numbers {
            Some(numbers) => plan.arrange(numbers.into_iter(), HEADS),
            None => plan.arrange((first..=last).rev().take(HEADS), HEADS),
        };
        let mut left = numbers.as_slice();
        while let [number, rest @ ..] = left {
            let dialogue = dialogue(lent)?;
            let sent = dialogue.send_heads_ahead(left).await;
            let has_head = match sent {
                Ok(()) => dialogue.head(*number).await,
                Err(error) => Err(error),
            };
            let has_head = match has_head {
                Ok(has_head) => has_head,
                Err(error) => {
                    self.connect_again(lent, error).await?;
                    continue;
                }
            };
            if has_head {
                let mut head = Vec::new();
                while let Some(run) = dialogue.block().await.map_err(|error| self.stop(error))? {
                    // The rest of a head that is too long is read and dropped.
                    let room = MAX_HEAD_BYTES.saturating_sub(head.len());
                    head.extend(run.into_iter().take(room));
                }
                self.sink.octets(overview_line(*number, &head)).await?;
            }
            self.covered(*number, *number).await?;
            left = rest;
        }
        Ok(())
    }
}

/// The most numbers that are remembered to find doubles. The document drops the others.
const MAX_SEEN_NUMBERS: usize = 1 << 20;

/// The filter of the lines of one window.
#[derive(Debug)]
pub struct OverviewFilter {
    first: u64,
    last: u64,
    seen: HashSet<u64>,
    /// The verdict on the line that has no line end yet: true if it passes the filter.
    unfinished: Option<bool>,
    /// The number of articles that were kept.
    articles: u64,
    /// The number of octets that were dropped.
    dropped: usize,
}

impl OverviewFilter {
    /// Creates a filter for the articles from `first` to `last`.
    pub fn new(first: u64, last: u64) -> Self {
        Self {
            first,
            last,
            seen: HashSet::new(),
            unfinished: None,
            articles: 0,
            dropped: 0,
        }
    }

    /// Returns the lines of `run` that were requested, each article once. Lines without a number are kept. The last
    /// line may continue in the next run.
    pub fn filter(&mut self, run: Vec<u8>) -> Vec<u8> {
        let mut kept = Vec::new();
        let mut is_all = true;
        let mut start = 0;
        let ends = memchr::memchr_iter(b'\n', &run).map(|end| end + 1);
        for end in ends.chain(std::iter::once(run.len())) {
            let line = run.get(start..end).unwrap_or_default();
            if line.is_empty() {
                break;
            }
            let keeps = match self.unfinished.take() {
                Some(keeps) => keeps,
                None => self.keeps(line),
            };
            if !line.ends_with(b"\n") {
                self.unfinished = Some(keeps);
            }
            if keeps && !is_all {
                kept.extend_from_slice(line);
            } else if !keeps {
                if is_all {
                    // The lines before this one.
                    kept.extend_from_slice(run.get(..start).unwrap_or_default());
                }
                is_all = false;
                self.dropped += line.len();
            }
            start = end;
        }
        if is_all { run } else { kept }
    }

    /// Returns true if a kept line has no line end yet.
    fn is_open(&self) -> bool {
        self.unfinished == Some(true)
    }

    fn keeps(&mut self, line: &[u8]) -> bool {
        let (field, _) = octets::split_once(line, b'\t').unwrap_or((line, b""));
        let Some(number) = octets::number(field.trim_ascii()) else {
            return true;
        };
        if !(self.first..=self.last).contains(&number) {
            return false;
        }
        let is_new = self.seen.len() >= MAX_SEEN_NUMBERS || self.seen.insert(number);
        self.articles += u64::from(is_new);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(after(1 << 40, 1 << 38, LARGE + 1, 5), 1 << 39);
    }

    #[test]
    fn numbers_outside_the_window_and_doubles_are_dropped() {
        let mut filter = OverviewFilter::new(5, 9);
        let run = b"5\ta\r\n4\tb\r\nodd line\r\n5\tc\r\n 7 \td\r\n10\te\r\n0\tf\r\n9".to_vec();
        let kept = filter.filter(run);
        assert_eq!(
            kept.escape_ascii().to_string(),
            "5\\ta\\r\\nodd line\\r\\n 7 \\td\\r\\n9"
        );
        assert!(filter.is_open());
        assert_eq!(filter.filter(b"\tg\r\n9\th\r\n".to_vec()), b"\tg\r\n");
        assert!(!filter.is_open());
        assert_eq!((filter.articles, filter.dropped), (3, 26));
        assert_eq!(filter.filter(b"8\ti\r\n".to_vec()), b"8\ti\r\n");
    }
}
