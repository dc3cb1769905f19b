//! Colours in remote text: SGR of ECMA-48 (section 8.3.117), the only escape sequence with a style;
//! and overstruck characters.
//!
//! ```text
//! SGR       = CSI [ parameter *( ";" parameter ) ] "m"
//! parameter = *DIGIT *( ":" *DIGIT )        ; ITU T.416 for colours: 38:5:n, 38:2::r:g:b
//! ```
//!
//! An SGR is removed from the text and becomes an [`SgrStyle`], which is returned beside it. Not supported are
//! blinking, other fonts, frames and concealment, because all words must be visible. For the same reason, words whose
//! foreground equals their background are shown without style. Every line begins without style, so that its look does
//! not depend on the lines above it, which may not be loaded.

use std::borrow::Cow;
use std::ops::Range;

use super::clean::StyleChange;
use super::measure::is_visible_ascii;
use super::{Charset, Text, clean, decoded};

/// A terminal colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// One of the terminal's 256 colours; users define the first 16.
    Indexed(u8),
    /// A colour by red, green and blue.
    Rgb(u8, u8, u8),
}

/// A text attribute other than colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAttribute {
    /// Bold text.
    Bold,
    /// Faint text.
    Dim,
    /// Italic text.
    Italic,
    /// Underlined text.
    Underlined,
    /// Text with foreground and background exchanged.
    Reversed,
}

impl TextAttribute {
    /// All attributes.
    pub const ALL: [Self; 5] = [
        Self::Bold,
        Self::Dim,
        Self::Italic,
        Self::Underlined,
        Self::Reversed,
    ];

    fn bit(self) -> u8 {
        match self {
            Self::Bold => 1,
            Self::Dim => 2,
            Self::Italic => 4,
            Self::Underlined => 8,
            Self::Reversed => 16,
        }
    }
}

/// The style of a part of remote text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SgrStyle {
    /// The colour of the letters; `None` is the terminal's own.
    pub foreground: Option<Colour>,
    /// The colour behind the letters; `None` is the terminal's own.
    pub background: Option<Colour>,
    attributes: u8,
}

impl SgrStyle {
    /// Returns true if the text has this attribute.
    pub fn has(self, attribute: TextAttribute) -> bool {
        self.attributes & attribute.bit() != 0
    }

    fn set(&mut self, attribute: TextAttribute) {
        self.attributes |= attribute.bit();
    }

    fn clear(&mut self, attribute: TextAttribute) {
        self.attributes &= !attribute.bit();
    }

    /// Applies the parameters of an SGR. Unknown parameters are ignored.
    fn change(&mut self, parameters: &str) {
        let mut fields = parameters.split(';');
        while let Some(field) = fields.next() {
            let mut parts = field.split(':');
            let Some(code) = parts.next().and_then(number) else {
                continue;
            };
            match code {
                38 | 48 | 58 => {
                    let colour = if field.contains(':') {
                        colour_from_parts(parts)
                    } else {
                        match colour_from_fields(&mut fields) {
                            // After an invalid colour, the meaning of the following fields is unclear, so they are
                            // ignored.
                            None => return,
                            colour => colour,
                        }
                    };
                    match (code, colour) {
                        (38, Some(colour)) => self.foreground = Some(colour),
                        (48, Some(colour)) => self.background = Some(colour),
                        // The colour of an underline is parsed, so that its numbers are not mistaken for other
                        // parameters.
                        _ => {}
                    }
                }
                4 if parts.next() == Some("0") => self.clear(TextAttribute::Underlined),
                _ => self.simple(code),
            }
        }
    }

    fn simple(&mut self, code: u8) {
        match code {
            0 => *self = Self::default(),
            1 => self.set(TextAttribute::Bold),
            2 => self.set(TextAttribute::Dim),
            3 => self.set(TextAttribute::Italic),
            4 | 21 => self.set(TextAttribute::Underlined),
            7 => self.set(TextAttribute::Reversed),
            22 => {
                self.clear(TextAttribute::Bold);
                self.clear(TextAttribute::Dim);
            }
            23 => self.clear(TextAttribute::Italic),
            24 => self.clear(TextAttribute::Underlined),
            27 => self.clear(TextAttribute::Reversed),
            30..=37 => self.foreground = Some(Colour::Indexed(code - 30)),
            39 => self.foreground = None,
            40..=47 => self.background = Some(Colour::Indexed(code - 40)),
            49 => self.background = None,
            90..=97 => self.foreground = Some(Colour::Indexed(code - 90 + 8)),
            100..=107 => self.background = Some(Colour::Indexed(code - 100 + 8)),
            _ => {}
        }
    }
}

/// The value of a parameter; an empty one is 0.
fn number(digits: &str) -> Option<u8> {
    if digits.is_empty() {
        return Some(0);
    }
    digits.parse().ok()
}

/// Parses `38;5;n` and `38;2;r;g;b`, from the second field on.
fn colour_from_fields<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Colour> {
    let mut next = || fields.next().and_then(number);
    match next()? {
        5 => Some(Colour::Indexed(next()?)),
        2 => Some(Colour::Rgb(next()?, next()?, next()?)),
        _ => None,
    }
}

