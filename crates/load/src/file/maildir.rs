//! Maildirs: directories of mails, each a file. One opens as a group, as a mailbox does: `…/Maildir/3` is the third
//! mail by its time of delivery.
//!
//! ```text
//! maildir = directory with "cur" and "new"
//! mail    = ( "cur" / "new" ) "/" seconds "." unique [ ":2," flags ]      ; other names are mails too, but not .names
//! ```
//!
//! A mail in `cur` with the flag `S` was seen in another program. No file is renamed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use geomys_page::archive::mailbox::MAX_MESSAGE_BYTES;
use geomys_wire::protocol::nntp::{MessageText, mailbox_line};

/// The directories with mails.
const DIRECTORIES: [&str; 2] = ["cur", "new"];

/// The most mails that are listed.
const MAX_MAILS: usize = 500_000;

/// The most octets of the headers of a mail that are read for the list.
const MAX_HEADERS_BYTES: u64 = 64 * 1024;

/// The mails whose headers are read before their lines are forwarded.
const MAILS: usize = 256;

/// The mails of a maildir, in their order.
pub(super) struct Maildir(Vec<PathBuf>);

impl Maildir {
    /// Returns true for a maildir.
    pub(super) fn is_at(path: &Path) -> bool {
        DIRECTORIES.iter().all(|name| path.join(name).is_dir())
    }

    /// Reads the names of the mails; None if the directory is no maildir.
    pub(super) fn open(path: &Path) -> io::Result<Option<Self>> {
        if !Self::is_at(path) {
            return Ok(None);
        }
        let mut mails = Vec::new();
        for name in DIRECTORIES {
            for entry in std::fs::read_dir(path.join(name))? {
                let entry = entry?;
                let name = entry.file_name();
                let is_mail = !name.as_bytes().starts_with(b".") && entry.file_type()?.is_file();
                if is_mail && mails.len() < MAX_MAILS {
                    mails.push((delivered(name.as_bytes()), name, entry.path()));
                }
            }
        }
        mails.sort_unstable();
        Ok(Some(Self(
            mails.into_iter().map(|(.., path)| path).collect(),
        )))
    }

    /// Returns the overview of the mails behind the first `skipped`; empty at the end. A mail that cannot be read, or
    /// is gone meanwhile, has no headers.
    pub(super) fn overview(&self, skipped: usize) -> Vec<u8> {
        let mails = self.0.iter().enumerate().skip(skipped).take(MAILS);
        let lines = mails.flat_map(|(index, path)| {
            let read = head_and_text(path);
            let (head, text) = read.unwrap_or_else(|_| (Vec::new(), MessageText::new(b"")));
            mailbox_line(index as u64 + 1, &head, text, is_seen(path))
        });
        lines.collect()
    }

    /// The number of mails in a piece of the overview.
    pub(super) const PIECE: usize = MAILS;

    /// Returns the mail of this number, from 1; at most one octet more than [`MAX_MESSAGE_BYTES`].
    pub(super) fn mail(&self, number: u64) -> io::Result<Option<Vec<u8>>> {
        let index = number
            .checked_sub(1)
            .and_then(|index| usize::try_from(index).ok());
        let Some(path) = index.and_then(|index| self.0.get(index)) else {
            return Ok(None);
        };
        let mut octets = Vec::new();
        File::open(path)?
            .take(MAX_MESSAGE_BYTES + 1)
            .read_to_end(&mut octets)?;
        Ok(Some(octets))
    }
}

/// Returns the time of delivery in a name, in seconds since 1970.
fn delivered(name: &[u8]) -> u64 {
    let digits: Vec<u8> = name
        .iter()
        .copied()
        .take_while(u8::is_ascii_digit)
        .collect();
    let digits = std::str::from_utf8(&digits).ok();
    digits
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(u64::MAX)
}

/// Returns true for a mail that another program has shown.
fn is_seen(path: &Path) -> bool {
    let directory = path.parent().and_then(Path::file_name);
    let name = path.file_name().unwrap_or_default().as_bytes();
    let flags = memchr::memmem::rfind(name, b":2,").and_then(|at| name.get(at + 3..));
    directory.is_some_and(|directory| directory == "cur")
        && flags.is_some_and(|flags| flags.contains(&b'S'))
}

/// Reads the headers of a mail, and its text if it is needed.
fn head_and_text(path: &Path) -> io::Result<(Vec<u8>, MessageText)> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut head = Vec::new();
    loop {
        let before = head.len();
        let mut rest = reader.by_ref().take(MAX_HEADERS_BYTES - before as u64);
        rest.read_until(b'\n', &mut head)?;
        let line = head.get(before..).unwrap_or_default();
        if line.trim_ascii().is_empty() {
            head.truncate(before);
            break;
        }
    }
    let mut text = MessageText::new(&head);
    let mut body = BufReader::new(reader.take(MAX_MESSAGE_BYTES));
    while text.is_needed() {
        let octets = body.fill_buf()?;
        if octets.is_empty() {
            break;
        }
        text.add(octets);
        let length = octets.len();
        body.consume(length);
    }
    Ok((head, text))
}
