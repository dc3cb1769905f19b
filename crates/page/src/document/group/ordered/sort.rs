//! The orders of the articles of a group.

use std::cmp::Reverse;
use std::sync::Arc;

use geomys_wire::protocol::nntp::overview;

use super::OrderedArticles;
use crate::document::group::charset_of;
use crate::document::order::{ListOrder, SortColumn};
use crate::document::rows::RowSource;
use crate::document::threads::{self, NONE};
use crate::document::{date, header, subject};

impl OrderedArticles {
    /// Sorts the articles. By author and subject they are sorted individually, else by threads, each thread by its
    /// newest or best article.
    pub(in crate::document::group) fn sort(&mut self, source: RowSource<'_>, order: ListOrder) {
        self.rows = match order.column {
            SortColumn::Author | SortColumn::Subject => self.one_by_one(source, order),
            SortColumn::Date => {
                let dates = self
                    .dates
                    .take()
                    .unwrap_or_else(|| dates(source, &self.newest));
                let rows =
                    self.by_threads(order, |line| dates.get(line).copied().unwrap_or(i64::MIN));
                self.dates = Some(dates);
                rows
            }
            SortColumn::Score => self.by_threads(order, |line| i64::from(self.score(line))),
            SortColumn::Thread | SortColumn::Name | SortColumn::Size | SortColumn::Kind => {
                self.by_threads(order, |_| 0)
            }
        };
        self.order = order;
        self.visible = None;
    }

    fn by_threads(&self, order: ListOrder, key: impl Fn(usize) -> i64) -> Arc<[(u32, u16)]> {
        let count = self.parents.len();
        let roots = threads::roots(&self.parents);
        // The sort key of each thread, by its first article: the highest key, and the newest article.
        let mut best = vec![(i64::MIN, 0_u32); count];
        for (article, &root) in (0_u32..).zip(&roots) {
            let line = self.mirrored_line(article as usize).unwrap_or(count);
            if let Some(best) = best.get_mut(root as usize) {
                *best = (best.0.max(key(line)), article);
            }
        }
        let is_first = |&article: &u32| roots.get(article as usize) == Some(&article);
        let last = u32::try_from(count).unwrap_or(NONE);
        let mut first: Vec<u32> = (0..last).filter(is_first).collect();
        let best_of = |root: u32| best.get(root as usize).copied().unwrap_or_default();
        if order.reverse {
            first.sort_unstable_by_key(|&root| Reverse(best_of(root)));
        } else if order.column == SortColumn::Thread {
            first.sort_unstable_by_key(|&root| best_of(root));
        } else {
            first.sort_unstable_by_key(|&root| (best_of(root).0, Reverse(best_of(root).1)));
        }
        drop(best);
        drop(roots);
        let rows = threads::depth_first(&self.parents, &first).into_iter();
        rows.filter_map(|(article, depth)| {
            let line = self.mirrored_line(article as usize)?;
            Some((u32::try_from(line).ok()?, depth))
        })
        .collect()
    }

    fn one_by_one(&self, source: RowSource<'_>, order: ListOrder) -> Arc<[(u32, u16)]> {
        let newest = self.newest.iter().copied();
        let mut keyed: Vec<(Option<Box<str>>, u32)> = newest
            .map(|line| {
                let octets = source.raw.line(line as usize).unwrap_or_default();
                let key = overview(octets).map(|article| {
                    let charset = charset_of(source, octets);
                    let key = if order.column == SortColumn::Author {
                        header::author(article.from, charset)
                            .as_str()
                            .to_lowercase()
                    } else {
                        // The marks of a reply may stand in an encoded word.
                        let subject = header::decode(article.subject, charset);
                        subject::folded(&subject::plain_subject(subject.as_bytes()).text)
                    };
                    key.into_boxed_str()
                });
                (key, line)
            })
            .collect();
        // Lines that are not articles come last in both directions.
        // The newest of several with the same key stays first.
        keyed.sort_by(|(one, _), (other, _)| match (one, other) {
            (Some(one), Some(other)) if order.reverse => other.cmp(one),
            (Some(one), Some(other)) => one.cmp(other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        });
        keyed.into_iter().map(|(_, line)| (line, 0)).collect()
    }
}

/// The date of each line, in seconds since 1970. An article whose date cannot be read has one between those of the
/// articles with the next numbers.
fn dates(source: RowSource<'_>, newest: &[u32]) -> Arc<[i64]> {
    let date_of = |line| overview(line).and_then(|article| date::seconds(article.date));
    let read: Vec<Option<i64>> = source.raw.lines_from(0).map(date_of).collect();
    let read_at = |line: u32| read.get(line as usize).copied().flatten();
    let mut dates: Vec<i64> = read.iter().map(|date| date.unwrap_or(i64::MIN)).collect();
    let (mut before, mut unread) = (None, Vec::new());
    for line in newest.iter().rev().copied().map(Some).chain([None]) {
        let after = line.and_then(read_at);
        if let (Some(line), None) = (line, after) {
            unread.push(line);
            continue;
        }
        let between = match (before, after) {
            (Some(before), Some(after)) => i64::midpoint(before, after),
            (Some(date), None) | (None, Some(date)) => date,
            (None, None) => i64::MIN,
        };
        for line in unread.drain(..) {
            if let Some(date) = dates.get_mut(line as usize) {
                *date = between;
            }
        }
        before = after;
    }
    dates.into()
}
