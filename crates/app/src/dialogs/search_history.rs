//! The search history: earlier search words, recalled with Up and Down in a search prompt. The session stores it.

use rfc1738::{Dialect, Parts, Url};

/// The maximum number of entries.
const MAX_ENTRIES: usize = 100;

/// The words of searches, the newest last, and the position of the user among them.
#[derive(Clone, Debug, Default)]
pub struct SearchHistory {
    words: Vec<SearchWords>,
    /// The number of steps back.
    back: usize,
    /// The text that was typed before the first step back.
    typed: String,
}

/// The words of a search.
#[derive(Clone, Debug)]
struct SearchWords {
    text: String,
    /// True if they may be written to disk.
    is_stored: bool,
}

impl SearchHistory {
    /// Creates the history with the words of an earlier run.
    pub(crate) fn of(words: &[String]) -> Self {
        let mut history = Self::default();
        for words in words {
            history.add(words, true);
        }
        history
    }

    /// Returns the words that may be written to disk, the newest last.
    pub(crate) fn stored(&self) -> Vec<String> {
        let stored = self.words.iter().filter(|words| words.is_stored);
        stored.map(|words| words.text.clone()).collect()
    }

    /// Adds the words of a search. Words that are in the list already move to its end. Words that may not be written to
    /// disk stay in memory.
    pub fn add(&mut self, words: &str, is_stored: bool) {
        self.back = 0;
        if words.trim().is_empty() {
            return;
        }
        self.words.retain(|earlier| earlier.text != words);
        self.words.push(SearchWords {
            text: words.to_owned(),
            is_stored,
        });
        if self.words.len() > MAX_ENTRIES {
            self.words.remove(0);
        }
    }

    /// Resets the position for a new search prompt.
    pub fn begin(&mut self) {
        self.back = 0;
    }

    /// Returns true if earlier words are shown.
    pub fn is_back(&self) -> bool {
        self.back > 0
    }

    /// Returns the words one step back from `now`, or one step forward; `None` past the ends.
    pub fn step(&mut self, back: bool, now: &str) -> Option<String> {
        let to = if back {
            self.back.checked_add(1)?
        } else {
            self.back.checked_sub(1)?
        };
        if to == 0 {
            self.back = 0;
            return Some(self.typed.clone());
        }
        let words = self.words.get(self.words.len().checked_sub(to)?)?;
        let words = words.text.clone();
        if self.back == 0 {
            now.clone_into(&mut self.typed);
        }
        self.back = to;
        Some(words)
    }
}

/// Reads the URL of a search item with a `?` in its selector as other clients do, and returns the URL of the search and
/// its words. By RFC 1738 the `?` is a part of the selector.
pub(super) fn as_search(url: &Url) -> Option<(Url, String)> {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return None;
    };
    if gopher.item_type() != b'7' || gopher.search.is_some() {
        return None;
    }
    let selector = gopher.selector.octets().into_owned();
    let at = memchr::memchr(b'?', &selector)?;
    let words: Vec<u8> = selector
        .get(at + 1..)?
        .iter()
        .map(|&octet| if octet == b'+' { b' ' } else { octet })
        .collect();
    let (item, _) = url.as_str().split_once('?')?;
    let search = Dialect::Extended
        .parse(item)
        .ok()?
        .with_search(&words)
        .ok()?;
    (!words.is_empty()).then(|| (search, String::from_utf8_lossy(&words).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_walked_back_and_forth() {
        let mut history = SearchHistory::default();
        assert_eq!(history.step(true, "x"), None);
        for words in ["one", "two", "one", " ", "three"] {
            history.add(words, true);
        }
        let mut step = |back, now: &str| history.step(back, now);
        assert_eq!(step(true, "typed").as_deref(), Some("three"));
        assert_eq!(step(true, "three").as_deref(), Some("one"));
        assert_eq!(step(true, "one").as_deref(), Some("two"));
        assert_eq!(step(true, "two"), None);
        assert_eq!(step(false, "two").as_deref(), Some("one"));
        assert_eq!(step(false, "one").as_deref(), Some("three"));
        assert_eq!(step(false, "three").as_deref(), Some("typed"));
        assert_eq!(step(false, "typed"), None);
    }

    #[test]
    fn a_question_mark_may_be_the_beginning_of_words() {
        let search =
            |text: &str| as_search(&Url::parse(text).unwrap()).map(|(url, _)| url.to_string());
        assert_eq!(
            search("gopher://h/7/v2/vs?potato+soup").as_deref(),
            Some("gopher://h/7/v2/vs%09potato%20soup")
        );
        for text in [
            "gopher://h/7/v?x%09y",
            "gopher://h/1/v?x",
            "gopher://h/7/v",
            "gopher://h/7/v?",
        ] {
            assert_eq!(search(text), None, "{text}");
        }
    }
}
