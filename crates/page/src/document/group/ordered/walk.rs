//! Navigation between articles: in the order of the rows, and up and down a thread.

use super::OrderedArticles;
use crate::document::threads::{self, NONE};

impl OrderedArticles {
    /// The highest article number.
    pub(in crate::document) fn highest(&self) -> Option<u64> {
        self.numbers.iter().copied().max()
    }

    /// All lines in their order, from the one after `line`, wrapping at the end.
    pub(in crate::document) fn from(&self, line: Option<u32>) -> impl Iterator<Item = usize> {
        let position = line.and_then(|line| self.rows.iter().position(|(other, _)| *other == line));
        let start = position.map_or(0, |position| position + 1);
        let lines = self.rows.iter().map(|(line, _)| *line as usize);
        let before = self.rows.iter().map(|(line, _)| *line as usize);
        lines.skip(start).chain(before.take(start))
    }

    /// The line of an article's parent.
    pub(in crate::document) fn parent(&self, line: usize) -> Option<usize> {
        let parent = *self.parents.get(self.mirrored(line)?)?;
        (parent != NONE)
            .then(|| self.mirrored_line(parent as usize))
            .flatten()
    }

    /// The first line of the thread that contains a line.
    pub(in crate::document) fn root(&self, line: usize) -> usize {
        let mut top = line;
        while let Some(above) = self.parent(top) {
            top = above;
        }
        top
    }

    /// The line of the first reply to an article.
    pub(in crate::document) fn reply(&self, line: usize) -> Option<usize> {
        let article = u32::try_from(self.mirrored(line)?).ok()?;
        let reply = self.parents.iter().position(|&parent| parent == article)?;
        self.mirrored_line(reply)
    }

    /// All lines of the thread that contains a line.
    pub(in crate::document) fn thread(&self, line: usize) -> Vec<usize> {
        let roots = threads::roots(&self.parents);
        let root_of = |line: usize| Some(*roots.get(self.mirrored(line)?)?);
        let root = root_of(line);
        let lines = self.newest.iter().map(|&line| line as usize);
        lines.filter(|&line| root_of(line) == root).collect()
    }

    /// The article of a line: articles are counted from the oldest. Nothing for a double.
    fn mirrored(&self, line: usize) -> Option<usize> {
        let place = self.places.get(line).filter(|&&place| place != NONE)?;
        self.newest.len().checked_sub(*place as usize + 1)
    }

    /// The line of an article.
    pub(super) fn mirrored_line(&self, article: usize) -> Option<usize> {
        let place = self.newest.len().checked_sub(article + 1)?;
        self.newest.get(place).map(|&line| line as usize)
    }
}
