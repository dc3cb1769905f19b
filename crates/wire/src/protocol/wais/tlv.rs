//! Tag-length-value encoding.
//!
//! ```text
//! number = *( %x80-FF ) %x00-7F        ; seven bits per octet, the highest first; leading zeros are allowed
//! ```

/// Appends a number in base 128.
pub(super) fn number(out: &mut Vec<u8>, value: usize) {
    let digits = (usize::BITS - value.leading_zeros()).div_ceil(7).max(1);
    for digit in (0..digits).rev() {
        let bits = u8::try_from(value >> (digit * 7) & 0x7F).unwrap_or(0);
        out.push(bits | if digit > 0 { 0x80 } else { 0 });
    }
}

/// Appends a tag, a size and octets.
pub fn any(out: &mut Vec<u8>, tag: usize, octets: &[u8]) {
    number(out, tag);
    number(out, octets.len());
    out.extend_from_slice(octets);
}

/// Appends a tag, a size and a number, its highest octet first.
pub fn num(out: &mut Vec<u8>, tag: usize, value: u32) {
    let octets = value.to_be_bytes();
    let zeros = octets
        .iter()
        .take(3)
        .take_while(|octet| **octet == 0)
        .count();
    any(out, tag, octets.get(zeros..).unwrap_or_default());
}

/// Returns the value of a binary number, modulo 64 bits.
pub(super) fn value(octets: &[u8]) -> u64 {
    octets
        .iter()
        .fold(0, |value, octet| value << 8 | u64::from(*octet))
}

/// Takes a number in base 128 off the front; `None` if it is truncated or too large.
pub(super) fn take_number(rest: &mut &[u8]) -> Option<usize> {
    let mut value: usize = 0;
    loop {
        let (&octet, after) = rest.split_first()?;
        *rest = after;
        value = value
            .checked_mul(128)?
            .checked_add(usize::from(octet & 0x7F))?;
        if octet & 0x80 == 0 {
            return Some(value);
        }
    }
}

/// Takes `count` octets off the front.
pub(super) fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(taken)
}

/// An iterator over the tags of a list, each with its octets. Truncated data ends it. A diagnostic is no TLV: its size has
/// two octets, and one octet follows it.
pub struct Tags<'a>(pub &'a [u8]);

/// The tag of a diagnostic.
pub(super) const DIAGNOSTIC: usize = 28;

impl<'a> Iterator for Tags<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &mut self.0;
        let tag = take_number(rest)?;
        if tag == DIAGNOSTIC {
            let size = take(rest, 2)?;
            let octets = take(rest, usize::try_from(value(size)).ok()?)?;
            *rest = rest.strip_prefix(b"\x1d").unwrap_or(rest);
            return Some((tag, octets));
        }
        let size = take_number(rest)?;
        Some((tag, take(rest, size)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_seven_bits_an_octet() {
        for (value, octets) in [
            (0, b"\0".as_slice()),
            (127, b"\x7f"),
            (133, b"\x81\x05"),
            (150, b"\x81\x16"),
            (16_384, b"\x81\x80\0"),
        ] {
            let mut out = Vec::new();
            number(&mut out, value);
            assert_eq!(out, octets);
            assert_eq!(take_number(&mut &*out), Some(value));
        }
        assert_eq!(take_number(&mut b"\x80\x80\x05".as_slice()), Some(5));
        assert_eq!(take_number(&mut b"\x80\x80".as_slice()), None);
        assert_eq!(take_number(&mut [0xFF; 40].as_slice()), None);
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read(tag in 29_usize..1000, octets: Vec<u8>, value: u32) {
            let mut out = Vec::new();
            any(&mut out, tag, &octets);
            num(&mut out, 114, value);
            let read: Vec<_> = Tags(&out).collect();
            proptest::prop_assert_eq!(read.first().copied(), Some((tag, octets.as_slice())));
            proptest::prop_assert_eq!(read.get(1).map(|(_, octets)| super::value(octets)), Some(u64::from(value)));
        }

        #[test]
        fn any_octets_come_to_an_end(octets: Vec<u8>) {
            proptest::prop_assert!(Tags(&octets).count() <= octets.len());
        }
    }
}
