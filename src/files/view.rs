//! Files that are fetched to be looked at: in a directory that only their owner can read, and gone when nobody looks any
//! more.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;

use super::download::{Error, Target, download};
use crate::load::Request;
use crate::net::Net;

/// A file that goes when this is dropped.
#[derive(Debug)]
pub struct Fetched {
    /// Where it is.
    pub path: PathBuf,
    // The directory goes with it.
    _directory: TempDir,
}

/// What the file is called that a server calls `remote`: a name of our own, that says nothing to whatever program is
/// given it, with the suffix that the program may know it by.
pub fn own_name(remote: &str) -> String {
    let suffix = remote.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    let is_plain = (1..=SUFFIX).contains(&suffix.len())
        && suffix.bytes().all(|octet| octet.is_ascii_alphanumeric());
    if is_plain {
        format!("view.{suffix}")
    } else {
        "view".to_owned()
    }
}

/// How long the suffix of a file may be.
const SUFFIX: usize = 8;

/// Loads `request` into a file that is called as [`own_name`] says of this name. `progress` is told octets so far and, when known, in all.
///
/// # Errors
/// Any [`Error`].
pub async fn fetch(
    net: &Net,
    request: Request,
    name: &str,
    progress: impl FnMut(u64, Option<u64>),
) -> Result<Fetched, Error> {
    let directory = tempfile::Builder::new()
        .prefix("geomys-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir();
    let directory = directory.map_err(|source| Error::Create {
        path: PathBuf::from(own_name(name)),
        source,
    })?;
    let path = directory.path().join(own_name(name));
    let saved = download(net, request, Target::New(path), progress).await?;
    Ok(Fetched {
        path: saved.path,
        _directory: directory,
    })
}

#[cfg(test)]
mod tests {
    use super::own_name;

    #[test]
    fn a_file_has_a_name_of_our_own() {
        for (remote, own) in [
            ("door.png", "view.png"),
            ("a.tar.gz", "view.gz"),
            ("$(touch x).gif", "view.gif"),
            ("-rf.PNG", "view.PNG"),
            ("x.g;f", "view"),
            ("x.ninesigns", "view"),
            ("x.-c", "view"),
            ("x.é", "view"),
            ("x.", "view"),
            ("door", "view"),
            ("", "view"),
        ] {
            assert_eq!(own_name(remote), own, "{remote}");
        }
    }
}
