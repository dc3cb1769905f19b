//! Files that are sent: read whole, and no larger than a form can carry.

use std::io;
use std::path::{Path, PathBuf};

use tokio::fs::File;
use tokio::io::AsyncReadExt;

/// The largest file that is sent with a form, in octets: it becomes a part of an address.
pub const LARGEST: u64 = 64 * 1024;

/// Why a file cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be read.
    #[error("{path} cannot be read: {source}", path = path.display())]
    Read {
        /// Its path.
        path: PathBuf,
        /// The system's words.
        source: io::Error,
    },
    /// It is larger than [`LARGEST`].
    #[error("{path} has more than {LARGEST} octets, which is more than a form can carry", path = path.display())]
    Large {
        /// Its path.
        path: PathBuf,
    },
    /// It is a directory, a pipe or a device.
    #[error("{path} is no file", path = path.display())]
    Odd {
        /// Its path.
        path: PathBuf,
    },
}

/// Reads a file.
///
/// # Errors
/// Any [`Error`].
pub async fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let own = || path.to_owned();
    let broken = |source| Error::Read {
        path: own(),
        source,
    };
    // A pipe would be waited for before anybody knew that it is one.
    let is = tokio::fs::metadata(path).await.map_err(broken)?;
    if !is.is_file() {
        return Err(Error::Odd { path: own() });
    }
    let file = File::open(path).await.map_err(broken)?;
    let mut octets = Vec::new();
    let mut start = file.take(LARGEST + 1);
    start.read_to_end(&mut octets).await.map_err(broken)?;
    if octets.len() as u64 > LARGEST {
        return Err(Error::Large { path: own() });
    }
    Ok(octets)
}
