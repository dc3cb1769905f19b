//! Certificates that the user has accepted: a plain text file, one per line.
//!
//! ```text
//! pin       = authority 1*blank fingerprint [ 1*blank date [ 1*blank date ] ] *any
//!           ; the day on which it was accepted, and the last day on which it is valid
//! authority = host ":" port                                          ; in any case, an IPv6 address in brackets
//! ```
//!
//! Every other line is ignored and preserved; of two lines for one authority the last one counts. Lines are octets:
//! unchanged lines are written back exactly as they were read. Removing a line removes the pin.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use geomys_wire::net::{Fingerprint, Pin, PinStore};

use super::regular;
use super::user_file::{FileError, UserFile, complete_lines};

/// Header comment of a new file.
const HEAD: &[u8] = b"# Certificates that were accepted: host:port, fingerprint, day, last valid day. Remove a line to be asked again.\n";

const FILE: UserFile = UserFile {
    max_bytes: regular::LIST,
    read_failed: "accepted certificates cannot be read",
    write_failed: "the certificate was not saved",
};

/// Accepted certificates by authority (`host:port`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pins(HashMap<String, Pin>);

impl Pins {
    /// Parses a file; any octets are accepted.
    pub fn parse(octets: &[u8]) -> Self {
        let lines = octets.split(|&octet| octet == b'\n');
        Self(lines.filter_map(line).collect())
    }

    /// Returns the pin for `authority` (`host:port`, in lower case).
    pub fn of(&self, authority: &str) -> Option<&Pin> {
        self.0.get(authority)
    }

    /// Adds a pin, or replaces the pin for the same authority.
    pub fn put(&mut self, authority: &str, pin: Pin) {
        self.0.insert(authority.to_owned(), pin);
    }
}

/// Reads the file; a missing file gives an empty set.
///
/// # Errors
/// Errors of reading.
pub fn load(path: &Path) -> Result<Pins, FileError> {
    Ok(Pins::parse(&FILE.read(path)?))
}

/// Saves that the user accepts the certificate of `pin` for `authority` from today on. Replaces the pin for that
/// authority in the file as it is now. Returns the pin with its date.
///
/// # Errors
/// Errors of reading and writing; nothing is written then.
pub fn save(path: &Path, authority: &str, pin: Pin) -> Result<Pin, FileError> {
    let today = jiff::Zoned::now().date().to_string();
    let pin = Pin {
        since: Some(today),
        ..pin
    };
    FILE.change(path, |octets| {
        Ok((with_pin(octets, authority, &pin), pin.clone()))
    })
}

/// The file as the store of certificates that are trusted at their first use.
#[derive(Clone, Debug)]
pub struct PinFile(PathBuf);

impl PinFile {
    /// Creates a store for the file at this path; the file is created with the first pin.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

impl PinStore for PinFile {
    fn put(&self, authority: &str, pin: Pin) -> io::Result<Pin> {
        save(&self.0, authority, pin).map_err(io::Error::other)
    }
}

/// Returns the content of the file with this pin, in the line of the old pin or at the end.
fn with_pin(octets: Vec<u8>, authority: &str, pin: &Pin) -> Vec<u8> {
    let days = [&pin.since, &pin.expires].into_iter().flatten();
    let days: Vec<&str> = days.map(String::as_str).collect();
    let new = format!("{authority} {} {}\n", pin.fingerprint, days.join(" ")).into_bytes();
    let mut lines: Vec<&[u8]> = octets.split_inclusive(|&octet| octet == b'\n').collect();
    let is_old = |octets: &&mut &[u8]| line(octets).is_some_and(|(pinned, _)| pinned == authority);
    if let Some(old) = lines.iter_mut().rfind(is_old) {
        *old = &new;
        return lines.concat();
    }
    [complete_lines(octets, HEAD), new].concat()
}

/// Parses a line with a pin.
fn line(octets: &[u8]) -> Option<(String, Pin)> {
    let text = std::str::from_utf8(octets).ok()?;
    let mut words = text.split_whitespace();
    let (authority, fingerprint) = (words.next()?, Fingerprint::parse(words.next()?)?);
    let (host, port) = authority.rsplit_once(':')?;
    port.parse::<u16>().ok()?;
    let is_date = |word: &&str| word.parse::<jiff::civil::Date>().is_ok();
    let mut days = words.take_while(is_date).map(str::to_owned);
    let pin = Pin {
        fingerprint,
        since: days.next(),
        expires: days.next(),
    };
    (!host.is_empty()).then(|| (authority.to_ascii_lowercase(), pin))
}
