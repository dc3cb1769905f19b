//! The colours that remote text asks for: SGR of ECMA-48 (section 8.3.117), the one sequence that is heard.
//!
//! ```text
//! SGR       = CSI [ parameter *( ";" parameter ) ] "m"
//! parameter = *DIGIT *( ":" *DIGIT )        ; ITU T.416 for colours: 38:5:n, 38:2::r:g:b
//! ```
//!
//! What is heard becomes a [`Paint`] beside the text and is in the text no more. Left out: blinking, other fonts,
//! frames, and concealment, for words that are there are to be seen; so words whose ink is their ground go unpainted.
//! Every line begins unpainted: what a line looks like does not depend on the lines above it, which need not be here.

use std::borrow::Cow;
use std::ops::Range;

use super::{Charset, Text, clean, decoded, plain};

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// One of the terminal's 256; the first 16 are those that people set.
    Indexed(u8),
    /// Red, green and blue.
    Rgb(u8, u8, u8),
}

/// What letters can look like besides their colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Heavier.
    Bold,
    /// Fainter.
    Dim,
    /// Slanted.
    Italic,
    /// With a line below.
    Underlined,
    /// Ink and ground change places.
    Reversed,
}

impl Mark {
    /// All of them.
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

/// How a part of a remote text wants to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paint {
    /// The colour of the letters; nothing is the terminal's own.
    pub ink: Option<Colour>,
    /// The colour behind them.
    pub ground: Option<Colour>,
    marks: u8,
}

impl Paint {
    /// Whether letters look so.
    pub fn has(self, mark: Mark) -> bool {
        self.marks & mark.bit() != 0
    }

    fn mark(&mut self, mark: Mark) {
        self.marks |= mark.bit();
    }

    fn unmark(&mut self, mark: Mark) {
        self.marks &= !mark.bit();
    }

    /// Does what the parameters of an SGR say; what is not known in them does nothing.
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
                        spelled_in_one(parts)
                    } else {
                        match spelled_in_fields(&mut fields) {
                            // What the fields behind a colour that is none mean, nobody can tell.
                            None => return,
                            colour => colour,
                        }
                    };
                    match (code, colour) {
                        (38, Some(colour)) => self.ink = Some(colour),
                        (48, Some(colour)) => self.ground = Some(colour),
                        // The colour of an underline is read, so that its numbers are not taken for something else.
                        _ => {}
                    }
                }
                4 if parts.next() == Some("0") => self.unmark(Mark::Underlined),
                _ => self.simple(code),
            }
        }
    }

    fn simple(&mut self, code: u8) {
        match code {
            0 => *self = Self::default(),
            1 => self.mark(Mark::Bold),
            2 => self.mark(Mark::Dim),
            3 => self.mark(Mark::Italic),
            4 | 21 => self.mark(Mark::Underlined),
            7 => self.mark(Mark::Reversed),
            22 => {
                self.unmark(Mark::Bold);
                self.unmark(Mark::Dim);
            }
            23 => self.unmark(Mark::Italic),
            24 => self.unmark(Mark::Underlined),
            27 => self.unmark(Mark::Reversed),
            30..=37 => self.ink = Some(Colour::Indexed(code - 30)),
            39 => self.ink = None,
            40..=47 => self.ground = Some(Colour::Indexed(code - 40)),
            49 => self.ground = None,
            90..=97 => self.ink = Some(Colour::Indexed(code - 90 + 8)),
            100..=107 => self.ground = Some(Colour::Indexed(code - 100 + 8)),
            _ => {}
        }
    }
}

/// A parameter; one that is left out is 0.
fn number(digits: &str) -> Option<u8> {
    if digits.is_empty() {
        return Some(0);
    }
    digits.parse().ok()
}

/// `38;5;n` and `38;2;r;g;b`, from the second field on.
fn spelled_in_fields<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Colour> {
    let mut next = || fields.next().and_then(number);
    match next()? {
        5 => Some(Colour::Indexed(next()?)),
        2 => Some(Colour::Rgb(next()?, next()?, next()?)),
        _ => None,
    }
}

/// `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`, from the second part on.
fn spelled_in_one<'a>(parts: impl Iterator<Item = &'a str>) -> Option<Colour> {
    let parts: Vec<u8> = parts.map(number).collect::<Option<_>>()?;
    match parts.as_slice() {
        [5, index, ..] => Some(Colour::Indexed(*index)),
        [2, red, green, blue] | [2, _, red, green, blue, ..] => {
            Some(Colour::Rgb(*red, *green, *blue))
        }
        _ => None,
    }
}

/// How the parts of a text want to look, in their order, by octets of the text; what stands in none is unpainted.
pub type Paints = Vec<(Range<usize>, Paint)>;

/// Makes text of a line and keeps its colours. A line may be read in pieces: the paint runs on from one to the next.
#[derive(Clone, Copy, Debug)]
pub struct Brush {
    charset: Charset,
    paint: Paint,
}

impl Brush {
    /// A brush for a new line, in which what is not UTF-8 is read by `charset`.
    pub fn new(charset: Charset) -> Self {
        Self {
            charset,
            paint: Paint::default(),
        }
    }

    /// The next piece of the line: the same as [`Text::new`] makes of it, and how it wants to look.
    pub fn read(&mut self, octets: &[u8]) -> (Text, Paints) {
        let mut paints = Paints::new();
        if let Some(text) = plain(octets) {
            push(&mut paints, &text, 0, self.paint);
            return (Text(text), paints);
        }
        let decoded = decoded(octets, self.charset);
        let before = self.paint;
        let mut changes: Vec<(usize, Paint)> = Vec::new();
        let text = clean(&decoded, &mut |at, parameters| {
            self.paint.change(parameters);
            match changes.last_mut().filter(|(last, _)| *last == at) {
                Some((_, paint)) => *paint = self.paint,
                None => changes.push((at, self.paint)),
            }
        });
        let (mut from, mut paint) = (0, before);
        for (at, next) in changes {
            let painted = text.get(..at).unwrap_or_default();
            push(&mut paints, painted, from, paint);
            (from, paint) = (at, next);
        }
        push(&mut paints, &text, from, paint);
        (Text(text), paints)
    }
}

/// Paints the end of `text`, from `from` on.
fn push(paints: &mut Paints, text: &str, from: usize, mut paint: Paint) {
    let words = text.get(from..).unwrap_or_default();
    if words.is_empty() {
        return;
    }
    // Blocks of a picture may have the colour of their ground; a word that has it is hidden.
    if paint.ink.is_some() && paint.ink == paint.ground && words.contains(char::is_alphanumeric) {
        paint.ink = None;
        paint.ground = None;
    }
    if paint == Paint::default() {
        return;
    }
    match paints.last_mut() {
        Some((range, last)) if *last == paint && range.end == from => range.end = text.len(),
        Some(_) | None => paints.push((from..text.len(), paint)),
    }
}

/// A line in which blanks stand for every SGR, octet for octet: for finding what stands right beside one.
pub fn unpainted(line: &[u8]) -> Cow<'_, [u8]> {
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
        if blank.get(end) == Some(&b'm') {
            let sequence = blank.get_mut(at..=end).unwrap_or_default();
            sequence.fill(b' ');
        }
        at += 1;
    }
    Cow::Owned(blank)
}
