//! Files of this machine: a look at the name.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::Verdict;
use crate::load::Stop;
use crate::text::Text;
use crate::url::File;

pub(super) async fn check(url: &File<'_>) -> Result<Verdict, Stop> {
    let mut path = Vec::new();
    for segment in url.segments() {
        path.push(b'/');
        path.extend_from_slice(&segment.octets());
    }
    let path = PathBuf::from(OsString::from_vec(path));
    let looked = tokio::fs::metadata(&path).await;
    Ok(match looked {
        Ok(_) => Verdict::Alive,
        // A message of a mailbox, as the loads of files name it.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory && is_numbered(&path) => {
            Verdict::Alive
        }
        Err(error) => {
            let words = Text::of(&error.to_string()).to_string();
            match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Verdict::Gone(words),
                io::ErrorKind::PermissionDenied => Verdict::Refused(words),
                _ => Verdict::NoAnswer(words),
            }
        }
    })
}

/// Whether the last segment is a number.
fn is_numbered(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    !name.is_empty() && name.iter().all(u8::is_ascii_digit)
}
