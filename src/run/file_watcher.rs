//! The watcher of files of the user: it reports changes by other programs. The directory is watched, as editors replace the
//! old file by a new one. Without events no timer runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::task::{JoinHandle, spawn_blocking};

/// Watches files until the returned task is dropped, which then has the watcher; `report` is called on another thread. The system
/// takes milliseconds to begin, for which the first frame does not wait: a change meanwhile is reported too. The task ends with
/// `None` if the system cannot watch.
pub(super) fn watch(
    paths: Vec<PathBuf>,
    report: impl Fn() + Send + Sync + 'static,
) -> JoinHandle<Option<RecommendedWatcher>> {
    let before = change_times(&paths);
    spawn_blocking(move || {
        let report = Arc::new(report);
        let watcher = watcher(&paths, Arc::clone(&report));
        if change_times(&paths) != before {
            report();
        }
        watcher
    })
}

fn change_times(paths: &[PathBuf]) -> Vec<Option<SystemTime>> {
    let time = |path: &PathBuf| fs::metadata(path).ok()?.modified().ok();
    paths.iter().map(time).collect()
}

fn watcher(
    paths: &[PathBuf],
    report: Arc<impl Fn() + Send + Sync + 'static>,
) -> Option<RecommendedWatcher> {
    let mut files: BTreeSet<PathBuf> = paths.iter().cloned().collect();
    // An editor writes the target of a symbolic link.
    files.extend(paths.iter().filter_map(|path| fs::canonicalize(path).ok()));
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
            report();
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
