//! Downloads: a load that is written to a file.
//!
//! Octets go to the partial file `NAME.part`; its state file `NAME.part.geomys` holds their source. The final name appears
//! only when the file is complete, so that a killed process leaves no file that looks complete. Existing files are not
//! overwritten unless the caller requests it. An interrupted download leaves its partial file, and the next download of the
//! same URL to the same target resumes it. A partial file without a state may belong to another program, and is never touched.
//!
//! A download is resumed some kB before the end of its partial file, and the overlap is compared: if the server sends other
//! octets, or if the overlap cannot prove that both files are the same, the file is fetched again from the start.

mod finish;
mod order;
mod overlap;
mod partial_file;
mod receive;
mod reopen;
mod state;
mod taken;
mod target;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use geomys_page::load::{Failure, Request};
use geomys_wire::net::{Net, TransferEnd};
use rfc1738::Url;

pub use self::order::{
    DownloadOrder, Error, EventReport, ExistingFilePolicy, OversizePolicy, PartialFilePolicy,
    SavedFile, ShorterFilePolicy, TransferEvent,
};
use self::partial_file::PartialFile;
use self::receive::{AttemptError, StartPosition};
pub(super) use self::reopen::lock;
pub use self::taken::TakenName;
pub use self::target::Target;
pub(super) use self::target::{NAMES, is_complete, numbered, take_name};

impl DownloadOrder {
    /// Removes the partial file of an earlier transfer.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::Create`].
    pub fn forget(&self) -> BoxFuture<'_, Result<(), Error>> {
        let removing = async {
            let url = self.request.url.without_password();
            let part = PartialFile::earlier(&self.target, url.as_str()).await?;
            part.map_or(Ok(()), PartialFile::discard)
        };
        removing.boxed()
    }
}

/// Returns the size of the partial file of a URL and a target, and the expected total size, in octets. The file is not
/// locked, so the result is only for display.
pub fn partial_size(url: &Url, target: &Target) -> Option<(u64, Option<u64>)> {
    let base = match target {
        Target::Free(path)
        | Target::Suggested(path)
        | Target::New(path)
        | Target::Skip(path)
        | Target::Resume(path) => path.clone(),
        Target::Replace(path) => std::fs::canonicalize(path).unwrap_or_else(|_| path.clone()),
    };
    reopen::partial_size(&base, url.without_password().as_str())
}

/// Loads `request` into a file. `progress` receives the octets so far and the total size if it is available.
///
/// # Errors
/// Any [`Error`]. Dropping the future stops the load and leaves the partial file.
pub async fn download(
    net: &Net,
    request: Request,
    target: Target,
    mut progress: impl FnMut(u64, Option<u64>) + Send,
) -> Result<SavedFile, Error> {
    fetch(net, DownloadOrder::new(request, target), &mut |report| {
        if let TransferEvent::Octets(octets, size) = report {
            progress(octets, size);
        }
    })
    .await
}

/// Executes an order, without retries.
///
/// # Errors
/// Any [`Error`]. Dropping the future stops the load and leaves the partial file.
pub fn fetch<'a>(
    net: &'a Net,
    order: DownloadOrder,
    report: &'a mut EventReport<'a>,
) -> BoxFuture<'a, Result<SavedFile, Error>> {
    fetch_file(net, order, report).boxed()
}

async fn fetch_file(
    net: &Net,
    order: DownloadOrder,
    report: &mut EventReport<'_>,
) -> Result<SavedFile, Error> {
    order.target.check().await?;
    if let Target::Resume(path) = &order.target {
        let url = order.request.url.without_password();
        taken::adopt(path, url.as_str()).await?;
    }
    let mut result = receive::attempt(net, &order, StartPosition::Resume, report).await;
    if let Err(AttemptError::Mismatch) = result {
        report(TransferEvent::Restarted);
        result = receive::attempt(net, &order, StartPosition::Beginning, report).await;
    }
    result.map_err(|error| match error {
        AttemptError::Failed(error) => error,
        AttemptError::Mismatch => {
            let failure = Failure::new("the server does not send the file from the start");
            Error::stopped(failure, None)
        }
    })
}

/// Writes octets in memory to a new file.
///
/// # Errors
/// [`Error::Create`], [`Error::Write`].
pub fn save<'a>(
    blocks: impl Iterator<Item = &'a [u8]> + Send + 'a,
    target: Target,
) -> BoxFuture<'a, Result<SavedFile, Error>> {
    save_blocks(Box::new(blocks), target)
}

fn save_blocks<'a>(
    blocks: Box<dyn Iterator<Item = &'a [u8]> + Send + 'a>,
    target: Target,
) -> BoxFuture<'a, Result<SavedFile, Error>> {
    let saving = async move {
        let mut file = PartialFile::create(&target, None).await?;
        for block in blocks {
            file.write(vec![block.to_vec()]).await?;
        }
        let end = TransferEnd::Confirmed;
        file.finish(None, end, ShorterFilePolicy::Replace).await
    };
    saving.boxed()
}
