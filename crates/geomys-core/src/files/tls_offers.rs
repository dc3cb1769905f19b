//! Servers that have offered TLS by a command (STARTTLS, AUTH TLS): a plain text file, one per line.
//!
//! ```text
//! offer     = authority 1*blank date *any   ; the day on which it was first seen
//! authority = host ":" port                 ; in any case, an IPv6 address in brackets
//! ```
//!
//! Every other line is ignored and preserved. Removing a line forgets the offer.

use std::io;
use std::path::PathBuf;

use super::user_file::complete_lines;
use super::{atomic, regular};
use crate::net::{OfferStore, TlsOffer};

/// Header comment of a new file.
const HEAD: &[u8] =
    b"# Servers that have offered TLS: host:port, day. Take a line out to have it forgotten.\n";

/// File of the offers.
#[derive(Clone, Debug)]
pub struct OfferFile(PathBuf);

impl OfferFile {
    /// Creates a store for the file at this path; the file is created with the first offer.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

impl OfferStore for OfferFile {
    fn find(&self, authority: &str) -> io::Result<Option<TlsOffer>> {
        Ok(find(&regular::read_list(&self.0)?, authority))
    }

    fn put(&self, authority: &str) -> io::Result<()> {
        if self.find(authority)?.is_some() {
            return Ok(());
        }
        let today = jiff::Zoned::now().date();
        let edit = || {
            let octets = regular::read_list(&self.0)?;
            let is_new = find(&octets, authority).is_none();
            let mut lines = complete_lines(octets, HEAD);
            if is_new {
                lines.extend(format!("{authority} {today}\n").into_bytes());
            }
            Ok((lines, ()))
        };
        atomic::change(&self.0, |error| error, edit)
    }
}

fn find(octets: &[u8], authority: &str) -> Option<TlsOffer> {
    let text = String::from_utf8_lossy(octets);
    text.lines().find_map(|line| {
        let (offered, rest) = line.split_once(char::is_whitespace)?;
        let since = rest.split_whitespace().next();
        let since = since.filter(|day| day.parse::<jiff::civil::Date>().is_ok());
        let offer = TlsOffer {
            since: since.map(str::to_owned),
        };
        offered.eq_ignore_ascii_case(authority).then_some(offer)
    })
}
