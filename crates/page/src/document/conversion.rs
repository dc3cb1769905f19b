//! The conversion of a page's octets to UTF-8 and to lines that end in LF, before anything else reads them.
//!
//! A byte order mark of UTF-16 or UTF-32 at the beginning comes before the charset that was declared or chosen, that
//! before escapes of ISO-2022 and HZ in the octets. Other charsets need no conversion: their lines are found in the
//! octets as they are, and decoded one by one.

use std::borrow::Cow;

use geomys_wire::text::{Charset, TextConverter};

use super::line_ends::LineEnding;
use super::shape::Shape;

/// The byte order marks, and the charsets that they say. That of UTF-32 in little endian begins like that of UTF-16.
const MARKS: [(&[u8], &str); 4] = [
    (b"\xff\xfe\0\0", "utf-32le"),
    (b"\0\0\xfe\xff", "utf-32be"),
    (b"\xff\xfe", "utf-16le"),
    (b"\xfe\xff", "utf-16be"),
];
const MAX_MARK_BYTES: usize = 4;

/// The conversion of the octets of a page as they arrive.
#[derive(Clone, Debug)]
pub(super) struct Conversion {
    need: ConversionNeed,
    /// The octets at the beginning that may be a part of a mark, while the need is unknown.
    held: Vec<u8>,
    /// The charset that was declared, chosen or detected, if the octets have to be converted from it.
    stated: Option<Charset>,
    /// The kind of line ends; `None` if they stay as they are.
    line_ends: Option<LineEnding>,
}

#[derive(Clone, Debug)]
enum ConversionNeed {
    /// The beginning of the page has not arrived.
    Unknown,
    /// The octets stay as they are.
    No,
    /// The octets are converted.
    Yes {
        converter: TextConverter,
        /// The octets of the mark that says so; they are skipped.
        mark: usize,
        is_marked: bool,
    },
}

impl Conversion {
    /// Creates the conversion of a page of this shape. `charset` is that of the page, as far as it is known.
    pub(super) fn new(shape: Shape, charset: Charset) -> Self {
        let need = match shape {
            // The names of a listing are in the charset of the server's files, whatever the first one begins with.
            Shape::Picture | Shape::Listing { .. } => ConversionNeed::No,
            _ => ConversionNeed::Unknown,
        };
        Self {
            need,
            held: Vec::new(),
            stated: stated(shape, charset),
            line_ends: matches!(shape, Shape::Text | Shape::Gemtext).then(LineEnding::default),
        }
    }

    /// Returns a conversion of octets that are converted already.
    pub(super) fn done() -> Self {
        Self {
            need: ConversionNeed::No,
            held: Vec::new(),
            stated: None,
            line_ends: None,
        }
    }

    /// The charset from which octets are converted.
    pub(super) fn charset(&self) -> Option<Charset> {
        match &self.need {
            ConversionNeed::Unknown => self.stated,
            ConversionNeed::No => None,
            ConversionNeed::Yes { converter, .. } => Some(converter.charset()),
        }
    }

    /// Returns true if another conversion is needed for a page of this shape in `charset`. A mark is never overruled.
    pub(super) fn is_changed_by(&self, shape: Shape, charset: Charset) -> bool {
        let is_marked = matches!(self.need, ConversionNeed::Yes { is_marked, .. } if is_marked);
        !is_marked && self.stated != stated(shape, charset)
    }

    /// Returns true if these octets may be changed when they are pushed.
    pub(super) fn changes(&self, octets: &[u8]) -> bool {
        let ends = self.line_ends.as_ref();
        !matches!(self.need, ConversionNeed::No) || ends.is_some_and(|ends| ends.changes(octets))
    }

    /// Returns true if the octets so far were changed, or wait.
    pub(super) fn has_changed(&self) -> bool {
        !matches!(self.need, ConversionNeed::No)
            || self.line_ends.as_ref().is_some_and(LineEnding::has_changed)
    }

    /// Returns true if octets wait for those that follow.
    pub(super) fn is_waiting(&self) -> bool {
        let has_open_character = match &self.need {
            ConversionNeed::Yes { converter, .. } => converter.is_waiting(),
            ConversionNeed::Unknown | ConversionNeed::No => false,
        };
        let has_open_line_end = self.line_ends.as_ref().is_some_and(LineEnding::is_waiting);
        has_open_character || has_open_line_end || !self.held.is_empty()
    }

    /// Decides if a conversion is needed, by the octets that are pushed next.
    pub(super) fn decide(&mut self, octets: &[u8]) {
        if !matches!(self.need, ConversionNeed::Unknown) || octets.is_empty() {
            return;
        }
        let start = octets.get(..MAX_MARK_BYTES).unwrap_or(octets);
        let start = [self.held.as_slice(), start].concat();
        let may_be = |mark: &[u8]| mark.len() > start.len() && mark.starts_with(&start);
        if !MARKS.iter().any(|(mark, _)| may_be(mark)) {
            self.decide_by(&start);
        }
    }

