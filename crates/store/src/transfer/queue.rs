//! Unfinished transfers: a plain text file, one transfer per line, so that they survive a restart.
//!
//! ```text
//! transfer = [ "running" SP ] [ "from=" namer SP ] way SP url SP path LF
//! namer    = "geomys:user" / url                  ; who named the URL, see `Namer`
//! way      = "free" / "suggested" / "skip" / "resume" / "new" / "replace" / "directory"
//! ```
//!
//! A running transfer resumes at the next start; the others have been paused, or have failed. Both URLs are without
//! their passwords; the path is the rest of the line, as octets. Every other line is ignored and preserved.
//! Removing a line forgets the transfer; its partial file stays on disk.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use geomys_load::Namer;
use rfc1738::{Dialect, Url};

use super::download::{self, Target};
use crate::files::regular;
use crate::files::user_file::{FileError, UserFile, complete_lines};

/// Header comment of a new file.
const HEAD: &[u8] = b"# Transfers that have not ended. Geomys resumes the running ones when it starts, and shows the others.\n";

const FILE: UserFile = UserFile {
    max_bytes: regular::LIST,
    read_failed: "the transfers cannot be read",
    write_failed: "the transfers were not saved",
};

/// Destination of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A file.
    File(Target),
    /// A whole remote directory, into this local one.
    Directory(PathBuf),
}

impl Destination {
    /// Returns the requested path.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(target) => target.path(),
            Self::Directory(path) => path,
        }
    }
}

/// Unfinished transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedTransfer {
    /// Source URL, without a password.
    pub url: Url,
    /// Who named the URL.
    pub namer: Namer,
    /// Local destination.
    pub to: Destination,
    /// True if it resumes at the next start: it ran or waited, and was not paused.
    pub is_running: bool,
}

/// The word before the way of a running transfer.
const RUNNING: &[u8] = b"running ";

/// The beginning of the word with the namer of the URL.
const FROM: &[u8] = b"from=";

impl UnfinishedTransfer {
    /// Returns the size of the partial file and the expected total size, in octets.
    pub fn partial_size(&self) -> Option<(u64, Option<u64>)> {
        match &self.to {
            Destination::File(target) => download::partial_size(&self.url, target),
            Destination::Directory(_) => None,
        }
    }

    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let running = line.strip_prefix(RUNNING);
        let line = running.unwrap_or(line);
        let (namer, line) = match line.strip_prefix(FROM) {
            Some(rest) => {
                let mut words = rest.splitn(2, |&octet| octet == b' ');
                let namer = std::str::from_utf8(words.next()?).ok();
                (Namer::from_stored(namer), words.next()?)
            }
            None => (Namer::Unknown, line),
        };
        let mut words = line.splitn(3, |&octet| octet == b' ');
        let (way, url, path) = (words.next()?, words.next()?, words.next()?);
        let url = Dialect::Extended.parse(url).ok()?;
        if path.is_empty() {
            return None;
        }
        let path = PathBuf::from(OsStr::from_bytes(path));
        let to = match way {
            b"free" => Destination::File(Target::Free(path)),
            b"suggested" => Destination::File(Target::Suggested(path)),
            b"skip" => Destination::File(Target::Skip(path)),
            b"resume" => Destination::File(Target::Resume(path)),
            b"new" => Destination::File(Target::New(path)),
            b"replace" => Destination::File(Target::Replace(path)),
            b"directory" => Destination::Directory(path),
            _ => return None,
        };
        Some(Self {
            url,
            namer,
            to,
            is_running: running.is_some(),
        })
    }

    /// Returns the line of the transfer; `None` for a path with a line break in it.
    fn to_line(&self) -> Option<Vec<u8>> {
        let way = match &self.to {
            Destination::File(Target::Free(_)) => "free",
            Destination::File(Target::Suggested(_)) => "suggested",
            Destination::File(Target::Skip(_)) => "skip",
            Destination::File(Target::Resume(_)) => "resume",
            Destination::File(Target::New(_)) => "new",
            Destination::File(Target::Replace(_)) => "replace",
            Destination::Directory(_) => "directory",
        };
        let path = self.to.path().as_os_str().as_bytes();
        let mut line = if self.is_running { RUNNING } else { b"" }.to_vec();
        if let Some(namer) = self.namer.to_stored() {
            line.extend_from_slice(FROM);
            line.extend_from_slice(format!("{namer} ").as_bytes());
        }
        line.extend_from_slice(format!("{way} {} ", self.url.without_password()).as_bytes());
        line.extend_from_slice(path);
        line.push(b'\n');
        (!path.contains(&b'\n')).then_some(line)
    }
}

/// Reads the file; a missing file gives an empty list.
///
/// # Errors
/// Errors of reading.
pub fn load(path: &Path) -> Result<Vec<UnfinishedTransfer>, FileError> {
    let octets = FILE.read(path)?;
    let lines = octets.split_inclusive(|&octet| octet == b'\n');
    Ok(lines.filter_map(UnfinishedTransfer::parse).collect())
}

/// Writes the changes from `was` to `now`: removes finished transfers and appends new ones. Lines of another Geomys
/// process stay.
///
/// # Errors
/// Errors of reading and writing; nothing is written then.
pub fn save(
    path: &Path,
    was: &[UnfinishedTransfer],
    now: &[UnfinishedTransfer],
) -> Result<(), FileError> {
    FILE.change(path, |octets| Ok((updated(&octets, was, now), ())))
}

