//! A text without what could touch the terminal, hide in it or make it slow.
//!
//! Escape sequences go as ECMA-48 has them; tabs become blanks; characters that nobody sees go (see [`super::hidden`]).
//! What is left is bounded: tabs are widened in the first [`WIDENED`] columns and are one blank behind them, so that a
//! text is hardly longer than what it is made of; of marks on one character the first [`MARKS`] stay; and a cluster of
//! more than [`CLUSTER`] characters, which no language has, is parted by a blank. So every column of a text takes a
//! bounded number of octets, and to know what a pane shows of it no more than that needs to be looked at.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

use super::hidden::{flag, is_hidden, is_ignorable, is_shown};

/// Columns between two tab stops.
const TAB: usize = 8;

/// Columns in which tabs are widened.
const WIDENED: usize = 4096;

/// Marks, and other characters without a width, behind each other.
const MARKS: usize = 10;

/// Characters of a cluster: a family of four with all its skin tones has eleven.
const CLUSTER: usize = 32;

/// Whether a character could act on a terminal, or change how others are shown: what a text never holds.
pub fn is_harmful(c: char) -> bool {
    c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// A text that is safe to show. Tells of every SGR: how much of the clean text stands before it, and its parameters.
pub(super) fn clean(text: &str, heard: &mut dyn FnMut(usize, &str)) -> String {
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
                if let Some(parameters) = skip_escape(&mut chars) {
                    heard(cleaner.clean.len(), parameters);
                }
            }
            '\u{9b}' => {
                if let Some(parameters) = skip_control_sequence(&mut chars) {
                    heard(cleaner.clean.len(), parameters);
                }
            }
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            '\u{2028}' | '\u{2029}' => cleaner.push_plain(" "),
            c if c.is_control() => {
                let is_nothing = |c: char| c < ' ' && !matches!(c, '\t' | '\u{1b}');
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

/// What is clean so far.
#[derive(Default)]
struct Cleaner {
    clean: String,
    /// Its columns, as far as tabs are widened.
    column: usize,
    last: Option<char>,
    /// Characters without a width at its end.
    marks: usize,
    /// Where a cluster begins, and the characters since: no more than [`CLUSTER`] of them belong to one.
    cluster: usize,
    count: usize,
}

impl Cleaner {
    /// Printable ASCII.
    fn push_plain(&mut self, text: &str) {
        self.clean.push_str(text);
        self.column += text.len();
        self.last = text.chars().next_back();
        self.marks = 0;
        self.cluster = self.clean.len().saturating_sub(1);
        self.count = 1;
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

    /// What belongs to the last character.
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

    /// Finds where the last cluster begins, and parts it before its last character where it is too long.
    fn part(&mut self, last: char) {
        let tail = self.clean.get(self.cluster..).unwrap_or_default();
        let Some((start, cluster)) = tail.grapheme_indices(true).next_back() else {
            return;
        };
        self.cluster += start;
        self.count = cluster.chars().count();
        if self.count > CLUSTER && is_ignorable(last) {
            // It is there for what stands before it.
            self.clean.pop();
            self.last = self.clean.chars().next_back();
            self.count -= 1;
        } else if self.count > CLUSTER {
            self.clean.pop();
            // A joiner is there for what stands behind it.
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

/// Whether a character surely belongs to another cluster than one of its kind that stands before it.
fn is_simple(c: char) -> bool {
    matches!(
        c,
        ' '..='~' | '\u{a1}'..='\u{a8}' | '\u{af}'..='\u{2ff}' | '\u{370}'..='\u{482}'
            | '\u{48a}'..='\u{52f}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}'
            | '\u{3400}'..='\u{a48c}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff60}'
    )
}

/// Whether a character is one of the combining diacritical marks, which have no width.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{34e}' | '\u{350}'..='\u{36f}')
}

type Chars<'a> = std::str::Chars<'a>;

/// The next character, if it is such a one.
fn next_if(chars: &mut Chars<'_>, fits: impl Fn(char) -> bool) -> Option<char> {
    let next = chars.clone().next().filter(|&c| fits(c))?;
    chars.next();
    Some(next)
}

/// What follows ESC, by ECMA-48: a control sequence, a string up to its end, or a short sequence. Gives the parameters
/// of an SGR.
fn skip_escape<'a>(chars: &mut Chars<'a>) -> Option<&'a str> {
    match chars.clone().next()? {
        '[' => {
            chars.next();
            return skip_control_sequence(chars);
        }
        ']' | 'P' | 'X' | '^' | '_' => {
            chars.next();
            skip_string(chars);
        }
        ' '..='/' => {
            while next_if(chars, |c| matches!(c, ' '..='/')).is_some() {}
            next_if(chars, |c| matches!(c, '0'..='~'));
        }
        '0'..='~' => {
            chars.next();
        }
        _ => {}
    }
    None
}

/// Parameters, intermediates, final: stops at the first character that cannot belong. Gives the parameters of an SGR.
fn skip_control_sequence<'a>(chars: &mut Chars<'a>) -> Option<&'a str> {
    let start = chars.as_str();
    while next_if(chars, |c| matches!(c, ' '..='?')).is_some() {}
    let inside = start.get(..start.len() - chars.as_str().len())?;
    let end = next_if(chars, |c| matches!(c, '@'..='~'));
    let is_sgr = end == Some('m') && inside.bytes().all(|octet| matches!(octet, b'0'..=b';'));
    is_sgr.then_some(inside)
}

/// Up to BEL or ST; the rest of the line when neither comes.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next() {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' if next_if(chars, |c| c == '\\').is_some() => return,
            _ => {}
        }
    }
}
