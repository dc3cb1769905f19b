//! The match of a typed text with names: whole, by its beginning, by the beginnings of its words, or scattered.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// The match of a typed text with a name, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameMatch {
    /// The text is the name.
    Whole,
    /// The name starts with the text.
    Prefix,
    /// Words of the name start with the words of the text, in their order.
    WordStarts,
}

/// Returns the text in lower case, with blanks for hyphens, as names are compared.
pub(super) fn plain(text: &str) -> String {
    text.replace('-', " ").trim().to_lowercase()
}

/// Returns the match of a text, as [`plain`] makes it, with a name.
pub(super) fn name_match(name: &str, typed: &str) -> Option<NameMatch> {
    let name = plain(name);
    if name == typed {
        return Some(NameMatch::Whole);
    }
    if name.starts_with(typed) {
        return Some(NameMatch::Prefix);
    }
    let mut words = name.split(' ');
    let mut typed = typed.split_whitespace();
    let starts = typed.all(|part| words.any(|word| word.starts_with(part)));
    starts.then_some(NameMatch::WordStarts)
}

/// A fuzzy match of entries with the typed text.
pub(crate) struct EntryScorer {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
    /// The typed text in lower case, with blanks for hyphens.
    plain: String,
}

impl EntryScorer {
    pub(crate) fn new(typed: &str) -> Self {
        let kind = AtomKind::Fuzzy;
        Self {
            pattern: Pattern::new(typed, CaseMatching::Ignore, Normalization::Smart, kind),
            matcher: Matcher::new(Config::DEFAULT),
            buffer: Vec::new(),
            plain: typed.replace('-', " ").to_lowercase(),
        }
    }

    /// Returns the score of a name and its description, higher if the name starts with the text; `None` without a
    /// match.
    pub(crate) fn score(&mut self, name: &str, doc: &str) -> Option<u32> {
        let haystack = format!("{name} {doc}");
        let haystack = Utf32Str::new(&haystack, &mut self.buffer);
        let score = self.pattern.score(haystack, &mut self.matcher)?;
        let plain = name.replace('-', " ").to_lowercase();
        let starts = plain.starts_with(&self.plain);
        Some(score + if starts { 1000 } else { 0 })
    }

    /// Returns the score if the letters of each typed word are, in order, inside one word of the name or its
    /// description.
    pub(super) fn score_in_words(&mut self, name: &str, doc: &str) -> Option<u32> {
        let score = self.score(name, doc)?;
        let text = format!("{name} {doc}").to_lowercase();
        let is_between_words = |letter: char| !letter.is_alphanumeric();
        let is_inside = self.plain.split(is_between_words).all(|part| {
            let mut words = text.split(is_between_words);
            words.any(|word| {
                let mut letters = word.chars();
                part.chars()
                    .all(|wanted| letters.any(|letter| letter == wanted))
            })
        });
        is_inside.then_some(score)
    }
}
