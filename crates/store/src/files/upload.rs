//! Files for upload in a form: read whole, up to a maximum size.

use std::io;
use std::path::Path;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::fs::File;
use tokio::io::AsyncReadExt;

/// Maximum size of a file in a form whose answers become a part of a URL, in octets.
pub const MAX_IN_URL_BYTES: u64 = 64 * 1024;

/// Maximum size of a file that is uploaded as the body of a request, in octets.
pub const MAX_UPLOAD_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a file of at most `limit` octets.
///
/// # Errors
/// A sentence.
pub fn read(path: &Path, limit: u64) -> BoxFuture<'_, Result<Vec<u8>, String>> {
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
    let file = File::open(path).await.map_err(read_error)?;
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
