//! The filter of a list: the rows that contain all words of a query.
//!
//! ```text
//! query = word *( blanks word )
//! word  = text / pattern              ; a pattern has a "*" or a "?" in it
//! ```
//!
//! A text is found in any part of a row, a pattern must match a whole word of it or the whole row: `*.txt` finds names
//! that end in `.txt`. Case is ignored. In a list of groups, a query with a `!` or `,` is one wildmat (RFC 3977,
//! section 4).

use std::cell::OnceCell;

use geomys_wire::protocol::nntp::{Wildmat, glob};
use geomys_wire::text::{Charset, Text};

use super::continuation::further_pieces;
use super::find::{SearchText, fold};
use super::row::Row;
use super::rows::{FilterText, RowProvider, RowSource};

/// The rows that match a filter.
#[derive(Clone, Debug)]
pub(super) struct RowFilter {
    pub(super) query: FilterQuery,
    /// The numbers of these rows in the unfiltered list, in order.
    rows: Vec<u32>,
    /// The number of rows that a filter can match.
    pub(super) total: usize,
}

impl RowFilter {
    /// Returns the filter for the rows that match `query`. Slow on a long list.
    pub(super) fn new(query: FilterQuery, rows: &dyn RowProvider, source: RowSource<'_>) -> Self {
        let mut total = 0;
        let count = u32::try_from(rows.count(source)).unwrap_or(u32::MAX);
        let pattern = query.pattern();
        let matching = (0..count).filter(|&row| {
            let text = rows.filter_text(source, row as usize);
            total += usize::from(!matches!(text, FilterText::None));
            match (&pattern, text) {
                (Some(pattern), FilterText::Group(name)) => {
                    pattern.matches(&name.to_ascii_lowercase())
                }
                (_, text) => is_shown(&query, text, rows, source, row as usize),
            }
        });
        let rows = matching.collect();
        Self { query, rows, total }
    }

    /// Returns the filter for a longer query: only rows that match the shorter one can match it.
    pub(super) fn narrowed(
        &self,
        query: FilterQuery,
        rows: &dyn RowProvider,
        source: RowSource<'_>,
    ) -> Self {
        let matching = self.rows.iter().copied().filter(|&row| {
            let text = rows.filter_text(source, row as usize);
            is_shown(&query, text, rows, source, row as usize)
        });
        let rows = matching.collect();
        Self {
            query,
            rows,
            total: self.total,
        }
    }

    /// The number of rows that match.
    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// The number of visible row `number` in the unfiltered list.
    pub(super) fn row(&self, number: usize) -> Option<usize> {
        self.rows.get(number).map(|&row| row as usize)
    }

    /// The rows that match, as their numbers in the unfiltered list.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().map(|&row| row as usize)
    }

    /// The visible number of a row; when it is hidden, that of the next visible row.
    pub(super) fn nearest(&self, row: usize) -> usize {
        self.rows
            .partition_point(|&visible| (visible as usize) < row)
    }

    /// The visible number of a row; nothing when it is hidden.
    pub(super) fn position(&self, row: usize) -> Option<usize> {
        let position = self.nearest(row);
        (self.row(position) == Some(row)).then_some(position)
    }
}

/// Returns true if each word of a query is in the record of a row.
fn is_shown(
    query: &FilterQuery,
    text: FilterText<'_>,
    rows: &dyn RowProvider,
    source: RowSource<'_>,
    row: usize,
) -> bool {
    let shown = OnceCell::new();
    let is_in_record = |word: &FilterWord| match text {
        FilterText::None => false,
        FilterText::Octets(octets) => word.is_in_octets(octets, source.charset),
        FilterText::Text | FilterText::Group(_) => {
            let octets = rows.octets(source, row);
            octets.is_none_or(|octets| word.could_be_in(octets))
                && shown
                    .get_or_init(|| rows.row(source, row))
                    .as_ref()
                    .is_some_and(|row| word.is_in(row))
        }
    };
    let is_further = |word: &FilterWord| {
        further_pieces(rows, source, row)
            .filter_map(|piece| source.raw.piece(piece))
            .any(|piece| word.is_in_octets(piece, source.charset))
    };
    let has_text = !matches!(text, FilterText::None);
    let mut words = query.words().iter();
    has_text && words.all(|word| is_in_record(word) || is_further(word))
}

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
