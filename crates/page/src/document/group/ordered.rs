//! The sorted articles of a complete group, and the subset of them that have a row.
//!
//! Memory per article: eight octets for its number, four for its parent, eight for its place among the numbers, eight
//! for its position in the order; four more where some articles have no row, four for a score where there are rules,
//! eight for its date once they were sorted by date.

mod sort;
mod walk;

use std::ops::Range;
use std::sync::Arc;

use geomys_wire::protocol::nntp::overview;

use super::article_charset;
use super::numbered::NumberedLines;
use crate::document::folds::{ArticleVisibility, HiddenRows, ReadRows, ThreadFolds};
use crate::document::numbers::ArticleNumbers;
use crate::document::order::{ListOrder, SortColumn};
use crate::document::row::Fold;
use crate::document::rows::RowSource;
use crate::document::score::{ScoreClass, ScoreRules};
use crate::document::threads::{self, Member, NONE};

/// The articles of a complete group. Lines are counted from 0 in the order of arrival, articles from the oldest. A
/// clone is cheap.
#[derive(Clone, Debug)]
pub(in crate::document) struct OrderedArticles {
    order: ListOrder,
    visibility: ArticleVisibility,
    /// True while a filter is active: each article has a row of its own.
    filtered: bool,
    /// The parent of each article, counted from the oldest.
    parents: Arc<[u32]>,
    /// The lines of the articles by number, the highest first. Doubles are left out.
    newest: Arc<[u32]>,
    /// The index of each line in `newest`; [`NONE`] for a double.
    places: Arc<[u32]>,
    /// The article number of each line; 0 where the line is not an article, or a double.
    numbers: Arc<[u64]>,
    /// The date of each article, in seconds since 1970, once they were sorted by date.
    dates: Option<Arc<[i64]>>,
    /// The scores of the articles, where there are rules.
    scores: Option<ArticleScores>,
    /// All lines in order, each with its depth in its thread.
    rows: Arc<[(u32, u16)]>,
    /// The articles that have a row; nothing where all have one.
    visible: Option<VisibleRows>,
    /// The number of lines that are articles, and of those that are neither read nor hidden.
    articles: usize,
    unread: usize,
}

/// The articles that have a row, where not all have one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct VisibleRows {
    /// Their positions in the order.
    positions: Arc<[u32]>,
    /// The rows that are folded threads.
    folded: Arc<[u32]>,
}

#[derive(Clone, Debug)]
struct ArticleScores {
    rules: Arc<ScoreRules>,
    scores: Arc<[i32]>,
    /// The lines that are hidden.
    hidden: Arc<[u32]>,
}

impl OrderedArticles {
    /// Finds the threads of a group's articles. The articles have no order until they are sorted.
    pub(super) fn new(source: RowSource<'_>, lines: &NumberedLines) -> Self {
        let newest: Arc<[u32]> = lines.lines().map(|(line, _)| line).collect();
        let count = newest.len();
        let members = |articles: Range<usize>| {
            let lines = newest.get(count - articles.end..count - articles.start);
            let lines = lines.unwrap_or_default().iter().rev();
            let lines = source.raw.lines_at(lines.map(|&line| line as usize));
            lines.map(|line| {
                let article = overview(line?)?;
                Some(Member {
                    id: article.id,
                    references: article.references,
                    subject: article.subject,
                    from: article.from,
                })
            })
        };
        let charset_of = |member: &Member<'_>| article_charset(source, member.subject, member.from);
        let parents = threads::parents(count, members, charset_of);
        let mut places = vec![NONE; lines.scanned()];
        let mut numbers = vec![0; lines.scanned()];
        for (place, (line, number)) in (0_u32..).zip(lines.lines()) {
            if let (Some(to), Some(known)) = (
                places.get_mut(line as usize),
                numbers.get_mut(line as usize),
            ) {
                (*to, *known) = (place, number);
            }
        }
        Self {
            order: ListOrder::new(SortColumn::Thread),
            visibility: ArticleVisibility::default(),
            filtered: false,
            parents: parents.into(),
            articles: numbers.iter().filter(|&&number| number > 0).count(),
            newest,
            places: places.into(),
            numbers: numbers.into(),
            dates: None,
            scores: None,
            rows: Arc::default(),
            visible: None,
            unread: 0,
        }
    }

    /// The articles with more lines, arranged as these are.
    pub(super) fn with_more(
        &self,
        source: RowSource<'_>,
        lines: &NumberedLines,
        rules: &Arc<ScoreRules>,
        group: &[u8],
        read: Option<&ArticleNumbers>,
    ) -> Self {
        let mut more = Self::new(source, lines);
        more.update_scores(source, rules, group);
        more.sort(source, self.order);
        more.set_visibility(self.visibility.clone(), self.filtered, read);
        more
    }

