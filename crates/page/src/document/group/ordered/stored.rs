//! Application of stored folds, which are keyed by Message-IDs, to threads.

use std::collections::HashSet;

use geomys_wire::protocol::nntp::overview;

use super::OrderedArticles;
use crate::document::folds::GroupFolds;
use crate::document::numbers::ArticleNumbers;
use crate::document::rows::RowSource;
use crate::document::visibility::{ArticleVisibility, ThreadFolds};

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
