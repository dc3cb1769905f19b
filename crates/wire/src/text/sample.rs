//! Charset detection for a page, from its lines that are not UTF-8.
//!
//! The library detects the charsets of human languages. It does not support code page 437, in which PC bulletin
//! boards drew, and mistakes a drawing for some language. So drawings are detected first, by their typical content:
//! rules, walls and shades in rows of the same octet, `ÄÄÄÄ` or `ÛÛÛÛ` when read as Latin-1. No language repeats one
//! letter so often.
//!
//! Drawings without such rows are detected by their usual octets: frames, blocks and shades that stand apart from
//! words, as the letters of no language do, beside a few letters of code page 437 ([`has_frames`]).
//!
//! A page is a drawing with rows if all of this is true:
//!
//! - at least eight octets stand in runs of three or more of the same line, block or shade;
//! - these are at least a quarter of the octets above ASCII (in KOI8-R small letters are drawing octets too, and some
//!   texts have repeated letters);
//! - at least half of the octets above ASCII are drawing octets (0xB0 to 0xDF);
//! - the other octets between them are not Russian of DOS (code page 866), which draws with the same octets. The
//!   library detects that.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use super::{Charset, is_utf8};

/// The number of octets that is enough for detection.
const ENOUGH: usize = 64 * 1024;

/// The number of octets above ASCII that are few: another page of the same place tells more.
const FEW: usize = 40;

/// The number of drawing octets in runs that a drawing must have.
const DRAWN: usize = 8;

/// The number of octets of frames and blocks that a drawing without runs must have.
const FRAMED: usize = 4;

/// The number of octets above ASCII from which on these are most letters of a language that has others than Latin ones.
const FEW_LETTERS: usize = 4;

/// The number of equal adjacent octets that make a run.
const RUN: usize = 3;

/// Lines of a page that are not UTF-8, as many as are needed to detect their charset.
#[derive(Clone, Debug, Default)]
pub struct CharsetSample(Vec<u8>);

impl CharsetSample {
    /// Stores a line if it is not UTF-8.
    pub fn add(&mut self, line: &[u8]) {
        if !self.is_enough() && !is_utf8(line) {
            // The whole line is stored: half a character at its end would be evidence against the correct charset.
            self.0.extend_from_slice(line);
            self.0.push(b'\n');
        }
    }

    /// Returns true if there is no line that is not UTF-8.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if more lines would not change the result.
    pub fn is_enough(&self) -> bool {
        self.0.len() >= ENOUGH
    }

    /// The number of octets above ASCII.
    pub fn octets_above_ascii(&self) -> usize {
        self.0.iter().filter(|octet| !octet.is_ascii()).count()
    }

    /// Returns true if the lines have too few octets above ASCII to tell another charset than an expected one, in which
    /// they are well-formed.
    pub fn fits(&self, expected: Charset) -> bool {
        let is_malformed = || {
            expected
                .decode(&self.0)
                .contains(char::REPLACEMENT_CHARACTER)
        };
        self.octets_above_ascii() <= FEW && !is_malformed()
    }

    /// The charset that these lines suggest. `label` is the last label of the host name, for example `ru`; it
    /// separates languages where the octets do not. Takes some milliseconds if there are many lines.
    pub fn charset(&self, label: Option<&str>) -> Charset {
        let octets = &self.0;
        let above = self.octets_above_ascii();
        // One octet fits every charset.
        if above < 2 {
            return Charset::default();
        }
        let has_rows = has_drawing(octets, above);
        if !has_rows && !has_frames(octets, above) {
            return detected(octets, label);
        }
        let rest: Vec<u8> = octets.iter().map(|&octet| undrawn(octet)).collect();
        let left = detected(&rest, label);
        let drawing = octets.iter().filter(|&&octet| draws(octet)).count();
        if left == Charset::listed(encoding_rs::IBM866) {
            left
        } else if drawing * 2 >= above || !has_rows {
            Charset::CP437
        } else {
            detected(octets, label)
        }
    }

    /// The charset that these lines suggest, if programs of DOS have written them: code page 437, unless most of their
    /// letters are those of another one.
    pub fn charset_of_dos(&self) -> Charset {
        let octets = &self.0;
        let above = self.octets_above_ascii();
        let letters = octets.iter().filter(|octet| !octet.is_ascii());
        let are_western = letters
            .copied()
            .all(|octet| matches!(octet, 0x80..=0xa5 | 0xe1));
        let is_sparse = above < FEW_LETTERS || above * 5 <= octets.len() * 2;
        if are_western && is_sparse {
            Charset::CP437
        } else {
            self.charset(None)
        }
    }
}

fn detected(octets: &[u8], label: Option<&str>) -> Charset {
    let label = label
        .map(str::to_ascii_lowercase)
        .filter(|label| label.bytes().all(|octet| octet.is_ascii_lowercase()));
    // Text in ISO-2022-JP is pure ASCII, and was already tested as UTF-8 line by line.
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(octets, true);
    let label = label.as_deref().map(str::as_bytes);
    Charset::listed(detector.guess(label, Utf8Detection::Deny))
}

