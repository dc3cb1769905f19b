//! The cached pages that links lead to, as the offline mode shows them.

use geomys_page::load::{Request, cache_key};
use rfc1738::Scheme;

use crate::app::library::message::LibraryEffect;
use crate::app::view::builtin;
use crate::app::{Context, Library};

impl Library {
    /// Has the URLs of the cached pages read in the offline mode, and forgets them online. Only pages from the cache are loaded
    /// offline, so that none is added meanwhile.
    pub(crate) fn follow_offline(&mut self, cx: &mut Context) {
        if cx.settings.offline {
            cx.emit(LibraryEffect::ListCached);
        } else {
            self.cached = None;
        }
    }

    /// Returns true if the page of a request can be opened offline; `None` online, and until the cache is read.
    pub fn is_available_offline(&self, request: &Request) -> Option<bool> {
        let cached = self.cached.as_ref()?;
        let url = &request.url;
        let is_local = url.scheme() == Scheme::File || builtin::is_builtin(url);
        Some(is_local || cache_key(request).is_some_and(|key| cached.contains(&key)))
    }
}