    /// The number of lines that were sorted, with doubles.
    pub(super) fn lines(&self) -> usize {
        self.numbers.len()
    }

    /// The sort order.
    pub(super) fn order(&self) -> ListOrder {
        self.order
    }

    /// The articles that have a row.
    pub(super) fn visibility(&self) -> &ArticleVisibility {
        &self.visibility
    }

    /// The number of rows.
    pub(super) fn count(&self) -> usize {
        match &self.visible {
            Some(visible) => visible.positions.len(),
            None => self.rows.len(),
        }
    }

    /// The line of a row, and its depth below the first article of its thread.
    pub(super) fn at(&self, row: usize) -> Option<(u32, u16)> {
        let position = self.position(row)?;
        let (line, depth) = *self.rows.get(position)?;
        Some((line, if self.is_flat() { 0 } else { depth }))
    }

    /// The article number of a line; 0 where the line is not an article.
    pub(in crate::document) fn number(&self, line: usize) -> u64 {
        self.numbers.get(line).copied().unwrap_or_default()
    }

    /// The line of the article with this number.
    pub(in crate::document) fn line_of(&self, number: u64) -> Option<usize> {
        let is_it = |line: &&u32| self.number(**line as usize) == number;
        // Only lines that are not articles are not in descending order.
        let guess = (self.newest).partition_point(|&line| self.number(line as usize) > number);
        let guess = self.newest.get(guess).filter(is_it);
        let line = guess.or_else(|| self.newest.iter().find(is_it));
        line.map(|&line| line as usize)
    }

    /// The score of a line.
    pub(super) fn score(&self, line: usize) -> i32 {
        let scores = self.scores.as_ref();
        let score = scores.and_then(|scores| scores.scores.get(line).copied());
        score.unwrap_or_default()
    }

    /// The number of unread articles, by the last [`Self::count_unread`], and of all articles. Hidden articles are not
    /// counted.
    pub(in crate::document) fn unread(&self) -> (usize, usize) {
        let articles = self.articles.saturating_sub(self.hidden().len());
        (self.unread, articles)
    }

    /// Updates the number of unread articles.
    pub(super) fn count_unread(&mut self, read: &ArticleNumbers) {
        let is_unread = |number: &u64| *number > 0 && !read.contains(*number);
        let all = self
            .numbers
            .iter()
            .filter(|number| is_unread(number))
            .count();
        let hidden = self.hidden().iter();
        let hidden = hidden.filter(|&&line| is_unread(&self.number(line as usize)));
        self.unread = all.saturating_sub(hidden.count());
    }

    /// The numbers of the articles that rules hide.
    pub(in crate::document) fn hidden_numbers(&self) -> ArticleNumbers {
        let lines = self.hidden().iter();
        let mut numbers: Vec<u64> = lines.map(|&line| self.number(line as usize)).collect();
        numbers.sort_unstable();
        let mut hidden = ArticleNumbers::default();
        for number in numbers {
            hidden.insert(number, number);
        }
        hidden
    }

    fn hidden(&self) -> &[u32] {
        self.scores.as_ref().map_or(&[], |scores| &scores.hidden)
    }

    /// Computes the scores of all articles, if the rules have changed.
    pub(super) fn update_scores(
        &mut self,
        source: RowSource<'_>,
        rules: &Arc<ScoreRules>,
        group: &[u8],
    ) {
        if self
            .scores
            .as_ref()
            .is_some_and(|scores| scores.rules == *rules)
        {
            return;
        }
        let had = self.scores.take().is_some();
        if !rules.is_empty_for(group) {
            let scorer = rules.scorer(group, source);
            let lines = source.raw.lines_at(0..self.numbers.len());
            let scores: Arc<[i32]> = lines
                .map(|line| line.map_or(0, |line| scorer.score(line)))
                .collect();
            let hidden = (0_u32..).zip(scores.iter()).filter_map(|(line, &score)| {
                let is_hidden = rules.classify(score) == ScoreClass::Hidden;
                (is_hidden && self.number(line as usize) > 0).then_some(line)
            });
            self.scores = Some(ArticleScores {
                rules: Arc::clone(rules),
                hidden: hidden.collect(),
                scores,
            });
        }
        if had || self.scores.is_some() {
            // The visible rows must be computed again.
            self.visible = None;
            if self.order.column == SortColumn::Score && !self.rows.is_empty() {
                self.sort(source, self.order);
            }
        }
    }

