//! The watcher of files of the user: it reports changes by other programs. The directory is watched, as editors replace
//! the old file by a new one. Without events no timer runs. An edit of a configuration file takes effect at once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use std::{fs, mem};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};

use crate::config::{Config, UserPaths};
use crate::ui::Theme;
use geomys_app::Message;

/// A watcher of files. It watches from [`FileWatcher::start`] on, until it is dropped; a change after
/// [`FileWatcher::new`] is reported too.
pub(super) struct FileWatcher {
    paths: Vec<PathBuf>,
    before: Vec<Option<SystemTime>>,
    report: Arc<dyn Fn() + Send + Sync>,
    /// The task that begins to watch. It ends with `None` if the system cannot watch.
    task: Option<JoinHandle<Option<RecommendedWatcher>>>,
}

impl FileWatcher {
    /// Creates a watcher; `report` is called on another thread.
    pub(super) fn new(paths: Vec<PathBuf>, report: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            before: change_times(&paths),
            paths,
            report: Arc::new(report),
            task: None,
        }
    }

    /// Begins to watch, in a task: the system takes milliseconds for it.
    pub(super) fn start(&mut self) {
        let (paths, before) = (mem::take(&mut self.paths), mem::take(&mut self.before));
        let report = Arc::clone(&self.report);
        self.task = Some(spawn_blocking(move || {
            let watcher = watcher(&paths, Arc::clone(&report));
            if change_times(&paths) != before {
                report();
            }
            watcher
        }));
    }
}

fn change_times(paths: &[PathBuf]) -> Vec<Option<SystemTime>> {
    let time = |path: &PathBuf| fs::metadata(path).ok()?.modified().ok();
    paths.iter().map(time).collect()
}

fn watcher(paths: &[PathBuf], report: Arc<dyn Fn() + Send + Sync>) -> Option<RecommendedWatcher> {
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

/// A function that reads the configuration files, with the options of the command line.
pub type ReadConfig = Box<dyn Fn() -> Config + Send + Sync>;

/// The configurations read after edits, and the watcher that reads them until it is dropped.
pub(super) struct ConfigChanges {
    pub(super) changed: mpsc::UnboundedReceiver<Box<Config>>,
    watcher: Option<FileWatcher>,
}

impl ConfigChanges {
    /// The changes of the files from now on. They are read on the thread of the watcher.
    pub(super) fn of(read: Option<ReadConfig>, paths: &UserPaths) -> Self {
        let (changes, changed) = mpsc::unbounded_channel();
        let watcher = read.map(|read| {
            FileWatcher::new(paths.watched_configuration(), move || {
                // The receiver is closed once the main loop has ended.
                let _ = changes.send(Box::new(read()));
            })
        });
        Self { changed, watcher }
    }

    /// Reads the configuration in a task, and reports it as a change: of a file that was in no directory to watch, too.
    pub(super) fn read(&self) {
        if let Some(watcher) = &self.watcher {
            let report = Arc::clone(&watcher.report);
            spawn_blocking(move || report());
        }
    }

    /// Begins to report the changes.
    pub(super) fn start(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            watcher.start();
        }
    }
}

/// Uses the colours of a configuration, and returns the message about its keys and the settings that are used from now
/// on. The network but for its rate, its limits and the
/// cache keep theirs.
pub(super) fn apply(config: Config, theme: &mut Theme) -> Message {
    let mut new_theme = config.theme;
    new_theme.keep_background(theme);
    let has_new_theme = *theme != new_theme;
    *theme = new_theme;
    Message::Configured(Box::new((config.keymap, config.settings, has_new_theme)))
}
