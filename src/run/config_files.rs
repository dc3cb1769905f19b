//! The configuration files while the browser runs: an edit of one takes effect at once.

use tokio::sync::mpsc;

use super::file_watcher::FileWatcher;
use crate::app::Context;
use crate::config::{Config, UserPaths};
use crate::ui::Theme;

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

    /// Begins to report the changes.
    pub(super) fn start(&mut self) {
        if let Some(watcher) = &mut self.watcher {
            watcher.start();
        }
    }
}

/// Applies a configuration: keys, colours and the settings that are used from now on. The network, its limits and the cache
/// keep theirs.
pub(super) fn apply(config: Config, cx: &mut Context, theme: &mut Theme) {
    let mut new_theme = config.theme;
    new_theme.keep_background(theme);
    let has_new_theme = *theme != new_theme;
    *theme = new_theme;
    cx.reconfigure(config.keymap, config.settings, has_new_theme);
}
