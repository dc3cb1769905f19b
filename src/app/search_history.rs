//! Words that were looked for before: walked with Up and Down while a search is asked for. They are forgotten with the
//! browser.

use crossterm::event::KeyCode;
use tui_input::Input;

use super::App;
use super::Effect;
use super::browse::Where;
use super::choice::Choice;
use super::prompt::{Prompt, Wants};
use crate::keymap::Key;
use crate::url::{Parts, Url};

/// How many are kept.
const KEPT: usize = 100;

/// Words of searches, the last one last, and where among them somebody walks.
#[derive(Clone, Debug, Default)]
pub struct Recall {
    words: Vec<String>,
    /// How many steps back.
    back: usize,
    /// What was typed before the first step back.
    typed: String,
}

impl Recall {
    /// Keeps the words of a search; those that were kept before move to the end.
    pub fn keep(&mut self, words: &str) {
        self.back = 0;
        if words.trim().is_empty() {
            return;
        }
        self.words.retain(|known| known != words);
        self.words.push(words.to_owned());
        if self.words.len() > KEPT {
            self.words.remove(0);
        }
    }

    /// A search is asked for anew.
    pub fn begin(&mut self) {
        self.back = 0;
    }

    /// The words one step back from `now`, or forth again; nothing past the ends.
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
        let words = self.words.get(self.words.len().checked_sub(to)?)?.clone();
        if self.back == 0 {
            now.clone_into(&mut self.typed);
        }
        self.back = to;
        Some(words)
    }
}

impl App {
    /// Up and Down in the prompt of a search; whether it was one of them.
    pub(super) fn recall(&mut self, prompt: &mut Prompt, key: Key) -> bool {
        let back = match (&prompt.wants, key.code()) {
            (Wants::Search(_), Some(KeyCode::Up)) => true,
            (Wants::Search(_), Some(KeyCode::Down)) => false,
            _ => return false,
        };
        if let Some(words) = self.searches.step(back, prompt.input.value()) {
            prompt.input = Input::new(words);
        }
        true
    }

    /// Opens an address that somebody typed. One that looks as if it held words to search for, as some other clients
    /// write them, is asked about.
    pub(super) fn open_typed(&mut self, url: Url) -> Vec<Effect> {
        match as_search(&url).filter(|_| self.overlay.is_none()) {
            Some((search, words)) => self.choose(Choice::query(url, search, &words)),
            None => self.open(url, None, Where::Here),
        }
    }
}

/// A search item's URL with a `?` in its selector, which RFC 1738 has as a part of that, read as other clients do: the
/// search, and its words.
fn as_search(url: &Url) -> Option<(Url, String)> {
    let Parts::Gopher(gopher) = url.reading() else {
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
    let search = Url::accept(item).ok()?.with_search(&words).ok()?;
    (!words.is_empty()).then(|| (search, String::from_utf8_lossy(&words).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_walked_back_and_forth() {
        let mut recall = Recall::default();
        assert_eq!(recall.step(true, "x"), None);
        for words in ["one", "two", "one", " ", "three"] {
            recall.keep(words);
        }
        let mut step = |back, now: &str| recall.step(back, now);
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
