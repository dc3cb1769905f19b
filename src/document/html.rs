//! A page of the Web (HTML; RFC 1866 and what became of it).
//!
//! While it arrives it is shown as it comes. Once whole it is laid out: a paragraph is one row however long it is, and is
//! wrapped to the pane like a text, so that no width is guessed and none has to be laid out again; what continues a row
//! of a list stands below its first word. Only tables have columns of their own. Links stand in the text, images by what
//! they are called, forms by what they would send, and nothing of a script is looked at.

mod build;
mod form;
mod line;
mod meta;
mod read;
mod table;

use std::ops::Range;
use std::sync::Arc;

use self::line::Laid;
pub(super) use self::meta::charset;
use super::{Kind, Link, Raw, Row, Rows, Source, Span};
use crate::text::{Charset, Text};
use crate::url::{ParseError, Url, repaired};

/// How much of a page is laid out, in octets.
const LAID: usize = 8 * 1024 * 1024;

/// The body of a page of the Web; nothing until it is whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Html {
    whole: Option<Arc<Laid>>,
    /// What its references are relative to, where that is not its own URL.
    base: Option<Url>,
    is_stale: bool,
}

impl Html {
    /// Another charset is wanted: it is to be laid out again.
    pub(super) fn unsettle(&mut self) {
        self.is_stale = self.whole.is_some();
    }
}

impl Rows for Html {
    fn count(&self, source: Source<'_>) -> usize {
        match &self.whole {
            None => source.raw.pieces(),
            Some(laid) => laid.raw.lines(),
        }
    }

    fn row(&self, source: Source<'_>, number: usize) -> Option<Row> {
        let Some(laid) = &self.whole else {
            let line = source.raw.piece(number)?;
            return Some(Row::new(Kind::Plain, Text::new(line, source.charset)));
        };
        let line = laid.raw.line(number)?;
        let (kind, hang) = laid.look(number);
        let mut spans = Vec::new();
        let mut push = |octets: Option<&[u8]>, link| {
            if let Some(octets) = octets.filter(|octets| !octets.is_empty()) {
                spans.push(Span {
                    link,
                    ..Span::new(Text::new(octets, Charset::default()))
                });
            }
        };
        let mut at = 0;
        for (index, anchor) in laid.anchors(number).iter().enumerate() {
            let range = anchor.range();
            push(line.get(at..range.start), None);
            push(line.get(range.clone()), Some(index));
            at = range.end;
        }
        push(line.get(at..), None);
        Some(Row {
            spans,
            hang,
            ..Row::new(kind, Text::default())
        })
    }

    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        match &self.whole {
            None => source.raw.piece(number),
            Some(laid) => laid.raw.line(number),
        }
    }

    fn continues(&self, source: Source<'_>, number: usize) -> bool {
        self.whole.is_none() && source.raw.continues(number)
    }

    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link> {
        let Some(laid) = &self.whole else {
            return Vec::new();
        };
        let line = laid.raw.line(number).unwrap_or_default();
        let base = self.base.as_ref().unwrap_or(source.url);
        let anchors = laid.anchors(number).iter().skip(which.start);
        anchors
            .take(which.len())
            .map(|anchor| {
                let label = line.get(anchor.range()).unwrap_or_default();
                let label = Text::new(label.trim_ascii(), Charset::default());
                Link::new(label, target(laid.target(anchor), base))
            })
            .collect()
    }

    fn link_count(&self, _source: Source<'_>, number: usize) -> usize {
        self.whole
            .as_ref()
            .map_or(0, |laid| laid.anchors(number).len())
    }

    fn finish(&mut self, source: Source<'_>) {
        let (octets, is_cut) = beginning(source.raw);
        let text = decoded(&octets, source.charset);
        let laid = read::read(&text, is_cut);
        let base = laid.base.as_deref();
        self.base = base.and_then(|base| target(base, source.url).ok());
        self.whole = Some(Arc::new(laid));
        self.is_stale = false;
    }

    fn wants_finish(&self) -> bool {
        self.whole.is_none() || self.is_stale
    }

    fn is_list(&self) -> bool {
        false
    }

    fn memory(&self) -> usize {
        self.whole.as_ref().map_or(0, |laid| laid.raw.memory())
    }

    fn title(&self, _source: Source<'_>) -> Option<Text> {
        let title = self.whole.as_ref()?.title.as_deref()?;
        Some(Text::of(title)).filter(|title| !title.is_blank())
    }
}

/// Where a reference on a page leads. A fragment is no part of a URL.
fn target(reference: &str, base: &Url) -> Result<Url, ParseError> {
    let reference = reference.split('#').next().unwrap_or_default();
    base.resolve(reference)
        .or_else(|error| repaired(reference, base).ok_or(error))
}

/// As much of a page as is laid out, and whether something is left.
fn beginning(raw: &Raw) -> (Vec<u8>, bool) {
    if raw.len() <= LAID {
        return (raw.to_vec(), false);
    }
    let mut octets = Vec::with_capacity(LAID);
    for block in raw.blocks() {
        let room = LAID.saturating_sub(octets.len());
        octets.extend_from_slice(block.get(..room).unwrap_or(block));
    }
    (octets, true)
}

/// A page as characters. What is valid UTF-8 is UTF-8, unless it holds what no page in that would: the escapes of
/// ISO-2022, the NULs of UTF-16.
fn decoded(octets: &[u8], charset: Charset) -> String {
    if let Some(rest) = octets.strip_prefix(b"\xef\xbb\xbf") {
        return String::from_utf8_lossy(rest).into_owned();
    }
    let is_plain = memchr::memchr2(0x1b, 0, octets).is_none();
    match std::str::from_utf8(octets) {
        Ok(text) if is_plain => text.to_owned(),
        // The last character may be cut.
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 && is_plain => {
            String::from_utf8_lossy(octets).into_owned()
        }
        Ok(_) | Err(_) => charset.decode(octets).into_owned(),
    }
}