fn updated(octets: &[u8], was: &[UnfinishedTransfer], now: &[UnfinishedTransfer]) -> Vec<u8> {
    let lines = octets.split_inclusive(|&octet| octet == b'\n');
    let (mut stored, mut kept) = (Vec::new(), Vec::new());
    for line in lines {
        let transfer = UnfinishedTransfer::parse(line);
        let is_finished = |one| was.contains(one) && !now.contains(one);
        if !transfer.as_ref().is_some_and(is_finished) {
            kept.extend_from_slice(line);
        }
        stored.extend(transfer);
    }
    let mut file = complete_lines(kept, if octets.is_empty() { HEAD } else { b"" });
    // A line that another Geomys process has removed is not put back.
    let is_new = |one: &&UnfinishedTransfer| !was.contains(one) && !stored.contains(one);
    let new = now.iter().filter(is_new);
    file.extend(new.filter_map(UnfinishedTransfer::to_line).flatten());
    file
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn one(number: usize) -> UnfinishedTransfer {
        UnfinishedTransfer {
            url: Dialect::Extended
                .parse(&format!("ftp://example.org/{number}"))
                .unwrap(),
            namer: Namer::User,
            to: Destination::File(Target::Free(PathBuf::from(format!("/tmp/a file {number}")))),
            is_running: number == 3,
        }
    }

    #[test]
    fn two_of_us_lose_nothing_of_each_other() {
        let ours = updated(b"", &[], &[one(1), one(2)]);
        let both = updated(&ours, &[], &[one(3)]);
        let less = updated(&both, &[one(1), one(2)], &[one(2)]);
        let text = String::from_utf8(less).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            [
                "from=geomys:user free ftp://example.org/2 /tmp/a file 2",
                "running from=geomys:user free ftp://example.org/3 /tmp/a file 3"
            ]
        );
        // The other process has finished its transfer: ours does not bring it back.
        let ended = updated(&both, &[one(3)], &[]);
        let later = updated(&ended, &[one(1), one(2), one(3)], &[one(1), one(3)]);
        let text = String::from_utf8(later).unwrap();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(
            lines,
            ["from=geomys:user free ftp://example.org/1 /tmp/a file 1"]
        );
        assert!(text.starts_with('#'), "{text}");
    }

    #[test]
    fn no_password_is_written() {
        let url = Dialect::Extended
            .parse("ftp://ada:lovelace@example.org/x")
            .unwrap();
        let to = Destination::Directory(PathBuf::from("/tmp/x"));
        let line = UnfinishedTransfer {
            namer: Namer::Page(url.clone()),
            url,
            to,
            is_running: false,
        }
        .to_line()
        .unwrap();
        assert_eq!(
            line,
            b"from=ftp://ada@example.org/x directory ftp://ada@example.org/x /tmp/x\n"
        );
    }

    #[test]
    fn transfer_without_a_readable_page_is_not_one_of_the_user() {
        let rest = "new ftp://example.org/x /tmp/x\n";
        let of = |line: String| UnfinishedTransfer::parse(line.as_bytes());
        let namer = |line: String| of(line).unwrap().namer;
        assert_eq!(
            namer(rest.to_owned()),
            Namer::Unknown,
            "of an earlier version"
        );
        let page = Url::parse("http://example.org/").unwrap();
        assert_eq!(
            namer(format!("from=http://example.org/ {rest}")),
            Namer::Page(page)
        );
        assert_eq!(namer(format!("from=geomys:user {rest}")), Namer::User);
        for page in ["from= ", "from=no ", "from=http://example.org/\t "] {
            assert_eq!(namer(format!("{page}{rest}")), Namer::Unknown, "{page}");
        }
        let ours = updated(b"from=no new ftp://example.org/x /tmp/x\n", &[], &[]);
        assert_eq!(ours, b"from=no new ftp://example.org/x /tmp/x\n");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            path in proptest::collection::vec(any::<u8>(), 1..40),
            way in 0..7,
            is_running: bool,
            page in proptest::option::of("(http|gopher)://[a-z.]{1,9}/.{0,20}"),
            is_of_user: bool,
        ) {
            let path = PathBuf::from(OsStr::from_bytes(&path));
            let to = match way {
                0 => Destination::File(Target::Free(path)),
                1 => Destination::File(Target::New(path)),
                2 => Destination::File(Target::Replace(path)),
                3 => Destination::File(Target::Suggested(path)),
                4 => Destination::File(Target::Skip(path)),
                5 => Destination::File(Target::Resume(path)),
                _ => Destination::Directory(path),
            };
            let url = Dialect::Extended.parse("gopher://example.org/9/a").unwrap();
            let page = page.and_then(|page| Dialect::Extended.parse(&page).ok());
            let other = if is_of_user { Namer::User } else { Namer::Unknown };
            let namer = page.map_or(other, Namer::Page);
            let unfinished = UnfinishedTransfer { url, namer, to, is_running };
            if let Some(line) = unfinished.to_line() {
                prop_assert_eq!(UnfinishedTransfer::parse(&line), Some(unfinished));
            }
        }

        #[test]
        fn lines_of_others_stay(octets in proptest::collection::vec(any::<u8>(), 1..200)) {
            let file = updated(&octets, &[one(1)], &[]);
            prop_assert!(file.starts_with(&octets));
        }
    }
}