    /// Selects the articles that have a row. Returns true if the rows have changed.
    pub(super) fn set_visibility(
        &mut self,
        visibility: ArticleVisibility,
        filtered: bool,
        read: Option<&ArticleNumbers>,
    ) -> bool {
        let before = self.visible.take();
        if let Some(read) = read {
            self.count_unread(read);
        }
        let was = (&self.visibility, self.filtered);
        let is_same = was == (&visibility, filtered);
        self.visibility = visibility;
        self.filtered = filtered;
        self.visible = self.visible_rows(read);
        !(is_same && self.visible == before)
    }

    /// Computes the positions of the articles that have a row, and the rows that are folded threads; nothing where all
    /// articles have one.
    fn visible_rows(&self, read: Option<&ArticleNumbers>) -> Option<VisibleRows> {
        let shows_read = self.visibility.read == ReadRows::Shown || read.is_none();
        let shows_hidden = self.visibility.hidden == HiddenRows::Shown || self.hidden().is_empty();
        let folds = (!self.is_flat()).then_some(&self.visibility.folds);
        let is_open = folds.is_none_or(|folds| *folds == ThreadFolds::default());
        if shows_read && shows_hidden && is_open {
            return None;
        }
        let mut fold = Fold::Open;
        let mut has_row = false;
        let mut visible = Vec::new();
        let mut folded = Vec::new();
        for (position, &(line, depth)) in (0_u32..).zip(self.rows.iter()) {
            if depth == 0 {
                fold = folds.map_or(Fold::Open, |folds| folds.of_thread(line));
                has_row = false;
            }
            if fold == Fold::Closed && has_row {
                continue;
            }
            let is_read = || read.is_some_and(|read| read.contains(self.number(line as usize)));
            if !shows_hidden && self.hidden().binary_search(&line).is_ok()
                || !shows_read && is_read()
            {
                continue;
            }
            has_row = true;
            if fold == Fold::Closed {
                folded.push(u32::try_from(visible.len()).unwrap_or(NONE));
            }
            visible.push(position);
        }
        Some(VisibleRows {
            positions: visible.into(),
            folded: folded.into(),
        })
    }

    /// Returns true if the rows are not threaded.
    pub(in crate::document) fn is_flat(&self) -> bool {
        self.filtered || matches!(self.order.column, SortColumn::Author | SortColumn::Subject)
    }

    /// The position of a row in the order.
    fn position(&self, row: usize) -> Option<usize> {
        match &self.visible {
            Some(visible) => visible
                .positions
                .get(row)
                .map(|&position| position as usize),
            None => Some(row),
        }
    }

    /// The row of a line. Where it has none: the row of the folded thread that contains it, else the next row.
    pub(super) fn row_of(&self, line: u32) -> Option<usize> {
        let position = self.rows.iter().position(|(other, _)| *other == line)?;
        let Some(VisibleRows {
            positions: visible, ..
        }) = &self.visible
        else {
            return Some(position);
        };
        let row = visible.partition_point(|&other| (other as usize) < position);
        if visible
            .get(row)
            .is_some_and(|&other| other as usize == position)
        {
            return Some(row);
        }
        // The row before may be the folded thread that contains the line.
        let before = row.checked_sub(1).filter(|_| !self.is_flat());
        let folded = before.filter(|&before| {
            let thread = self.folded(before);
            thread.is_some_and(|mut lines| lines.any(|other| other == line as usize))
        });
        Some(folded.unwrap_or(row))
    }

    /// The lines of the folded thread that a row represents; nothing for other rows.
    pub(super) fn folded(&self, row: usize) -> Option<impl Iterator<Item = usize>> {
        let folded = &self.visible.as_ref()?.folded;
        folded.binary_search(&u32::try_from(row).ok()?).ok()?;
        let position = self.position(row)?;
        let (mut first, mut depth) = (position, self.rows.get(position)?.1);
        while depth > 0 {
            first = first.checked_sub(1)?;
            depth = self.rows.get(first)?.1;
        }
        let (root, _) = *self.rows.get(first)?;
        let after = self.rows.iter().skip(first + 1);
        let answers = after.take_while(|(_, depth)| *depth > 0);
        let lines = std::iter::once(root).chain(answers.map(|(line, _)| *line));
        let leaves_out = self.visibility.hidden == HiddenRows::LeftOut;
        let lines =
            lines.filter(move |line| !leaves_out || self.hidden().binary_search(line).is_err());
        Some(lines.map(|line| line as usize))
    }
}
