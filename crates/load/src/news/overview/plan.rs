//! The order in which the parts of an overview are requested.

use geomys_wire::protocol::nntp::WaterMarks;

use super::EarlyWindow;
use crate::{OverviewGoal, OverviewQuery, ReadArticles};
use geomys_page::document::ArticleNumbers;
use geomys_page::document::marks::is_renumbered;

/// The article numbers in the first window: a screen or two. A page of a group has so many articles at least.
pub(super) const FIRST: u64 = 100;

/// The most unread articles that are requested at once, about. More come at a key.
const UNREAD: u64 = 2000;

/// The older articles that are requested at once, about.
const OLDER: u64 = 1000;

/// The numbers on each side of an article that are requested with it.
const NEAR: u64 = 50;

/// The read numbers between unread ones that are requested with them, to save a command.
const GAP: u64 = 20;

/// Returns the window that is requested first, if the marks of the group are as they were told before; and the numbers
/// above it, which are perhaps new.
pub(crate) fn probable_window(query: &OverviewQuery) -> Option<(u64, u64)> {
    let known = query.known.as_ref().and_then(|known| known.highest());
    let high = query.highest.max(known).filter(|high| *high > 0)?;
    let marks = WaterMarks {
        count: high,
        low: 1,
        high,
    };
    let plan = OverviewPlan::new(marks, Some(query));
    let more = high.saturating_add(FIRST);
    Some(match plan.next(FIRST.min(plan.left())) {
        Some((first, last)) if last < high => (first, last),
        Some((first, _)) => (first, more),
        None => (high.saturating_add(1), more),
    })
}

/// The article numbers that are still to be requested, and how many articles of them.
#[derive(Clone, Debug)]
pub(crate) struct OverviewPlan {
    /// All numbers that are not known.
    wanted: ArticleNumbers,
    /// The unread ones of them, which come first.
    unread: ArticleNumbers,
    /// The number of unread articles, and of others, that are wanted.
    unread_left: u64,
    others_left: u64,
    /// The numbers that are known and that the server still has.
    pub(crate) known: ArticleNumbers,
    /// The lowest and the highest number that the group can have; the highest is the lower one if it is empty.
    span: (u64, u64),
}

impl OverviewPlan {
    /// Plans the overview of a group; without a query all of it, the newest first.
    pub(crate) fn new(marks: WaterMarks, query: Option<&OverviewQuery>) -> Self {
        // Numbers begin at 1 (RFC 3977, section 6), and a server that reports 0 may not accept it.
        let (low, high) = if marks.is_empty() {
            (1, 0)
        } else {
            (marks.low.max(1), marks.high)
        };
        let span = if low > high {
            ArticleNumbers::default()
        } else {
            ArticleNumbers::range(low, high)
        };
        let Some(query) = query else {
            return Self {
                wanted: span,
                unread: ArticleNumbers::default(),
                unread_left: 0,
                others_left: u64::MAX,
                known: ArticleNumbers::default(),
                span: (low, high),
            };
        };
        let known = query.known.as_deref().cloned().unwrap_or_default();
        let (known, wanted) = if is_renumbered(&known, marks.high) {
            (ArticleNumbers::default(), span)
        } else {
            let mut wanted = span.clone();
            wanted.remove_all(&known);
            let mut known = span;
            known.remove_all(&wanted);
            (known, wanted)
        };
        let mut unread = wanted.clone();
        if let ReadArticles::Known(read) = &query.read {
            unread.remove_all(read);
        }
        let (unread_left, others_left) = match query.goal {
            OverviewGoal::Open => (UNREAD, FIRST.saturating_sub(known.count(1, u64::MAX))),
            OverviewGoal::Reload => {
                let unread = unread.count(1, u64::MAX).min(UNREAD);
                (UNREAD, unread.saturating_add(FIRST))
            }
            OverviewGoal::Unread => (UNREAD, 0),
            OverviewGoal::Older => (0, OLDER),
            OverviewGoal::All => (0, u64::MAX),
            OverviewGoal::Near(number) => {
                let mut others = wanted.clone();
                others.remove(number.saturating_sub(NEAR), number.saturating_add(NEAR));
                unread = wanted.clone();
                unread.remove_all(&others);
                (u64::MAX, 0)
            }
        };
        Self {
            wanted,
            unread,
            unread_left,
            others_left,
            known,
            span: (low, high),
        }
    }

