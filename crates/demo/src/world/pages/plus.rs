//! Gopher+ features of some pages: several views, a form before the page, a new location.

use crate::assets;

/// The views of the page at `selector`, the preferred one first; empty if there is only one. Each has the MIME type and the
/// language, as +VIEWS writes them, and a file of text with LF line ends.
pub(crate) fn views(selector: &[u8]) -> &'static [(&'static str, &'static str)] {
    match selector {
        b"/library/rules.txt" => &[
            ("text/plain En_GB", "gopher/rules.txt"),
            ("text/plain De_DE", "gopher/rules-de.txt"),
            ("text/html En_GB", "gopher/rules.html"),
        ],
        _ => &[],
    }
}

/// The form of the page at `selector`: the lines of its +ASK.
pub(crate) fn form(selector: &[u8]) -> Option<&'static [u8]> {
    (selector == b"/post/telegram").then(|| assets::file("gopher/telegram.ask"))
}

/// The present selector of a page that moved from `selector`.
pub(crate) fn moved(selector: &[u8]) -> Option<&'static [u8]> {
    (selector == b"/library/old-rules.txt").then_some(b"/library/rules.txt")
}
