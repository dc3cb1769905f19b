//! Requests, and the response to the initial request.
//!
//! The tag numbers are those of servers (`zutil.h` of freeWAIS); the documents about WAIS contradict each other.

use super::RelevantDocument;
use super::tlv::{any, num};

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

/// Returns a request for octets of a document (a query of type 1: terms followed by operators). The end is exclusive. RFC
/// 1625 prints the attribute of the start for the end too, which no server accepts.
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
}
