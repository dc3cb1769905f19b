//! The lines of an overview that were requested: others are dropped.

use std::collections::HashSet;

use geomys_wire::protocol::octets;

/// The most numbers that are remembered to find doubles. The document drops the others.
const MAX_SEEN_NUMBERS: usize = 1 << 20;

/// The filter of the lines of one window.
#[derive(Debug)]
pub struct OverviewFilter {
    first: u64,
    last: u64,
    seen: HashSet<u64>,
    /// Whether the line is kept that has no line end yet.
    unfinished: Option<bool>,
    /// The number of articles that were kept.
    pub(super) articles: u64,
    /// The number of octets that were dropped.
    pub(super) dropped: usize,
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

    /// Returns the lines of `run` that were requested, each article once. Lines without a number are kept. The last line may
    /// continue in the next run.
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
    pub(super) fn is_open(&self) -> bool {
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
