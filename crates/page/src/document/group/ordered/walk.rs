//! Navigation between articles, in the order of the rows, and up and down a thread; and the threads that stored folds
//! mean, which are keyed by Message-IDs.

use std::collections::HashSet;

use geomys_wire::protocol::nntp::overview;

use super::OrderedArticles;
use crate::document::folds::GroupFolds;
use crate::document::folds::{ArticleVisibility, ThreadFolds};
use crate::document::numbers::ArticleNumbers;
use crate::document::rows::RowSource;
use crate::document::threads;
use crate::document::threads::NONE;

impl OrderedArticles {
    /// The highest article number.
    pub(in crate::document) fn highest(&self) -> Option<u64> {
        self.numbers.iter().copied().max()
    }

    /// All lines in the order in which they are read: thread by thread in the order of the oldest article that
    /// `is_unread` returns true for, threads without one last, each from its first article on. They begin after
    /// `line`, and wrap at the end.
    pub(in crate::document::group) fn read_from(
        &self,
        line: Option<usize>,
        is_unread: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let roots = threads::roots(&self.parents);
        let mut oldest = vec![NONE; roots.len()];
        for (article, &root) in (0_u32..).zip(&roots) {
            if let Some(oldest) = oldest.get_mut(root as usize)
                && *oldest == NONE
                && self.mirrored_line(article as usize).is_some_and(&is_unread)
            {
                *oldest = article;
            }
        }
        let articles = (0_u32..).zip(&roots);
        let firsts = articles.filter(|(article, root)| article == *root);
        let mut firsts: Vec<u32> = firsts.map(|(article, _)| article).collect();
        firsts.sort_by_key(|&first| oldest.get(first as usize).copied());
        let articles = threads::depth_first(&self.parents, &firsts).into_iter();
        let lines = articles.filter_map(|(article, _)| self.mirrored_line(article as usize));
        let mut lines: Vec<usize> = lines.collect();
        let here = line.and_then(|line| lines.iter().position(|other| *other == line));
        lines.rotate_left(here.map_or(0, |here| here + 1));
        lines
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

impl OrderedArticles {
    /// Applies the stored folds. The other visibility settings do not change.
    pub(in crate::document::group) fn show_folds(
        &mut self,
        source: RowSource<'_>,
        stored: &GroupFolds,
        read: Option<&ArticleNumbers>,
    ) {
        let visibility = ArticleVisibility {
            folds: self.folds(source, stored),
            ..self.visibility.clone()
        };
        self.set_visibility(visibility, self.filtered, read);
    }

    /// Converts stored Message-IDs to lines. Articles that are missing, or not the first of a thread, are ignored.
    fn folds(&self, source: RowSource<'_>, stored: &GroupFolds) -> ThreadFolds {
        let folds = ThreadFolds::all(stored.all());
        let except: HashSet<&[u8]> = stored.except().iter().map(Vec::as_slice).collect();
        if except.is_empty() {
            return folds;
        }
        let lines = self.newest.iter().copied();
        let roots = lines.filter(|&line| self.parent(line as usize).is_none());
        let is_stored = |line: &u32| {
            let article = source.raw.line(*line as usize).and_then(overview);
            article.is_some_and(|article| except.contains(article.id))
        };
        roots
            .filter(is_stored)
            .fold(folds, ThreadFolds::with_toggled)
    }
}
