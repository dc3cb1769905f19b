//! Which protocols are spoken.

use crate::url::{Later, Parts, Url};

/// Whether Geomys speaks the protocol of a URL itself.
pub fn speaks(url: &Url) -> bool {
    match spoken(url) {
        Parts::Gopher(_) | Parts::News(_) | Parts::Nntp(_) | Parts::Ftp(_) => true,
        Parts::Http(_)
        | Parts::Mailto(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => false,
    }
}

/// What a URL names, as far as the protocols go that are spoken here: `gophers`, `ftps`,
/// `nntps` and `snews` are Gopher, FTP and news, over TLS.
pub(super) fn spoken(url: &Url) -> Parts<'_> {
    match url.later() {
        Some(Later::Gophers | Later::Ftps | Later::Nntps | Later::Snews) => url.reading(),
        Some(Later::Https | Later::Tn3270 | Later::Finger) | None => url.parts(),
    }
}
