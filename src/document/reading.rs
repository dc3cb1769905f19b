//! In which charset a page's lines are read that are not UTF-8.
//!
//! Such lines are gathered while the page arrives. What they suggest is asked once: when the page is whole, or when
//! enough of them have come; so a row that is on the screen changes its letters once at the most.

use super::raw::Raw;
use crate::text::{Charset, ReadAs, Sample};
use crate::url::Url;

/// The charset of a page, and what it is known by.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    read_as: ReadAs,
    known: Known,
    sample: Sample,
    /// Pieces of lines that were looked at.
    seen: usize,
    /// What came after those.
    rest: Rest,
}

/// What is known of the charset without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    /// What the page came with.
    Declared(Charset),
    /// What the lines suggest, once it was asked.
    Suggested(Charset),
}

/// The line that may still grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    Ascii,
    Other,
}

impl Reading {
    pub(super) fn new(read_as: ReadAs) -> Self {
        Self {
            read_as,
            known: Known::Nothing,
            sample: Sample::default(),
            seen: 0,
            rest: Rest::Ascii,
        }
    }

    /// The charset that is in force.
    pub(super) fn charset(&self) -> Charset {
        match self.read_as {
            ReadAs::Set(charset) => charset,
            ReadAs::Detected => match self.known {
                Known::Nothing => Charset::default(),
                Known::Declared(charset) | Known::Suggested(charset) => charset,
            },
        }
    }

    /// What is wanted.
    pub(super) fn read_as(&self) -> ReadAs {
        self.read_as
    }

    /// Wants another charset from now on.
    pub(super) fn change(&mut self, read_as: ReadAs) {
        self.read_as = read_as;
    }

    /// The page says it itself. The first counts.
    pub(super) fn declare(&mut self, charset: Option<Charset>) {
        match (self.known, charset) {
            (Known::Nothing | Known::Suggested(_), Some(charset)) => {
                self.known = Known::Declared(charset);
            }
            (Known::Declared(_), _) | (_, None) => {}
        }
    }

    /// Whether a line has come that is not UTF-8.
    pub(super) fn matters(&self, raw: &Raw) -> bool {
        !self.sample.is_empty()
            || (self.seen..raw.pieces())
                .filter_map(|number| raw.piece(number))
                .any(|line| std::str::from_utf8(line).is_err())
    }

    /// Whether the charset stays what it is, unless somebody wants another.
    pub(super) fn is_settled(&self, raw: &Raw) -> bool {
        match self.read_as {
            ReadAs::Set(_) => true,
            ReadAs::Detected => self.known != Known::Nothing || !self.matters(raw),
        }
    }

    /// More has come: `raw` has grown by octets that are all ASCII, or are not.
    pub(super) fn arrived(&mut self, raw: &Raw, is_ascii: bool, url: &Url) {
        if self.sample.is_enough() {
            return;
        }
        // The last line may still grow: it is looked at when the next one has begun.
        let whole = raw.pieces().saturating_sub(1);
        if is_ascii && self.rest == Rest::Ascii {
            self.seen = whole;
            return;
        }
        self.look(raw, whole);
        self.rest = if raw.piece(whole).is_none_or(<[u8]>::is_ascii) {
            Rest::Ascii
        } else {
            Rest::Other
        };
        if self.sample.is_enough() {
            self.settle(raw, url);
        }
    }

    /// All has come that will.
    pub(super) fn ended(&mut self, raw: &Raw, url: &Url) {
        self.look(raw, raw.pieces());
        self.settle(raw, url);
    }

    /// The same for lines that were made of the page's own, which told nothing.
    pub(super) fn decoded(&mut self, lines: &Raw, url: &Url) {
        if self.sample.is_empty() {
            let pieces = (0..lines.pieces()).filter_map(|number| lines.piece(number));
            pieces.for_each(|line| self.sample.add(line));
            self.settle(lines, url);
        }
    }

    fn settle(&mut self, raw: &Raw, url: &Url) {
        if !self.is_settled(raw) {
            self.known = Known::Suggested(self.sample.charset(country(url)));
        }
    }

    fn look(&mut self, raw: &Raw, until: usize) {
        (self.seen..until)
            .filter_map(|number| raw.piece(number))
            .for_each(|line| self.sample.add(line));
        self.seen = self.seen.max(until);
    }
}

/// The last label of the host's name, which often is a country.
fn country(url: &Url) -> Option<&str> {
    let host = url.reading().address()?.node();
    host.rsplit('.').find(|label| !label.is_empty())
}
