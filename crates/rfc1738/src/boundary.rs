//! The end of a bare URL in running text.
//!
//! ASCII that no URL holds ends it, and so do white space, quotation marks, brackets and commas of any script. A dash
//! or an apostrophe outside ASCII ends it if no more of a word follows. Every other character outside ASCII belongs
//! to it, because a shorter URL would lead to another host or another resource.

/// A function that decodes the first character of octets that are not UTF-8, with its length in octets; `None` if no
/// charset is set.
///
/// ```
/// let latin1: rfc1738::boundary::FirstChar = &|octets| Some((char::from(*octets.first()?), 1));
/// assert_eq!(latin1(b"\xE9t\xE9"), Some(('é', 1)));
/// ```
pub type FirstChar<'a> = &'a dyn Fn(&[u8]) -> Option<(char, usize)>;

/// The effect of a character outside ASCII on the URL before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boundary {
    /// The character ends the URL.
    Ends,
    /// The character ends the URL if the word ends too.
    Trails,
    /// The character belongs to the URL.
    GoesOn,
}

/// The longest text that is searched for an authority, in octets.
pub(super) const MAX_AUTHORITY_BYTES: usize = 1024;

/// The length in octets of the URL-like word at the start of `text`, including ASCII punctuation at its end.
pub(super) fn word_length(text: &[u8], first: FirstChar<'_>) -> usize {
    let mut at = 0;
    loop {
        let tail = text.get(at..).unwrap_or_default();
        let run = tail.iter().take_while(|octet| !ends_a_url(**octet)).count();
        at += run;
        let tail = tail.get(run..).unwrap_or_default();
        if begins_with_ascii(tail) {
            return at;
        }
        let in_authority = is_authority(text.get(..at).unwrap_or_default());
        at += match boundary(tail, in_authority, first) {
            (Boundary::Ends, _) => return at,
            (Boundary::GoesOn, length) => length,
            (Boundary::Trails, _) => match trailing(tail, in_authority, first) {
                None => return at,
                Some(length) => length,
            },
        };
    }
}

/// Returns true if a word may begin after `before`: it ends with ASCII, or with a character that is never part of a
/// word.
///
/// ```
/// use rfc1738::boundary::is_word_start;
///
/// assert!(is_word_start("«".as_bytes(), &|_| None));
/// assert!(!is_word_start("é".as_bytes(), &|_| None));
/// ```
pub fn is_word_start(before: &[u8], first: FirstChar<'_>) -> bool {
    if before.last().is_none_or(u8::is_ascii) {
        return true;
    }
    // The longest ending that is a single character.
    let longest = before.len().saturating_sub(4);
    let mut ends = (longest..before.len()).filter_map(|at| before.get(at..));
    ends.find_map(|end| match character(end, first) {
        (character, length) if length == end.len() => Some(character),
        _ => None,
    })
    .flatten()
    .is_some_and(|character| kind(character, false) == Boundary::Ends)
}

/// Returns true if a word may end before `after`.
///
/// ```
/// use rfc1738::boundary::is_word_end;
///
/// assert!(is_word_end("», he said".as_bytes(), &|_| None));
/// assert!(!is_word_end("été".as_bytes(), &|_| None));
/// ```
pub fn is_word_end(after: &[u8], first: FirstChar<'_>) -> bool {
    begins_with_ascii(after)
        || match boundary(after, false, first) {
            (Boundary::Ends, _) => true,
            (Boundary::GoesOn, _) => false,
            (Boundary::Trails, _) => trailing(after, false, first).is_none(),
        }
}

/// Returns true if the text is empty or begins with ASCII.
fn begins_with_ascii(text: &[u8]) -> bool {
    text.first().is_none_or(u8::is_ascii)
}

/// Returns true if the start of a URL has an authority and no path yet.
fn is_authority(url: &[u8]) -> bool {
    if url.len() > MAX_AUTHORITY_BYTES {
        return false;
    }
    let mut parts = url.splitn(4, |octet| *octet == b'/');
    let is_scheme = parts.next().is_some_and(|scheme| scheme.ends_with(b":"));
    is_scheme && parts.next() == Some(b"") && parts.next().is_some() && parts.next().is_none()
}

/// The length of the run of trailing characters at the start of `text`, if the word continues after them.
fn trailing(text: &[u8], in_authority: bool, first: FirstChar<'_>) -> Option<usize> {
    let mut at = 0;
    loop {
        let tail = text.get(at..).unwrap_or_default();
        match tail.first()? {
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b')' | b']' => at += 1,
            octet if octet.is_ascii() => return (!ends_a_url(*octet)).then_some(at),
            _ => match boundary(tail, in_authority, first) {
                (Boundary::Ends, _) => return None,
                (Boundary::GoesOn, _) => return Some(at),
                (Boundary::Trails, length) => at += length,
            },
        }
    }
}

/// The effect of the first character of `text`, and its length in octets.
fn boundary(text: &[u8], in_authority: bool, first: FirstChar<'_>) -> (Boundary, usize) {
    let (character, length) = character(text, first);
    let boundary = character.map_or(Boundary::GoesOn, |character| kind(character, in_authority));
    (boundary, length)
}

