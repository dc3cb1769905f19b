//! Folds that were stored by Message-IDs, applied to threads.

use std::collections::HashSet;

use super::Ordered;
use crate::document::folds::GroupFolds;
use crate::document::{Folds, Numbers, Shown, Source};
use crate::protocol::nntp::overview;

impl Ordered {
    /// Folds the threads as they are stored; what else is shown stays.
    pub(in crate::document::group) fn show_folds(
        &mut self,
        source: Source<'_>,
        stored: &GroupFolds,
        read: Option<&Numbers>,
    ) {
        let shown = Shown {
            folds: self.folds(source, stored),
            ..self.shown.clone()
        };
        self.show(shown, self.filtered, read);
    }

    /// The lines of the stored Message-IDs; articles that are not there, or not the first of a thread, count for nothing.
    fn folds(&self, source: Source<'_>, stored: &GroupFolds) -> Folds {
        let folds = Folds::all(stored.all());
        let except: HashSet<&[u8]> = stored.except().iter().map(Vec::as_slice).collect();
        if except.is_empty() {
            return folds;
        }
        let lines = 0..u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let roots = lines.filter(|&line| self.parent(line as usize).is_none());
        let is_stored = |line: &u32| {
            let article = source.raw.line(*line as usize).and_then(overview);
            article.is_some_and(|article| except.contains(article.id))
        };
        roots.filter(is_stored).fold(folds, Folds::with_turned)
    }
}
