//! The articles of a whole group in their order, and which of them have a row.
//!
//! An article takes eight octets for its number, four for the one that it stands below, eight for its place in the
//! order; four more where some have no row, four for a score where there are rules, eight for its date once they are
//! sorted by date.

mod stored;
mod walk;

use std::cmp::Reverse;
use std::sync::Arc;

use super::super::score::{Judgement, Rules};
use super::super::threads::{self, Member, NONE};
use super::super::{
    Column, Fold, Folds, HiddenRows, Numbers, Order, ReadRows, Shown, Source, header,
};
use crate::protocol::nntp::overview;

/// The articles of a whole group. Lines are counted from 0, as they came: the newest first. A clone is cheap.
#[derive(Clone, Debug)]
pub(in crate::document) struct Ordered {
    order: Order,
    shown: Shown,
    /// Each article has a row by itself: a filter chooses among them.
    filtered: bool,
    /// For each article, counted from the oldest, the one that it stands below.
    parents: Arc<[u32]>,
    /// The number of the article in each line; 0 where there is none.
    numbers: Arc<[u64]>,
    /// When each was written, in seconds, once somebody sorted by that.
    dates: Option<Arc<[i64]>>,
    /// The score of each, where there are rules.
    scores: Option<Scores>,
    /// All lines in order, and how deep they stand in their threads.
    rows: Arc<[(u32, u16)]>,
    /// Which of those have a row; nothing where all have.
    chosen: Option<Chosen>,
    /// Lines that are articles, and those of them that are neither read nor hidden.
    articles: usize,
    unread: usize,
}

/// Articles that have a row, where not all have.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chosen {
    /// Their places in the order.
    places: Arc<[u32]>,
    /// The rows among them that are folded threads.
    folded: Arc<[u32]>,
}

#[derive(Clone, Debug)]
struct Scores {
    by: Arc<Rules>,
    of_lines: Arc<[i32]>,
    /// The lines that are hidden.
    hidden: Arc<[u32]>,
}

impl Ordered {
    /// Tells the threads of a group's articles. They are in no order until they are sorted.
    pub(super) fn new(source: Source<'_>) -> Self {
        let count = source.raw.lines();
        let line_of = |article: usize| source.raw.line(count.checked_sub(article + 1)?);
        let parents = threads::parents(count, |article| {
            let article = overview(line_of(article)?)?;
            Some(Member {
                id: article.id,
                references: article.references,
                subject: article.subject,
            })
        });
        let numbers = (0..count).map(|line| {
            let article = source.raw.line(line).and_then(overview);
            article.map_or(0, |article| article.number)
        });
        let numbers: Arc<[u64]> = numbers.collect();
        Self {
            order: Order::new(Column::Thread),
            shown: Shown::default(),
            filtered: false,
            parents: parents.into(),
            articles: numbers.iter().filter(|&&number| number > 0).count(),
            numbers,
            dates: None,
            scores: None,
            rows: Arc::default(),
            chosen: None,
            unread: 0,
        }
    }

    /// How they are sorted.
    pub(super) fn order(&self) -> Order {
        self.order
    }

    /// Which of them have a row.
    pub(super) fn shown(&self) -> &Shown {
        &self.shown
    }

    /// Rows.
    pub(super) fn count(&self) -> usize {
        match &self.chosen {
            Some(chosen) => chosen.places.len(),
            None => self.rows.len(),
        }
    }

    /// The line of a row, and how deep it stands below the first of its thread.
    pub(super) fn at(&self, row: usize) -> Option<(u32, u16)> {
        let place = self.place(row)?;
        let (line, depth) = *self.rows.get(place)?;
        Some((line, if self.is_flat() { 0 } else { depth }))
    }

    /// The number of the article in a line; 0 where there is none.
    pub(in crate::document) fn number(&self, line: usize) -> u64 {
        self.numbers.get(line).copied().unwrap_or_default()
    }

    /// The line of the article of this number.
    pub(in crate::document) fn line_of(&self, number: u64) -> Option<usize> {
        // They nearly always come in order.
        let guess = self.numbers.partition_point(|&known| known > number);
        if self.numbers.get(guess) == Some(&number) {
            return Some(guess);
        }
        self.numbers.iter().position(|&known| known == number)
    }

    /// The score of a line.
    pub(super) fn score(&self, line: usize) -> i32 {
        let scores = self.scores.as_ref();
        let score = scores.and_then(|scores| scores.of_lines.get(line).copied());
        score.unwrap_or_default()
    }

    /// Unread articles, as far as was said what was read, and all; those that are hidden are neither.
    pub(in crate::document) fn unread(&self) -> (usize, usize) {
        let articles = self.articles.saturating_sub(self.hidden().len());
        (self.unread, articles)
    }

