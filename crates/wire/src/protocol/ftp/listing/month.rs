//! Month names as `ls` writes them, abbreviated, in the language of the server.
//!
//! ```text
//! month     = name [ "." / "," ] / 1*2digits month-sign
//! month-day = 1*2digits month-sign 1*2digits [ day-sign ]          "11月20日"
//! day       = 1*2digits [ "." / "," / day-sign ]
//! ```
//!
//! A name may be in UTF-8 or in a national charset. There a non-ASCII letter is one octet, and the ASCII letters alone
//! identify the month. Only Cyrillic, which has no ASCII letters, is looked up in its three charsets.

use encoding_rs::{ISO_8859_5, KOI8_R, WINDOWS_1251};

use crate::protocol::octets::{number, split_before};

/// Month names that are not English, in lower case: German, French, Spanish, Italian, Dutch, Portuguese, Polish, Russian,
/// Swedish, Danish, Norwegian, Czech, Finnish, Hungarian. No name means different months in two languages.
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

/// The signs after the number of a month, and after that of a day: in UTF-8 (Chinese and Japanese, Korean), EUC-JP,
/// Shift JIS, GB 2312, Big5, EUC-KR.
const MONTH_SIGNS: [&[u8]; 7] = [
    "月".as_bytes(),
    "월".as_bytes(),
    b"\xb7\xee",
    b"\x8c\x8e",
    b"\xd4\xc2",
    b"\xa4\xeb",
    b"\xbf\xf9",
];
const DAY_SIGNS: [&[u8]; 7] = [
    "日".as_bytes(),
    "일".as_bytes(),
    b"\xc6\xfc",
    b"\x93\xfa",
    b"\xc8\xd5",
    b"\xa4\xe9",
    b"\xc0\xcf",
];

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
        return match with_sign(word, &MONTH_SIGNS)? {
            (number, []) => Some(number),
            _ => None,
        };
    }
    let word = word
        .strip_suffix(b".")
        .or_else(|| word.strip_suffix(b","))
        .unwrap_or(word);
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
    let (month, rest) = with_sign(word, &MONTH_SIGNS)?;
    Some((month, day(rest)?))
}

/// Parses the day of a month; the calendar is checked later, when the year is determined.
pub(super) fn day(word: &[u8]) -> Option<u8> {
    match word {
        [digits @ .., b'.' | b','] if digits.len() <= 2 => number(digits),
        word if word.len() <= 2 => number(word),
        word => match with_sign(word, &DAY_SIGNS)? {
            (day, []) => Some(day),
            _ => None,
        },
    }
}

/// Parses a number followed by one of these signs; returns it with the rest.
fn with_sign<'a>(word: &'a [u8], signs: &[&[u8]]) -> Option<(u8, &'a [u8])> {
    let (digits, rest) = split_before(word, |octet| !octet.is_ascii_digit());
    let rest = signs.iter().find_map(|sign| rest.strip_prefix(*sign))?;
    (digits.len() <= 2).then_some((number(digits)?, rest))
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
