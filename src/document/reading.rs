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
    /// What the lines suggest, once it was asked.
    found: Option<Charset>,
    sample: Sample,
    /// Lines that were looked at.
    seen: usize,
    /// What came after those.
    rest: Rest,
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
            found: None,
            sample: Sample::default(),
            seen: 0,
            rest: Rest::Ascii,
        }
    }

    /// The charset that is in force.
    pub(super) fn charset(&self) -> Charset {
        match self.read_as {
            ReadAs::Set(charset) => charset,
            ReadAs::Detected => self.found.unwrap_or_default(),
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

    /// Whether a line has come that is not UTF-8.
    pub(super) fn matters(&self, raw: &Raw) -> bool {
        !self.sample.is_empty()
            || (self.seen..raw.lines())
                .filter_map(|number| raw.line(number))
                .any(|line| std::str::from_utf8(line).is_err())
    }

    /// Whether the charset stays what it is, unless somebody wants another.
    pub(super) fn is_settled(&self, raw: &Raw) -> bool {
        match self.read_as {
            ReadAs::Set(_) => true,
            ReadAs::Detected => self.found.is_some() || !self.matters(raw),
        }
    }

    /// More has come: `raw` has grown by octets that are all ASCII, or are not.
    pub(super) fn arrived(&mut self, raw: &Raw, is_ascii: bool, url: &Url) {
        if self.sample.is_enough() {
            return;
        }
        // The last line may still grow: it is looked at when the next one has begun.
        let whole = raw.lines().saturating_sub(1);
        if is_ascii && self.rest == Rest::Ascii {
            self.seen = whole;
            return;
        }
        self.look(raw, whole);
        self.rest = if raw.line(whole).is_none_or(<[u8]>::is_ascii) {
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
        self.look(raw, raw.lines());
        self.settle(raw, url);
    }

    /// The same for lines that were made of the page's own, which told nothing.
    pub(super) fn decoded(&mut self, lines: &Raw, url: &Url) {
        if self.sample.is_empty() {
            let lines_of = (0..lines.lines()).filter_map(|number| lines.line(number));
            lines_of.for_each(|line| self.sample.add(line));
            self.settle(lines, url);
        }
    }

    fn settle(&mut self, raw: &Raw, url: &Url) {
        if !self.is_settled(raw) {
            self.found = Some(self.sample.charset(country(url)));
        }
    }

    fn look(&mut self, raw: &Raw, until: usize) {
        (self.seen..until)
            .filter_map(|number| raw.line(number))
            .for_each(|line| self.sample.add(line));
        self.seen = self.seen.max(until);
    }
}

/// The last label of the host's name, which often is a country.
fn country(url: &Url) -> Option<&str> {
    let host = url.reading().address()?.node();
    host.rsplit('.').find(|label| !label.is_empty())
}
