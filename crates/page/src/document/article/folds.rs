//! Folding and unfolding: quotations, headers, text behind form feeds.

use super::fold::{LineRun, RunKind};
use super::folded::{ArticleRow, FoldedRuns};
use super::{ArticleBody, TextCipher};

/// The folds and the cipher of an article, to be applied again after a reload.
#[derive(Clone, Debug)]
pub struct ArticleView {
    folded: FoldedRuns,
    cipher: TextCipher,
}

impl ArticleBody {
    /// Toggles the quotation that contains row `number`, or the text behind a form feed there. Returns true if there is
    /// one.
    pub(super) fn toggle_quotation(&mut self, number: usize) -> bool {
        match self.folded.row(number) {
            ArticleRow::Run(run) => {
                self.folded = FoldedRuns::new(self.folded.runs().filter(|folded| *folded != run));
                true
            }
            ArticleRow::Line(line) => {
                let Some(decoded) = &self.decoded else {
                    return false;
                };
                let mut runs = decoded.quotations.iter().chain(&decoded.headers);
                let found = runs.find(|run| run.contains(line)).copied();
                self.folded = FoldedRuns::new(self.folded.runs().chain(found));
                found.is_some()
            }
        }
    }

    /// Returns true if row `number` represents a folded run.
    pub(super) fn is_folded(&self, number: usize) -> bool {
        matches!(self.folded.row(number), ArticleRow::Run(_))
    }

    /// Returns true if row `number` represents text hidden by a form feed.
    pub(super) fn is_form_feed(&self, number: usize) -> bool {
        match self.folded.row(number) {
            ArticleRow::Run(run) => run.kind == RunKind::FormFeed,
            ArticleRow::Line(_) => false,
        }
    }

    /// Unfolds everything.
    pub(super) fn unfold(&mut self) {
        self.folded = FoldedRuns::default();
    }

    /// Toggles all quotations that are long or deep. Where there is none, toggles the text behind form feeds. Returns true
    /// if there is anything to fold.
    pub(super) fn toggle_quotations(&mut self) -> bool {
        let Some(decoded) = &self.decoded else {
            return false;
        };
        let (kind, runs) = if decoded.quotations.is_empty() {
            (RunKind::FormFeed, &decoded.form_feeds)
        } else {
            (RunKind::Quotation, &decoded.quotations)
        };
        let others = self.folded.runs().filter(|run| run.kind != kind);
        let others = FoldedRuns::new(others);
        self.folded = if self.folded.has(kind) {
            others
        } else {
            let is_visible = |run: &&LineRun| others.holding(run.first).is_none();
            let visible = runs.iter().filter(is_visible).copied();
            FoldedRuns::new(others.runs().chain(visible))
        };
        !runs.is_empty()
    }

    /// Toggles the headers below the subject, the author and the date. Returns true if there are any.
    pub(super) fn toggle_headers(&mut self) -> bool {
        let headers = self.decoded.as_ref().and_then(|decoded| decoded.headers);
        let is_folded = self.folded.has(RunKind::Headers);
        let others = self.folded.runs();
        let others = others.filter(|run| run.kind != RunKind::Headers);
        self.folded = FoldedRuns::new(others.chain(headers.filter(|_| !is_folded)));
        headers.is_some()
    }

    /// The folds and the cipher, once the article is complete.
    pub(super) fn view(&self) -> Option<ArticleView> {
        self.decoded.as_ref()?;
        Some(ArticleView {
            folded: self.folded.clone(),
            cipher: self.cipher,
        })
    }

    /// Applies the folds and the cipher of another copy of the article. Folds that this copy does not have are ignored.
    pub(super) fn set_view(&mut self, view: &ArticleView) {
        let Some(decoded) = &self.decoded else {
            return;
        };
        let is_here = |folded: LineRun| {
            let runs = decoded.quotations.iter().chain(&decoded.form_feeds);
            let mut runs = runs.chain(&decoded.headers);
            runs.any(|run| *run == folded)
        };
        if view.folded.runs().all(is_here) {
            self.folded = view.folded.clone();
        }
        self.cipher = view.cipher;
    }
}
