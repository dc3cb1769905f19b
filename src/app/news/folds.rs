//! Folded threads: read from their file with the marks of a server, and written in the same batches.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::super::page::Page;
use super::super::{App, Effect};
use super::{NewsPlace, group_of};
use crate::document::folds::FoldChange;
use crate::files::folds::ServerFolds;

/// Changes to the folds of groups of a server, in order.
pub type FoldChanges = Vec<(Vec<u8>, FoldChange)>;

/// What is known of the folds of a server.
#[derive(Debug, Default)]
pub(super) struct KnownFolds {
    /// Nothing while the file is read.
    pub(super) folds: Option<ServerFolds>,
    /// Not written yet.
    unwritten: FoldChanges,
    /// On their way into the file.
    writing: VecDeque<FoldChanges>,
}

impl KnownFolds {
    /// What is known before the file, if there is one, has been read.
    pub(super) fn new(path: Option<&PathBuf>) -> Self {
        Self {
            folds: path.is_none().then(ServerFolds::default),
            ..Self::default()
        }
    }

    /// The write of what has changed.
    pub(super) fn write(&mut self, server: &NewsPlace, path: Option<PathBuf>) -> Option<Effect> {
        let changes = std::mem::take(&mut self.unwritten);
        let path = path.filter(|_| !changes.is_empty())?;
        self.writing.push_back(changes.clone());
        Some(Effect::Folds(server.clone(), path, changes))
    }

    /// Knows what the file holds after so many changes; or, where that is not known, tries again with what changes next.
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

impl App {
    /// The file of folds of a server was read, or written and read again; or why not.
    pub(in crate::app) fn folds_read(
        &mut self,
        server: &NewsPlace,
        changes: usize,
        result: Result<ServerFolds, String>,
    ) -> Vec<Effect> {
        let mut known = self.read.known.iter_mut();
        let Some(known) = known.find(|known| known.server == *server) else {
            return Vec::new();
        };
        let (folds, fault) = match result {
            Ok(folds) => (Some(folds), None),
            Err(sentence) => (None, Some(sentence)),
        };
        known.folds.answered(changes, folds);
        if let Some(sentence) = fault {
            self.complain(&sentence);
        }
        let fits = |page: &Page| NewsPlace::of(page).as_ref() == Some(server);
        self.dress(fits);
        self.refinish(fits)
    }

    /// The folds of the group of the page have changed; they are written down soon.
    pub(in crate::app) fn folds_changed(&mut self, change: FoldChange) {
        let place = self
            .page()
            .and_then(|page| Some((NewsPlace::of(page)?, group_of(&page.url)?)));
        let Some((server, group)) = place else {
            return;
        };
        let mut known = self.read.known.iter_mut();
        let Some(known) = known.find(|known| known.server == server) else {
            return;
        };
        if let Some(folds) = &mut known.folds.folds {
            folds.apply(&group, &change);
        }
        known.folds.unwritten.push((group, change));
        self.read.is_changed = true;
    }
}
