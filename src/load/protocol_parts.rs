//! The supported protocols.

use super::finger;
use crate::url::{ExtensionScheme, Parts, Url};

/// Returns true if Geomys supports the protocol of a URL itself.
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

/// Returns the parts of a URL for the supported protocols: `gophers`, `ftps`, `nntps`, `snews` and `https` are parsed
/// as Gopher, FTP, news and the Web, over TLS.
pub(super) fn protocol_parts(url: &Url) -> Parts<'_> {
    match url.extension_scheme() {
        Some(
            ExtensionScheme::Gophers
            | ExtensionScheme::Ftps
            | ExtensionScheme::Nntps
            | ExtensionScheme::Snews
            | ExtensionScheme::Https,
        ) => url.base_parts(),
        Some(ExtensionScheme::Tn3270 | ExtensionScheme::Finger) | None => url.parts(),
    }
}
