//! Removal of characters that could affect the terminal, hide in a text or make it slow to show.
//!
//! Escape sequences are removed as ECMA-48 defines them, but one that moves the cursor to the right (CUF) becomes
//! blanks, as pictures of text leave room by it; tabs become spaces; invisible characters are removed (see
//! [`super::hidden`]). Overstruck characters of nroff (`N BS N`, `_ BS N`) are one character, bold or underlined. The
//! length of the result is bounded: tabs are expanded only in the first [`WIDENED`] columns and are one space after
//! them, so that a text is hardly longer than its source. Of the marks on one character the first [`MARKS`] stay. A
//! cluster of more than [`CLUSTER`] characters, which no language has, is split by a space. So every column of a text
//! takes a bounded number of octets, and only that many octets must be read to know what a pane shows.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::TextAttribute;
use super::hidden::{flag, is_hidden, is_ignorable, is_shown};

/// The number of columns between two tab stops.
const TAB: usize = 8;

/// The number of columns in which tabs are expanded.
const WIDENED: usize = 4096;

/// The highest number of consecutive marks and other characters without a width.
const MARKS: usize = 10;

/// The highest number of characters in a cluster: a family of four with all its skin tones has eleven.
const CLUSTER: usize = 32;

/// Returns true for a character that could act on a terminal or change how others are shown. A text never holds one.
pub fn is_harmful(c: char) -> bool {
    c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A style that the octets of a text ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StyleChange<'a> {
    /// The parameters of an SGR, for the text after this offset of the clean text.
    Sgr(usize, &'a str),
    /// An attribute of one overstruck character: its start and end in the clean text.
    Overstrike(usize, usize, TextAttribute),
}

/// The safe version of a text. Calls `on_style` for every SGR and every overstruck character.
pub(super) fn clean(text: &str, on_style: &mut dyn FnMut(StyleChange<'_>)) -> String {
    let mut cleaner = Cleaner {
        clean: String::with_capacity(text.len()),
        ..Cleaner::default()
    };
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let plain = rest
            .bytes()
            .take_while(|octet| (b' '..=b'~').contains(octet))
            .count();
        if let Some((run, after)) = rest.split_at_checked(plain).filter(|_| plain > 0) {
            cleaner.push_plain(run);
            rest = after;
            continue;
        }
        let mut chars = rest.chars();
        chars.next();
        match c {
            '\t' => {
                let after = rest.trim_start_matches('\t');
                cleaner.tabs(rest.len() - after.len());
                chars = after.chars();
            }
            '\u{1b}' => {
                let effect = skip_escape(&mut chars);
                cleaner.apply(effect, on_style);
            }
            '\u{9b}' => {
                let effect = skip_control_sequence(&mut chars);
                cleaner.apply(effect, on_style);
            }
            '\u{8}' => {
                let next = chars.clone().next().unwrap_or_default();
                if let Some(attribute) = cleaner.overstrike(next) {
                    chars.next();
                    let end = cleaner.clean.len();
                    let start = end - cleaner.last.map_or(0, char::len_utf8);
                    on_style(StyleChange::Overstrike(start, end, attribute));
                }
            }
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            '\u{2028}' | '\u{2029}' => cleaner.push_plain(" "),
            c if c.is_control() => {
                let is_nothing = |c: char| c < ' ' && !matches!(c, '\t' | '\u{1b}' | '\u{8}');
                chars = chars.as_str().trim_start_matches(is_nothing).chars();
            }
            '\u{1f3f4}' => {
                cleaner.push(c);
                if let Some(tags) = flag(chars.as_str()) {
                    cleaner.append(tags);
                    chars = chars.as_str().get(tags.len()..).unwrap_or_default().chars();
                }
            }
            c if cleaner.marks >= MARKS && is_accent(c) => {
                chars = chars.as_str().trim_start_matches(is_accent).chars();
            }
            c => {
                if is_shown(c, cleaner.last, chars.clone().next()) {
                    cleaner.push(c);
                }
            }
        }
        rest = chars.as_str();
    }
    cleaner.clean
}

/// The clean text so far.
#[derive(Default)]
struct Cleaner {
    clean: String,
    /// The columns of the text, as far as tabs are expanded.
    column: usize,
    last: Option<char>,
    /// The number of characters without a width at its end.
    marks: usize,
    /// The start of a cluster and the number of characters since then; at most [`CLUSTER`] of them belong to one.
    cluster: usize,
    count: usize,
}

impl Cleaner {
    /// Appends printable ASCII.
    fn push_plain(&mut self, text: &str) {
        self.clean.push_str(text);
        self.column += text.len();
        self.last = text.chars().next_back();
        self.marks = 0;
        self.cluster = self.clean.len().saturating_sub(1);
        self.count = 1;
    }

    /// Has the effect of an escape sequence on the text.
    fn apply(&mut self, effect: EscapeEffect<'_>, on_style: &mut dyn FnMut(StyleChange<'_>)) {
        match effect {
            EscapeEffect::None => {}
            EscapeEffect::Sgr(parameters) => {
                on_style(StyleChange::Sgr(self.clean.len(), parameters));
            }
            EscapeEffect::Blanks(count) => {
                let room = WIDENED.saturating_sub(self.column).max(1);
                self.push_plain(&" ".repeat(count.min(room)));
            }
        }
    }

    /// Puts a character over the last one, as printers did: over itself it is bold, with an underline it is underlined.
    /// Returns nothing for other characters, which are shown one after the other, so that none is hidden.
    fn overstrike(&mut self, c: char) -> Option<TextAttribute> {
        let last = self.last.filter(|last| self.clean.ends_with(*last))?;
        let is_letter = |c: char| c.width() == Some(1) && !is_harmful(c) && c != ' ';
        match (last, c) {
            _ if last == c && is_letter(c) => Some(TextAttribute::Bold),
            (_, '_') if is_letter(last) => Some(TextAttribute::Underlined),
            ('_', _) if is_letter(c) => {
                self.clean.pop();
                self.clean.push(c);
                self.last = Some(c);
                Some(TextAttribute::Underlined)
            }
            _ => None,
        }
    }

    fn tabs(&mut self, mut count: usize) {
        const BLANKS: &str = "        ";
        while count > 0 && self.column < WIDENED {
            let blanks = TAB - self.column % TAB;
            self.push_plain(BLANKS.get(..blanks).unwrap_or(" "));
            count -= 1;
        }
        if count > 0 {
            self.push_plain(&" ".repeat(count));
        }
    }

    /// Appends characters that belong to the last one.
    fn append(&mut self, tags: &str) {
        self.clean.push_str(tags);
        self.last = tags.chars().next_back();
        self.count += tags.chars().count();
    }

    fn push(&mut self, c: char) {
        let width = c.width().unwrap_or(0);
        self.marks = if width == 0 { self.marks + 1 } else { 0 };
        if self.marks > MARKS {
            return;
        }
        self.column += width;
        if is_simple(c) && self.last.is_none_or(is_simple) {
            self.cluster = self.clean.len();
            self.count = 0;
        }
        self.last = Some(c);
        self.clean.push(c);
        self.count += 1;
        if self.count > CLUSTER {
            self.part(c);
        }
    }

    /// Finds the start of the last cluster, and splits it before its last character if it is too long.
    fn part(&mut self, last: char) {
        let tail = self.clean.get(self.cluster..).unwrap_or_default();
        let Some((start, cluster)) = tail.grapheme_indices(true).next_back() else {
            return;
        };
        self.cluster += start;
        self.count = cluster.chars().count();
        if self.count > CLUSTER && is_ignorable(last) {
            // This character belongs to the one before it.
            self.clean.pop();
            self.last = self.clean.chars().next_back();
            self.count -= 1;
        } else if self.count > CLUSTER {
            self.clean.pop();
            // A joiner belongs to the character after it.
            while self.clean.ends_with(['\u{200d}', '\u{115f}']) {
                self.clean.pop();
            }
            self.cluster = self.clean.len();
            self.clean.push(' ');
            self.clean.push(last);
            self.column += 1;
            self.count = 2;
        }
    }
}

