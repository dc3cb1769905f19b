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

/// Loads `request` into a file of this name. `progress` is told octets so far and, when known, in all.
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
        path: PathBuf::from(name),
        source,
    })?;
    let path = directory.path().join(name);
    let saved = download(net, request, Target::New(path), progress).await?;
    Ok(Fetched {
        path: saved.path,
        _directory: directory,
    })
}
