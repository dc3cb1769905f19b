//! Tells when somebody else has touched the bookmark file: its directory is watched, as editors put a new file in the
//! place of the old one. Nothing wakes while nothing happens.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::UnboundedSender;

use crate::app::Message;

/// Watches until what is given is dropped; nothing where the system cannot watch, and the file is only read again when
/// something is written then.
pub(super) fn watch(path: &Path, messages: UnboundedSender<Message>) -> Option<RecommendedWatcher> {
    // What a symbolic link leads to is what an editor writes.
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
    let told = move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        // Where the end of writing is told, a file is not read while it is half written.
        let is_change = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Modify(ModifyKind::Name(_))
            | EventKind::Remove(_) => true,
            EventKind::Create(_) | EventKind::Modify(_) => !cfg!(target_os = "linux"),
            EventKind::Any | EventKind::Access(_) | EventKind::Other => false,
        };
        let named = |path: &PathBuf| path.file_name().is_some_and(|name| names.contains(name));
        if is_change && event.paths.iter().any(named) {
            // Nobody listens once the loop has ended.
            let _ = messages.send(Message::BookmarksTouched);
        }
    };
    let mut watcher = notify::recommended_watcher(told).ok()?;
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