/// Returns true if the character certainly starts a new cluster after another character of its kind.
fn is_simple(c: char) -> bool {
    matches!(
        c,
        ' '..='~' | '\u{a1}'..='\u{a8}' | '\u{af}'..='\u{2ff}' | '\u{370}'..='\u{482}'
            | '\u{48a}'..='\u{52f}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}'
            | '\u{3400}'..='\u{a48c}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff60}'
    )
}

/// Returns true for combining diacritical marks, which have no width.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{34e}' | '\u{350}'..='\u{36f}')
}

type Chars<'a> = std::str::Chars<'a>;

/// Takes the next character if it matches the condition.
fn next_if(chars: &mut Chars<'_>, fits: impl Fn(char) -> bool) -> Option<char> {
    let next = chars.clone().next().filter(|&c| fits(c))?;
    chars.next();
    Some(next)
}

/// The effect of an escape sequence that is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EscapeEffect<'a> {
    None,
    /// SGR, with these parameters.
    Sgr(&'a str),
    /// CUF: this number of columns to the right.
    Blanks(usize),
}

/// Skips the rest of an escape sequence after ESC, by ECMA-48: a control sequence, a string up to its end, or a short
/// sequence.
fn skip_escape<'a>(chars: &mut Chars<'a>) -> EscapeEffect<'a> {
    match chars.clone().next() {
        Some('[') => {
            chars.next();
            return skip_control_sequence(chars);
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_string(chars);
        }
        Some(' '..='/') => {
            while next_if(chars, |c| matches!(c, ' '..='/')).is_some() {}
            next_if(chars, |c| matches!(c, '0'..='~'));
        }
        Some('0'..='~') => {
            chars.next();
        }
        Some(_) | None => {}
    }
    EscapeEffect::None
}

/// Skips parameters, intermediates and the final character of a control sequence; stops at the first character that
/// cannot belong to it.
fn skip_control_sequence<'a>(chars: &mut Chars<'a>) -> EscapeEffect<'a> {
    let start = chars.as_str();
    while next_if(chars, |c| matches!(c, ' '..='?')).is_some() {}
    let inside = start.get(..start.len() - chars.as_str().len());
    let inside = inside.unwrap_or_default();
    let is_listed = inside.bytes().all(|octet| matches!(octet, b'0'..=b';'));
    match next_if(chars, |c| matches!(c, '@'..='~')) {
        Some('m') if is_listed => EscapeEffect::Sgr(inside),
        // Without a number, and with 0, the distance is one column (ECMA-48, section 8.3.20).
        Some('C') if inside.is_empty() => EscapeEffect::Blanks(1),
        Some('C') => inside.parse().map_or(EscapeEffect::None, |columns: usize| {
            EscapeEffect::Blanks(columns.max(1))
        }),
        Some(_) | None => EscapeEffect::None,
    }
}

/// Skips a string up to BEL or ST, or the rest of the line if neither follows.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next() {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' if next_if(chars, |c| c == '\\').is_some() => return,
            _ => {}
        }
    }
}
