//! Month names as `ls` writes them, abbreviated, in the language of the server.
//!
//! ```text
//! month     = name [ "." / "," ] / 1*2digits sign
//! month-day = 1*2digits sign 1*2digits [ sign ]          "11月20日"
//! day       = 1*2digits [ "." / "," / sign ]
//! year      = 4digits [ "," / sign ]
//! sign      = 1*3octet                                   the first is not ASCII
//! ```
//!
//! A name may be in UTF-8 or in a national charset. There a non-ASCII letter is one octet, and the ASCII letters alone
//! identify the month. Only Cyrillic, which has no ASCII letters, is looked up in its three charsets.

use encoding_rs::{ISO_8859_5, KOI8_R, WINDOWS_1251};

use crate::protocol::octets::{number, split_before};

/// Month names that are not English, in lower case: German, French, Spanish, Italian, Dutch, Portuguese, Polish,
/// Russian, Swedish, Danish, Norwegian, Czech, Finnish, Hungarian. No name means different months in two languages.
const NAMES: [&str; 12] = [
    "janv januar ene gen sty янв led tammi jän jan",
    "févr fév fevr febr fev lut фев úno helmi feb",
    "mär märz mrz mars mrt marzo мар мрт bře maalis maali márc már mar",
    "avr avril abr april kwi апр dub huhti ápr apr",
    "mai mag mei maj май мая kvě touko máj may",
    "juin juni giu cze июн čer čen kesä jún jun",
    "juil jui juli lug lip июл čec čvc heinä júl jul",
    "août aoû aout ago sie авг srp elo aug",
    "sept set wrz сен zář syys szept sze sep",
    "okt out ott paź окт říj loka oct",
    "nov lis ноя marras marra",
    "déc dez dic des gru дек pro joulu dec",
];

/// The English names, three letters each.
const ENGLISH: &[u8] = b"janfebmaraprmayjunjulaugsepoctnovdec";

/// The most octets of the sign after the number of a month, a day or a year: of 月, 日, 年, 월, 일, 년 in UTF-8, two in the
/// national charsets, one where a server has lost an octet.
const SIGN_OCTETS: usize = 3;

/// Returns the number of a month, from 1.
pub(super) fn month(word: &[u8]) -> Option<u8> {
    if let [a, b, c] = word {
        let letters = [a | 0x20, b | 0x20, c | 0x20];
        let mut months = ENGLISH.chunks_exact(3).zip(1..);
        if let Some((_, number)) = months.find(|(name, _)| *name == letters) {
            return Some(number);
        }
    }
    if word.first()?.is_ascii_digit() {
        return match with_sign(word)? {
            (number, []) => Some(number),
            _ => None,
        };
    }
    let word = without_stops(word);
    let begins = word.first()?.to_ascii_lowercase();
    let could_be = |name: &str| match name.as_bytes().first() {
        Some(first) if first.is_ascii() => *first == begins,
        Some(_) | None => !begins.is_ascii(),
    };
    let mut months = NAMES.iter().zip(1..);
    let month = months.find(|(names, _)| {
        let mut names = names.split(' ');
        names.any(|name| could_be(name) && is(name, word))
    });
    month.map(|(_, number)| number)
}

/// Parses a month and a day in one word.
pub(super) fn with_day(word: &[u8]) -> Option<(u8, u8)> {
    let (month, rest) = with_sign(word)?;
    Some((month, day(rest)?))
}

/// Parses the day of a month; the calendar is checked later, when the year is determined.
pub(super) fn day(word: &[u8]) -> Option<u8> {
    let word = without_stops(word);
    if word.len() <= 2 && word.is_ascii() {
        return number(word);
    }
    match with_sign(word)? {
        (day, []) => Some(day),
        _ => None,
    }
}

/// Parses a year of four digits.
pub(super) fn year(word: &[u8]) -> Option<u16> {
    let (digits, sign) = word.split_at_checked(4)?;
    let is_sign =
        |sign: &[u8]| sign.len() <= SIGN_OCTETS && !sign.first().is_some_and(u8::is_ascii);
    if digits.iter().all(u8::is_ascii_digit) && (matches!(sign, b"" | b",") || is_sign(sign)) {
        return number(digits);
    }
    None
}

/// Removes the dots and commas after a name or a number.
fn without_stops(word: &[u8]) -> &[u8] {
    let stops = word.iter().rev().take_while(|octet| b".,".contains(octet));
    word.get(..word.len() - stops.count()).unwrap_or(word)
}

/// Parses a number of one or two digits followed by a sign; returns it with the rest.
fn with_sign(word: &[u8]) -> Option<(u8, &[u8])> {
    let (digits, rest) = split_before(word, |octet| !octet.is_ascii_digit());
    let (sign, rest) = split_before(rest, |octet| octet.is_ascii_digit());
    let is_sign = sign.len() <= SIGN_OCTETS && !sign.first()?.is_ascii();
    (digits.len() <= 2 && is_sign).then_some((number(digits)?, rest))
}

/// Returns true if a word is this name, in any possible charset.
fn is(name: &str, word: &[u8]) -> bool {
    if name.is_ascii() {
        return word.eq_ignore_ascii_case(name.as_bytes());
    }
    if let Ok(text) = std::str::from_utf8(word) {
        return text.chars().flat_map(char::to_lowercase).eq(name.chars());
    }
    if name.chars().count() != word.len() {
        return false;
    }
    if name.bytes().any(|octet| octet.is_ascii()) {
        let mut letters = name.chars().zip(word);
        return letters.all(|(letter, octet)| match u8::try_from(letter) {
            Ok(ascii) if ascii.is_ascii() => ascii.eq_ignore_ascii_case(octet),
            Ok(_) | Err(_) => !octet.is_ascii(),
        });
    }
    [WINDOWS_1251, ISO_8859_5, KOI8_R].iter().any(|charset| {
        let mut buffer = [0; 16];
        let mut decoder = charset.new_decoder_without_bom_handling();
        let (_, _, length, _) = decoder.decode_to_utf8(word, &mut buffer, true);
        let text = buffer
            .get(..length)
            .and_then(|text| std::str::from_utf8(text).ok());
        text.is_some_and(|text| text.chars().flat_map(char::to_lowercase).eq(name.chars()))
    })
}
