//! A directory of this machine in the lines of MLSD (RFC 3659, section 7).
//!
//! ```text
//! line = "type=" type ";" [ "size=" 1*DIGIT ";" ] [ "modify=" 14DIGIT ";" ] SP name CRLF
//! ```

use std::fs::{DirEntry, ReadDir};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::time::SystemTime;

use crate::document::Remark;
use crate::load::{Part, Sink, Stop};
use crate::text::{Text, count};

/// Entries that are looked at before their lines are handed on.
const ENTRIES: usize = 1024;

/// Some lines of a directory.
pub(super) struct Piece {
    pub(super) lines: Vec<u8>,
    /// Entries that have no line: their names cannot stand in one, nor in a URL that is opened.
    pub(super) left_out: usize,
    /// What is still to be read.
    pub(super) rest: Rest,
}

/// What follows some entries of a directory.
pub(super) enum Rest {
    Entries(ReadDir),
    Nothing,
    /// Nobody knows: reading on failed.
    Broken(io::Error),
}

/// The next entries. One that has gone meanwhile, or cannot be looked at, is shown by its name alone.
pub(super) fn piece(mut entries: ReadDir) -> Piece {
    let mut piece = Piece {
        lines: Vec::new(),
        left_out: 0,
        rest: Rest::Nothing,
    };
    for _ in 0..ENTRIES {
        match entries.next() {
            Some(Ok(entry)) => piece.entry(&entry),
            Some(Err(error)) => {
                piece.rest = Rest::Broken(error);
                return piece;
            }
            None => return piece,
        }
    }
    piece.rest = Rest::Entries(entries);
    piece
}

impl Piece {
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
        let fits = |octet: &u8| *octet >= b' ' && *octet != b';';
        if !target.is_empty() && target.iter().all(fits) {
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

/// Says how many entries have no line.
pub(super) async fn remark(left_out: usize, sink: &Sink) -> Result<(), Stop> {
    if left_out == 0 {
        return Ok(());
    }
    let names = if left_out == 1 {
        "1 name holds a line break and is".to_owned()
    } else {
        format!("{} names hold a line break and are", count(left_out))
    };
    sink.put(Part::Remark(Remark {
        title: Text::of("left out"),
        octets: format!("{names} not shown: no address could be sent or opened with it.\n")
            .into_bytes(),
    }))
    .await
}

/// A time in UTC, as MLSD writes it.
pub(super) fn stamp(time: SystemTime) -> Option<String> {
    let time = jiff::Timestamp::try_from(time).ok()?;
    Some(time.strftime("%Y%m%d%H%M%S").to_string())
}
