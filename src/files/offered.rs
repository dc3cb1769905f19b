//! Servers that have offered TLS on a connection that begins without it: a plain text file, one a line.
//!
//! ```text
//! offer = place 1*blank date *any       ; the day on which it was first seen
//! place = host ":" port                 ; in any case, an IPv6 address in brackets
//! ```
//!
//! Every other line is kept and means nothing. Taking a line out forgets the offer.

use std::io;
use std::path::{Path, PathBuf};

use super::{atomic, regular};
use crate::net::{OfferStore, TlsOffer};

/// What a new file begins with.
const HEAD: &str =
    "# Servers that have offered TLS: host:port, day. Take a line out to have it forgotten.\n";

/// The file.
#[derive(Clone, Debug)]
pub struct OfferFile(PathBuf);

impl OfferFile {
    /// The one at this path; it is made with the first offer.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

impl OfferStore for OfferFile {
    fn find(&self, place: &str) -> io::Result<Option<TlsOffer>> {
        Ok(find(&read(&self.0)?, place))
    }

    fn put(&self, place: &str) -> io::Result<()> {
        if self.find(place)?.is_some() {
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
            if find(&text, place).is_none() {
                text = format!("{text}{place} {today}\n");
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

fn find(text: &str, place: &str) -> Option<TlsOffer> {
    text.lines().find_map(|line| {
        let (known, rest) = line.split_once(char::is_whitespace)?;
        let since = rest.split_whitespace().next();
        let since = since.filter(|day| day.parse::<jiff::civil::Date>().is_ok());
        let offer = TlsOffer {
            since: since.map(str::to_owned),
        };
        known.eq_ignore_ascii_case(place).then_some(offer)
    })
}
