//! Syntax of a query: words, phrases in quotation marks, and a minus sign before what must not match.

/// Word of a query as typed, without its minus sign and quotation marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypedWord<'a> {
    pub(super) text: &'a str,
    /// True after a minus sign: the word must not match.
    pub(super) is_negated: bool,
    /// True in quotation marks: text with its blanks, never a tag or a state.
    pub(super) is_phrase: bool,
}

/// Iterates over the words of a query. A phrase without its second quotation mark ends with the query, as it is being typed;
/// an empty phrase is no word. A minus sign alone is a word.
pub(super) fn words(query: &str) -> impl Iterator<Item = TypedWord<'_>> {
    let mut rest = query;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return None;
            }
            let positive = rest.strip_prefix('-');
            let positive =
                positive.filter(|word| !word.is_empty() && !word.starts_with(char::is_whitespace));
            let word = positive.unwrap_or(rest);
            let is_negated = positive.is_some();
            if let Some(phrase) = word.strip_prefix('"') {
                let (text, below) = phrase.split_once('"').unwrap_or((phrase, ""));
                rest = below;
                let text = text.trim();
                if text.is_empty() {
                    continue;
                }
                return Some(TypedWord {
                    text,
                    is_negated,
                    is_phrase: true,
                });
            }
            let end = word.find(char::is_whitespace).unwrap_or(word.len());
            let (text, below) = word.split_at(end);
            rest = below;
            return Some(TypedWord {
                text,
                is_negated,
                is_phrase: false,
            });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(query: &str) -> Vec<(String, bool, bool)> {
        let words =
            words(query).map(|word| (word.text.to_owned(), word.is_negated, word.is_phrase));
        words.collect()
    }

    #[test]
    fn words_phrases_and_minus_signs_are_split() {
        let word = |text: &str, negated, phrase| (text.to_owned(), negated, phrase);
        for (query, expected) in [
            ("", vec![]),
            (
                " a  b ",
                vec![word("a", false, false), word("b", false, false)],
            ),
            ("-a", vec![word("a", true, false)]),
            (
                "- a",
                vec![word("-", false, false), word("a", false, false)],
            ),
            ("--a", vec![word("-a", true, false)]),
            (
                "\"a  b\"c",
                vec![word("a  b", false, true), word("c", false, false)],
            ),
            ("-\"a b\"", vec![word("a b", true, true)]),
            ("\"a b", vec![word("a b", false, true)]),
            ("\"-a\" -\"\" \"", vec![word("-a", false, true)]),
            (
                "a\"b c\"",
                vec![word("a\"b", false, false), word("c\"", false, false)],
            ),
        ] {
            assert_eq!(split(query), expected, "{query}");
        }
    }
}
