//! The number of the current match, as `3 of 12`.

use geomys_page::document::find::SearchText;
use geomys_wire::text;

use super::theme::Role;
use geomys_app::Page;
use geomys_app::view::find::not_found;

/// The words about the last search in a page; nothing without a search, and while it runs.
pub(super) fn words(page: &Page) -> Option<(String, Role)> {
    let rows = page.rows()?;
    let needle = rows.search.needle.as_ref()?;
    let Some(found) = rows.search.found else {
        let words = rows
            .search
            .finding
            .is_none()
            .then(|| not_found(SearchText::words(needle)))?;
        return Some((words, Role::Fault));
    };
    let count = found.count?;
    let more = if count.has_more { "+" } else { "" };
    let (number, total) = (text::count(count.number), text::count(count.total));
    Some((format!("{number} of {total}{more}"), Role::Notice))
}