    /// Returns the next window of at most `size` numbers.
    pub(super) fn next(&self, size: u64) -> Option<(u64, u64)> {
        let highest = self.unread.highest().filter(|_| self.unread_left > 0);
        let last = match highest {
            Some(last) => last,
            None => self.wanted.highest().filter(|_| self.others_left > 0)?,
        };
        let (floor, _) = (self.wanted.ranges()).rfind(|(floor, _)| *floor <= last)?;
        let floor = floor.max(last.saturating_sub(size.saturating_sub(1)));
        if highest.is_none() {
            return Some((floor, last));
        }
        let mut first = last;
        for (from, to) in self.unread.ranges().rev() {
            if to < floor || to.saturating_add(GAP) < first {
                break;
            }
            first = from.max(floor);
        }
        Some((first, last))
    }

    /// Limits a window to the numbers of the group.
    pub(super) fn clamp(&self, window: EarlyWindow) -> EarlyWindow {
        let (low, high) = self.span;
        EarlyWindow {
            first: window.first.max(low),
            last: window.last.min(high),
            ..window
        }
    }

    /// Returns the number of articles that are wanted of the next windows.
    pub(super) fn left(&self) -> u64 {
        if self.unread.is_empty() || self.unread_left == 0 {
            self.others_left
        } else {
            self.unread_left
        }
    }

    /// Takes a window with this number of articles as received.
    pub(super) fn received(&mut self, (first, last): (u64, u64), articles: u64) {
        if self.unread_left > 0 && !self.unread.is_empty() {
            self.unread_left = self.unread_left.saturating_sub(articles);
        }
        if self.others_left < u64::MAX {
            self.others_left = self.others_left.saturating_sub(articles);
        }
        self.wanted.remove(first, last);
        self.unread.remove(first, last);
    }

    /// Returns the lowest and the highest wanted number.
    pub(super) fn bounds(&self) -> Option<(u64, u64)> {
        let (first, _) = self.wanted.ranges().next()?;
        Some((first, self.wanted.highest()?))
    }

