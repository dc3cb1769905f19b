//! The one door from foreign octets to text.
//!
//! Whatever a server, a file or a URL says becomes [`Text`] before it is shown, copied, logged or used as a file
//! name, and `Text` can be made nowhere else. What it can never hold: C0 and C1 control characters (ESC, and the
//! sequences that ESC and CSI open, among them), bidirectional overrides, line separators, Unicode tags. Tabs have
//! become spaces. It is one line, for eyes; the octets it came from stay where they were. The colours that it came
//! with can be had beside it ([`Brush`]), and are never in it.

mod charset;
mod paint;
mod sample;

use std::borrow::Cow;
use std::fmt;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

pub use charset::{Charset, ReadAs};
pub use paint::{Brush, Colour, Mark, Paint, Paints, unpainted};
pub use sample::Sample;

/// Columns between two tab stops.
const TAB: usize = 8;

/// The longest file name that [`file_name`] gives, in octets: what every file system of today takes.
const FILE_NAME: usize = 200;

/// A line of text that may be shown on any terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

impl Text {
    /// Reads octets as UTF-8 when they are that, and else by `charset`; takes out what could touch the terminal.
    pub fn new(octets: &[u8], charset: Charset) -> Self {
        if let Some(text) = plain(octets) {
            return Self(text);
        }
        Self(clean(&decoded(octets, charset), &mut |_, _| {}))
    }

    /// The same for what is text already: our own sentences with foreign words in them.
    pub fn of(text: &str) -> Self {
        Self::new(text.as_bytes(), Charset::default())
    }

    /// The text, without a line end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Columns it takes on a terminal.
    pub fn width(&self) -> usize {
        width(&self.0)
    }

    /// Whether nothing would be seen.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Columns of a text on a terminal: what [`char`]s add up to, by Unicode's East Asian widths.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The part of `text` that stands in the columns `from..from + columns`, cut between graphemes; a wide character
/// that the left edge cuts in two becomes blanks.
pub fn columns(text: &str, from: usize, columns: usize) -> String {
    if from == 0 && text.len() <= columns && text.is_ascii() {
        return text.to_owned();
    }
    let mut part = String::new();
    let mut at = 0;
    let mut taken = 0;
    for grapheme in text.graphemes(true) {
        let wide = width(grapheme);
        let end = at + wide;
        if at >= from {
            if taken + wide > columns {
                break;
            }
            part.push_str(grapheme);
            taken += wide;
        } else if end > from {
            let rest = (end - from).min(columns);
            part.extend(std::iter::repeat_n(' ', rest));
            taken += rest;
        }
        at = end;
    }
    part
}

/// As much of `text` as `columns` hold, with `ellipsis` at its end when something had to go.
pub fn shorten(text: &str, columns_: usize, ellipsis: &str) -> String {
    if width(text) <= columns_ {
        return text.to_owned();
    }
    let mut short = columns(text, 0, columns_.saturating_sub(width(ellipsis)));
    if columns_ >= width(ellipsis) {
        short.push_str(ellipsis);
    }
    short
}

/// Where a text of one line is broken so that each part fits `columns`: after the last blank that fits, else between
/// graphemes. Gives the octet offset at which each part starts; the first is 0. `columns` of 0 breaks nothing.
pub fn breaks(text: &str, columns: usize) -> Vec<usize> {
    hanging(text, columns, 0)
}

/// The same where every part but the first stands `hang` columns further in, which is less than `columns`.
pub fn hanging(text: &str, columns: usize, hang: usize) -> Vec<usize> {
    let mut starts = vec![0];
    if columns == 0 || (text.is_ascii() && text.len() <= columns) {
        return starts;
    }
    // Columns since the last start, and the last place after a blank with the columns before it.
    let (mut taken, mut begin) = (0, 0);
    let mut blank: Option<(usize, usize)> = None;
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = width(grapheme);
        // A blank at the edge stays on the row above, unseen.
        while taken + wide > columns && taken > begin && grapheme != " " {
            let (start, before) = blank.take().unwrap_or((at, taken));
            starts.push(start);
            begin = hang;
            taken = begin + taken.saturating_sub(before);
        }
        taken += wide;
        if grapheme == " " {
            blank = Some((at + 1, taken));
        }
    }
    starts
}

