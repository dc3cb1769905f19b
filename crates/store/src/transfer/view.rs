//! Temporary files for viewing: in a directory that only the owner can read, removed after viewing.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use geomys_load::Request;
use geomys_wire::net::{Net, TransferEnd};
use tempfile::TempDir;

use super::download::{Error, Target, download};

/// Fetched file that is deleted when this value is dropped.
#[derive(Debug)]
pub struct TemporaryFile {
    /// Path of the file.
    pub path: PathBuf,
    /// End of its transfer.
    pub end: TransferEnd,
    // Dropping it deletes the directory with the file.
    _directory: TempDir,
}

/// Returns the local name for a file that the server calls `remote`: a fixed name that is safe for every program, with
/// the suffix by which programs recognize the type.
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

/// Maximum length of a suffix.
const SUFFIX: usize = 8;

/// Loads `request` into a temporary file with the [`own_name`] of `name`. `progress` receives the octets so far and the
/// total size if it is available.
///
/// # Errors
/// Any [`Error`].
pub async fn fetch(
    net: &Net,
    request: Request,
    name: &str,
    progress: impl FnMut(u64, Option<u64>) + Send,
) -> Result<TemporaryFile, Error> {
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
    Ok(TemporaryFile {
        path: saved.path,
        end: saved.end,
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
