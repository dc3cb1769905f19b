//! Functions on octets that several parsers need.

use std::str::FromStr;

/// Parses a number or another value of ASCII text, as [`str::parse`] does.
pub fn parse<T: FromStr>(octets: &[u8]) -> Option<T> {
    std::str::from_utf8(octets).ok()?.parse().ok()
}

/// Parses a number of digits only; `None` if it is not one or too large.
pub fn number<N: TryFrom<u64>>(digits: &[u8]) -> Option<N> {
    if digits.is_empty() {
        return None;
    }
    let value = digits.iter().try_fold(0_u64, |value, octet| {
        let digit = octet.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })?;
    N::try_from(value).ok()
}

/// Splits at the first `separator`, which is in neither part.
pub fn split_once(octets: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(separator, octets)?;
    let (before, after) = octets.split_at_checked(at)?;
    Some((before, after.get(1..)?))
}

/// Splits before the first octet for which `is` returns true; the second part is empty if there is none.
pub(crate) fn split_before(octets: &[u8], is: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let at = octets.iter().position(|&octet| is(octet));
    at.and_then(|at| octets.split_at_checked(at))
        .unwrap_or((octets, b""))
}

/// Splits into lines without line ends, which are CR LF or LF. After a final line end there is an empty line.
pub fn lines(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    octets
        .split(|&octet| octet == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// Splits at white space.
pub fn words(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    octets
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}
