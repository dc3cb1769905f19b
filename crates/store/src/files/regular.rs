//! Reading the user's own files, and files for upload: regular files of a bounded size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::io::AsyncReadExt;

pub use geomys_load::regular::{check, open};

/// Maximum size of a file written by hand, in bytes: settings, keys, theme, rules, logins.
pub const BY_HAND: u64 = 4 << 20;

/// Maximum size of a list, in bytes: bookmarks, checks, read articles.
pub const LIST: u64 = 1 << 30;

/// Reads a regular file of at most `max_bytes` bytes.
///
/// # Errors
/// Errors of the system; a file that is not a regular file, or is too large.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_open(&open(path)?, max_bytes)
}

/// Reads an open file of at most `max_bytes` bytes.
///
/// # Errors
/// Errors of the system; a file that is too large.
pub(crate) fn read_open(file: &File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    let mut octets = Vec::new();
    if size <= max_bytes {
        octets.reserve_exact(usize::try_from(size).unwrap_or_default() + 1);
        // The file may grow while it is read.
        file.take(max_bytes + 1).read_to_end(&mut octets)?;
    }
    if size > max_bytes || u64::try_from(octets.len()).is_ok_and(|len| len > max_bytes) {
        let limit = geomys_wire::text::octets(max_bytes);
        let sentence = format!("it is larger than the limit of {limit}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, sentence));
    }
    Ok(octets)
}

/// Like [`read`], but returns `None` for a missing file.
///
/// # Errors
/// Errors of [`read`].
pub(crate) fn read_if_any(path: &Path, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    match read(path, max_bytes) {
        Ok(octets) => Ok(Some(octets)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads a list; a missing file is an empty list.
///
/// # Errors
/// Errors of [`read`].
pub(crate) fn read_list(path: &Path) -> io::Result<Vec<u8>> {
    read_if_any(path, LIST).map(Option::unwrap_or_default)
}

/// Maximum size of a file in a form whose answers become a part of a URL, in octets.
pub const MAX_IN_URL_BYTES: u64 = 64 * 1024;

/// Maximum size of a file that is uploaded as the body of a request, in octets.
pub const MAX_UPLOAD_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a file of at most `limit` octets.
///
/// # Errors
/// A sentence.
pub fn read_upload(path: &Path, limit: u64) -> BoxFuture<'_, Result<Vec<u8>, String>> {
    read_file(path, limit).boxed()
}

async fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let shown = path.display();
    let read_error = |error: io::Error| format!("{shown} cannot be read: {error}");
    // Checked before opening: opening a pipe would block.
    let is = tokio::fs::metadata(path).await.map_err(read_error)?;
    if !is.is_file() {
        return Err(format!("{shown} is not a file"));
    }
    let file = tokio::fs::File::open(path).await.map_err(read_error)?;
    let mut octets = Vec::new();
    let mut start = file.take(limit + 1);
    start.read_to_end(&mut octets).await.map_err(read_error)?;
    if octets.len() as u64 > limit {
        return Err(format!(
            "{shown} is larger than {limit} bytes, the limit of a form"
        ));
    }
    Ok(octets)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_regular_file_of_bounded_size_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("a"), "1234").unwrap();
        std::os::unix::fs::symlink(path("a"), path("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(path("fifo"))
            .status();
        assert!(made.unwrap().success());
        assert_eq!(read(&path("link"), 4).unwrap(), b"1234");
        let large = read(&path("a"), 3).unwrap_err();
        assert_eq!(large.kind(), io::ErrorKind::FileTooLarge);
        // A file without blocks on the disk is refused by its size, before any of it is read.
        let sparse = fs::File::create(path("sparse")).unwrap();
        sparse.set_len(1 << 40).unwrap();
        assert!(
            read(&path("sparse"), LIST)
                .unwrap_err()
                .to_string()
                .contains("larger than")
        );
        for (name, what) in [
            ("fifo", "a named pipe"),
            ("zero", "a device"),
            (".", "a directory"),
        ] {
            let error = read(&path(name), LIST).unwrap_err().to_string();
            assert_eq!(error, format!("it is {what}, not a file"));
        }
        assert_eq!(read_if_any(&path("none"), LIST).unwrap(), None);
        assert!(read_list(&path("none")).unwrap().is_empty());
        assert!(read_list(&path("fifo")).is_err());
    }
}
