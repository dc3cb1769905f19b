//! Which protocols are spoken.

use super::finger;
use crate::url::{Later, Parts, Url};

/// Whether Geomys speaks the protocol of a URL itself.
pub fn speaks(url: &Url) -> bool {
    match protocol_parts(url) {
        Parts::Gopher(_)
        | Parts::News(_)
        | Parts::Nntp(_)
        | Parts::Ftp(_)
        | Parts::File(_)
        | Parts::Http(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::Prospero(_) => true,
        Parts::Other(_) => finger::speaks(url),
        Parts::Mailto(_) => false,
    }
}

/// What a URL names, as far as the protocols go that are spoken here: `gophers`, `ftps`,
/// `nntps`, `snews` and `https` are Gopher, FTP, news and the Web, over TLS.
pub(super) fn protocol_parts(url: &Url) -> Parts<'_> {
    match url.later() {
        Some(Later::Gophers | Later::Ftps | Later::Nntps | Later::Snews | Later::Https) => {
            url.reading()
        }
        Some(Later::Tn3270 | Later::Finger) | None => url.parts(),
    }
}