/// Parses `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`, from the second part on.
fn colour_from_parts<'a>(parts: impl Iterator<Item = &'a str>) -> Option<Colour> {
    let parts: Vec<u8> = parts.map(number).collect::<Option<_>>()?;
    match parts.as_slice() {
        [5, index, ..] => Some(Colour::Indexed(*index)),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => {
            Some(Colour::Rgb(*red, *green, *blue))
        }
        _ => None,
    }
}

/// The styled ranges of a text in order, in octets. Text outside the ranges has no style.
pub type StyledRanges = Vec<(Range<usize>, SgrStyle)>;

/// A converter from a line's octets to text and colours. A line may be read in pieces: the style continues from one
/// piece to the next.
#[derive(Clone, Copy, Debug)]
pub struct SgrDecoder {
    charset: Charset,
    sgr_style: SgrStyle,
}

impl SgrDecoder {
    /// A decoder for a new line, in which octets that are not UTF-8 are decoded by `charset`.
    pub fn new(charset: Charset) -> Self {
        Self {
            charset,
            sgr_style: SgrStyle::default(),
        }
    }

    /// The next piece of the line: the text that [`Text::new`] makes of it, and its styles.
    pub fn read(&mut self, octets: &[u8]) -> (Text, StyledRanges) {
        let mut sgr_styles = StyledRanges::new();
        let decoded = decoded(octets, self.charset);
        if is_visible_ascii(&decoded) {
            push(&mut sgr_styles, &decoded, 0, self.sgr_style);
            return (Text(decoded.into_owned()), sgr_styles);
        }
        let before = self.sgr_style;
        let mut changes: Vec<(usize, SgrStyle)> = Vec::new();
        let text = clean(&decoded, &mut |change| match change {
            StyleChange::Sgr(at, parameters) => {
                self.sgr_style.change(parameters);
                set_style(&mut changes, at, self.sgr_style);
            }
            StyleChange::Overstrike(start, end, attribute) => {
                // An earlier attribute of the same character ends where this one does.
                changes.pop_if(|(at, _)| *at >= end);
                let earlier = changes.last().filter(|(at, _)| *at == start);
                let mut style = earlier.map_or(self.sgr_style, |(_, style)| *style);
                style.set(attribute);
                set_style(&mut changes, start, style);
                set_style(&mut changes, end, self.sgr_style);
            }
        });
        let (mut from, mut sgr_style) = (0, before);
        for (at, next) in changes {
            let styled = text.get(..at).unwrap_or_default();
            push(&mut sgr_styles, styled, from, sgr_style);
            (from, sgr_style) = (at, next);
        }
        push(&mut sgr_styles, &text, from, sgr_style);
        (Text(text), sgr_styles)
    }
}

/// Sets the style of the text from an offset on, which is not before the last one.
fn set_style(changes: &mut Vec<(usize, SgrStyle)>, at: usize, sgr_style: SgrStyle) {
    match changes.last_mut().filter(|(last, _)| *last == at) {
        Some((_, last)) => *last = sgr_style,
        None => changes.push((at, sgr_style)),
    }
}

/// Appends the style of the end of `text`, from `from` on.
fn push(sgr_styles: &mut StyledRanges, text: &str, from: usize, mut sgr_style: SgrStyle) {
    let words = text.get(from..).unwrap_or_default();
    if words.is_empty() {
        return;
    }
    // Blocks of a picture may have the colour of their background. A word with that colour would be hidden.
    if sgr_style.foreground.is_some()
        && sgr_style.foreground == sgr_style.background
        && words.contains(char::is_alphanumeric)
    {
        sgr_style.foreground = None;
        sgr_style.background = None;
    }
    if sgr_style == SgrStyle::default() {
        return;
    }
    match sgr_styles.last_mut() {
        Some((range, last)) if *last == sgr_style && range.end == from => range.end = text.len(),
        Some(_) | None => sgr_styles.push((from..text.len(), sgr_style)),
    }
}

/// The line with spaces in place of every SGR and CUF, octet for octet, to find the text next to one.
pub fn blank_sgr(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(0x1b, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut blank = line.to_vec();
    let mut at = 0;
    while let Some(found) = blank.get(at..).and_then(|rest| memchr::memchr(0x1b, rest)) {
        at += found;
        let rest = blank.get(at + 1..).unwrap_or_default();
        let parameters = rest.strip_prefix(b"[").map(|rest| {
            let parameters = rest.iter().take_while(|octet| matches!(octet, 0x30..=0x3f));
            parameters.count()
        });
        let end = parameters.map_or(at + 1, |count| at + 2 + count);
        if matches!(blank.get(end), Some(b'm' | b'C')) {
            let sequence = blank.get_mut(at..=end).unwrap_or_default();
            sequence.fill(b' ');
        }
        at += 1;
    }
    Cow::Owned(blank)
}
