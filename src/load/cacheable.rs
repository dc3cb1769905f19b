//! Pages that may be cached, to be read offline.
//!
//! This module decides which pages are cached, and under which URL; `files::cache` does the caching itself.

use jiff::Timestamp;

use super::protocol_parts::protocol_parts;
use super::{Purpose, Request, news};
use crate::url::{GroupPart, Parts, Url};

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
    /// The cached page is shown if there is one, without a request: a page is restored.
    Always,
}

/// Returns the URL under which the page of a request is cached: the same for all ways to write it, and without a
/// password. None when the page is not cached.
pub fn cache_key(request: &Request) -> Option<Url> {
    // Changes are not a page of their own.
    let is_cacheable = request.purpose == Purpose::Show && request.since.is_none();
    // A gateway's pages are its own.
    if !is_cacheable || request.gateways.uses_gateway(&request.url) {
        return None;
    }
    let url = match protocol_parts(&request.url) {
        Parts::News(_) | Parts::Nntp(_) => news::cache_key(request),
        // To cache the pages of a protocol, return the request's own URL here.
        Parts::Gopher(_)
        | Parts::Ftp(_)
        | Parts::Http(_)
        | Parts::Mailto(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => None,
    }?;
    Some(url.without_password().canonical())
}

/// Returns true if the server can report the changes since a page was cached, by [`Request::since`].
pub fn can_fetch_changes(request: &Request) -> bool {
    match protocol_parts(&request.url) {
        Parts::News(news) => news.part == GroupPart::All,
        Parts::Nntp(_)
        | Parts::Gopher(_)
        | Parts::Ftp(_)
        | Parts::Http(_)
        | Parts::Mailto(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => false,
    }
}
