//! Responses to a search or to a request for a document.
//!
//! ```text
//! response = length %d23 status(1) count(3) returned(3) next(3) *tlv [ %d99 size *record ]
//! ```
//!
//! The status is ignored: servers send 1 for a successful search, and 0 for a successful document.

use super::apdu::{DIAGNOSTIC, Tags, take, value};

const SEARCH_RESPONSE: u8 = 23;

/// The octets of a response before its TLVs, without the length.
const FIXED: usize = 11;

const USER_INFORMATION: usize = 99;
const DOCUMENT: usize = 116;
const SCORE: usize = 118;
const OCTETS: usize = 120;
const DATE: usize = 122;
const HEADLINE: usize = 123;
const CITY: usize = 124;
const TEXT: usize = 127;
const LINES: usize = 131;
const TYPES: usize = 132;
const TYPE: usize = 133;

/// The records of hits: full, short, with headlines, and with codes.
const HITS: [usize; 5] = [150, 151, 152, 154, 155];
const TEXT_RECORD: usize = 153;

/// The response to a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResponse {
    /// The documents, in the order of the server.
    pub hits: Vec<Hit>,
    /// The messages of the server.
    pub diagnostics: Vec<Diagnostic>,
}

/// A document in the response to a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// The document-id: octets that have a meaning only on its server.
    pub id: Vec<u8>,
    /// The relevance, from 0 to 1000.
    pub score: u64,
    /// The number of octets, if the server tells it.
    pub octets: Option<u64>,
    /// The number of lines, if the server tells it.
    pub lines: Option<u64>,
    /// The available types, the best first.
    pub types: Vec<Vec<u8>>,
    /// The title.
    pub headline: Vec<u8>,
    /// The date, as the server writes it.
    pub date: Vec<u8>,
    /// The city of origin.
    pub city: Vec<u8>,
}

/// A message of the server: a code of two letters, and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code, such as `S1`.
    pub code: [u8; 2],
    /// The text.
    pub text: Vec<u8>,
}

impl Diagnostic {
    /// Returns true if the requested range is after the end of the document.
    pub fn is_end(&self) -> bool {
        &self.code == b"SF"
    }

    /// Returns the meaning of the code, if it is one of RFC 1625.
    pub fn meaning(&self) -> Option<&'static str> {
        Some(match &self.code {
            b"S1" => "not possible",
            b"S2" | b"T2" => "not possible now",
            b"S3" => "it does not support this search",
            b"S5" => "all words are too common to be searched",
            b"SB" => "there is no such record",
            b"SD" => "there are too many",
            b"SF" => "there are fewer results",
            b"SG" => "it cannot be shown in this form",
            b"SH" => "access denied",
            _ => return None,
        })
    }
}

/// A part of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentPart {
    /// The octets; empty at the end, and if the document does not exist.
    pub octets: Vec<u8>,
    /// The messages of the server.
    pub diagnostics: Vec<Diagnostic>,
}

/// Returns the records of a response; `None` if it is no search response.
fn records(apdu: &[u8]) -> Option<&[u8]> {
    let mut rest = apdu;
    let length = take(&mut rest, 2)?;
    let mut header = take(&mut rest, usize::try_from(value(length)).ok()?)?;
    let fixed = take(&mut header, FIXED)?;
    if fixed.first() != Some(&SEARCH_RESPONSE) {
        return None;
    }
    let behind = Tags(rest).find(|(tag, _)| *tag == USER_INFORMATION);
    // Some servers count the part after the TLVs as one of them.
    let within = || Tags(header).find(|(tag, _)| *tag == USER_INFORMATION);
    Some(behind.or_else(within).map_or(b"", |(_, records)| records))
}

pub(super) fn search_response(apdu: &[u8]) -> Option<SearchResponse> {
    let mut response = SearchResponse::default();
    for (tag, octets) in Tags(records(apdu)?) {
        if HITS.contains(&tag) {
            response.hits.push(hit(octets));
        } else if tag == DIAGNOSTIC {
            response.diagnostics.extend(diagnostic(octets));
        }
    }
    Some(response)
}

pub(super) fn document_part(apdu: &[u8]) -> Option<DocumentPart> {
    let mut part = DocumentPart::default();
    for (tag, octets) in Tags(records(apdu)?) {
        if tag == TEXT_RECORD {
            let text = Tags(octets).find(|(tag, _)| *tag == TEXT);
            part.octets
                .extend(text.map_or(b"".as_slice(), |(_, text)| text));
        } else if tag == DIAGNOSTIC {
            part.diagnostics.extend(diagnostic(octets));
        }
    }
    Some(part)
}

fn hit(octets: &[u8]) -> Hit {
    let mut hit = Hit::default();
    for (tag, octets) in Tags(octets) {
        match tag {
            DOCUMENT => hit.id = octets.to_vec(),
            SCORE => hit.score = value(octets),
            OCTETS => hit.octets = Some(value(octets)),
            LINES => hit.lines = Some(value(octets)),
            DATE => hit.date = octets.to_vec(),
            HEADLINE => hit.headline = octets.to_vec(),
            CITY => hit.city = octets.to_vec(),
            TYPES => {
                let types = Tags(octets).filter(|(tag, _)| *tag == TYPE);
                hit.types.extend(types.map(|(_, name)| name.to_vec()));
            }
            _ => {}
        }
    }
    hit
}

/// Parses two letters, text, and an unused octet.
fn diagnostic(octets: &[u8]) -> Option<Diagnostic> {
    let (code, text) = octets.split_first_chunk::<2>()?;
    let text = text.split_last().map_or(text, |(_, text)| text);
    Some(Diagnostic {
        code: *code,
        text: text.to_vec(),
    })
}
