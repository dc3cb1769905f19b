//! Scripts of letters, as far as a change of script shows where a host ends: in `https://example.comを見て`, the
//! words after the host belong to the sentence.
//!
//! Han, Hiragana, Katakana, Bopomofo and Hangul count as one script, because languages write them together.

use super::boundary::{FirstChar, MAX_AUTHORITY_BYTES, character};

/// The first and the last letter of each script and its number; a script may have several ranges. A letter outside of
/// them is of a script of its own, by its block of 128 characters.
const RANGES: [(char, char, u32); 28] = [
    ('A', 'Z', LATIN),
    ('a', 'z', LATIN),
    ('\u{aa}', '\u{24f}', LATIN),
    ('\u{250}', '\u{2af}', LATIN),
    ('\u{2b0}', '\u{36f}', COMMON),
    ('\u{370}', '\u{3ff}', 2),
    ('\u{400}', '\u{52f}', 3),
    ('\u{590}', '\u{5ff}', 4),
    ('\u{600}', '\u{6ff}', 5),
    ('\u{750}', '\u{77f}', 5),
    ('\u{8a0}', '\u{8ff}', 5),
    ('\u{1100}', '\u{11ff}', EAST),
    ('\u{1200}', '\u{139f}', 6),
    ('\u{1ab0}', '\u{1aff}', COMMON),
    ('\u{1c80}', '\u{1c8f}', 3),
    ('\u{1dc0}', '\u{1dff}', COMMON),
    ('\u{1e00}', '\u{1eff}', LATIN),
    ('\u{1f00}', '\u{1fff}', 2),
    ('\u{2000}', '\u{206f}', COMMON),
    ('\u{20d0}', '\u{20ff}', COMMON),
    ('\u{2c60}', '\u{2c7f}', LATIN),
    ('\u{2de0}', '\u{2dff}', 3),
    ('\u{2e80}', '\u{a4cf}', EAST),
    ('\u{a640}', '\u{a69f}', 3),
    ('\u{a720}', '\u{a7ff}', LATIN),
    ('\u{ac00}', '\u{d7ff}', EAST),
    ('\u{f900}', '\u{faff}', EAST),
    ('\u{fe00}', '\u{fe0f}', COMMON),
];

/// Digits, hyphens, marks and punctuation, which all scripts share.
const COMMON: u32 = 0;

const LATIN: u32 = 1;

/// The scripts of China, Japan and Korea.
const EAST: u32 = 7;

/// The number of the script of a character; `None` if all scripts share it.
fn script(character: char) -> Option<u32> {
    let number = match character {
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => LATIN,
        // Punctuation of the east, and its full-width and half-width forms.
        '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{ff00}'..='\u{ff65}' => COMMON,
        '\u{ff66}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}' => EAST,
        character if character.is_ascii() && !character.is_ascii_alphabetic() => COMMON,
        '\u{80}'..='\u{a9}' | '\u{ab}'..='\u{bf}' | '\u{d7}' | '\u{f7}' => COMMON,
        character => {
            let range = RANGES
                .iter()
                .find(|(first, last, _)| (first..=last).contains(&&character));
            let block = 16 + u32::from(character) / 128;
            range.map_or(block, |(.., number)| *number)
        }
    };
    (number != COMMON).then_some(number)
}

/// The offset at which the script of a label changes: the end of the last letter or ASCII character of its first
/// script. A label that begins with a digit begins with Latin, as no last label of another script does.
fn change(label: &[u8], first: FirstChar<'_>) -> Option<usize> {
    let (mut at, mut end) = (0, 0);
    let mut begun = None;
    while let Some(tail) = label.get(at..).filter(|tail| !tail.is_empty()) {
        let (character, length) = character(tail, first);
        let is_ascii = character.is_some_and(|character| character.is_ascii());
        let is_digit = character.is_some_and(|character| character.is_ascii_digit());
        let own = match character.and_then(script) {
            None if is_digit && begun.is_none() => Some(LATIN),
            own => own,
        };
        match (begun, own) {
            (Some(begun), Some(own)) if begun != own => return Some(end),
            (None, own) => begun = own,
            (Some(_), _) => {}
        }
        at += length;
        if own.is_some() || is_ascii {
            end = at;
        }
    }
    None
}

/// Returns true if the last label of a host has letters of two scripts.
pub(super) fn is_mixed(host: &str) -> bool {
    if host.is_ascii() {
        return false;
    }
    let dots = ['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'];
    let host = host.strip_suffix(dots).unwrap_or(host);
    let last = host.rsplit(dots).next().unwrap_or(host);
    change(last.as_bytes(), &|_| None).is_some()
}

/// The offset in a URL of running text at which its host ends because the script of its last label changes. The words
/// after it may have a full stop of their own, which is no dot then.
pub(super) fn host_end(url: &[u8], first: FirstChar<'_>) -> Option<usize> {
    let start = url.windows(3).take(64).position(|part| part == b"://")? + 3;
    let rest = url.get(start..)?;
    let is_end = |octet: &u8| matches!(octet, b'/' | b'?' | b'#');
    let length = rest
        .iter()
        .take(MAX_AUTHORITY_BYTES)
        .position(is_end)
        .unwrap_or(rest.len());
    let authority = rest.get(..length.min(MAX_AUTHORITY_BYTES))?;
    // The full stop of the sentence begins no label.
    let is_stop = |octet: &u8| {
        matches!(
            octet,
            b'.' | b',' | b';' | b':' | b'!' | b'\'' | b')' | b']'
        )
    };
    let stops = authority.iter().rev().take_while(|octet| is_stop(octet));
    let authority = authority.get(..authority.len() - stops.count())?;
    if authority.is_ascii() {
        return None;
    }
    let host = authority
        .iter()
        .rposition(|octet| *octet == b'@')
        .map_or(0, |at| at + 1);
    let mut at = host;
    let mut label = host;
    loop {
        let tail = authority.get(at..)?;
        let (character, length) = if tail.is_empty() {
            (None, 0)
        } else {
            character(tail, first)
        };
        let is_dot = character == Some('.');
        let is_stop = matches!(character, Some('\u{3002}' | '\u{ff0e}' | '\u{ff61}'));
        if is_stop || tail.is_empty() {
            let end = change(authority.get(label..at)?, first);
            if let Some(end) = end {
                return Some(start + label + end);
            }
        }
        if tail.is_empty() {
            return None;
        }
        at += length;
        if is_dot || is_stop {
            label = at;
        }
    }
}
