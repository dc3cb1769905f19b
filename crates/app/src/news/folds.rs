//! Folded threads: changed by keys, read from their file with the marks of a server, and written in the same batches.

use std::collections::VecDeque;
use std::path::PathBuf;

use geomys_page::document::folds::FoldChange;
use geomys_page::document::{ArticleVisibility, Fold, Shape, ThreadFolds};
use geomys_store::files::news::ServerFolds;

use crate::news::message::FoldChanges;
use crate::news::server::NewsAuthority;
use crate::{Context, Effect, News, NewsEffect, Page, Tabs};

/// The folded threads of a server, and the changes that are not saved yet.
#[derive(Debug, Default)]
pub(crate) struct FoldState {
    /// The folds; `None` while their file is read.
    pub(crate) folds: Option<ServerFolds>,
    /// Changes that are not written yet.
    unwritten: FoldChanges,
    /// Changes that are being written.
    writing: VecDeque<FoldChanges>,
}

impl FoldState {
    /// Creates the state before the file, if there is one, was read.
    pub(crate) fn new(path: Option<&PathBuf>) -> Self {
        Self {
            folds: path.is_none().then(ServerFolds::default),
            ..Self::default()
        }
    }

    /// Returns the effect that writes the changes.
    pub(crate) fn write(
        &mut self,
        server: &NewsAuthority,
        path: Option<PathBuf>,
    ) -> Option<Effect> {
        let changes = std::mem::take(&mut self.unwritten);
        let path = path.filter(|_| !changes.is_empty())?;
        self.writing.push_back(changes.clone());
        Some(Effect::News(NewsEffect::Folds(
            server.clone(),
            path,
            changes,
        )))
    }

    /// Takes the content of the file after this number of changes. `None` is an error: the changes are written again
    /// with the next ones.
    fn answered(&mut self, changes: usize, folds: Option<ServerFolds>) {
        let written = if changes > 0 {
            self.writing.pop_front().unwrap_or_default()
        } else {
            FoldChanges::new()
        };
        let Some(mut folds) = folds.or_else(|| self.folds.is_none().then(ServerFolds::default))
        else {
            self.unwritten.splice(..0, written);
            return;
        };
        let later = self.writing.iter().flatten().chain(&self.unwritten);
        later.for_each(|(group, change)| folds.apply(group, change));
        self.folds = Some(folds);
    }
}

impl News {
    /// Folds or unfolds the thread of the article; with `target`, only if it is not in that state yet.
    pub(crate) fn fold_thread(&mut self, target: Option<Fold>, tabs: &mut Tabs, cx: &mut Context) {
        let root = tabs.page().and_then(|page| {
            let document = page.document().filter(|document| !document.is_flat())?;
            let here = document.article(page.cursor())?;
            let root = document.thread_root(here.line)?;
            let id = document.message_id(root)?.to_vec();
            Some((u32::try_from(root).ok()?, id))
        });
        let Some((root, id)) = root else {
            return cx.notify("No threads here");
        };
        let toggle = |shown: ArticleVisibility| {
            let toggled = shown.folds.of_thread(root).toggled();
            if target.is_some_and(|target| target != toggled) {
                return (shown, None);
            }
            let folds = shown.folds.with_toggled(root);
            let change = FoldChange::Thread(id, toggled);
            (ArticleVisibility { folds, ..shown }, Some(change))
        };
        if let Some(change) = tabs
            .ask(cx, |view, at| view.rows_mut()?.rearrange(toggle, at))
            .flatten()
            .flatten()
        {
            self.folds_changed(change, tabs, cx);
        }
    }

    /// Folds all threads, or unfolds them all.
    pub(crate) fn fold_all(&mut self, tabs: &mut Tabs, cx: &mut Context) {
        let document = tabs.page().and_then(Page::document);
        let is_flat =
            document.is_none_or(|document| document.is_flat() || document.shape() != Shape::Group);
        if is_flat {
            return cx.notify("No threads here");
        }
        let toggle = |shown: ArticleVisibility| {
            let toggled = shown.folds.default_fold().toggled();
            let folds = ThreadFolds::all(toggled);
            let change = FoldChange::All(toggled);
            (ArticleVisibility { folds, ..shown }, change)
        };
        if let Some(change) = tabs
            .ask(cx, |view, at| view.rows_mut()?.rearrange(toggle, at))
            .flatten()
        {
            self.folds_changed(change, tabs, cx);
        }
    }

    /// Handles the file of folds of a server that was read, or written and read again; or the error.
    pub(crate) fn folds_loaded(
        &mut self,
        server: &NewsAuthority,
        changes: usize,
        result: Result<ServerFolds, String>,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        let Some(state) = self.server_mut(server) else {
            return;
        };
        let (folds, fault) = match result {
            Ok(folds) => (Some(folds), None),
            Err(sentence) => (None, Some(sentence)),
        };
        state.folds.answered(changes, folds);
        if let Some(sentence) = fault {
            cx.report_error(&sentence);
        }
        let is_match = |page: &Page| page.is_of(server);
        self.apply_news_state(is_match, tabs, cx);
        tabs.finish_changed_pages(is_match, cx);
    }

    /// Applies a change to the folds of the group of the page, and marks it to be written.
    pub(crate) fn folds_changed(&mut self, change: FoldChange, tabs: &Tabs, cx: &mut Context) {
        let group = tabs
            .page()
            .and_then(|page| Some((NewsAuthority::of(page)?, page.group_name()?)));
        let Some((server, group)) = group else {
            return;
        };
        let Some(state) = self.server_mut(&server) else {
            return;
        };
        if let Some(folds) = &mut state.folds.folds {
            folds.apply(&group, &change);
        }
        state.folds.unwritten.push((group, change));
        if !self.is_private {
            self.write.begin(NewsEffect::Schedule, cx);
        }
    }
}
