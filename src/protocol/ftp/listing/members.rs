//! Members of a partitioned data set of MVS (z/OS).
//!
//! ```text
//! heading = *SP "Name" 1*SP ( "VV.MM" / "Size" ) *octet
//! entry   = *SP name [ 1*SP statistics / 1*SP module ]
//! statistics = version "." level SP created SP changed SP time SP lines SP init SP mod SP user
//! module  = 6hex SP 6hex *octet            its length in octets, its position
//! name    = 1*8( letter / digit / "@" / "#" / "$" )
//! ```
//!
//! A name alone is a member without statistics; it is no evidence when the format is guessed.

use super::words::Words;
use super::{Date, Entry, Kind, Line, Time, date, entry};

/// Parses a line of a list of members.
pub(super) fn line(line: &[u8]) -> Line<'_> {
    let words = Words::of(line, 6);
    if is_heading(&words) {
        return Line::Metadata;
    }
    parse(&words).map_or(Line::Unrecognized, entry)
}

/// Returns true if a line is evidence for this format.
pub(super) fn is_sure(line: &[u8]) -> bool {
    let words = Words::of(line, 6);
    is_heading(&words)
        || parse(&words).is_some_and(|entry| entry.date.is_some() || entry.size.is_some())
}

fn is_heading(words: &Words<'_>) -> bool {
    words.word(0) == Some(b"Name") && matches!(words.word(1), Some(b"VV.MM" | b"Size"))
}

fn parse<'a>(words: &Words<'a>) -> Option<Entry<'a>> {
    let name = words.word(0)?;
    let is_letter =
        |octet: &u8| octet.is_ascii_uppercase() || octet.is_ascii_digit() || b"@#$".contains(octet);
    if name.len() > 8 || !name.iter().all(is_letter) || name.first()?.is_ascii_digit() {
        return None;
    }
    let new_entry = |size, date| Entry {
        name,
        kind: Kind::File,
        size,
        date,
    };
    let Some(second) = words.word(1) else {
        return Some(new_entry(None, None));
    };
    if let [v1, v2, b'.', m1, m2] = second {
        let day = date::iso_day(words.word(3)?)?;
        let time = Time::parse(words.word(4)?)?;
        let version = [v1, v2, m1, m2].iter().all(|octet| octet.is_ascii_digit());
        return version.then(|| new_entry(None, Some(Date::new(day, Some(time)))));
    }
    let (length, _) = (hexadecimal(second)?, hexadecimal(words.word(2)?)?);
    Some(new_entry(Some(length), None))
}

/// Parses a number of six hexadecimal digits.
fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let all = digits.len() == 6 && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| all)?;
    u64::from_str_radix(text, 16).ok()
}
