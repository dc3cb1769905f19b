//! Gopher+ features of some pages: several views, a form before the page, a new location.

macro_rules! asset {
    ($name:literal) => {
        include_bytes!(concat!("../../../../assets/demo/gopher/", $name))
    };
}

/// A view of a page.
#[derive(Debug)]
pub(in crate::demo) struct PlusView {
    /// The MIME type and the language, as +VIEWS has them.
    pub(in crate::demo) name: &'static str,
    /// The text with LF line ends.
    pub(in crate::demo) body: &'static [u8],
}

const RULES: &[PlusView] = &[
    PlusView {
        name: "text/plain En_GB",
        body: asset!("rules.txt"),
    },
    PlusView {
        name: "text/plain De_DE",
        body: asset!("rules-de.txt"),
    },
    PlusView {
        name: "text/html En_GB",
        body: asset!("rules.html"),
    },
];

/// The views of the page at `selector`, the preferred one first; empty if there is only one.
pub(in crate::demo) fn views(selector: &[u8]) -> &'static [PlusView] {
    match selector {
        b"/library/rules.txt" => RULES,
        _ => &[],
    }
}

/// The form of the page at `selector`: the lines of its +ASK.
pub(in crate::demo) fn form(selector: &[u8]) -> Option<&'static [u8]> {
    match selector {
        b"/post/telegram" => Some(asset!("telegram.ask")),
        _ => None,
    }
}

/// The new row of a page that moved from `selector`.
pub(in crate::demo) fn moved(selector: &[u8]) -> Option<&'static [u8]> {
    match selector {
        b"/library/old-rules.txt" => Some(b"/library/rules.txt"),
        _ => None,
    }
}
