//! Bookmarks that hold words: what `geomys bookmarks list QUERY` and `geomys bookmarks check QUERY` are about.

use memchr::memmem::Finder;

use super::Bookmarks;
use super::line::{Parts, split, trim_end};
use super::query::is_known;
use super::sweep::{Passed, sweep};
use crate::text::Text;
use crate::url::{Url, mask, may_hold_secret};

/// Whether a URL fits a word that is about what is known of it, as `is:gone` and `gone>30d` are; there is no URL where it has
/// a fault, and nothing can be known of that.
pub type Fits<'a> = dyn Fn(&str, Option<&Url>) -> bool + Send + Sync + 'a;

/// Words of which each has to be held: as a part of the title, of the URL without its password, of the folder (`/` between
/// a folder and one inside it), of a tag with its `#`, or of a note; case is ignored. `is:fault` is held by a URL with a
/// fault, and what is about what is known of a URL is asked of whoever calls ([`Fits`]).
#[derive(Clone, Debug)]
pub struct Words {
    words: Vec<Word>,
}

#[derive(Clone, Debug)]
enum Word {
    /// In small letters.
    Part(String, Box<Finder<'static>>),
    /// A fault in the URL.
    Fault,
    /// Something that only a check can tell.
    Known(String),
}

impl Word {
    /// Whether lines in small letters, in which nothing is hidden, cannot hold it.
    fn is_missing(&self, lines: &[u8]) -> bool {
        match self {
            Self::Part(word, finder) => !may_be_mask(word) && finder.find(lines).is_none(),
            Self::Fault | Self::Known(_) => false,
        }
    }
}

/// Whether a word may be found in what is shown for a password, which stands in no line.
fn may_be_mask(word: &str) -> bool {
    word.contains('*')
}

impl Words {
    /// Of the arguments of a command line; what has blanks in it is many.
    pub fn new(arguments: &[String]) -> Self {
        let words = arguments
            .iter()
            .flat_map(|argument| argument.split_whitespace());
        let words = words.map(|word| {
            let word = word.to_lowercase();
            if word == "is:fault" {
                Word::Fault
            } else if is_known(&word) {
                Word::Known(word)
            } else {
                let finder = Finder::new(&word).into_owned();
                Word::Part(word, Box::new(finder))
            }
        });
        Self {
            words: words.collect(),
        }
    }

    /// Whether one is about what is known of a URL.
    pub fn ask_what_is_known(&self) -> bool {
        self.words.iter().any(|word| matches!(word, Word::Known(_)))
    }

    /// A look at the bookmarks of one folder after the other.
    pub(super) fn look(&self) -> Look<'_> {
        Look {
            words: &self.words,
            in_folder: Vec::new(),
            lines: Vec::new(),
        }
    }
}

/// A look for words.
pub(super) struct Look<'a> {
    words: &'a [Word],
    /// Whether each of the words is in the path of the folder.
    in_folder: Vec<bool>,
    /// The lines of the bookmark that is looked at, in small letters.
    lines: Vec<u8>,
}

impl Look<'_> {
    /// What comes next is in this folder.
    pub(super) fn enter(&mut self, folder: &[String]) {
        let path = folder.join("/").to_lowercase();
        let held = self.words.iter().map(|word| match word {
            Word::Part(word, _) => path.contains(word),
            Word::Fault | Word::Known(_) => false,
        });
        self.in_folder.clear();
        self.in_folder.extend(held);
    }

    /// Whether a bookmark holds all of the words.
    pub(super) fn holds(&mut self, passed: &Passed<'_>, fits: &Fits<'_>) -> bool {
        if self.words.is_empty() {
            return true;
        }
        self.lines.clear();
        self.lines.extend_from_slice(passed.lines);
        self.lines.make_ascii_lowercase();
        let is_plain = is_plain(&self.lines);
        let held = || self.words.iter().zip(&self.in_folder);
        // Most lack the octets of one word or another, which is quickly seen; where those stand comes later.
        let mut parts = held().filter(|(_, in_folder)| is_plain && !**in_folder);
        if parts.any(|(word, _)| word.is_missing(&self.lines)) {
            return false;
        }
        let mut url = None;
        held().all(|(word, in_folder)| match word {
            Word::Part(word, finder) if is_plain && !may_be_mask(word) => {
                *in_folder || in_plain(&self.lines, finder)
            }
            Word::Part(word, _) => *in_folder || in_any(passed, word),
            Word::Fault => url.get_or_insert_with(|| passed.url().ok()).is_none(),
            Word::Known(word) => {
                let url = url.get_or_insert_with(|| passed.url().ok());
                fits(word, url.as_ref())
            }
        })
    }
}

impl Bookmarks {
    /// The indices of the bookmarks that hold every one of these words, in the order of the file.
    pub fn holding(&self, words: &Words, fits: &Fits<'_>) -> Vec<usize> {
        let take = |passed: &Passed<'_>, lines: &mut Vec<usize>| lines.push(passed.line);
        let lines = sweep(self.octets(), words, fits, &take).into_iter();
        let items = lines.flatten().filter_map(|line| self.on_line(line));
        items.map(|item| item.index()).collect()
    }
}

/// Whether octets are their own text. A CR that ends no line is shown as nothing, and so parts no word.
fn is_plain(lines: &[u8]) -> bool {
    // Without an early end this goes many octets at a time.
    let is_shown = lines.iter().fold(true, |plain, octet| {
        plain & matches!(octet, b' '..=b'~' | b'\t' | b'\r' | b'\n')
    });
    is_shown && memchr::memchr_iter(b'\r', lines).all(|at| lines.get(at + 1) == Some(&b'\n'))
}

/// Whether one of the parts of a bookmark's lines, in lower case and plain, holds a word. What stands for a password is not
/// in the lines, and so not in the word.
fn in_plain(lines: &[u8], word: &Finder<'_>) -> bool {
    let holds = |octets: &[u8]| word.find(octets).is_some();
    let mut lines = split(lines);
    let Some(parts) = lines.next().and_then(|line| Parts::of(trim_end(line))) else {
        return false;
    };
    let in_url = || {
        let url = parts.url();
        if !holds(url) || !may_hold_secret(url) {
            return holds(url);
        }
        str::from_utf8(url).is_ok_and(|url| holds(mask(url).as_bytes()))
    };
    holds(parts.before)
        || in_url()
        || parts.marked().any(holds)
        || lines.any(|note| holds(trim_end(note)))
}

/// The same of any bookmark.
fn in_any(passed: &Passed<'_>, word: &str) -> bool {
    let holds = |text: &str| text.to_lowercase().contains(word);
    holds(passed.title().as_str())
        || holds(&mask(passed.written().as_str()))
        || passed.tags().iter().any(|tag| holds(&format!("#{tag}")))
        || passed.notes().iter().map(Text::as_str).any(holds)
}
