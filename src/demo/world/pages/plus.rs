//! What some pages have in Gopher+ alone: more views than one, a form before them, another place.

macro_rules! asset {
    ($name:literal) => {
        include_bytes!(concat!("../../../../assets/demo/gopher/", $name))
    };
}

/// A view of a page.
#[derive(Debug)]
pub(in crate::demo) struct View {
    /// The MIME type and the language, as +VIEWS has them.
    pub(in crate::demo) name: &'static str,
    /// A text with LF.
    pub(in crate::demo) body: &'static [u8],
}

const RULES: &[View] = &[
    View {
        name: "text/plain En_GB",
        body: asset!("rules.txt"),
    },
    View {
        name: "text/plain De_DE",
        body: asset!("rules-de.txt"),
    },
    View {
        name: "text/html En_GB",
        body: asset!("rules.html"),
    },
];

/// The views of the page at `selector`, the preferred one first; none when it has but one.
pub(in crate::demo) fn views(selector: &[u8]) -> &'static [View] {
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

/// Where the page is that was once at `selector`.
pub(in crate::demo) fn moved(selector: &[u8]) -> Option<&'static [u8]> {
    match selector {
        b"/library/old-rules.txt" => Some(b"/library/rules.txt"),
        _ => None,
    }
}