/// The first character and its length in octets. The length is 1 if the character cannot be decoded.
pub(super) fn character(text: &[u8], first: FirstChar<'_>) -> (Option<char>, usize) {
    let start = text.get(..4).unwrap_or(text);
    let valid = start.utf8_chunks().next().map(|chunk| chunk.valid());
    match valid.and_then(|valid| valid.chars().next()) {
        Some(character) => (Some(character), character.len_utf8()),
        None => first(text).map_or((None, 1), |(character, length)| (Some(character), length)),
    }
}

fn kind(character: char, in_authority: bool) -> Boundary {
    match character {
        // Other programs read the first three as the dots of a host. The last two look like the colon before a port
        // and like a question mark.
        '\u{3002}' | '\u{ff0e}' | '\u{ff61}' | '\u{ff1a}' | '\u{ff1f}' if in_authority => {
            Boundary::Trails
        }
        // Hyphens and dashes, the apostrophe, daggers, the middle dots, primes, and characters of no width.
        '\u{2010}'..='\u{2015}'
        | '\u{2019}'
        | '\u{2020}'..='\u{2021}'
        | '\u{2027}'
        | '\u{2032}'..='\u{2033}'
        | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
        | '\u{b7}' | '\u{30fb}' | '\u{ff65}'
        // Full-width forms of characters that a URL has inside, and the wave dash.
        | '\u{301c}' | '\u{ff03}'..='\u{ff06}' | '\u{ff0a}'..='\u{ff0b}' | '\u{ff0d}' | '\u{ff0f}' | '\u{ff1d}'
        | '\u{ff20}' | '\u{ff3f}' | '\u{ff5e}' => Boundary::Trails,
        character if character.is_whitespace() || is_punctuation(character) => Boundary::Ends,
        _ => Boundary::GoesOn,
    }
}

/// Returns true for a character outside ASCII that the name of a host may contain: a letter, a digit or a mark of any
/// script, or what joins them. No punctuation, white space, symbol, or character that is not seen.
pub(super) fn is_in_host(character: char) -> bool {
    let is_other = matches!(
        character,
        '\0'..='\u{bf}' | '\u{d7}' | '\u{f7}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200b}' | '\u{200e}'..='\u{2bff}' | '\u{2e00}'..='\u{2e7f}'
            | '\u{2ff0}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe1f}' | '\u{fe30}'..='\u{fe6f}' | '\u{feff}'
            | '\u{ff00}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}'
            | '\u{ffa0}' | '\u{ffe0}'..='\u{ffff}' | '\u{1d000}'..='\u{1d3ff}' | '\u{1f000}'..='\u{1faff}'
            | '\u{e0000}'..
    );
    !is_other && kind(character, true) == Boundary::GoesOn
}

/// Returns true for quotation marks, brackets, commas, full stops, and characters used to frame text.
fn is_punctuation(character: char) -> bool {
    matches!(
        character,
        // Latin: guillemets, inverted marks, quotation marks, the bullet, ellipses, double exclamation marks and
        // similar.
        '\u{a1}' | '\u{ab}' | '\u{bb}' | '\u{bf}'
        | '\u{2018}' | '\u{201a}'..='\u{201f}' | '\u{2022}' | '\u{2025}'..='\u{2026}'
        | '\u{2039}'..='\u{203d}' | '\u{2047}'..='\u{2049}' | '\u{22ef}'
        // Armenian, Hebrew, Arabic, Devanagari, Ethiopic, Khmer.
        | '\u{589}' | '\u{5be}' | '\u{5c3}' | '\u{60c}' | '\u{61b}' | '\u{61f}' | '\u{6d4}'
        | '\u{964}'..='\u{965}' | '\u{1361}'..='\u{1368}' | '\u{17d4}'..='\u{17d6}'
        // CJK, with its vertical, small, full-width and half-width forms.
        | '\u{3001}'..='\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301b}' | '\u{301d}'..='\u{301f}'
        | '\u{fe10}'..='\u{fe19}' | '\u{fe35}'..='\u{fe44}' | '\u{fe50}'..='\u{fe52}' | '\u{fe54}'..='\u{fe5e}'
        | '\u{ff01}'..='\u{ff02}' | '\u{ff07}' | '\u{ff1c}' | '\u{ff1e}'
        | '\u{ff3c}' | '\u{ff3e}' | '\u{ff40}' | '\u{ff5c}'
        | '\u{ff08}'..='\u{ff09}' | '\u{ff0c}' | '\u{ff0e}' | '\u{ff1a}'..='\u{ff1b}' | '\u{ff1f}'
        | '\u{ff3b}' | '\u{ff3d}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff64}' | '\u{ffe8}'
        // Box drawing and block characters, which frame text.
        | '\u{2500}'..='\u{259f}'
    )
}

/// Returns true if no URL may hold this octet, so that it ends the URL.
pub(super) fn ends_a_url(octet: u8) -> bool {
    octet <= b' '
        || octet >= 0x7F
        || matches!(
            octet,
            b'<' | b'>' | b'"' | b'`' | b'{' | b'}' | b'|' | b'\\' | b'^'
        )
}
