//! The file of the trace. What somebody names by mistake stays as it is: an existing file is replaced only if it is a
//! trace, and one behind a symbolic link not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use jiff::Timestamp;

/// The longest first line that is read, in octets: its time and its authority, which has 1,000 octets at most, and a
/// mark.
const MAX_FIRST_LINE_BYTES: u64 = 1100;

/// Opens the file, empty, or a terminal, a pipe, or an open file of the process (`/dev/stderr`), to which lines are
/// appended.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|is| is.is_symlink());
    match fs::metadata(path) {
        Ok(is) if is_open_file(path) || is_stream(&is) => File::options().append(true).open(path),
        Ok(is) if !is.is_file() => Err(refused("not a regular file")),
        Ok(_) | Err(_) if is_link => Err(refused("it is a symbolic link to a file")),
        Ok(_) => reopen(path),
        Err(_) => {
            let mut options = File::options();
            options.write(true).create_new(true).mode(0o600).open(path)
        }
    }
}

/// Opens an existing trace, and empties it.
fn reopen(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).write(true).open(path)?;
    let mut start = Vec::new();
    (&file).take(MAX_FIRST_LINE_BYTES).read_to_end(&mut start)?;
    if !start.is_empty() && !is_trace(&start) {
        return Err(refused("the file exists and is not a log; remove it first"));
    }
    // It may have another mode.
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.set_len(0)?;
    io::Seek::rewind(&mut (&file))?;
    Ok(file)
}

/// Returns true if the first line of a file is one of a trace: a time with milliseconds, an authority, a mark.
fn is_trace(start: &[u8]) -> bool {
    let line = start.split(|octet| *octet == b'\n').next();
    let line = String::from_utf8_lossy(line.unwrap_or_default());
    let mut words = line.split(' ');
    let time = words.next().unwrap_or_default();
    let is_time = time.len() == "2026-11-23T15:04:05.678Z".len() && time.ends_with('Z');
    is_time
        && time.parse::<Timestamp>().is_ok()
        && words.next().is_some_and(|authority| !authority.is_empty())
        && matches!(words.next(), Some("<" | ">" | "-"))
}

/// Returns true for a terminal, a pipe or a socket.
fn is_stream(is: &fs::Metadata) -> bool {
    let kind = is.file_type();
    kind.is_char_device() || kind.is_fifo() || kind.is_socket()
}

/// Returns true for an open file of this process by its number, or a link to it: `/dev/stderr`, `/dev/fd/3`.
fn is_open_file(path: &Path) -> bool {
    let parent = |path: &Path| path.parent().and_then(|parent| parent.canonicalize().ok());
    let Ok(open) = Path::new("/dev/fd").canonicalize() else {
        return false;
    };
    let target = fs::read_link(path).ok();
    parent(path).as_ref() == Some(&open)
        || target.is_some_and(|target| target.is_absolute() && parent(&target) == Some(open))
}

fn refused(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, why)
}
