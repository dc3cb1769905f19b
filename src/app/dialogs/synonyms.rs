//! Words that users of other programs type, and the words of the descriptions that mean the same.

/// The synonyms: a word, and the word that the descriptions use.
const SYNONYMS: [(&str, &str); 13] = [
    ("browse", "open"),
    ("cancel", "stop"),
    ("close", "quit"),
    ("delete", "remove"),
    ("encoding", "charset"),
    ("erase", "remove"),
    ("exit", "quit"),
    ("favourites", "bookmarks"),
    ("goto", "open"),
    ("print", "pipe"),
    ("refresh", "reload"),
    ("remove", "delete"),
    ("search", "find"),
];

/// Returns the text with the words of the descriptions in place of their synonyms.
pub(crate) fn with_synonyms(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().map(meaning).collect();
    words.join(" ")
}

/// Returns the word that the descriptions use for this one.
pub(crate) fn meaning(word: &str) -> &str {
    let synonym = SYNONYMS.iter().find(|(typed, _)| *typed == word);
    synonym.map_or(word, |(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::action::Action;

    #[test]
    fn each_synonym_means_a_word_of_a_description() {
        for (typed, meaning) in SYNONYMS {
            let has_word = |action: &&Action| action.doc().to_lowercase().contains(meaning);
            let actions = Action::ALL.iter().filter(has_word).count();
            assert!(actions > 0, "{typed}: {meaning}");
        }
    }
}
