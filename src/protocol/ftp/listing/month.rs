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

use super::small;

/// Month names that are not English, in lower case: German, French, Spanish, Italian, Dutch, Portuguese, Polish, Russian,
/// Swedish, Danish, Norwegian, Czech, Finnish, Hungarian. No name means different months in two languages.
const NAMES: [&[&str]; 12] = [
    &[
        "janv", "januar", "ene", "gen", "sty", "янв", "led", "tammi", "jän", "jan",
    ],
    &[
        "févr", "fév", "fevr", "febr", "fev", "lut", "фев", "úno", "helmi", "feb",
    ],
    &[
        "mär", "märz", "mrz", "mars", "mrt", "marzo", "мар", "мрт", "bře", "maalis", "maali",
        "márc", "már", "mar",
    ],
    &[
        "avr", "avril", "abr", "april", "kwi", "апр", "dub", "huhti", "ápr", "apr",
    ],
    &[
        "mai", "mag", "mei", "maj", "май", "мая", "kvě", "touko", "máj", "may",
    ],
    &[
        "juin", "juni", "giu", "cze", "июн", "čer", "čen", "kesä", "jún", "jun",
    ],
    &[
        "juil", "jui", "juli", "lug", "lip", "июл", "čec", "čvc", "heinä", "júl", "jul",
    ],
    &[
        "août", "aoû", "aout", "ago", "sie", "авг", "srp", "elo", "aug",
    ],
    &[
        "sept", "set", "wrz", "сен", "zář", "syys", "szept", "sze", "sep",
    ],
    &["okt", "out", "ott", "paź", "окт", "říj", "loka", "oct"],
    &["nov", "lis", "ноя", "marras", "marra"],
    &[
        "déc", "dez", "dic", "des", "gru", "дек", "pro", "joulu", "dec",
    ],
];

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

/// The lower-case letters of KOI8-R, from 0xC0 on; the upper-case letters follow in the same order.
const KOI8_R: &str = "юабцдефгхийклмнопярстужвьызшэщчъ";

/// Returns the number of a month, from 1.
pub(super) fn month(word: &[u8]) -> Option<u8> {
    if let [a, b, c] = word
        && let Some(number) = english([a | 0x20, b | 0x20, c | 0x20])
    {
        return Some(number);
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
        let mut names = names.iter();
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
        [digits @ .., b'.' | b','] if digits.len() <= 2 => small(digits),
        word if word.len() <= 2 => small(word),
        word => match with_sign(word, &DAY_SIGNS)? {
            (day, []) => Some(day),
            _ => None,
        },
    }
}

fn english(letters: [u8; 3]) -> Option<u8> {
    let number = match &letters {
        b"jan" => 1,
        b"feb" => 2,
        b"mar" => 3,
        b"apr" => 4,
        b"may" => 5,
        b"jun" => 6,
        b"jul" => 7,
        b"aug" => 8,
        b"sep" => 9,
        b"oct" => 10,
        b"nov" => 11,
        b"dec" => 12,
        _ => return None,
    };
    Some(number)
}

/// Parses a number followed by one of these signs; returns it with the rest.
fn with_sign<'a>(word: &'a [u8], signs: &[&[u8]]) -> Option<(u8, &'a [u8])> {
    let digits = word.iter().take_while(|octet| octet.is_ascii_digit());
    let (number, rest) = word.split_at_checked(digits.count())?;
    let rest = signs.iter().find_map(|sign| rest.strip_prefix(*sign))?;
    (number.len() <= 2).then_some((small(number)?, rest))
}

/// Returns true if a word is this name, in any possible charset.
fn is(name: &str, word: &[u8]) -> bool {
    if name.is_ascii() {
        return word.eq_ignore_ascii_case(name.as_bytes());
    }
    if let Ok(text) = std::str::from_utf8(word) {
        return text.chars().flat_map(char::to_lowercase).eq(name.chars());
    }
    let letters = name.chars().count() == word.len();
    let letters = letters.then(|| name.chars().zip(word.iter().copied()));
    letters.is_some_and(|mut letters| {
        if name.bytes().any(|octet| octet.is_ascii()) {
            letters.all(|(letter, octet)| match u8::try_from(letter) {
                Ok(ascii) if ascii.is_ascii() => ascii.eq_ignore_ascii_case(&octet),
                Ok(_) | Err(_) => !octet.is_ascii(),
            })
        } else {
            let codes = [windows_1251, iso_8859_5, koi8_r];
            codes.iter().any(|code| {
                letters
                    .clone()
                    .all(|(letter, octet)| code(letter).contains(&Some(octet)))
            })
        }
    })
}

/// Returns the octets of a Cyrillic letter in lower and upper case.
fn windows_1251(letter: char) -> [Option<u8>; 2] {
    let index = alphabet_index(letter);
    [index.map(|at| 0xe0 + at), index.map(|at| 0xc0 + at)]
}

fn iso_8859_5(letter: char) -> [Option<u8>; 2] {
    let index = alphabet_index(letter);
    [index.map(|at| 0xd0 + at), index.map(|at| 0xb0 + at)]
}

fn koi8_r(letter: char) -> [Option<u8>; 2] {
    let index = KOI8_R.chars().zip(0..32).find(|(koi, _)| *koi == letter);
    let index = index.map(|(_, at)| at);
    [index.map(|at: u8| 0xc0 + at), index.map(|at| 0xe0 + at)]
}

/// Returns the index of a lower-case letter in the Russian alphabet, from 0 to 31.
fn alphabet_index(letter: char) -> Option<u8> {
    let index = u32::from(letter).checked_sub(u32::from('а'))?;
    u8::try_from(index).ok().filter(|index| *index < 32)
}
