//! Pages that are kept: written when they are whole, read when nobody is reached.

use std::io;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;

use crate::app::Message;
use crate::document::Document;
use crate::files::cache::{Cache, Head, Page};
use crate::load::{
    self, Begin, Failure, FailureKind, Kept, LoadId, Part, Request, Sink, Stop, UseKept,
    has_changes, kept_as,
};
use crate::net::Net;
use crate::text::Text;
use crate::url::Url;

/// Parts of a kept page that may wait for the loop.
const PARTS: usize = 4;

/// How long a list is brought up to date by its changes. They tell nothing of groups that are gone, nor how many articles
/// there are in those that nobody reads, so that all of it is asked for again then.
const WHOLE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Why a page comes from the cache that was dropped while nobody looked at it.
const DROPPED: &str = "it was dropped to free memory";

/// Carries a load out. Where it ends before its page has begun, as nobody is reached, the page is the one that is kept.
pub async fn load(
    net: &Net,
    cache: &Arc<Cache>,
    request: Request,
    id: LoadId,
    parts: mpsc::Sender<(LoadId, Part)>,
) {
    let Some(url) = kept_as(&request).filter(|_| cache.is_on()) else {
        return load::load(net, request, Sink::new(id, parts)).await;
    };
    let reason = match request.use_kept {
        UseKept::First if has_changes(&request) => Some(None),
        UseKept::Always => Some(Some(DROPPED.to_owned())),
        UseKept::First | UseKept::IfAway => None,
    };
    if let Some(why) = reason {
        match hand_on(cache, url.clone(), why, id, &parts).await {
            Ok(false) => {}
            Ok(true) | Err(Closed) => return,
        }
    }
    let (sender, mut coming) = mpsc::channel(1);
    let handing_on = async move {
        let mut has_begun = false;
        while let Some((_, part)) = coming.recv().await {
            has_begun |= matches!(part, Part::Begin(_));
            match part {
                Part::End(Err(Stop::Failed(failure))) if !has_begun && is_away(&failure) => {
                    return instead(cache, url, failure, id, &parts).await;
                }
                part => parts.send((id, part)).await?,
            }
        }
        Result::<(), Closed>::Ok(())
    };
    // When nobody listens any more the load finds that out, too.
    let _ = tokio::join!(load::load(net, request, Sink::new(id, sender)), handing_on);
}

/// Nobody listens.
struct Closed;

impl<T> From<mpsc::error::SendError<T>> for Closed {
    fn from(_: mpsc::error::SendError<T>) -> Self {
        Self
    }
}

/// Whether a failure tells of the way to a server, and nothing of the page.
fn is_away(failure: &Failure) -> bool {
    match failure.kind {
        FailureKind::Unreachable | FailureKind::Transient => true,
        FailureKind::Permanent | FailureKind::Missing | FailureKind::ResumeMismatch => false,
    }
}

/// Hands on the page that is kept, or the failure where there is none.
async fn instead(
    cache: &Arc<Cache>,
    url: Url,
    mut failure: Failure,
    id: LoadId,
    parts: &mpsc::Sender<(LoadId, Part)>,
) -> Result<(), Closed> {
    let why = Some(failure.sentence.clone());
    if !hand_on(cache, url, why, id, parts).await? {
        failure.sentence.push_str(", and no copy of it is kept");
        let end = Part::End(Err(failure.into()));
        parts.send((id, end)).await?;
    }
    Ok(())
}

/// Hands on the page that is kept; whether there is one. Where no server was to be asked, `why` is nothing, and a page is
/// there only when what has changed may be asked for.
async fn hand_on(
    cache: &Arc<Cache>,
    url: Url,
    why: Option<String>,
    id: LoadId,
    parts: &mpsc::Sender<(LoadId, Part)>,
) -> Result<bool, Closed> {
    let (sender, mut coming) = mpsc::channel(PARTS);
    let cache = Arc::clone(cache);
    let reading = tokio::task::spawn_blocking(move || {
        let page = cache.page(&url);
        let page = page.filter(|page| why.is_some() || has_changes_since(page));
        let is_there = page.is_some();
        if let Some(page) = page {
            // A reader that nobody listens to any more ends with the channel.
            let _ = read(page, why, &sender);
        }
        is_there
    });
    while let Some(part) = coming.recv().await {
        parts.send((id, part)).await?;
    }
    Ok(reading.await.unwrap_or_default())
}

/// Whether it is known what its server's clock showed, and all of it came not long ago.
fn has_changes_since(page: &Page) -> bool {
    let whole = page.head.whole.unwrap_or(page.since);
    page.head.asked_at.is_some() && Timestamp::now().duration_since(whole) < WHOLE
}

/// Hands on a page that is kept, piece by piece.
fn read(mut page: Page, why: Option<String>, parts: &mpsc::Sender<Part>) -> Result<(), Closed> {
    let Head {
        url,
        shape,
        title,
        highest,
        asked_at,
        whole: _,
        real,
    } = page.head.clone();
    parts.blocking_send(Part::Begin(Begin {
        url: Some(real.unwrap_or(url)),
        title: title.map(|title| Text::of(&title)),
        highest,
        asked_at,
        kept: Some(Kept {
            since: page.since,
            why,
        }),
        ..Begin::new(shape)
    }))?;
    loop {
        let end = match page.octets() {
            Ok(Some(octets)) => {
                parts.blocking_send(Part::Octets(octets))?;
                continue;
            }
            Ok(None) => Ok(()),
            Err(error) => Err(unreadable(&error)),
        };
        return Ok(parts.blocking_send(Part::End(end))?);
    }
}

fn unreadable(error: &io::Error) -> Stop {
    Failure::new(format!("what is kept of it cannot be read: {error}")).into()
}

/// Keeps a page that has come by now. Blocks.
pub(super) fn keep(cache: &Cache, head: &Head, document: &Document) -> Message {
    let now = Timestamp::now();
    let kept = match document.merged() {
        Some(octets) => {
            let before = cache.page(&head.url);
            let head = Head {
                whole: before.map(|before| before.head.whole.unwrap_or(before.since)),
                ..head.clone()
            };
            cache.keep(&head, now, std::iter::once(octets.as_slice()))
        }
        None => cache.keep(head, now, document.raw().blocks()),
    };
    Message::PageKept(kept.map_err(|error| format!("the page was not kept: {error}")))
}
