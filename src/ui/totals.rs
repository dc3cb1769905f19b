//! The totals of a directory listing in words.

use geomys_page::document::ListingTotals;
use geomys_wire::text;

/// The text `12 directories, 345 files, 1.2 GB`.
pub(super) fn in_words(totals: &ListingTotals) -> String {
    let number = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{} {many}", text::count(count))),
    };
    let parts = [
        number(totals.directories, "directory", "directories"),
        number(totals.files, "file", "files"),
        number(totals.links, "link", "links"),
        number(totals.malformed, "odd line", "odd lines"),
        number(totals.hidden, "hidden", "hidden"),
        size(totals),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "empty".to_owned()
    } else {
        parts.join(", ")
    }
}

/// The size of all files: `1.2 GB`, `at least 1.2 GB`; `None` where no size is certain.
pub(super) fn size(totals: &ListingTotals) -> Option<String> {
    let size = (totals.octets > 0).then(|| text::octets(totals.octets))?;
    let at_least = if totals.is_at_least { "at least " } else { "" };
    Some(format!("{at_least}{size}"))
}

/// The short form of the totals: `360 entries`.
pub(super) fn entries(totals: &ListingTotals) -> String {
    let entries = match totals.directories + totals.files + totals.links {
        1 => "1 entry".to_owned(),
        entries => format!("{} entries", text::count(entries)),
    };
    match totals.hidden {
        0 => entries,
        hidden => format!("{entries}, {} hidden", text::count(hidden)),
    }
}
