//! URLs in running text (RFC 1738, appendix).
//!
//! ```text
//! <URL:...>    any scheme; white space inside is dropped, so it may run over lines; case of URL: does not count
//! <scheme:...> a known scheme, the same rule
//! URL:...      any scheme, up to white space
//! scheme:...   a known scheme, up to white space
//! ```
//!
//! Known are the ten and those of [`Later`]. Outside a wrapper the punctuation of the sentence is left outside the URL,
//! and so is a closing bracket that was not opened in it. A `#fragment` is split off everywhere. A URL is taken whole or
//! not at all: characters outside ASCII that are no punctuation belong to it, where they are a fault, so that
//! `http://münchen.example/` never becomes a link to `http://m`. Nothing here tells whether a hyphen at a line's end
//! belongs to the URL: both readings are given.

use std::borrow::Cow;
use std::ops::Range;

use super::boundary::{FirstChar, word_length};
use super::scheme::{Later, Scheme};
use super::{ParseError, Url};

/// Further than this no closing bracket is looked for: a stray `<URL:` must not make a long text slow.
const LONGEST: usize = 8192;

/// A URL, or what looks like one, in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    /// The octets of the text that it covers, wrapper and fragment included.
    pub range: Range<usize>,
    /// The URL alone: no wrapper, white space or fragment. It may hold a password.
    pub url_text: Cow<'a, str>,
    /// What follows the `#`, if one is there.
    pub fragment: Option<String>,
    /// The other reading, where a hyphen stood at the end of a line: the URL without it.
    pub without_hyphen: Option<String>,
    /// What the parser says to `url_text`.
    pub result: Result<Url, ParseError>,
}

/// The URLs in `text`, in order; the text may be one line or many, in UTF-8.
pub fn urls(text: &[u8]) -> Urls<'_> {
    urls_in(text, &|_| None)
}

/// The URLs in `text`, where `first` reads the first character of octets that are not UTF-8: the punctuation of other
/// charsets ends a URL too.
pub fn urls_in<'a>(text: &'a [u8], first: FirstChar<'a>) -> Urls<'a> {
    Urls { text, at: 0, first }
}

/// The iterator of [`urls`].
pub struct Urls<'a> {
    text: &'a [u8],
    at: usize,
    first: FirstChar<'a>,
}

impl<'a> Iterator for Urls<'a> {
    type Item = Found<'a>;

    fn next(&mut self) -> Option<Found<'a>> {
        let mut from = self.at;
        loop {
            let rest = self.text.get(from..)?;
            // All that a text without a colon costs; `contains` reads words, not octets.
            if !rest.contains(&b':') {
                return None;
            }
            let colon = from + rest.iter().position(|octet| *octet == b':')?;
            from = colon + 1;
            if let Some(found) = self.at_colon(colon) {
                self.at = found.range.end;
                return Some(found);
            }
        }
    }
}

