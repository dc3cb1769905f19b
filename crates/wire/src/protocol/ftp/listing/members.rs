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

use super::entry::{Entry, Kind, Line};
use super::words::Words;
use super::{Date, Time, date};

/// Parses a line of a list of members.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    let words = Words::of(line, 6);
    if words.word(0) == Some(b"Name") && matches!(words.word(1), Some(b"VV.MM" | b"Size")) {
        return Some(Line::Metadata);
    }
    let name = words.word(0)?;
    let is_letter =
        |octet: &u8| octet.is_ascii_uppercase() || octet.is_ascii_digit() || b"@#$".contains(octet);
    let is_name = name.len() <= 8 && name.iter().all(is_letter) && !name.first()?.is_ascii_digit();
    let mut entry = Entry::new(name, Kind::File);
    match words.word(1) {
        None if is_name => {}
        None => return None,
        Some([v1, v2, b'.', m1, m2]) if is_name => {
            let day = date::iso_day(words.word(3)?)?;
            let time = Time::parse(words.word(4)?)?;
            if ![v1, v2, m1, m2].iter().all(|octet| octet.is_ascii_digit()) {
                return None;
            }
            entry.date = Some(Date::new(day, Some(time)));
        }
        Some(length) => {
            let (length, _) = (hexadecimal(length)?, hexadecimal(words.word(2)?)?);
            entry.size = Some(length);
        }
    }
    entry.line()
}

/// Parses a number of six hexadecimal digits.
fn hexadecimal(digits: &[u8]) -> Option<u64> {
    let all = digits.len() == 6 && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| all)?;
    u64::from_str_radix(text, 16).ok()
}
