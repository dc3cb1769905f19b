//! Bookmarks found by a query with words that have a meaning, as the filter finds them, where the typed text is not
//! always a query: in the palette and in the prompt for a URL.

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

/// The matches of the last query of a prompt: where it is typed on, only these can match.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueryMatches {
    query: Query,
    bookmarks: Bookmarks,
    /// The indices of the matches, in the order of the file.
    found: Vec<usize>,
    /// The number of bookmarks that were looked at for them.
    looked_at: usize,
}

impl QueryMatches {
    /// Takes a query in place of the last one.
    fn search(&mut self, query: Query, searched: &SearchedBookmarks) {
        let (bookmarks, states) = (&searched.bookmarks, &*searched.link_status.0);
        let is_first = self.query.is_blank() || self.bookmarks != *bookmarks;
        (self.found, self.looked_at) = if is_first {
            (bookmarks.matching(&query, states), bookmarks.len())
        } else {
            bookmarks.narrowed(&query, (&self.query, &self.found), states)
        };
        self.query = query;
        self.bookmarks = bookmarks.clone();
    }
}

impl SearchedBookmarks {
    /// Returns the bookmarks that match a query, if it is more than words: with a keyword, a tag, `OR` or a minus sign.
    /// `last` has the matches of the query before.
    pub(crate) fn matching(
        &self,
        typed: &str,
        last: &mut QueryMatches,
    ) -> impl Iterator<Item = PaletteEntry> {
        let query = Query::new(typed).ok().filter(Query::has_syntax);
        let found = query.map_or(&[][..], |query| {
            last.search(query, self);
            &last.found
        });
        found
            .iter()
            .filter_map(|index| bookmark_entry(&self.bookmarks.bookmark(*index)?))
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// Returns a list with many bookmarks in folders.
    fn searched(count: usize) -> SearchedBookmarks {
        let mut file = String::new();
        for number in 0..count {
            if number % 50 == 0 {
                writeln!(file, "# Folder {}", number / 50).unwrap();
            }
            let (host, tag) = (number % 7, number % 11);
            let line = "lamp ÉTÉ straße";
            let note = if number % 5 == 0 { "\n  noted\n" } else { "\n" };
            write!(
                file,
                "{line} {number} <URL:gopher://h{host}.example/{number}> #t{tag}{note}"
            )
            .unwrap();
        }
        SearchedBookmarks {
            bookmarks: Bookmarks::parse(file.as_bytes()),
            ..SearchedBookmarks::default()
        }
    }

    #[test]
    fn query_that_is_typed_on_looks_at_its_matches_alone_and_finds_the_same() {
        let searched = searched(2000);
        for text in [
            "#t3 lamp 19",
            "host:h3.example été 1 #t1 noted",
            "-noted #t2 straße",
            "folder:\"Folder 3\" 15",
            "#t1 OR #t2 host:h1.example 7",
            "is:duplicate lamp",
            "lamp #t4 -19 /1[0-9]5/ noted",
        ] {
            let mut last = QueryMatches::default();
            let mut looked_at = Vec::new();
            for typed in (1..=text.len()).filter_map(|end| text.get(..end)) {
                let found = searched.matching(typed, &mut last).count();
                let fresh = searched
                    .matching(typed, &mut QueryMatches::default())
                    .count();
                assert_eq!(found, fresh, "{typed}");
                looked_at.push(last.looked_at);
            }
            // Nothing is left of the query where another one is typed.
            searched.matching("#t5", &mut last).count();
            assert_eq!(last.found.len(), 2000 / 11 + 1);
            assert!(*looked_at.last().unwrap() < 2000, "{text}: {looked_at:?}");
        }
    }
}
