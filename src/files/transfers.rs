//! The transfers that have not ended: a plain text file, one a line, so that they survive a restart.
//!
//! ```text
//! transfer = way SP url SP path LF
//! way      = "free" / "new" / "replace" / "directory"
//! ```
//!
//! The URL is without its password; the path is the rest of the line, as octets. Every other line is kept and means
//! nothing. Taking a line out forgets the transfer; what came of it stays where it is.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::download::{self, Target};
use super::{atomic, regular};
use crate::url::Url;

/// What a new file begins with.
const HEAD: &[u8] = b"# Transfers that have not ended. Geomys shows them when it starts, and goes on when it is told to.\n";

/// Why the file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Reading failed.
    #[error("the transfers cannot be read: {source} ({path})", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// Writing failed; the file is as it was.
    #[error("the transfers were not written down: {source} ({path})", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
}

/// Where a transfer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum To {
    /// A file.
    File(Target),
    /// All of a directory, into this one.
    Directory(PathBuf),
}

impl To {
    /// The path that was asked for.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(target) => target.path(),
            Self::Directory(path) => path,
        }
    }
}

/// A transfer that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// From where, without a password.
    pub url: Url,
    /// To where.
    pub to: To,
}

impl Unfinished {
    /// Octets of it that are here, and how many it is to have.
    pub fn left(&self) -> Option<(u64, Option<u64>)> {
        match &self.to {
            To::File(target) => download::left(&self.url, target),
            To::Directory(_) => None,
        }
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line
            .strip_suffix(b"\n")
            .unwrap_or(line)
            .splitn(3, |&octet| octet == b' ');
        let (way, url, path) = (words.next()?, words.next()?, words.next()?);
        let url = Url::accept_octets(url).ok()?;
        if path.is_empty() {
            return None;
        }
        let path = PathBuf::from(OsStr::from_bytes(path));
        let to = match way {
            b"free" => To::File(Target::Free(path)),
            b"new" => To::File(Target::New(path)),
            b"replace" => To::File(Target::Replace(path)),
            b"directory" => To::Directory(path),
            _ => return None,
        };
        Some(Self { url, to })
    }

    /// Its line; nothing for a path that would be two.
    fn written(&self) -> Option<Vec<u8>> {
        let way = match &self.to {
            To::File(Target::Free(_)) => "free",
            To::File(Target::New(_)) => "new",
            To::File(Target::Replace(_)) => "replace",
            To::Directory(_) => "directory",
        };
        let path = self.to.path().as_os_str().as_bytes();
        let mut line = format!("{way} {} ", self.url.without_password()).into_bytes();
        line.extend_from_slice(path);
        line.push(b'\n');
        (!path.contains(&b'\n')).then_some(line)
    }
}

/// Reads the file; one that does not exist holds nothing.
///
/// # Errors
/// [`Error::Read`].
pub fn load(path: &Path) -> Result<Vec<Unfinished>, Error> {
    let octets = read(path)?;
    let lines = octets.split_inclusive(|&octet| octet == b'\n');
    Ok(lines.filter_map(Unfinished::parse).collect())
}

/// Writes down that of the transfers in `was` those in `now` are left, and which are new; those of another Geomys stay.
///
/// # Errors
/// Any [`Error`]; nothing is written then.
pub fn save(path: &Path, was: &[Unfinished], now: &[Unfinished]) -> Result<(), Error> {
    let write = |source| Error::Write {
        path: path.to_owned(),
        source,
    };
    atomic::change(path, write, || Ok((written(&read(path)?, was, now), ())))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    regular::read_list(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

fn written(octets: &[u8], was: &[Unfinished], now: &[Unfinished]) -> Vec<u8> {
    let mut file = if octets.is_empty() {
        HEAD.to_vec()
    } else {
        Vec::with_capacity(octets.len())
    };
    // A line that another Geomys has taken out is not put back.
    let is_over = |line: &&[u8]| {
        Unfinished::parse(line).is_some_and(|one| was.contains(&one) && !now.contains(&one))
    };
    let lines = || octets.split_inclusive(|&octet| octet == b'\n');
    for line in lines() {
        if !is_over(&line) {
            file.extend_from_slice(line);
        }
    }
    // A last line without its end would run into the next one.
    if file.last().is_some_and(|&last| last != b'\n') {
        file.push(b'\n');
    }
    let is_new = |one: &&Unfinished| {
        !was.contains(one) && !lines().any(|line| Unfinished::parse(line).as_ref() == Some(*one))
    };
    for line in now.iter().filter(is_new).filter_map(Unfinished::written) {
        file.extend_from_slice(&line);
    }
    file
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(number: usize) -> Unfinished {
        Unfinished {
            url: Url::accept(&format!("ftp://example.org/{number}")).unwrap(),
            to: To::File(Target::Free(PathBuf::from(format!("/tmp/a file {number}")))),
        }
    }

    #[test]
    fn two_of_us_lose_nothing_of_each_other() {
        let ours = written(b"", &[], &[one(1), one(2)]);
        let both = written(&ours, &[], &[one(3)]);
        let less = written(&both, &[one(1), one(2)], &[one(2)]);
        let text = String::from_utf8(less).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "free ftp://example.org/2 /tmp/a file 2",
                "free ftp://example.org/3 /tmp/a file 3"
            ]
        );
        // The other one has ended its transfer: ours does not bring it back.
        let ended = written(&both, &[one(3)], &[]);
        let later = written(&ended, &[one(1), one(2), one(3)], &[one(1), one(3)]);
        let text = String::from_utf8(later).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines, ["free ftp://example.org/1 /tmp/a file 1"]);
        assert!(text.starts_with('#'), "{text}");
    }

    #[test]
    fn no_password_is_written() {
        let url = Url::accept("ftp://ada:lovelace@example.org/x").unwrap();
        let to = To::Directory(PathBuf::from("/tmp/x"));
        let line = Unfinished { url, to }.written().unwrap();
        assert_eq!(line, b"directory ftp://ada@example.org/x /tmp/x\n");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(path in proptest::collection::vec(any::<u8>(), 1..40), way in 0..4) {
            let path = PathBuf::from(OsStr::from_bytes(&path));
            let to = match way {
                0 => To::File(Target::Free(path)),
                1 => To::File(Target::New(path)),
                2 => To::File(Target::Replace(path)),
                _ => To::Directory(path),
            };
            let url = Url::accept("gopher://example.org/9/a").unwrap();
            let unfinished = Unfinished { url, to };
            if let Some(line) = unfinished.written() {
                prop_assert_eq!(Unfinished::parse(&line), Some(unfinished));
            }
        }

        #[test]
        fn lines_of_others_stay(octets in proptest::collection::vec(any::<u8>(), 1..200)) {
            let file = written(&octets, &[one(1)], &[]);
            prop_assert!(file.starts_with(&octets));
        }
    }
}
