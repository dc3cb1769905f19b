//! Servers that have offered TLS by a command (STARTTLS, AUTH TLS): a plain text file, one per line.
//!
//! ```text
//! offer     = authority 1*blank date [ 1*blank "accepted" ] *any   ; the day on which it was first seen
//! authority = host ":" port                                       ; in any case, an IPv6 address in brackets
//! ```
//!
//! `accepted` is the mark of a server that has accepted the command; the others have only announced it. Every other
//! line is ignored and preserved. Removing a line forgets the offer.

use std::io;
use std::path::PathBuf;

use geomys_wire::net::{OfferEvidence, OfferStore, RecordedOffer, TlsOffer, strongest};
use jiff::civil::Date;

use super::user_file::complete_lines;
use super::{atomic, regular};

/// Header comment of a new file.
const HEAD: &[u8] =
    b"# Servers that have offered TLS: host:port, day. Remove a line to forget it.\n";

/// The mark of a server that has accepted the command.
const ACCEPTED: &str = "accepted";

/// File of the offers.
#[derive(Clone, Debug)]
pub struct OfferFile(PathBuf);

impl OfferFile {
    /// Creates a store for the file at this path; the file is created with the first offer.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Replaces the lines of `authority` by the one that `replace` makes of them; unless it returns an error, which
    /// says that they are right already.
    fn replace(
        &self,
        authority: &str,
        replace: impl Fn(Option<RecordedOffer>) -> Result<Option<String>, Unchanged>,
    ) -> io::Result<()> {
        let edit = || {
            let octets = regular::read_list(&self.0)?;
            let Ok(line) = replace(find(&octets, authority)) else {
                return Ok((None, ()));
            };
            let octets = complete_lines(octets, HEAD);
            let others = lines(&octets).filter(|line| parse(line, authority).is_none());
            let mut kept = others.collect::<Vec<_>>().concat();
            kept.extend(line.into_iter().flat_map(String::into_bytes));
            Ok((Some(kept), ()))
        };
        // Without the lock of a change in the usual case.
        match replace(find(&regular::read_list(&self.0)?, authority)) {
            Ok(_) => atomic::change_by(&self.0, |_| {}, |error| error, edit),
            Err(Unchanged) => Ok(()),
        }
    }
}

/// The lines of a server need no change.
struct Unchanged;

impl OfferStore for OfferFile {
    fn find(&self, authority: &str) -> io::Result<Option<RecordedOffer>> {
        Ok(find(&regular::read_list(&self.0)?, authority))
    }

    fn put(&self, authority: &str, evidence: OfferEvidence) -> io::Result<()> {
        let today = jiff::Zoned::now().date();
        self.replace(authority, |found| {
            if found.as_ref().is_some_and(|it| it.evidence >= evidence) {
                return Err(Unchanged);
            }
            let since = found.and_then(|it| it.offer.since);
            let day = since.unwrap_or_else(|| today.to_string());
            Ok(Some(match evidence {
                OfferEvidence::Announced => format!("{authority} {day}\n"),
                OfferEvidence::Accepted => format!("{authority} {day} {ACCEPTED}\n"),
            }))
        })
    }

    fn retract(&self, authority: &str) -> io::Result<()> {
        self.replace(authority, |found| match found.map(|it| it.evidence) {
            Some(OfferEvidence::Announced) => Ok(None),
            Some(OfferEvidence::Accepted) | None => Err(Unchanged),
        })
    }
}

fn lines(octets: &[u8]) -> impl Iterator<Item = &[u8]> {
    octets.split_inclusive(|&octet| octet == b'\n')
}

fn find(octets: &[u8], authority: &str) -> Option<RecordedOffer> {
    strongest(lines(octets).filter_map(|line| parse(line, authority)))
}

/// Returns the offer in a line, if it is one of `authority`.
fn parse(line: &[u8], authority: &str) -> Option<RecordedOffer> {
    let line = String::from_utf8_lossy(line);
    let (offered, rest) = line.split_once(char::is_whitespace)?;
    let mut words = rest.split_whitespace();
    let since = words.next().filter(|day| day.parse::<Date>().is_ok());
    let offer = RecordedOffer {
        offer: TlsOffer {
            since: since.map(str::to_owned),
        },
        evidence: match words.next() {
            Some(ACCEPTED) => OfferEvidence::Accepted,
            Some(_) | None => OfferEvidence::Announced,
        },
    };
    offered.eq_ignore_ascii_case(authority).then_some(offer)
}
