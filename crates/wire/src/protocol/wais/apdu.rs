//! Requests, the response to the initial request, and the encoding of both by tag, length and value.
//!
//! ```text
//! number = *( %x80-FF ) %x00-7F        ; seven bits per octet, the highest first; leading zeros are allowed
//! ```
//!
//! The tag numbers are those of servers (`zutil.h` of freeWAIS); the documents about WAIS contradict each other.

use super::RelevantDocument;

const INIT: u8 = 20;
const INIT_RESPONSE: u8 = 21;
const SEARCH: u8 = 22;

/// Tags of the variable part.
mod tag {
    pub(super) const REFERENCE: usize = 2;
    pub(super) const VERSION: usize = 3;
    pub(super) const OPTIONS: usize = 4;
    pub(super) const PREFERRED_SIZE: usize = 5;
    pub(super) const RECORD_SIZE: usize = 6;
    pub(super) const ID: usize = 8;
    pub(super) const NAME: usize = 9;
    pub(super) const CLIENT_VERSION: usize = 10;
    pub(super) const RESULT_SET: usize = 17;
    pub(super) const DATABASES: usize = 18;
    pub(super) const ELEMENTS: usize = 19;
    pub(super) const QUERY_TYPE: usize = 20;
    pub(super) const QUERY: usize = 21;
    pub(super) const ATTRIBUTES: usize = 44;
    pub(super) const TERM: usize = 45;
    pub(super) const OPERATOR: usize = 46;
    pub(super) const USER_INFORMATION: usize = 99;
    pub(super) const WORDS: usize = 106;
    pub(super) const DATE_FACTOR: usize = 111;
    pub(super) const MAX_DOCUMENTS: usize = 114;
    pub(super) const DOCUMENT: usize = 116;
    pub(super) const TYPE: usize = 133;
}

/// Returns an APDU: type, fixed part and TLVs, and the part after the counted length.
fn apdu(kind: u8, fixed_and_tlvs: &[u8], behind: &[u8]) -> Vec<u8> {
    let length = u16::try_from(fixed_and_tlvs.len() + 1).unwrap_or(u16::MAX);
    let mut apdu = length.to_be_bytes().to_vec();
    apdu.push(kind);
    apdu.extend_from_slice(fixed_and_tlvs);
    apdu.extend_from_slice(behind);
    apdu
}

/// Returns the initial request: this client only searches, and accepts messages of 32 KiB.
pub(super) fn init() -> Vec<u8> {
    let mut tlvs = Vec::new();
    any(&mut tlvs, tag::VERSION, b"\x80");
    any(&mut tlvs, tag::OPTIONS, b"\x80");
    num(&mut tlvs, tag::PREFERRED_SIZE, 0x8000);
    num(&mut tlvs, tag::RECORD_SIZE, 0x8000);
    any(&mut tlvs, tag::ID, b"ID");
    any(&mut tlvs, tag::NAME, b"name");
    any(&mut tlvs, tag::CLIENT_VERSION, b"1");
    // No user information: old servers fail on it.
    apdu(INIT, &tlvs, b"")
}

/// Returns true if a response to [`init`] accepts the session; `None` if it is no such response.
pub(super) fn is_accepted(apdu: &[u8]) -> Option<bool> {
    match apdu {
        [_, _, INIT_RESPONSE, result, ..] => Some(*result != 0),
        _ => None,
    }
}

/// Returns a search by relevance (a query of type 3), with a document to which others are to be similar.
pub(super) fn search(
    database: &[u8],
    words: &[u8],
    relevant: Option<&RelevantDocument>,
    max: u16,
) -> Vec<u8> {
    // The limits of small, large and medium sets, and the flag to replace an older set with this name.
    let mut tlvs = b"\0\0\x1e\0\x13\x88\0\0\x1e\x01".to_vec();
    any(&mut tlvs, tag::RESULT_SET, b"");
    any(&mut tlvs, tag::DATABASES, database);
    any(&mut tlvs, tag::QUERY_TYPE, b"3");
    let mut information = Vec::new();
    any(&mut information, tag::WORDS, words);
    if let Some(document) = relevant {
        any(&mut information, tag::DOCUMENT, &document.id);
        any(&mut information, tag::TYPE, &document.wtype);
    }
    num(&mut information, tag::DATE_FACTOR, 1);
    num(&mut information, tag::MAX_DOCUMENTS, u32::from(max));
    let mut behind = Vec::new();
    any(&mut behind, tag::USER_INFORMATION, &information);
    apdu(SEARCH, &tlvs, &behind)
}

/// Returns a request for octets of a document (a query of type 1: terms followed by operators). The end is exclusive.
/// RFC 1625 prints the attribute of the start for the end too, which no server accepts.
pub(super) fn retrieve(
    database: &[u8],
    wtype: &[u8],
    id: &[u8],
    (start, end): (u64, u64),
) -> Vec<u8> {
    let mut tlvs = b"\0\0\x0a\0\0\x10\0\0\x0f\x01".to_vec();
    any(&mut tlvs, tag::RESULT_SET, b"FOO");
    any(&mut tlvs, tag::DATABASES, database);
    any(&mut tlvs, tag::QUERY_TYPE, b"1");
    any(&mut tlvs, tag::ELEMENTS, b" \x1fDocument Text");
    any(&mut tlvs, tag::REFERENCE, b"3");
    let mut terms = Vec::new();
    let mut term = |attributes: &[u8], value: &[u8], joined: bool| {
        any(&mut terms, tag::ATTRIBUTES, attributes);
        any(&mut terms, tag::TERM, value);
        if joined {
            any(&mut terms, tag::OPERATOR, b"a");
        }
    };
    term(b"un re ig ig ig ig", id, false);
    term(b"wt re ig ig ig ig", wtype, true);
    term(b"wb ro ig ig ig ig", start.to_string().as_bytes(), true);
    term(b"wb rl ig ig ig ig", end.to_string().as_bytes(), true);
    let mut behind = Vec::new();
    any(&mut behind, tag::QUERY, &terms);
    apdu(SEARCH, &tlvs, &behind)
}

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

/// An iterator over the tags of a list, each with its octets. Truncated data ends it. A diagnostic is no TLV: its size
/// has two octets, and one octet follows it.
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
    fn they_are_the_octets_that_a_server_took() {
        let hex = |octets: Vec<u8>| {
            octets
                .iter()
                .map(|octet| format!("{octet:02x}"))
                .collect::<Vec<_>>()
                .concat()
        };
        assert_eq!(
            hex(init()),
            "001c14030180040180050280000602800008024944\
             09046e616d650a0131"
        );
        assert_eq!(
            hex(search(b"testdb", b"volts gopher", None, 40)),
            "00181600001e00138800001e0111001206746573746462140133\
             63146a0c766f6c747320676f706865726f0101720128"
        );
    }

    #[test]
    fn an_answer_says_yes_or_no() {
        assert_eq!(is_accepted(b"\0\x02\x15\x01"), Some(true));
        assert_eq!(is_accepted(b"\0\x02\x15\x00"), Some(false));
        assert_eq!(is_accepted(b"\0\x02\x17\x01"), None);
        assert_eq!(is_accepted(b""), None);
    }

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