    /// Counts the unread ones anew.
    pub(super) fn count_unread(&mut self, read: &Numbers) {
        let is_unread = |number: &u64| *number > 0 && !read.holds(*number);
        let all = self
            .numbers
            .iter()
            .filter(|number| is_unread(number))
            .count();
        let hidden = self.hidden().iter();
        let hidden = hidden.filter(|&&line| is_unread(&self.number(line as usize)));
        self.unread = all.saturating_sub(hidden.count());
    }

    fn hidden(&self) -> &[u32] {
        self.scores.as_ref().map_or(&[], |scores| &scores.hidden)
    }

    /// Gives every article its score, when other rules than before count.
    pub(super) fn judge(&mut self, source: Source<'_>, rules: &Arc<Rules>, group: &[u8]) {
        if self
            .scores
            .as_ref()
            .is_some_and(|scores| scores.by == *rules)
        {
            return;
        }
        let had = self.scores.take().is_some();
        if !rules.are_none_for(group) {
            let scorer = rules.scorer(group, source.charset);
            let lines = (0..self.numbers.len()).map(|line| source.raw.line(line));
            let scores: Arc<[i32]> = lines
                .map(|line| line.map_or(0, |line| scorer.score(line)))
                .collect();
            let hidden = (0_u32..).zip(scores.iter()).filter_map(|(line, &score)| {
                (rules.judge(score) == Judgement::Hidden).then_some(line)
            });
            self.scores = Some(Scores {
                by: Arc::clone(rules),
                hidden: hidden.collect(),
                of_lines: scores,
            });
        }
        if had || self.scores.is_some() {
            // What has a row is to be told anew.
            self.chosen = None;
            if self.order.column == Column::Score && !self.rows.is_empty() {
                self.sort(source, self.order);
            }
        }
    }

    /// Sorts them: by author and subject one by one, else thread by thread, each by its newest or best article.
    pub(super) fn sort(&mut self, source: Source<'_>, order: Order) {
        self.rows = match order.column {
            Column::Author | Column::Subject => self.one_by_one(source, order),
            Column::Date => {
                let dates = self.dates.take().unwrap_or_else(|| dates(source));
                let rows =
                    self.by_threads(order, |line| dates.get(line).copied().unwrap_or(i64::MIN));
                self.dates = Some(dates);
                rows
            }
            Column::Score => self.by_threads(order, |line| i64::from(self.score(line))),
            Column::Thread | Column::Name | Column::Size | Column::Kind => {
                self.by_threads(order, |_| 0)
            }
        };
        self.order = order;
        self.chosen = None;
    }

    fn by_threads(&self, order: Order, key: impl Fn(usize) -> i64) -> Arc<[(u32, u16)]> {
        let count = self.parents.len();
        let roots = threads::roots(&self.parents);
        // What counts of a thread, by its first article: the highest key, and the newest article.
        let mut best = vec![(i64::MIN, 0_u32); count];
        for (article, &root) in (0_u32..).zip(&roots) {
            let line = count.saturating_sub(article as usize + 1);
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
        } else if order.column == Column::Thread {
            first.sort_unstable_by_key(|&root| best_of(root));
        } else {
            first.sort_unstable_by_key(|&root| (best_of(root).0, Reverse(best_of(root).1)));
        }
        drop(best);
        drop(roots);
        let rows = threads::read_through(&self.parents, &first).into_iter();
        rows.filter_map(|(article, depth)| {
            let line = last.checked_sub(article)?.checked_sub(1)?;
            Some((line, depth))
        })
        .collect()
    }

    fn one_by_one(&self, source: Source<'_>, order: Order) -> Arc<[(u32, u16)]> {
        let last = u32::try_from(self.numbers.len()).unwrap_or(NONE);
        let mut keyed: Vec<(Option<Box<str>>, u32)> = (0..last)
            .map(|line| {
                let article = source.raw.line(line as usize).and_then(overview);
                let key = article.map(|article| {
                    let text = if order.column == Column::Author {
                        header::author(article.from, source.charset)
                    } else {
                        let (plain, _) = threads::plain_subject(article.subject);
                        header::text(plain, source.charset)
                    };
                    text.as_str().to_lowercase().into_boxed_str()
                });
                (key, line)
            })
            .collect();
        // What is no article stands after everything, whichever way the order goes.
        keyed.sort_unstable_by(|(one, line), (other, other_line)| {
            let keys = match (one, other) {
                (Some(one), Some(other)) if order.reverse => other.cmp(one),
                (Some(one), Some(other)) => one.cmp(other),
                (one, other) => one.is_none().cmp(&other.is_none()),
            };
            keys.then(line.cmp(other_line))
        });
        keyed.into_iter().map(|(_, line)| (line, 0)).collect()
    }

