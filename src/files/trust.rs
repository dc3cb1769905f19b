//! Certificates that a person has accepted: a plain text file, one a line.
//!
//! ```text
//! pin   = place 1*blank fingerprint [ 1*blank date ] *any    ; the day on which it was accepted
//! place = host ":" port                                      ; in any case, an IPv6 address in brackets
//! ```
//!
//! Every other line is kept and means nothing; of two lines for one place the last one counts. Lines are octets: what
//! is not touched is written back as it was read. Taking a line out takes the pin back.

use std::io;
use std::path::{Path, PathBuf};

use super::{atomic, regular};
use crate::net::{Fingerprint, Pin};

/// What a new file begins with.
const HEAD: &[u8] = b"# Certificates that were accepted: host:port, fingerprint, day. Take a line out to be asked again.\n";

/// Why the file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading failed.
    #[error("the accepted certificates cannot be read: {source} ({path})", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Writing failed; the file is as it was.
    #[error("the certificate was not written down: {source} ({path})", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// The certificates that were accepted, by place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins {
    pins: Vec<(String, Pin)>,
}

impl Pins {
    /// Reads the file; any octets are one.
    pub fn parse(octets: &[u8]) -> Self {
        let mut pins = Self::default();
        for (place, pin) in octets.split(|&octet| octet == b'\n').filter_map(line) {
            pins.put(&place, pin);
        }
        pins
    }

    /// The one for `place` (`host:port`, in lower case).
    pub fn of(&self, place: &str) -> Option<&Pin> {
        let found = self.pins.iter().find(|(known, _)| known == place);
        found.map(|(_, pin)| pin)
    }

    /// Puts one in, instead of the one that was there.
    pub fn put(&mut self, place: &str, pin: Pin) {
        self.pins.retain(|(known, _)| known != place);
        self.pins.push((place.to_owned(), pin));
    }
}

/// Reads the file; one that does not exist holds nothing.
///
/// # Errors
/// [`Error::Read`].
pub fn load(path: &Path) -> Result<Pins, Error> {
    Ok(Pins::parse(&read(path)?))
}

/// Writes down that a person accepts `fingerprint` for `place` from today on, instead of what the file, as it is now,
/// has for that place. Gives the pin with its day.
///
/// # Errors
/// Any [`Error`]; nothing is written then.
pub fn save(path: &Path, place: &str, fingerprint: Fingerprint) -> Result<Pin, Error> {
    let today = jiff::Zoned::now().date().to_string();
    let write = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    atomic::change(path, write, || {
        let octets = written(&read(path)?, place, fingerprint, &today);
        let pin = Pin {
            fingerprint,
            since: Some(today.clone()),
        };
        Ok((octets, pin))
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    regular::read_list(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

/// The file with this pin: in the line of the old one, else at the end.
fn written(octets: &[u8], place: &str, fingerprint: Fingerprint, today: &str) -> Vec<u8> {
    let new = format!("{place} {fingerprint} {today}\n").into_bytes();
    let mut lines: Vec<&[u8]> = octets.split_inclusive(|&octet| octet == b'\n').collect();
    if lines.is_empty() {
        lines.push(HEAD);
    }
    let is_old = |octets: &&[u8]| line(octets).is_some_and(|(known, _)| known == place);
    match lines.iter().rposition(is_old) {
        Some(at) => {
            if let Some(old) = lines.get_mut(at) {
                *old = &new;
            }
            lines.concat()
        }
        None => {
            // A last line without its end would run into the new one.
            if lines.last().is_some_and(|last| !last.ends_with(b"\n")) {
                lines.push(b"\n");
            }
            lines.push(&new);
            lines.concat()
        }
    }
}

/// A line that is a pin.
fn line(octets: &[u8]) -> Option<(String, Pin)> {
    let text = std::str::from_utf8(octets).ok()?;
    let mut words = text.split_whitespace();
    let (place, fingerprint) = (words.next()?, Fingerprint::parse(words.next()?)?);
    let (host, port) = place.rsplit_once(':')?;
    port.parse::<u16>().ok()?;
    let since = words.next().filter(|word| is_date(word));
    let pin = Pin {
        fingerprint,
        since: since.map(str::to_owned),
    };
    (!host.is_empty()).then(|| (place.to_ascii_lowercase(), pin))
}

/// `2026-11-20`
fn is_date(word: &str) -> bool {
    word.parse::<jiff::civil::Date>().is_ok()
}
