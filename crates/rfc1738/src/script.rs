//! Scripts of letters, as far as a change of script shows where a host ends: in `https://example.comを見て`, the
//! words after the host belong to the sentence.
//!
//! A mark that no host has ends it too, unless more of a host follows: `https://example.com—and more`.
//!
//! Han, Hiragana, Katakana, Bopomofo and Hangul count as one script, because languages write them together.

use super::boundary::{FirstChar, MAX_AUTHORITY_BYTES, character, is_in_host};
use super::scheme::{ExtensionScheme, Scheme};

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

/// Full stops that other programs read as the dots of a host.
const STOPS: [char; 3] = ['\u{3002}', '\u{ff0e}', '\u{ff61}'];

/// Returns true if a label of a host has letters of two scripts. Languages of the east write Latin words in theirs, but
/// no last label has both.
pub(super) fn is_mixed(host: &str) -> bool {
    if host.is_ascii() {
        return false;
    }
    let is_dot = |letter: char| letter == '.' || STOPS.contains(&letter);
    let host = host.strip_suffix(is_dot).unwrap_or(host);
    let mut labels = host.rsplit(is_dot);
    let is_changed = |label: &str| change(label.as_bytes(), &|_| None).is_some();
    let is_two = |label: &str| {
        let mut scripts = label.chars().filter_map(script);
        let begun = scripts.next();
        scripts.any(|own| {
            Some(own) != begun
                && !([begun, Some(own)].contains(&Some(EAST))
                    && [begun, Some(own)].contains(&Some(LATIN)))
        })
    };
    labels.next().is_some_and(is_changed) || labels.any(is_two)
}

/// The offset in a URL at which its host may begin: after `://`, or after the `@` of an address of mail or news.
fn authority_start(url: &[u8]) -> Option<usize> {
    if let Some(at) = url.windows(3).take(64).position(|part| part == b"://") {
        return Some(at + 3);
    }
    let colon = url.iter().take(16).position(|octet| *octet == b':')?;
    let name = std::str::from_utf8(url.get(..colon)?).ok()?;
    let is_address = matches!(Scheme::named(name), Scheme::News | Scheme::Mailto)
        || ExtensionScheme::named(name) == Some(ExtensionScheme::Snews);
    let at = url
        .iter()
        .take(MAX_AUTHORITY_BYTES)
        .rposition(|octet| *octet == b'@');
    Some(at.filter(|_| is_address)? + 1)
}

/// The first character of octets, if there is one that can be decoded.
fn next_character(octets: &[u8], first: FirstChar<'_>) -> Option<char> {
    (!octets.is_empty()).then(|| character(octets, first).0)?
}

/// Returns true if more of a host stands in octets: a dot before a letter or a digit.
fn has_label(octets: &[u8]) -> bool {
    let mut pairs = octets.windows(2);
    pairs.any(
        |pair| matches!(pair, [b'.', next] if !next.is_ascii() || next.is_ascii_alphanumeric()),
    )
}

/// The offset in a URL of running text at which its host ends: where the script of its last label changes, or at a mark
/// that no host has. The words after it may have a full stop of their own, which is no dot then.
pub(super) fn host_end(url: &[u8], first: FirstChar<'_>) -> Option<usize> {
    let start = authority_start(url)?;
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
        let is_stop = character.is_some_and(|letter| STOPS.contains(&letter));
        let after = tail.get(length..)?;
        if is_stop || tail.is_empty() {
            let own = authority.get(label..at)?;
            if let Some(end) = change(own, first) {
                return Some(start + label + end);
            }
            // The full stop of a sentence that goes on in its own script.
            let next = next_character(after, first);
            if is_stop && own.is_ascii() && next.and_then(script).is_some_and(|own| own != LATIN) {
                return Some(start + at);
            }
        }
        if tail.is_empty() {
            return None;
        }
        let is_mark =
            character.is_some_and(|letter| !letter.is_ascii() && !is_stop && !is_in_host(letter));
        if is_mark && authority.get(host..at)?.contains(&b'.') && !has_label(after) {
            return Some(start + at);
        }
        at += length;
        if is_dot || is_stop {
            label = at;
        }
    }
}
