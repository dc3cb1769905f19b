//! The use of cached pages: when a copy is shown, and why.

use jiff::Timestamp;

/// The origin of a page that comes from the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedInfo {
    /// The time when the page came from its server.
    pub stored_at: Timestamp,
    /// The reason why the server was not reached now; None when only the changes are still to be requested.
    pub reason: Option<String>,
}

/// The use of a cached page for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheUse {
    /// The cached page is shown when the server is unreachable.
    #[default]
    IfUnreachable,
    /// The cached page is shown at once, if the server can be asked for the changes since then: see
    /// [`super::PageHead::list_date`].
    BeforeRequest,
    /// The cached page is shown if there is one, without a request.
    Always(NoRequestReason),
}

/// The reason why a cached page is shown without a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRequestReason {
    /// The memory of the page was needed for others.
    Dropped,
    /// The page belongs to the restored session.
    Restored,
    /// The user saved it to read it later.
    Saved,
    /// The server did not send the page.
    Failed,
    /// A search found words in the copy.
    Found,
}

impl NoRequestReason {
    /// The end of a sentence about a page from the cache.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Dropped => "it was dropped to free memory",
            Self::Restored => "the last session was restored",
            Self::Saved => "it is kept",
            Self::Failed => "its server did not send it",
            Self::Found => "the search found this copy",
        }
    }
}
