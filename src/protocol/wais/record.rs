//! What comes back of a search, or of a document.
//!
//! ```text
//! response = length %d23 status(1) count(3) returned(3) next(3) *tlv [ %d99 size *record ]
//! ```
//!
//! The status is not looked at: servers say 1 of a good search, and 0 of a good document.

use super::tlv::{DIAGNOSTIC, Tags, take, value};

const SEARCH_RESPONSE: u8 = 23;

/// Octets of a response before its TLVs, its length aside.
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

/// Records of hits: with all there is, with little, with headlines, and with codes.
const HITS: [usize; 5] = [150, 151, 152, 154, 155];
const TEXT_RECORD: usize = 153;

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The documents, in the server's order.
    pub hits: Vec<Hit>,
    /// What it says beside them.
    pub diagnostics: Vec<Diagnostic>,
}

/// A document that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hit {
    /// Its name on its server: octets that mean nothing elsewhere.
    pub id: Vec<u8>,
    /// How well it fits, from 0 to 1000.
    pub score: u64,
    /// Its octets, where the server says.
    pub octets: Option<u64>,
    /// Its lines, where the server says.
    pub lines: Option<u64>,
    /// The types that it can be had in, the best first.
    pub types: Vec<Vec<u8>>,
    /// What it is called.
    pub headline: Vec<u8>,
    /// Its date, as the server writes it.
    pub date: Vec<u8>,
    /// Where it is from.
    pub city: Vec<u8>,
}

/// What a server has to say: a code of two letters, and words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// As in `S1`.
    pub code: [u8; 2],
    /// Its words.
    pub text: Vec<u8>,
}

impl Diagnostic {
    /// Whether it says that there is nothing at the place that was asked for: the document has ended.
    pub fn is_end(&self) -> bool {
        &self.code == b"SF"
    }

    /// What the code means, where it is one of RFC 1625's.
    pub fn meaning(&self) -> Option<&'static str> {
        Some(match &self.code {
            b"S1" => "it cannot be done",
            b"S2" | b"T2" => "it cannot be done now",
            b"S3" => "it knows no such search",
            b"S5" => "all words are among those that are left out",
            b"SB" => "there is no such record",
            b"SD" => "there are too many",
            b"SF" => "there is nothing as far as that",
            b"SG" => "it could not be presented",
            b"SH" => "you may not",
            _ => return None,
        })
    }
}

/// A piece of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// Its octets; nothing at the end, and where there is no such document.
    pub octets: Vec<u8>,
    /// What the server says beside them.
    pub diagnostics: Vec<Diagnostic>,
}

/// The records of a response; nothing where it is none.
fn records(apdu: &[u8]) -> Option<&[u8]> {
    let mut rest = apdu;
    let length = take(&mut rest, 2)?;
    let mut header = take(&mut rest, usize::try_from(value(length)).ok()?)?;
    let fixed = take(&mut header, FIXED)?;
    if fixed.first() != Some(&SEARCH_RESPONSE) {
        return None;
    }
    let behind = Tags(rest).find(|(tag, _)| *tag == USER_INFORMATION);
    // Some count what stands behind the TLVs among them.
    let within = || Tags(header).find(|(tag, _)| *tag == USER_INFORMATION);
    Some(behind.or_else(within).map_or(b"", |(_, records)| records))
}

pub(super) fn found(apdu: &[u8]) -> Option<Found> {
    let mut found = Found::default();
    for (tag, octets) in Tags(records(apdu)?) {
        if HITS.contains(&tag) {
            found.hits.push(hit(octets));
        } else if tag == DIAGNOSTIC {
            found.diagnostics.extend(diagnostic(octets));
        }
    }
    Some(found)
}

pub(super) fn piece(apdu: &[u8]) -> Option<Piece> {
    let mut piece = Piece::default();
    for (tag, octets) in Tags(records(apdu)?) {
        if tag == TEXT_RECORD {
            let text = Tags(octets).find(|(tag, _)| *tag == TEXT);
            piece
                .octets
                .extend(text.map_or(b"".as_slice(), |(_, text)| text));
        } else if tag == DIAGNOSTIC {
            piece.diagnostics.extend(diagnostic(octets));
        }
    }
    Some(piece)
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

/// Two letters, words, and an octet that means nothing.
fn diagnostic(octets: &[u8]) -> Option<Diagnostic> {
    let (code, text) = octets.split_first_chunk::<2>()?;
    let text = text.split_last().map_or(text, |(_, text)| text);
    Some(Diagnostic {
        code: *code,
        text: text.to_vec(),
    })
}