    /// Gives these a row; whether rows have changed.
    pub(super) fn show(&mut self, shown: Shown, filtered: bool, read: Option<&Numbers>) -> bool {
        let before = self.chosen.take();
        if let Some(read) = read {
            self.count_unread(read);
        }
        let was = (&self.shown, self.filtered);
        let is_same = was == (&shown, filtered);
        self.shown = shown;
        self.filtered = filtered;
        self.chosen = self.choose(read);
        !(is_same && self.chosen == before)
    }

    /// The places in the order of what has a row, and which of those rows are folded threads; nothing where all have one.
    fn choose(&self, read: Option<&Numbers>) -> Option<Chosen> {
        let shows_read = self.shown.read == ReadRows::Shown || read.is_none();
        let shows_hidden = self.shown.hidden == HiddenRows::Shown || self.hidden().is_empty();
        let folds = (!self.is_flat()).then_some(&self.shown.folds);
        let is_open = folds.is_none_or(|folds| *folds == Folds::default());
        if shows_read && shows_hidden && is_open {
            return None;
        }
        let mut fold = Fold::Open;
        let mut has_row = false;
        let mut chosen = Vec::new();
        let mut folded = Vec::new();
        for (place, &(line, depth)) in (0_u32..).zip(self.rows.iter()) {
            if depth == 0 {
                fold = folds.map_or(Fold::Open, |folds| folds.of(line));
                has_row = false;
            }
            if fold == Fold::Closed && has_row {
                continue;
            }
            let is_read = || read.is_some_and(|read| read.holds(self.number(line as usize)));
            if !shows_hidden && self.hidden().binary_search(&line).is_ok()
                || !shows_read && is_read()
            {
                continue;
            }
            has_row = true;
            if fold == Fold::Closed {
                folded.push(u32::try_from(chosen.len()).unwrap_or(NONE));
            }
            chosen.push(place);
        }
        Some(Chosen {
            places: chosen.into(),
            folded: folded.into(),
        })
    }

    /// Whether every row stands by itself.
    pub(in crate::document) fn is_flat(&self) -> bool {
        self.filtered || matches!(self.order.column, Column::Author | Column::Subject)
    }

    /// Where a row stands in the order.
    fn place(&self, row: usize) -> Option<usize> {
        match &self.chosen {
            Some(chosen) => chosen.places.get(row).map(|&place| place as usize),
            None => Some(row),
        }
    }

    /// The row of a line; of the thread that it is folded into; else the next one.
    pub(super) fn row_of(&self, line: u32) -> Option<usize> {
        let place = self.rows.iter().position(|(known, _)| *known == line)?;
        let Some(Chosen {
            places: visible, ..
        }) = &self.chosen
        else {
            return Some(place);
        };
        let row = visible.partition_point(|&known| (known as usize) < place);
        if visible
            .get(row)
            .is_some_and(|&known| known as usize == place)
        {
            return Some(row);
        }
        // The row before is of the same thread when no thread begins between them.
        let before = row.checked_sub(1).filter(|_| !self.is_flat());
        let folded = before.filter(|&before| {
            let thread = self.folded(before);
            thread.is_some_and(|mut lines| lines.any(|known| known == line as usize))
        });
        Some(folded.unwrap_or(row))
    }

    /// The lines that a row stands for which is a folded thread.
    pub(super) fn folded(&self, row: usize) -> Option<impl Iterator<Item = usize>> {
        let folded = &self.chosen.as_ref()?.folded;
        folded.binary_search(&u32::try_from(row).ok()?).ok()?;
        let place = self.place(row)?;
        let (mut first, mut depth) = (place, self.rows.get(place)?.1);
        while depth > 0 {
            first = first.checked_sub(1)?;
            depth = self.rows.get(first)?.1;
        }
        let (root, _) = *self.rows.get(first)?;
        let after = self.rows.iter().skip(first + 1);
        let answers = after.take_while(|(_, depth)| *depth > 0);
        let lines = std::iter::once(root).chain(answers.map(|(line, _)| *line));
        let leaves_out = self.shown.hidden == HiddenRows::LeftOut;
        let lines =
            lines.filter(move |line| !leaves_out || self.hidden().binary_search(line).is_err());
        Some(lines.map(|line| line as usize))
    }
}

/// When each article was written, in seconds; long before everything where that cannot be read.
fn dates(source: Source<'_>) -> Arc<[i64]> {
    let lines = (0..source.raw.lines()).map(|line| source.raw.line(line));
    let date = |line| overview(line).and_then(|article| header::seconds(article.date));
    lines
        .map(|line| line.and_then(date).unwrap_or(i64::MIN))
        .collect()
}
