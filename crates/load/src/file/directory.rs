//! Local directories in the format of MLSD (RFC 3659, section 7).
//!
//! ```text
//! line = "type=" type ";" [ "size=" 1*DIGIT ";" ] [ "modify=" 14DIGIT ";" ] SP name CRLF
//! ```

use std::fs::{DirEntry, ReadDir};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

use geomys_wire::text::{Text, count};

use crate::{Part, Sink, Stop};
use geomys_page::document::Remark;

/// The number of entries that are read before their lines are forwarded.
const ENTRIES: usize = 1024;

/// A piece of a directory listing.
pub(super) struct DirectoryPiece {
    pub(super) lines: Vec<u8>,
    /// The number of entries without a line: their names are not valid in a line, nor in a URL.
    pub(super) left_out: usize,
    /// The entries that are still to be read.
    pub(super) rest: RemainingEntries,
}

/// The rest of a directory, after some entries.
pub(super) enum RemainingEntries {
    Entries(ReadDir),
    Nothing,
    /// The rest is unknown: reading failed.
    Failed(io::Error),
}

/// Reads the next entries. An entry that was deleted meanwhile, or is not readable, is shown by its name alone.
pub(super) fn piece(mut entries: ReadDir) -> DirectoryPiece {
    let mut piece = DirectoryPiece {
        lines: Vec::new(),
        left_out: 0,
        rest: RemainingEntries::Nothing,
    };
    for _ in 0..ENTRIES {
        match entries.next() {
            Some(Ok(entry)) => piece.entry(&entry),
            Some(Err(error)) => {
                piece.rest = RemainingEntries::Failed(error);
                return piece;
            }
            None => return piece,
        }
    }
    piece.rest = RemainingEntries::Entries(entries);
    piece
}

impl DirectoryPiece {
    fn entry(&mut self, entry: &DirEntry) {
        let name = entry.file_name();
        let name = name.as_bytes();
        if name.iter().any(|octet| matches!(octet, b'\r' | b'\n')) {
            self.left_out += 1;
            return;
        }
        self.facts(entry);
        self.lines.push(b' ');
        self.lines.extend_from_slice(name);
        self.lines.extend_from_slice(b"\r\n");
    }

    fn facts(&mut self, entry: &DirEntry) {
        let Ok(metadata) = entry.metadata() else {
            return self.fact("type", b"OS.unix=unknown");
        };
        let kind = metadata.file_type();
        if kind.is_dir() {
            self.fact("type", b"dir");
        } else if kind.is_file() {
            self.fact("type", b"file");
            self.fact("size", metadata.size().to_string().as_bytes());
        } else if kind.is_symlink() {
            self.link(entry);
        } else {
            self.fact("type", b"OS.unix=other");
        }
        if let Some(stamp) = metadata.modified().ok().and_then(stamp) {
            self.fact("modify", stamp.as_bytes());
        }
    }

    fn link(&mut self, entry: &DirEntry) {
        let target = std::fs::read_link(entry.path()).unwrap_or_default();
        let target = target.as_os_str().as_bytes();
        let is_valid = |octet: &u8| *octet >= b' ' && *octet != b';';
        if !target.is_empty() && target.iter().all(is_valid) {
            self.fact("type", &[b"OS.unix=slink:", target].concat());
        } else {
            self.fact("type", b"OS.unix=symlink");
        }
    }

    fn fact(&mut self, name: &str, value: &[u8]) {
        self.lines.extend_from_slice(name.as_bytes());
        self.lines.push(b'=');
        self.lines.extend_from_slice(value);
        self.lines.push(b';');
    }
}

/// Sends a remark with the number of entries without a line.
pub(super) async fn remark(left_out: usize, sink: &Sink) -> Result<(), Stop> {
    if left_out == 0 {
        return Ok(());
    }
    let names = if left_out == 1 {
        "1 name contains a line break and is".to_owned()
    } else {
        format!("{} names contain a line break and are", count(left_out))
    };
    sink.put(Part::Remark(Remark {
        title: Text::of("left out"),
        octets: format!("{names} not shown: no URL can contain it.\n").into_bytes(),
    }))
    .await
}

/// Formats a time in UTC, as MLSD does.
pub(super) fn stamp(time: SystemTime) -> Option<String> {
    let time = jiff::Timestamp::try_from(time).ok()?;
    Some(time.strftime("%Y%m%d%H%M%S").to_string())
}
