//! The query of a list's filter: words, all of which a row must have.
//!
//! ```text
//! query = word *( blanks word )
//! word  = text / pattern              ; a pattern has a "*" or a "?" in it
//! ```
//!
//! A text is found in any part of a row, a pattern must match a whole word of it or the whole row: `*.txt` finds names
//! that end in `.txt`. Case is ignored. In a list of groups, a query with a `!` or `,` is one wildmat (RFC 3977, section
//! 4).

use geomys_wire::protocol::nntp::{Wildmat, glob};
use geomys_wire::text::{Charset, Text};

use super::row::Row;
use super::search_text::{SearchText, fold};

/// The words of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterQuery {
    typed: String,
    words: Vec<FilterWord>,
}

/// A word of a filter, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterWord {
    Text(SearchText),
    Pattern(String),
}

impl FilterQuery {
    /// Parses a query; `None` if it has no words.
    pub fn new(typed: &str) -> Option<Self> {
        let words = typed.split_whitespace().filter_map(FilterWord::new);
        let words: Vec<FilterWord> = words.collect();
        (!words.is_empty()).then(|| Self {
            typed: typed.to_lowercase(),
            words,
        })
    }

    /// The query, in lower case.
    pub fn typed(&self) -> &str {
        &self.typed
    }

    pub(super) fn words(&self) -> &[FilterWord] {
        &self.words
    }

    /// Returns true if every text that matches `self` also matches `other`. This does not hold for a pattern, as its
    /// longer form may match other texts.
    pub(super) fn narrows(&self, other: &Self) -> bool {
        self.pattern().is_none()
            && other.words.iter().all(|short| match short {
                FilterWord::Text(short) => self.words.iter().any(|long| match long {
                    FilterWord::Text(long) => long.words().contains(short.words()),
                    FilterWord::Pattern(_) => false,
                }),
                FilterWord::Pattern(_) => self.words.contains(short),
            })
    }

    /// The query as a wildmat of groups, if it has a `!` or `,`, or is a single pattern. A wildmat that begins with an
    /// exclusion excludes from all groups.
    pub(super) fn pattern(&self) -> Option<Wildmat> {
        let typed = self.typed.trim().to_lowercase();
        let is_wildmat =
            typed.contains(['!', ',']) || matches!(self.words.as_slice(), [FilterWord::Pattern(_)]);
        let all = if typed.starts_with('!') { "*," } else { "" };
        is_wildmat.then(|| Wildmat::parse(format!("{all}{typed}").as_bytes()))
    }
}

impl FilterWord {
    fn new(word: &str) -> Option<Self> {
        if word.contains(['*', '?']) {
            return Some(Self::Pattern(word.to_lowercase()));
        }
        SearchText::folded(word).map(Self::Text)
    }

    /// Returns true if the decoded octets have the word.
    pub(super) fn is_in_octets(&self, octets: &[u8], charset: Charset) -> bool {
        match self {
            Self::Text(text) => text.is_in_octets(octets, charset),
            Self::Pattern(pattern) => matches(pattern, Text::new(octets, charset).as_str()),
        }
    }

    /// Returns false if the octets of a line cannot have the word.
    pub(super) fn could_be_in(&self, octets: &[u8]) -> bool {
        match self {
            Self::Text(text) => text.could_be_in(octets),
            Self::Pattern(_) => true,
        }
    }

    /// Returns true if the text of a row, or the column on its left, has the word.
    pub(super) fn is_in(&self, row: &Row) -> bool {
        match self {
            Self::Text(text) => text.is_in(row),
            Self::Pattern(pattern) => {
                let lead = row.lead.as_ref();
                lead.is_some_and(|lead| matches(pattern, lead.as_str()))
                    || matches(pattern, &row.text())
            }
        }
    }
}

/// Returns true if a pattern matches a text or a word of it.
fn matches(pattern: &str, text: &str) -> bool {
    let text = fold(text);
    let mut parts = text.split_whitespace().chain([text.trim()]);
    parts.any(|part| glob(pattern.as_bytes(), part.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_in(query: &str, name: &str) -> bool {
        let query = FilterQuery::new(query).unwrap();
        let mut words = query.words().iter();
        words.all(|word| word.is_in_octets(name.as_bytes(), Charset::default()))
    }

    #[test]
    fn words_are_found_in_any_order_and_patterns_as_a_whole() {
        for (query, name, expected) in [
            ("linux 6.18", "linux-6.18.tar.xz", true),
            ("6.18 linux", "linux-6.18.tar.xz", true),
            ("linux 6.17", "linux-6.18.tar.xz", false),
            ("*.txt", "README.TXT", true),
            ("*.txt", "a b.txt", true),
            ("*.txt", "a.txt.gz", false),
            ("a?c", "abc", true),
            ("a?c", "abcd", false),
            ("*.tar.* linux", "linux-6.18.tar.xz", true),
            (" Linux ", "linux", true),
        ] {
            assert_eq!(is_in(query, name), expected, "{query} {name}");
        }
        assert_eq!(FilterQuery::new(" \t"), None);
    }

    proptest! {
        #[test]
        fn narrower_query_finds_no_more(
            long in "[ab*? ]{1,8}", short in "[ab*? ]{1,4}", name in "[ab ]{0,8}"
        ) {
            let query = |text: &str| FilterQuery::new(text);
            if let (Some(one), Some(other)) = (query(&long), query(&short)) && one.narrows(&other) {
                prop_assert!(!is_in(&long, &name) || is_in(&short, &name), "{long} {short} {name}");
            }
        }
    }
}
