//! Bookmarks found by a query with words that have a meaning, as the filter finds them, where the typed text is not
//! always a query: in the palette and in the prompt for a URL.

use std::sync::Arc;

use geomys_store::bookmarks::{Bookmarks, Query, completions};

use crate::bookmarks::search::LinkStatusMatcher;
use crate::dialogs::palette::{PaletteEntry, PaletteTarget, bookmark_entry, entry};

/// The heading of the bookmarks.
pub(crate) const BOOKMARKS: &str = "Bookmarks";

/// Bookmarks, and what the words of a query about checks and dates are matched with.
#[derive(Clone, Debug, Default)]
pub struct SearchedBookmarks {
    /// The bookmarks.
    pub bookmarks: Bookmarks,
    /// The matcher for words about the link check state.
    pub link_status: LinkStatusMatcher,
}

impl SearchedBookmarks {
    /// Returns the bookmarks that match a query, if it is more than words: with a keyword, a tag, `OR` or a minus sign.
    pub(crate) fn matching(&self, typed: &str) -> impl Iterator<Item = PaletteEntry> {
        let query = Query::new(typed).ok().filter(Query::has_syntax);
        let found = query.map(|query| {
            let matcher = Arc::clone(&self.link_status.0);
            self.bookmarks.matching(&query, &*matcher)
        });
        let found = found.unwrap_or_default().into_iter();
        found.filter_map(|index| bookmark_entry(&self.bookmarks.bookmark(index)?))
    }

    /// Returns rows that complete the last word, if it has the sign of a keyword or of a tag: Enter types it.
    pub(crate) fn completing(&self, typed: &str) -> Vec<PaletteEntry> {
        let word = last_word(typed);
        if !word.contains([':', '>', '#']) {
            return Vec::new();
        }
        let words = query_completions(typed, &self.bookmarks.query_words()).into_iter();
        let rows = words.take(MAX_COMPLETING).map(|word| {
            let target = PaletteTarget::Type(with_completion(typed, &word));
            entry(BOOKMARKS, word, String::new(), target)
        });
        rows.collect()
    }
}

/// The most rows that complete a word: the matches stand below them.
const MAX_COMPLETING: usize = 12;

/// Returns the words that complete the last typed one of a query, the first match first; `valued` are those whose
/// values are in use.
pub(crate) fn query_completions(typed: &str, valued: &[String]) -> Vec<String> {
    let word = last_word(typed).trim_start_matches('-');
    let keywords = completions(word);
    let begun = word.to_lowercase();
    let is_match = |valued: &&String| {
        let lower = valued.to_lowercase();
        begun.contains(['#', ':']) && lower.starts_with(&begun) && lower != begun
    };
    let valued = valued.iter().filter(is_match).cloned();
    keywords.chain(valued).collect()
}

/// Returns a typed query with its last word completed.
pub(crate) fn with_completion(typed: &str, word: &str) -> String {
    let start = typed.len() - last_word(typed).trim_start_matches('-').len();
    let before = typed.get(..start).unwrap_or_default();
    // A value follows these signs.
    let end = if word.ends_with([':', '>']) { "" } else { " " };
    format!("{before}{word}{end}")
}

/// Returns the last word of a query that is being typed.
pub(crate) fn last_word(typed: &str) -> &str {
    typed.rsplit(char::is_whitespace).next().unwrap_or_default()
}