/// A text of one line as the parts that [`breaks`] makes of it.
pub fn wrap(text: &str, columns: usize) -> Vec<&str> {
    let starts = breaks(text, columns);
    let ends = starts
        .iter()
        .skip(1)
        .copied()
        .chain(std::iter::once(text.len()));
    starts
        .iter()
        .zip(ends)
        .filter_map(|(&start, end)| text.get(start..end))
        .collect()
}

/// A name for a local file, from the octets a server calls it by: the last segment, without control characters,
/// separators, leading dots or blanks, at most 200 octets, and never empty (`fallback` stands in).
pub fn file_name(octets: &[u8], fallback: &str) -> String {
    let last = octets
        .rsplit(|octet| matches!(octet, b'/' | b'\\'))
        .find(|segment| !segment.is_empty())
        .unwrap_or_default();
    let text = Text::new(last, Charset::default());
    let mut name: String = text
        .as_str()
        .trim_start_matches(['.', ' ', '-'])
        .trim_end()
        .chars()
        .map(|c| {
            if matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\0') {
                '_'
            } else {
                c
            }
        })
        .collect();
    while name.len() > FILE_NAME {
        name.pop();
    }
    // What is called so beside a download says whose octets it holds: no server is to write that.
    if name.to_ascii_lowercase().ends_with(".part.geomys") {
        name.push('_');
    }
    if name.is_empty() {
        fallback.to_owned()
    } else {
        name
    }
}

/// Octets as people count them: `512 B`, `4.1 kB`, `147.3 MB`; powers of a thousand.
pub fn octets(count: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut tenths = u128::from(count) * 10 / 1000;
    for unit in UNITS {
        if tenths < 10_000 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
        tenths /= 1000;
    }
    format!("{} EB", tenths * 100)
}

/// A whole number with its thousands told apart: `1,204`.
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Octets that are text as they are.
fn plain(octets: &[u8]) -> Option<String> {
    let is_plain = octets.iter().all(|octet| matches!(octet, b' '..=b'~'));
    is_plain.then(|| octets.iter().map(|&octet| char::from(octet)).collect())
}

fn decoded(octets: &[u8], charset: Charset) -> Cow<'_, str> {
    match std::str::from_utf8(octets) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => charset.decode(octets),
    }
}

/// A text without what could touch the terminal. Tells of every SGR: how much of the clean text stands before it, and
/// its parameters.
fn clean(text: &str, heard: &mut dyn FnMut(usize, &str)) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut column = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\t' => {
                let blanks = TAB - column % TAB;
                clean.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            '\u{1b}' => {
                if let Some(parameters) = skip_escape(&mut chars) {
                    heard(clean.len(), &parameters);
                }
            }
            '\u{9b}' => {
                if let Some(parameters) = skip_control_sequence(&mut chars) {
                    heard(clean.len(), &parameters);
                }
            }
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            '\u{2028}' | '\u{2029}' => {
                clean.push(' ');
                column += 1;
            }
            c if c.is_control() || is_hidden(c) => {}
            c => {
                clean.push(c);
                column += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
            }
        }
    }
    clean
}

/// Whether a character could act on a terminal, or change how others are shown: what [`Text`] never holds.
pub fn is_harmful(c: char) -> bool {
    c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Characters that show nothing and change how others are shown.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    )
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// What follows ESC, by ECMA-48: a control sequence, a string up to its end, or a short sequence. Gives the parameters
/// of an SGR.
fn skip_escape(chars: &mut Chars<'_>) -> Option<String> {
    match chars.peek() {
        Some('[') => {
            chars.next();
            return skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_string(chars);
        }
        Some(' '..='/') => {
            while chars.next_if(|c| matches!(c, ' '..='/')).is_some() {}
            chars.next_if(|c| matches!(c, '0'..='~'));
        }
        Some('0'..='~') => {
            chars.next();
        }
        Some(_) | None => {}
    }
    None
}

/// Parameters, intermediates, final: stops at the first character that cannot belong. Gives the parameters of an SGR.
fn skip_control_sequence(chars: &mut Chars<'_>) -> Option<String> {
    let mut inside = String::new();
    while let Some(c) = chars.next_if(|c| matches!(c, ' '..='?')) {
        inside.push(c);
    }
    let end = chars.next_if(|c| matches!(c, '@'..='~'));
    let is_sgr = end == Some('m') && inside.bytes().all(|octet| matches!(octet, b'0'..=b';'));
    is_sgr.then_some(inside)
}

/// Up to BEL or ST; the rest of the line when neither comes.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next() {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' if chars.next_if_eq(&'\\').is_some() => return,
            _ => {}
        }
    }
}
