//! The state of link checks.

use std::sync::Arc;

use geomys_store::bookmarks::checks::{CheckResult, Checks};
use geomys_store::bookmarks::watch::WatchedPages;
use jiff::Timestamp;

use crate::app::bookmarks::check::progress::BulkProgress;

/// The link check state of the bookmarks, and the running check.
#[derive(Clone, Debug, Default)]
pub struct LinkChecks {
    /// The results of link checks; shared with searches in blocking tasks.
    pub checks: Arc<Checks>,
    /// The state of the watched bookmarks.
    pub watched: Arc<WatchedPages>,
    /// The running check.
    pub running: Option<BulkProgress>,
    /// The start time of the browser; `None` disables checks and watches.
    pub started: Option<Timestamp>,
    /// True once the stored results were read.
    pub(super) is_loaded: bool,
    /// The results that are not yet saved.
    pub(super) unsaved: Vec<CheckResult>,
}
