//! Waits for files that the program writes in the background. The system reports each change, so that files are looked
//! at without one twice a second only: a machine has a limited number of watches, and other programs may have them.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::screen::PATIENCE;

/// The time until files are looked at although no change was reported.
const UNSEEN: Duration = Duration::from_millis(500);

/// The changes below a directory from now on.
struct Changes {
    changed: Receiver<()>,
    /// Without a watch it keeps the channel open.
    _sender: Sender<()>,
    _watcher: Option<RecommendedWatcher>,
}

impl Changes {
    fn below(directory: &Path) -> Self {
        let (sender, changed) = mpsc::channel();
        let reports = sender.clone();
        let watcher = notify::recommended_watcher(move |_| {
            // The receiver is closed once the file is there.
            let _ = reports.send(());
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(directory, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        Self {
            changed,
            _sender: sender,
            _watcher: watcher.ok(),
        }
    }

    /// Waits until `found` finds something after a change.
    fn until<T>(&self, found: impl Fn() -> Option<T>) -> Option<T> {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = found() {
                return Some(found);
            }
            let left = end.checked_duration_since(Instant::now())?;
            // A file in a new directory may be there before the directory is watched: then no change follows.
            let _ = self.changed.recv_timeout(left.min(UNSEEN));
        }
    }
}

/// Waits on this thread until `found` finds something in the files below `directory`; `None` if nothing is found in
/// time.
pub fn wait<T>(directory: &Path, found: impl Fn() -> Option<T>) -> Option<T> {
    Changes::below(directory).until(found)
}

/// Waits until `found` finds something in the files below `directory`; `None` if nothing is found in time.
pub async fn found<T: Send + 'static>(
    directory: &Path,
    found: impl Fn() -> Option<T> + Send + 'static,
) -> Option<T> {
    let directory: PathBuf = directory.to_owned();
    let waiting = tokio::task::spawn_blocking(move || wait(&directory, found));
    waiting.await.unwrap()
}

/// Waits until a page in the cache of a profile contains these words.
pub async fn cached_words(profile: &Path, words: &str) {
    let (cache, wanted) = (profile.join("cache"), words.to_owned());
    let page = found(profile, move || {
        let pages = std::fs::read_dir(&cache).ok()?.flatten();
        let mut pages = pages.filter_map(|entry| std::fs::read(entry.path()).ok());
        pages.find(|page| memchr::memmem::find(page, wanted.as_bytes()).is_some())
    });
    assert!(page.await.is_some(), "no page in the cache has {words:?}");
}

/// Writes the queue of a profile with links (URL, title) that the user named, the oldest first.
pub fn write_queue(profile: &Path, links: &[(String, &str)]) {
    let mut queue = String::new();
    for (second, (url, title)) in links.iter().enumerate() {
        let line = format!("2026-11-01T00:00:0{second}Z {url} {title}\n");
        queue.extend([&line, "named-by geomys:user ", url, "\n"]);
    }
    std::fs::create_dir_all(profile.join("later")).unwrap();
    std::fs::write(profile.join("later/queue"), queue).unwrap();
}
