//! Servers that have offered TLS by a command (STARTTLS, AUTH TLS): a plain text file, one per line.
//!
//! ```text
//! offer     = authority 1*blank date *any   ; the day on which it was first seen
//! authority = host ":" port                 ; in any case, an IPv6 address in brackets
//! ```
//!
//! Every other line is ignored and preserved. Removing a line forgets the offer.

use std::io;
use std::path::{Path, PathBuf};

use super::{atomic, regular};
use crate::net::{OfferStore, TlsOffer};

/// Header comment of a new file.
const HEAD: &str =
    "# Servers that have offered TLS: host:port, day. Take a line out to have it forgotten.\n";

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
        Ok(find(&read(&self.0)?, authority))
    }

    fn put(&self, authority: &str) -> io::Result<()> {
        if self.find(authority)?.is_some() {
            return Ok(());
        }
        let today = jiff::Zoned::now().date();
        let edit = || {
            let mut text = read(&self.0)?;
            if text.is_empty() {
                text.push_str(HEAD);
            }
            if !text.ends_with('\n') {
                text.push('\n');
            }
            if find(&text, authority).is_none() {
                text = format!("{text}{authority} {today}\n");
            }
            Ok((text, ()))
        };
        atomic::change(&self.0, |error| error, edit)
    }
}

fn read(path: &Path) -> io::Result<String> {
    let octets = regular::read_list(path)?;
    Ok(String::from_utf8_lossy(&octets).into_owned())
}

fn find(text: &str, authority: &str) -> Option<TlsOffer> {
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
