//! URLs in running text (RFC 1738, appendix).
//!
//! ```text
//! <URL:...>    any scheme; white space inside is dropped, so it may run over lines; case of URL: does not count
//! <scheme:...> a known scheme, the same rule
//! URL:...      any scheme, up to white space
//! scheme:...   a known scheme, up to white space
//! scheme://... any scheme, up to white space
//! ```
//!
//! Known schemes are the ten and those of [`ExtensionScheme`]. Without a wrapper, the punctuation of the sentence is
//! not part of the URL, and neither is a closing bracket that was not opened in it. Directly behind an opening bracket,
//! the URL ends at the closing one: `[[url][title]]` of org-mode, `[title](url)` of Markdown. A template as
//! `http://<host>/` is no URL. A `#fragment` is always split
//! off. A URL is taken whole or not at all: characters outside ASCII that are not punctuation belong to it, where
//! they are a fault, so that `http://münchen.example/` never becomes a link to `http://m`. A hyphen at a line's end
//! may or may not belong to the URL, so both readings are returned.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::boundary::{FirstChar, ends_a_url, word_length};
use super::mail::{
    MAX_BRACKET_BYTES, decoded, is_line_start, is_quoted, is_quoted_printable, without_quote_marks,
};
use super::scheme::{ExtensionScheme, Scheme, is_known};
use super::script::host_end;
use super::{Dialect, ParseError, Url};

/// The maximum length of the name of an unknown scheme before `://`, in octets.
const MAX_SCHEME_BYTES: usize = 32;

/// The marks of emphasis around a URL: `*http://h/*`, `_http://h/_`, `~~http://h/~~`.
const EMPHASIS: [u8; 3] = *b"*_~";

/// The maximum number of marks before a URL that are looked at: `**_http://h/_**`.
const MAX_EMPHASIS: usize = 4;

/// A URL, or text that looks like one, found in running text.
///
/// ```
/// use rfc1738::links_in_text;
///
/// let found = links_in_text("<URL:http://h.example/a\nb#c>").next().unwrap();
/// assert_eq!(found.url_text, "http://h.example/ab");
/// assert_eq!(found.fragment.as_deref(), Some("c"));
/// assert!(found.result.is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlMatch<'a> {
    /// The octets of the text that the match covers, wrapper and fragment included.
    pub range: Range<usize>,
    /// The URL alone, without wrapper, white space and fragment. It may hold a password.
    pub url_text: Cow<'a, str>,
    /// The text after the `#`, if there is one.
    pub fragment: Option<String>,
    /// The other reading if a hyphen ends a line: the URL without the hyphen.
    pub without_hyphen: Option<String>,
    /// The result of parsing `url_text`.
    pub result: Result<Url, ParseError>,
}

/// The URLs in `text`, in order. The text is one line or more, in UTF-8 ([`LinksInText::with_charset`] for others).
///
/// ```
/// use rfc1738::links_in_text;
///
/// let text = b"See gopher://h.example/1/, or <URL:ftp://h.example/>.";
/// let found: Vec<&[u8]> = links_in_text(text).map(|found| &text[found.range]).collect();
/// assert_eq!(found, [&b"gopher://h.example/1/"[..], b"<URL:ftp://h.example/>"]);
/// ```
pub fn links_in_text<T: AsRef<[u8]> + ?Sized>(text: &T) -> LinksInText<'_> {
    LinksInText {
        text: text.as_ref(),
        at: 0,
        first: &|_| None,
    }
}

/// The URLs in a text: the iterator of [`links_in_text`].
///
/// ```
/// use rfc1738::links_in_text;
///
/// let mut links = links_in_text("news:a.b, news:c.d");
/// assert_eq!(links.by_ref().count(), 2);
/// assert!(links.next().is_none());
/// ```
pub struct LinksInText<'a> {
    text: &'a [u8],
    at: usize,
    first: FirstChar<'a>,
}

impl<'a> Iterator for LinksInText<'a> {
    type Item = UrlMatch<'a>;