    fn decide_by(&mut self, start: &[u8]) {
        let marked = MARKS.iter().find(|(mark, _)| start.starts_with(mark));
        let by_mark = marked.and_then(|(_, name)| Charset::named(name));
        let converter = by_mark.or(self.stated).and_then(TextConverter::new);
        self.need = match converter {
            Some(converter) => ConversionNeed::Yes {
                converter,
                mark: marked.map_or(0, |(mark, _)| mark.len()),
                is_marked: by_mark.is_some(),
            },
            None => ConversionNeed::No,
        };
    }

    /// Converts octets that have arrived; they are borrowed where they stay as they are.
    pub(super) fn push<'a>(&mut self, octets: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
        self.decide(&octets);
        let octets = if self.held.is_empty() {
            octets
        } else {
            Cow::Owned([std::mem::take(&mut self.held).as_slice(), &octets].concat())
        };
        let text = match &mut self.need {
            ConversionNeed::Unknown => {
                self.held = octets.into_owned();
                return Cow::Borrowed(&[]);
            }
            ConversionNeed::No => octets,
            ConversionNeed::Yes {
                converter, mark, ..
            } => {
                let rest = octets.get(std::mem::take(mark)..).unwrap_or_default();
                Cow::Owned(converter.push(rest).into_bytes())
            }
        };
        match &mut self.line_ends {
            Some(line_ends) => line_ends.push(text),
            None => text,
        }
    }

    /// Converts what waits, at the end of the page.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        if !self.held.is_empty() {
            let held = self.held.clone();
            self.decide_by(&held);
        }
        let mut text = self.push(Cow::Borrowed(&[])).into_owned();
        let rest = match &mut self.need {
            ConversionNeed::Yes { converter, .. } => converter.finish().into_bytes(),
            ConversionNeed::Unknown | ConversionNeed::No => Vec::new(),
        };
        match &mut self.line_ends {
            Some(line_ends) => {
                text.extend_from_slice(&line_ends.push(Cow::Owned(rest)));
                text.extend(line_ends.finish());
                *line_ends = line_ends.finished();
            }
            None => text.extend(rest),
        }
        text
    }
}

/// Returns the charset of a page of this shape, if its octets have to be converted from it.
fn stated(shape: Shape, charset: Charset) -> Option<Charset> {
    Some(charset).filter(|charset| charset.precedes_lines() && converts(shape))
}

/// Returns true for a page that is in one charset as a whole. Articles have a charset for each part, lists one for each
/// row, and the types and fields of a menu are ASCII.
pub(super) fn converts(shape: Shape) -> bool {
    matches!(
        shape,
        Shape::Text | Shape::Gemtext | Shape::Html | Shape::Json | Shape::Feed
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn converted(conversion: &mut Conversion, octets: &[u8], size: usize) -> Vec<u8> {
        let pieces = octets.chunks(size);
        let mut text: Vec<u8> = pieces
            .flat_map(|piece| conversion.push(Cow::Borrowed(piece)).into_owned())
            .collect();
        text.extend(conversion.finish());
        text
    }

    proptest! {
        #[test]
        fn marked_text_is_converted_however_it_arrives(
            text in r"(\PC|[\u{FEFF}\u{FFFE}])*",
            mark in 0..4_usize,
            size in 1..9_usize,
        ) {
            let units = || "\u{feff}".encode_utf16().chain(text.encode_utf16());
            let letters = || std::iter::once('\u{feff}').chain(text.chars()).map(u32::from);
            let octets: Vec<u8> = match mark {
                0 => units().flat_map(u16::to_le_bytes).collect(),
                1 => units().flat_map(u16::to_be_bytes).collect(),
                2 => letters().flat_map(u32::to_le_bytes).collect(),
                _ => letters().flat_map(u32::to_be_bytes).collect(),
            };
            // A mark comes before what was declared.
            for stated in ["koi8-r", "iso-2022-jp", "utf-16be"] {
                let mut conversion = Conversion::new(Shape::Html, Charset::named(stated).unwrap());
                prop_assert_eq!(converted(&mut conversion, &octets, size), text.as_bytes());
            }
        }

        #[test]
        fn other_octets_stay(octets: Vec<u8>, size in 1..9_usize) {
            let has_mark = MARKS.iter().any(|(mark, _)| octets.starts_with(mark));
            let text = converted(&mut Conversion::new(Shape::Html, Charset::default()), &octets, size);
            prop_assert!(has_mark || text == octets);
        }
    }

    #[test]
    fn lone_cr_of_wide_text_ends_a_line_and_letters_with_its_octet_stay() {
        let text = "aഅ\rbഅ\rc";
        let octets: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut conversion = Conversion::new(Shape::Gemtext, Charset::named("utf-16le").unwrap());
        assert_eq!(
            converted(&mut conversion, &octets, 3),
            "aഅ\nbഅ\nc".as_bytes()
        );
    }
}
