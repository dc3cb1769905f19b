//! Files for upload in a form: read whole, up to a maximum size.

use std::io;
use std::path::{Path, PathBuf};

use tokio::fs::File;
use tokio::io::AsyncReadExt;

/// Maximum size of a file in a form, in octets: the file becomes a part of an address.
pub const LARGEST: u64 = 64 * 1024;

/// Reason why a file cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file could not be read.
    #[error("{path} cannot be read: {source}", path = path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The file is larger than [`LARGEST`].
    #[error("{path} has more than {LARGEST} octets, which is more than a form can carry", path = path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
    },
    /// The path is a directory, a pipe or a device.
    #[error("{path} is no file", path = path.display())]
    NotRegular {
        /// Path of the file.
        path: PathBuf,
    },
}

/// Reads a file of at most [`LARGEST`] octets.
///
/// # Errors
/// Any [`Error`].
pub async fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let own = || path.to_owned();
    let read_error = |source| Error::Read {
        path: own(),
        source,
    };
    // Checked before opening: opening a pipe would block.
    let is = tokio::fs::metadata(path).await.map_err(read_error)?;
    if !is.is_file() {
        return Err(Error::NotRegular { path: own() });
    }
    let file = File::open(path).await.map_err(read_error)?;
    let mut octets = Vec::new();
    let mut start = file.take(LARGEST + 1);
    start.read_to_end(&mut octets).await.map_err(read_error)?;
    if octets.len() as u64 > LARGEST {
        return Err(Error::TooLarge { path: own() });
    }
    Ok(octets)
}