impl<'a> Urls<'a> {
    fn at_colon(&self, colon: usize) -> Option<Found<'a>> {
        let before = self.text.get(self.at..colon)?;
        // No scheme looked for here is longer.
        let letters = before
            .iter()
            .rev()
            .take(10)
            .take_while(|octet| octet.is_ascii_alphanumeric())
            .count();
        let start = colon - letters;
        let name = std::str::from_utf8(self.text.get(start..colon)?).ok()?;
        let prefixed = name.eq_ignore_ascii_case("url");
        let known = Later::named(name).is_some() || Scheme::named(name) != Scheme::Other;
        if !prefixed && !known {
            return None;
        }
        let opened = start > self.at && self.text.get(start - 1) == Some(&b'<');
        if opened && let Some(found) = self.wrapped(start, if prefixed { colon + 1 } else { start })
        {
            // `<scheme:` may also be a bare URL behind a less-than sign.
            if prefixed || found.result.is_ok() {
                return Some(found);
            }
        }
        if prefixed {
            self.bare(start, colon + 1)
                .filter(|found| found.url_text.contains(':'))
        } else if self.goes_on(name, colon) {
            self.bare(start, start)
        } else {
            None
        }
    }

    /// What stands between the bracket before `start` and the next closing one, from `inner` on.
    fn wrapped(&self, start: usize, inner: usize) -> Option<Found<'a>> {
        let rest = self.text.get(inner..)?;
        let len = rest
            .iter()
            .take(LONGEST)
            .position(|octet| matches!(octet, b'<' | b'>'))?;
        let range = start.checked_sub(1)?..inner + len + 1;
        let inside = rest.get(..len)?;
        if rest.get(len) != Some(&b'>') {
            return None;
        }
        if !inside.iter().any(u8::is_ascii_whitespace) {
            return Some(found(range, inside, None));
        }
        let (joined, without_hyphen) = join(inside);
        Some(found(range, &joined, without_hyphen).owned())
    }

    /// Whether what follows the colon can be more than a word and a colon in a sentence.
    fn goes_on(&self, name: &str, colon: usize) -> bool {
        let rest = self.text.get(colon + 1..).unwrap_or(&[]);
        let alone = matches!(Scheme::named(name), Scheme::News | Scheme::Mailto)
            || Later::named(name) == Some(Later::Snews);
        match rest {
            [b'/', b'/', next, ..] => !next.is_ascii_whitespace(),
            [next, ..] => alone && (next.is_ascii_alphanumeric() || *next == b'*'),
            [] => false,
        }
    }

    /// What runs from `inner` to the end of the word.
    fn bare(&self, start: usize, inner: usize) -> Option<Found<'a>> {
        let rest = self.text.get(inner..)?;
        let word = rest.get(..word_length(rest, self.first))?;
        let word = without_punctuation(word);
        (!word.is_empty()).then(|| found(start..inner + word.len(), word, None))
    }
}

impl Found<'_> {
    fn owned<'b>(self) -> Found<'b> {
        Found {
            range: self.range,
            url_text: Cow::Owned(self.url_text.into_owned()),
            fragment: self.fragment,
            without_hyphen: self.without_hyphen,
            result: self.result,
        }
    }
}

fn found(range: Range<usize>, octets: &[u8], without_hyphen: Option<String>) -> Found<'_> {
    let mut halves = octets.splitn(2, |octet| *octet == b'#');
    let url = halves.next().unwrap_or(octets);
    let fragment = halves
        .next()
        .map(|rest| String::from_utf8_lossy(rest).into_owned());
    let without_hyphen = without_hyphen.map(|text| match text.split_once('#') {
        Some((url, _)) => url.to_owned(),
        None => text,
    });
    Found {
        range,
        url_text: String::from_utf8_lossy(url),
        fragment,
        without_hyphen,
        result: Url::accept_octets(url),
    }
}

/// The octets without white space; and again without the hyphens that ended a line, if there were any.
fn join(inside: &[u8]) -> (Vec<u8>, Option<String>) {
    let mut joined = Vec::with_capacity(inside.len());
    let mut shorter = Vec::with_capacity(inside.len());
    let mut differs = false;
    let mut words = inside
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .peekable();
    while let Some(word) = words.next() {
        joined.extend_from_slice(word);
        match word {
            [most @ .., b'-'] if words.peek().is_some() => {
                shorter.extend_from_slice(most);
                differs = true;
            }
            _ => shorter.extend_from_slice(word),
        }
    }
    let shorter = differs.then(|| String::from_utf8_lossy(&shorter).into_owned());
    (joined, shorter)
}

/// `word` without what belongs to the sentence around it.
fn without_punctuation(mut word: &[u8]) -> &[u8] {
    // How many more of each kind close than open; kept while the word shrinks, so that a long row of brackets is read once.
    let surplus = |open: u8, close: u8| {
        word.iter().fold(0_isize, |surplus, octet| {
            surplus + isize::from(*octet == close) - isize::from(*octet == open)
        })
    };
    let mut round = surplus(b'(', b')');
    let mut square = surplus(b'[', b']');
    while let [rest @ .., last] = word {
        match last {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'#' => {}
            b')' if round > 0 => round -= 1,
            b']' if square > 0 => square -= 1,
            _ => break,
        }
        word = rest;
    }
    word
}
