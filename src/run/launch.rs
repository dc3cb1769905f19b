//! The launch: the state made of the user's files, and what starts behind the first frame.

use std::fmt::Display;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use geomys_store::bookmarks::checks;
use geomys_store::files::cache::Cache;
use geomys_store::files::session::SessionFile;
use geomys_store::files::{charsets, trust};
use geomys_store::transfer::queue;
use geomys_wire::net::Net;

use super::file_watcher::{ConfigChanges, ReadConfig};
use super::file_writer::Files;
use super::tasks::{Reports, Tasks};
use crate::config::{Config, UserPaths};
use crate::ui::Theme;
use geomys_app::bookmarks::check::LinkChecks;
use geomys_app::{App, Effect, StoredState};

/// The values with which the browser is started.
pub struct RunContext {
    /// The paths of the user's files.
    pub paths: Arc<UserPaths>,
    /// The configuration at the start.
    pub config: Config,
    /// Reads the configuration again after an edit; `None` for a temporary profile.
    pub reread: Option<ReadConfig>,
    /// The access to the network.
    pub net: Net,
    /// The page cache.
    pub cache: Arc<Cache>,
    /// The number of threads for the tasks; with none they run where the loop runs.
    pub threads: usize,
}

/// The state before the first frame, and what starts behind it, so that the frame waits for no thread, no server and no
/// watcher.
pub struct Launch {
    /// The state.
    pub app: App,
    pub(super) tasks: Tasks,
    pub(super) reports: Reports,
    pub(super) theme: Theme,
    pub(super) later: Later,
}

/// The threads, the task and the effects that wait for the first frame.
pub(super) struct Later {
    pub(super) threads: usize,
    pub(super) watch: Option<BoxFuture<'static, ()>>,
    pub(super) effects: Vec<Effect>,
}

impl Launch {
    /// Reads the user's files, and prepares to open these addresses on a screen of `size` columns and lines.
    ///
    /// A file that cannot be read counts as empty, and the last error is reported.
    pub fn new(context: RunContext, addresses: &[String], size: (u16, u16)) -> Self {
        let RunContext {
            paths,
            config,
            reread,
            net,
            cache,
            threads,
        } = context;
        let mut file_error = None;
        let store = paths.bookmarks();
        let bookmarks = or_default(store.load(), &mut file_error);
        file_error = file_error.or_else(|| store.damage());
        let pins = or_default(trust::load(&paths.trust()), &mut file_error);
        let charsets = or_default(charsets::load(&paths.charsets()), &mut file_error);
        let unfinished = or_default(queue::load(&paths.transfers()), &mut file_error);
        let owned = or_default(SessionFile::own(&paths.session()), &mut file_error);
        // One that cannot be read is not replaced either.
        let loaded = owned.and_then(|file| {
            let loaded = file.load().map(|loaded| Some((file, loaded)));
            or_default(loaded, &mut file_error)
        });
        let (session_file, session) = match loaded {
            Some((file, (state, damage))) => {
                file_error = damage.or(file_error);
                (Some(file), Some(state))
            }
            None => (None, None),
        };
        let retry_policy = config.settings.transfers.retries;
        let mut app = App::new(config.keymap, config.settings, bookmarks, size)
            .with_stored(StoredState {
                pins,
                charsets,
                session,
                transfers: unfinished,
            })
            .with_history()
            .with_link_checks(LinkChecks::new(checks::current_second()));
        let effects = app.start(addresses);
        let mistakes = app.cx.config_summary();
        for sentence in mistakes.into_iter().chain(file_error) {
            app.cx.report_error(&sentence);
        }
        let configs = ConfigChanges::of(reread, &paths);
        let files = Files::new(paths, store, session_file);
        let (tasks, reports) = Tasks::new(files, configs, Arc::new(net), cache, retry_policy);
        Self {
            app,
            tasks,
            reports,
            theme: config.theme,
            later: Later {
                threads,
                watch: None,
                effects,
            },
        }
    }

    /// Adds a task that goes on where the loop hangs.
    #[must_use]
    pub fn with_watch(mut self, watch: BoxFuture<'static, ()>) -> Self {
        self.later.watch = Some(watch);
        self
    }
}

fn or_default<T: Default, E: Display>(result: Result<T, E>, last_error: &mut Option<String>) -> T {
    result.unwrap_or_else(|error| {
        *last_error = Some(error.to_string());
        T::default()
    })
}