    /// Sorts existing numbers: the wanted ones in the order in which they are to be requested.
    pub(super) fn arrange(&self, numbers: impl Iterator<Item = u64>, max: usize) -> Vec<u64> {
        let wanted = numbers.filter(|number| self.wanted.contains(*number));
        let (unread, others): (Vec<u64>, Vec<u64>) =
            wanted.partition(|number| self.unread.contains(*number));
        let count = |left: u64| usize::try_from(left).unwrap_or(usize::MAX);
        let unread = unread.into_iter().take(count(self.unread_left));
        let unread: Vec<u64> = unread.collect();
        let left = count(self.others_left).saturating_sub(unread.len());
        let others = others.into_iter().take(left);
        unread.into_iter().chain(others).take(max).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;

    fn marks(low: u64, high: u64) -> WaterMarks {
        WaterMarks {
            count: high,
            low,
            high,
        }
    }

    fn query(goal: OverviewGoal, read: &str, known: &str) -> OverviewQuery {
        let numbers = |text: &str| Arc::new(ArticleNumbers::parse(text.as_bytes()).unwrap());
        OverviewQuery {
            goal,
            read: ReadArticles::Known(numbers(read)),
            known: Some(numbers(known)),
            highest: None,
        }
    }

    /// The windows of a dense group.
    fn windows(low: u64, high: u64, query: &OverviewQuery) -> Vec<(u64, u64)> {
        let mut plan = OverviewPlan::new(marks(low, high), Some(query));
        let mut windows = Vec::new();
        while let Some(window) = plan.next(500.min(plan.left())) {
            windows.push(window);
            plan.received(window, window.1 - window.0 + 1);
        }
        windows
    }

    #[test]
    fn unread_articles_come_first_and_a_page_is_filled() {
        let read = query(OverviewGoal::Open, "1-99990", "");
        assert_eq!(
            windows(1, 100_000, &read),
            [(99_991, 100_000), (99_901, 99_990)]
        );
        let again = query(OverviewGoal::Open, "1-99990,99995", "99901-99997");
        assert_eq!(windows(1, 100_000, &again), [(99_998, 100_000)]);
        // Few read articles between unread ones are requested with them, known ones are not.
        let sparse = query(OverviewGoal::Unread, "1-10,12-14,16-89,91-100", "50-60");
        assert_eq!(windows(1, 100, &sparse), [(90, 90), (11, 15)]);
        let old = query(OverviewGoal::Older, "", "501-2000");
        assert_eq!(windows(1, 2000, &old), [(1, 500)]);
        // The newest articles may have been cancelled.
        let mut again = query(OverviewGoal::Reload, "1-2000", "");
        again.set_known(ArticleNumbers::range(1, 2000));
        assert_eq!(windows(1, 2003, &again), [(2001, 2003), (1901, 2000)]);
        let near = query(OverviewGoal::Near(300), "1-2000", "1951-2000");
        assert_eq!(windows(1, 2000, &near), [(250, 350)]);
        let none = query(OverviewGoal::Open, "1-2000", "1-2000");
        assert_eq!(windows(1, 2000, &none), []);
    }

    #[test]
    fn probable_window_is_the_first_one_and_what_is_new() {
        for (read, known, highest, expected) in [
            ("", "", None, None),
            ("", "", Some(5000), Some((4901, 5100))),
            ("1-4990", "", Some(5000), Some((4991, 5100))),
            ("1-5000", "4901-5000", Some(5000), Some((5001, 5100))),
            ("1-5000", "4901-5000", None, Some((5001, 5100))),
            ("1-5000", "4901-5000", Some(5007), Some((5001, 5107))),
            ("1-4000,4100-5000", "4901-5000", None, Some((4001, 4099))),
        ] {
            let mut query = query(OverviewGoal::Open, read, known);
            query.highest = highest;
            assert_eq!(probable_window(&query), expected, "{read} {known}");
        }
    }

    #[test]
    fn renumbered_group_is_not_known() {
        let before = query(OverviewGoal::Open, "1-5000", "1-5000");
        assert_eq!(windows(1, 60, &before), [(1, 60)]);
        let plan = OverviewPlan::new(marks(1, 60), Some(&before));
        assert!(plan.known.is_empty());
        // Expired numbers are not known either.
        let plan = OverviewPlan::new(marks(4990, 5000), Some(&before));
        assert_eq!(plan.known.to_string(), "4990-5000");
    }

    proptest! {
        #[test]
        fn windows_hold_each_unread_number_once_and_no_known_one(
            read in proptest::collection::vec((1..400_u64, 1..30_u64), 0..20),
            known in proptest::collection::vec((1..400_u64, 1..30_u64), 0..20),
            size in 1..200_u64,
        ) {
            let set = |ranges: &[(u64, u64)]| {
                let mut set = ArticleNumbers::default();
                for (first, count) in ranges {
                    set.insert(*first, first + count);
                }
                Arc::new(set)
            };
            let (read, known) = (set(&read), set(&known));
            let query = OverviewQuery { goal: OverviewGoal::Unread, read: ReadArticles::Known(Arc::clone(&read)), known: Some(Arc::clone(&known)), highest: None };
            let mut plan = OverviewPlan::new(marks(1, 400), Some(&query));
            if is_renumbered(&known, 400) {
                return Ok(());
            }
            let mut asked = ArticleNumbers::default();
            while let Some((first, last)) = plan.next(size) {
                prop_assert!(first <= last && last - first < size);
                prop_assert_eq!(asked.count(first, last), 0);
                prop_assert_eq!(known.count(first, last), 0);
                asked.insert(first, last);
                plan.received((first, last), 1);
            }
            for number in 1..=400 {
                let is_unread = !read.contains(number) && !known.contains(number);
                prop_assert!(!is_unread || asked.contains(number), "{number}");
            }
        }
    }
}