    fn next(&mut self) -> Option<UrlMatch<'a>> {
        let mut from = self.at;
        loop {
            let rest = self.text.get(from..)?;
            // A text without a colon costs only this test: `contains` compares words, not single octets.
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

impl<'a> LinksInText<'a> {
    /// Sets the function that decodes the first character of octets that are not UTF-8, so that the punctuation of
    /// another charset ends a URL too.
    ///
    /// ```
    /// use rfc1738::links_in_text;
    ///
    /// // A French quotation mark of ISO 8859-1.
    /// let text = b"\xABhttp://h.example/\xBB";
    /// let latin1 = |octets: &[u8]| Some((char::from(*octets.first()?), 1));
    /// let found = links_in_text(text).with_charset(&latin1).next().unwrap();
    /// assert_eq!(found.url_text, "http://h.example/");
    /// ```
    #[must_use]
    pub fn with_charset(self, first: FirstChar<'a>) -> Self {
        LinksInText { first, ..self }
    }

    fn at_colon(&self, colon: usize) -> Option<UrlMatch<'a>> {
        let before = self.text.get(self.at..colon)?;
        // No scheme that is searched here is longer.
        let letters = before
            .iter()
            .rev()
            .take(10)
            .take_while(|octet| octet.is_ascii_alphanumeric())
            .count();
        let mut start = colon - letters;
        let mut name = std::str::from_utf8(self.text.get(start..colon)?).ok()?;
        let prefixed = name.eq_ignore_ascii_case("url");
        if !prefixed && (!is_known(name) || is_after_plus(before, letters)) {
            start = colon - unknown_scheme(before, self.text.get(colon..)?)?;
            name = std::str::from_utf8(self.text.get(start..colon)?).ok()?;
        }
        let opened = start > self.at && self.text.get(start - 1) == Some(&b'<');
        if opened && let Some(found) = self.wrapped(start, if prefixed { colon + 1 } else { start })
        {
            // `<scheme:` may also be a bare URL after a less-than sign.
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

    /// The URL between the bracket before `start` and the next closing bracket; its text begins at `inner`.
    fn wrapped(&self, start: usize, inner: usize) -> Option<UrlMatch<'a>> {
        let rest = self.text.get(inner..)?;
        let rest = rest
            .get(..rest.len().min(MAX_BRACKET_BYTES))
            .unwrap_or(rest);
        let open = start.checked_sub(1)?;
        let before = self.text.get(..open)?;
        // Most brackets stand in one line: only others look back for the start of it.
        let quoted = OnceCell::new();
        let is_quoted = || *quoted.get_or_init(|| is_quoted(before));
        let is_mark = |at: usize| is_line_start(rest.get(..at).unwrap_or_default()) && is_quoted();
        let mut brackets = rest.iter().enumerate();
        let len = brackets.find_map(|(at, octet)| match octet {
            b'<' => Some(at),
            b'>' if !is_mark(at) => Some(at),
            _ => None,
        })?;
        let range = open..inner + len + 1;
        let inside = rest.get(..len)?;
        if rest.get(len) != Some(&b'>') {
            return None;
        }
        let is_whole = !inside.iter().any(u8::is_ascii_whitespace);
        if is_whole && !is_quoted_printable(inside) {
            return Some(found(range, inside, None));
        }
        let inside = if inside.contains(&b'>') && is_quoted() {
            Cow::Owned(without_quote_marks(inside))
        } else {
            Cow::Borrowed(inside)
        };
        let inside = if is_quoted_printable(&inside) {
            Cow::Owned(decoded(&inside))
        } else {
            inside
        };
        let (joined, without_hyphen) = join(&inside);
        Some(found(range, &joined, without_hyphen).owned())
    }

    /// Returns true if the text after the colon shows that this is more than a word and a colon in a sentence.
    fn goes_on(&self, name: &str, colon: usize) -> bool {
        let rest = self.text.get(colon + 1..).unwrap_or(&[]);
        let alone = matches!(Scheme::named(name), Scheme::News | Scheme::Mailto)
            || ExtensionScheme::named(name) == Some(ExtensionScheme::Snews);
        match rest {
            // The bracket of a template is excluded: `http://<host>`.
            [b'/', b'/', next, ..] => !next.is_ascii() || !ends_a_url(*next),
            [b'/', next, ..] if Scheme::named(name) == Scheme::File => !ends_a_url(*next),
            [next, ..] => alone && (next.is_ascii_alphanumeric() || *next == b'*'),
            [] => false,
        }
    }

    /// The URL from `inner` to the end of the word.
    fn bare(&self, start: usize, inner: usize) -> Option<UrlMatch<'a>> {
        let rest = self.text.get(inner..)?;
        let word = rest.get(..word_length(rest, self.first))?;
        let word = host_end(word, self.first).map_or(Some(word), |end| word.get(..end))?;
        if is_template(word, rest.get(word.len()..)?) {
            return None;
        }
        let word = match start.checked_sub(1).and_then(|at| self.text.get(at)) {
            Some(b'[') => before_closing(word, b'[', b']'),
            Some(b'(') => before_closing(word, b'(', b')'),
            _ => word,
        };
        let before = self.text.get(..start).unwrap_or_default();
        let marks = before.iter().rev();
        let marks = marks
            .take_while(|mark| EMPHASIS.contains(mark))
            .take(MAX_EMPHASIS);
        let word = without_punctuation(word, &marks.copied().collect::<Vec<u8>>());
        if word.is_empty() {
            return None;
        }
        let range = start..inner + word.len();
        if word.contains(&b'&') && is_in_attribute(self.text.get(..start)?) {
            return Some(found(range, &with_ampersands(word), None).owned());
        }
        Some(found(range, word, None))
    }
}

impl UrlMatch<'_> {
    /// The URL with its fragment. It may hold a password.
    ///
    /// ```
    /// use rfc1738::links_in_text;
    ///
    /// let found = links_in_text("see http://h.example/a#b.").next().unwrap();
    /// assert_eq!(found.full_text(), "http://h.example/a#b");
    /// ```
    pub fn full_text(&self) -> Cow<'_, str> {
        match &self.fragment {
            Some(fragment) => Cow::Owned(format!("{}#{fragment}", self.url_text)),
            None => Cow::Borrowed(&self.url_text),
        }
    }

    /// Returns the match with its own copy of the text.
    ///
    /// ```
    /// use rfc1738::links_in_text;
    ///
    /// let found = {
    ///     let text = String::from("see news:a.b");
    ///     links_in_text(&text).next().map(|found| found.owned())
    /// };
    /// assert_eq!(found.unwrap().url_text, "news:a.b");
    /// ```
    pub fn owned<'b>(self) -> UrlMatch<'b> {
        UrlMatch {
            range: self.range,
            url_text: Cow::Owned(self.url_text.into_owned()),
            fragment: self.fragment,
            without_hyphen: self.without_hyphen,
            result: self.result,
        }
    }
}

