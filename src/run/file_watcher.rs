//! The watcher of the bookmark file: it reports changes by other programs. The directory is watched, as editors replace the
//! old file by a new one. Without events no timer runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::UnboundedSender;

use crate::app::{BookmarkMessage, Message};

/// Watches until the returned watcher is dropped. Returns `None` if the system cannot watch; then the file is read again
/// only at a write.
pub(super) fn watch(path: &Path, messages: UnboundedSender<Message>) -> Option<RecommendedWatcher> {
    // An editor writes the target of a symbolic link.
    let mut files = BTreeSet::from([path.to_owned()]);
    files.extend(fs::canonicalize(path));
    let parents: BTreeSet<PathBuf> = files
        .iter()
        .filter_map(|file| Some(file.parent()?.to_owned()))
        .collect();
    let names: BTreeSet<_> = files
        .iter()
        .filter_map(|file| Some(file.file_name()?.to_owned()))
        .collect();
    let notify_change = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        // On systems that report the end of a write, a partly written file is not read.
        let is_change = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Modify(ModifyKind::Name(_))
            | EventKind::Remove(_) => true,
            EventKind::Create(_) | EventKind::Modify(_) => !cfg!(target_os = "linux"),
            EventKind::Any | EventKind::Access(_) | EventKind::Other => false,
        };
        let named = |path: &PathBuf| path.file_name().is_some_and(|name| names.contains(name));
        if is_change && event.paths.iter().any(named) {
            // The receiver is closed once the main loop has ended.
            let _ = messages.send(BookmarkMessage::Touched.into());
        }
    };
    let mut watcher = notify::recommended_watcher(notify_change).ok()?;
    let mut watched = false;
    for parent in parents {
        let parent = if parent.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &parent
        };
        watched |= watcher.watch(parent, RecursiveMode::NonRecursive).is_ok();
    }
    watched.then_some(watcher)
}
