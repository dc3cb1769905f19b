//! One page of a site: the limits of its transfer, its former copy, and its links.

use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

use geomys_load::check::{MAX_READ_BYTES, ReceivedPage};
use geomys_load::{Failure, PageHead, ServerFileName};
use geomys_page::document::Shape;
use geomys_wire::text::{self, Charset, Text};
use rfc1738::{Protocol, Url};
use ring::digest::{Context, Digest, SHA256};
use tokio::sync::oneshot;

use super::site_names::lists_others;
use crate::site::links::{PageLinks, links_of};
use geomys_store::files::regular;
use geomys_store::transfer::download::{Error, SavedFile};
use geomys_store::transfer::retry::RetryPolicy;

/// Maximum size of a page with links: no server may send one without end.
pub(super) const MAX_PAGE_BYTES: u64 = 64 * 1024 * 1024;

/// Time limit of a page with links, with its retries.
pub(super) const DEADLINE: Duration = Duration::from_mins(10);

/// The sentence about a page that takes longer.
pub(super) const ENDLESS: &str = "the page does not end";

/// Maximum number of retries of a page, and their time: one that is busy for long holds up no other.
const MAX_RETRIES: (u32, Duration) = (5, Duration::from_mins(2));

/// Contents and time of a file before it is fetched again.
pub(super) struct FormerCopy {
    digest: Digest,
    modified: SystemTime,
}

impl FormerCopy {
    /// Reads a file; `None` if it cannot be read. Blocks.
    pub(super) fn of(path: &Path) -> Option<Self> {
        Some(Self {
            digest: digest_of(path).ok()?,
            modified: std::fs::metadata(path).ok()?.modified().ok()?,
        })
    }

    /// Gives a file its former time, if its contents are the same. Returns false if they are not. Blocks.
    pub(super) fn restore(&self, path: &Path) -> bool {
        let is_same = digest_of(path).is_ok_and(|is| is.as_ref() == self.digest.as_ref());
        if is_same {
            let file = std::fs::File::options().write(true).open(path);
            // With another time it is fetched and compared again.
            let _ = file.and_then(|file| file.set_modified(self.modified));
        }
        is_same
    }
}

/// Returns the digest of a file. Blocks.
fn digest_of(path: &Path) -> io::Result<Digest> {
    let (mut file, mut context) = (regular::open(path)?, Context::new(&SHA256));
    let mut block = vec![0; 64 * 1024];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(context.finish()),
            length => context.update(block.get(..length).unwrap_or_default()),
        }
    }
}

/// Returns the retries of the pages of a site.
pub(super) fn page_retries(retry_policy: &RetryPolicy) -> RetryPolicy {
    let (attempts, elapsed) = MAX_RETRIES;
    RetryPolicy {
        max_attempts: retry_policy.max_attempts.min(attempts),
        max_elapsed: retry_policy.max_elapsed.min(elapsed),
        // A host that was silent twice is left.
        retries_silence: false,
        ..*retry_policy
    }
}

/// Runs the transfer of a page with links, until `too_long` resolves.
///
/// # Errors
/// The page is too long, or takes too long.
pub(super) async fn within_limits(
    too_long: oneshot::Receiver<()>,
    transferring: impl Future<Output = Result<SavedFile, Error>>,
) -> Result<Result<SavedFile, Error>, Error> {
    let why = tokio::select! {
        biased;
        Ok(()) = too_long => format!("the page is longer than {}", text::octets(MAX_PAGE_BYTES)),
        () = tokio::time::sleep(DEADLINE) => ENDLESS.to_owned(),
        saved = transferring => return Ok(saved),
    };
    Err(Error::stopped(Failure::new(why), None))
}

/// Returns the links of a local copy of a page with this media type. Blocks.
pub(super) fn links(url: &Url, path: &Path, media_type: Option<&str>) -> PageLinks {
    let mut octets = Vec::new();
    let read = regular::open(path).and_then(|file| {
        let length = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        // A growing buffer would take twice the memory.
        octets.reserve_exact(length.min(MAX_READ_BYTES) + 1);
        file.take(MAX_READ_BYTES as u64).read_to_end(&mut octets)
    });
    if read.is_err() {
        return PageLinks::default();
    }
    let page = ReceivedPage {
        head: head_of_copy(url, media_type),
        octets,
        cut: None,
        is_whole: true,
    };
    links_of(page, url)
}

/// Returns the head with which a page came that is a file here, by its URL and its recorded media type.
pub(crate) fn head_of_copy(url: &Url, media_type: Option<&str>) -> PageHead {
    let mut parts = media_type.unwrap_or_default().split(';');
    let name = parts.next().filter(|name| !name.is_empty());
    let parameter = |wanted: &str| parts.clone().find_map(|one| one.strip_prefix(wanted));
    let shape = match url.protocol() {
        Protocol::Gopher(gopher) if gopher.item_type() == b'1' => Shape::Menu,
        Protocol::Gopher(_) | Protocol::Http(_) => Shape::Text,
        // Earlier versions did not record the type.
        _ if name.is_none() && lists_others(url) => Shape::Gemtext,
        _ => Shape::Text,
    };
    PageHead {
        charset: parameter("charset=").and_then(Charset::named),
        languages: parameter("lang=").map(Text::of),
        file_name: ServerFileName {
            media_type: name.map(str::to_owned),
            ..ServerFileName::default()
        },
        url: Some(url.clone()),
        ..PageHead::new(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_that_is_busy_is_given_up_before_a_file() {
        let default = RetryPolicy::default();
        let pages = page_retries(&default);
        assert_eq!((pages.max_attempts, pages.max_elapsed), MAX_RETRIES);
        let once = RetryPolicy {
            max_attempts: 0,
            ..default
        };
        assert_eq!(page_retries(&once).max_attempts, 0);
    }
}