/// Returns true if a plus sign joins the last `letters` octets to a longer name, as in `git+http`.
fn is_after_plus(before: &[u8], letters: usize) -> bool {
    let before = before.get(..before.len() - letters).unwrap_or_default();
    matches!(before, [.., letter, b'+'] if letter.is_ascii_alphanumeric())
}

/// The length of the name of a scheme at the end of `before`, if `://` and a word follow it.
fn unknown_scheme(before: &[u8], after: &[u8]) -> Option<usize> {
    let [b':', b'/', b'/', next, ..] = after else {
        return None;
    };
    if !next.is_ascii_alphanumeric() && *next != b'[' {
        return None;
    }
    let is_name = |octet: &u8| octet.is_ascii_alphanumeric() || matches!(octet, b'+' | b'-' | b'.');
    let run = before.iter().rev().take_while(|octet| is_name(octet));
    let length = run.take(MAX_SCHEME_BYTES + 1).count();
    let name = before.get(before.len() - length..)?;
    // A name begins with a letter.
    let skipped = name.iter().position(u8::is_ascii_alphabetic)?;
    let length = length - skipped;
    (2..=MAX_SCHEME_BYTES).contains(&length).then_some(length)
}

/// Returns true if the host of a URL is to be filled in: `http://host.<domain>/`, `http://h:{port}/`.
fn is_template(word: &[u8], after: &[u8]) -> bool {
    matches!(after, [b'<' | b'{', ..])
        && matches!(word, [.., b'.' | b'-' | b':' | b'@' | b'/'])
        && word.split(|octet| *octet == b'/').count() <= 3
}

/// `word` up to the closing bracket that was not opened in it.
fn before_closing(word: &[u8], open: u8, close: u8) -> &[u8] {
    let mut depth = 0_usize;
    let end = word.iter().position(|octet| {
        if *octet == open {
            depth += 1;
        } else if *octet == close {
            match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return true,
            }
        }
        false
    });
    word.get(..end.unwrap_or(word.len())).unwrap_or(word)
}

fn found(range: Range<usize>, octets: &[u8], without_hyphen: Option<String>) -> UrlMatch<'_> {
    let mut halves = octets.splitn(2, |octet| *octet == b'#');
    let url = halves.next().unwrap_or(octets);
    let fragment = halves
        .next()
        .map(|rest| String::from_utf8_lossy(rest).into_owned());
    let without_hyphen = without_hyphen.map(|text| match text.split_once('#') {
        Some((url, _)) => url.to_owned(),
        None => text,
    });
    UrlMatch {
        range,
        url_text: String::from_utf8_lossy(url),
        fragment,
        without_hyphen,
        result: Dialect::ExtendedByBase.parse(url),
    }
}

/// An ampersand in an attribute of HTML.
const AMPERSANDS: [&[u8]; 3] = [b"&amp;", b"&#38;", b"&#x26;"];

/// `word` with each of [`AMPERSANDS`] as the one octet that it stands for.
fn with_ampersands(mut word: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(word.len());
    while let Some(octet) = word.first() {
        let written = AMPERSANDS.iter().find(|written| word.starts_with(written));
        decoded.push(*octet);
        word = word
            .get(written.map_or(1, |written| written.len())..)
            .unwrap_or_default();
    }
    decoded
}

/// Returns true if a text ends in the value of an attribute: after an equals sign and perhaps a quotation mark.
fn is_in_attribute(before: &[u8]) -> bool {
    matches!(before, [.., b'='] | [.., b'=', b'"' | b'\''])
}

/// The octets without white space; and, if lines end with hyphens, a second version without those hyphens.
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

/// `word` without the punctuation of the sentence around it, and without the marks of emphasis that opened before it.
fn without_punctuation<'a>(mut word: &'a [u8], marks: &[u8]) -> &'a [u8] {
    // The surplus of closing over opening brackets is counted once and then updated, so that a long row of brackets
    // is read once.
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
            last if marks.contains(last) => {}
            b')' if round > 0 => round -= 1,
            b']' if square > 0 => square -= 1,
            _ => break,
        }
        word = rest;
    }
    word
}