/// Returns true if `octets`, of which `above` are above ASCII, have a drawing.
fn has_drawing(octets: &[u8], above: usize) -> bool {
    let runs = octets.chunk_by(|a, b| a == b);
    let in_runs: usize = runs
        .filter(|run| run.len() >= RUN && run.first().is_some_and(|octet| runs_on(*octet)))
        .map(<[u8]>::len)
        .sum();
    in_runs >= DRAWN && in_runs * 4 >= above
}

/// Returns true if nearly all of the octets above ASCII are the usual ones of drawings, of which nearly none touches a
/// word, or letters of Western Europe in code page 437. Shades alone are no evidence: in Latin-1 they are the signs of
/// degrees and of "plus or minus".
fn has_frames(octets: &[u8], above: usize) -> bool {
    let (mut usual, mut evidence, mut touching, mut letters) = (0, 0, 0, 0);
    let is_word = |octet: Option<&u8>| octet.is_some_and(u8::is_ascii_alphanumeric);
    for (at, octet) in octets.iter().enumerate() {
        match octet {
            0xb0..=0xb3 | 0xba..=0xbc | 0xbf | 0xc0 | 0xc4 | 0xc8 | 0xc9 | 0xcd | 0xd9..=0xdf => {
                usual += 1;
                evidence += usize::from(!matches!(octet, 0xb0 | 0xb1));
                let before = at.checked_sub(1).and_then(|at| octets.get(at));
                touching += usize::from(is_word(before) || is_word(octets.get(at + 1)));
            }
            0x81
            | 0x82
            | 0x84
            | 0x85
            | 0x87
            | 0x8a
            | 0x8e
            | 0x90
            | 0x94
            | 0x99
            | 0x9a
            | 0xa0..=0xa5
            | 0xe1 => letters += 1,
            _ => {}
        }
    }
    evidence >= FRAMED && (usual + letters) * 20 >= above * 19 && touching * 10 <= usual
}

fn draws(octet: u8) -> bool {
    matches!(octet, 0xb0..=0xdf)
}

/// Returns true for horizontal lines, single and double, blocks, and shades, but not for the lightest shade, which is
/// the degree sign of Latin-1 and is used for rules.
fn runs_on(octet: u8) -> bool {
    matches!(octet, 0xb1 | 0xb2 | 0xc4 | 0xcd | 0xdb | 0xdc | 0xdf)
}

fn undrawn(octet: u8) -> u8 {
    if draws(octet) { b' ' } else { octet }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_octet_is_no_evidence_of_a_charset() {
        let mut sample = CharsetSample::default();
        sample.add(b"na\xefve.txt");
        assert_eq!(sample.charset(None), Charset::default());
    }

    fn charset(octets: &[u8]) -> &'static str {
        let mut sample = CharsetSample::default();
        octets
            .split(|octet| *octet == b'\n')
            .for_each(|line| sample.add(line));
        sample.charset(None).name()
    }

    #[test]
    fn drawings_without_rows_are_of_code_page_437() {
        let walls: Vec<String> = (1..=25).map(|row| format!("║ row {row} ║\n")).collect();
        let walls = walls.concat();
        for drawing in [
            "▀▄▀▄▀▄▀▄ █▓▒░ retro ░▒▓█ ▀▄▀▄▀▄▀▄\n",
            &walls,
            "░▒▓█▓▒░\n▄▄▀▀ menu ▀▀▄▄\n",
            "── BBS ──\nMöchten Sie die Grüße lesen?\n",
            "┌┐\n│ x │\n└┘\n",
        ] {
            assert_eq!(
                charset(&Charset::CP437.encode(drawing)),
                "cp437",
                "{drawing}"
            );
        }
    }

    #[test]
    fn signs_and_letters_of_latin_1_are_no_drawing() {
        for text in [
            "20\u{b0} 30\u{b0} 40\u{b0} 50\u{b0}, \u{b1} 5 \u{b1} 6 \u{b1} 7 \u{b1} 8",
            "m\u{b2} 10\u{b3} 1\u{ba} 2\u{ba} 3\u{ba} 4\u{ba}",
            "Fu\u{df} Stra\u{df}e Gru\u{df} Ma\u{df} \u{dc}ber \u{c4}rger",
            "\u{ab} mot \u{bb} \u{ab} mot \u{bb} \u{c0} la \u{c0} la",
            "\u{bf}Qu\u{e9}? \u{bf}D\u{f3}nde? \u{bf}Cu\u{e1}ndo? \u{da}ltimo",
        ] {
            let octets: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
            assert_ne!(charset(&octets), "cp437", "{text}");
        }
        for (name, text) in [
            ("koi8-r", "Добро пожаловать"),
            ("koi8-r", "ИМЯ И ПАРОЛЬ"),
            ("windows-1251", "Добро пожаловать, введите имя и пароль"),
            ("windows-1251", "ДОБРО ПОЖАЛОВАТЬ"),
            ("gbk", "欢迎光临"),
            ("shift_jis", "ようこそ、掲示板へ"),
            ("euc-kr", "환영합니다 여러분"),
        ] {
            let octets = Charset::named(name).unwrap().encode(text);
            assert_ne!(charset(&octets), "cp437", "{name} {text}");
        }
    }
}
