//! Pages that may be kept, to be read without a network.
//!
//! What is kept of which protocol is said here, and by which URL; the keeping itself is done below.

use jiff::Timestamp;

use super::protocol_parts::protocol_parts;
use super::{Purpose, Request, news};
use crate::url::{GroupPart, Parts, Url};

/// What is known of a page that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// When it came from its server.
    pub since: Timestamp,
    /// Why that was not reached now; nothing where only what has changed is still to be asked for.
    pub why: Option<String>,
}

/// What a page that is kept is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UseKept {
    /// It is shown where nobody is reached.
    #[default]
    IfAway,
    /// It is shown at once, where only what has changed since then need be asked for: see [`super::Begin::asked_at`].
    First,
    /// It is shown where there is one: it is what the page was that is loaded again.
    Always,
}

/// The URL under which the page of a request is kept, the same for all ways to write it and without a password; nothing
/// where the page is not kept.
pub fn kept_as(request: &Request) -> Option<Url> {
    // Changes are no page of their own.
    let is_kept = request.purpose == Purpose::Show && request.since.is_none();
    // A gateway's pages are its own.
    if !is_kept || request.gateways.takes(&request.url) {
        return None;
    }
    let url = match protocol_parts(&request.url) {
        Parts::News(_) | Parts::Nntp(_) => news::kept_as(request),
        // An arm that gives the request's own URL keeps a protocol's pages.
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

/// Whether its server can be asked for what has changed since a page was kept, by [`Request::since`].
pub fn has_changes(request: &Request) -> bool {
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
