//! Tasks of transfers of files and directories to the disk, and of a binary that was posted in several articles.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use geomys_crawl::tree::{TreeProgress, tree};
use geomys_load::{Failure, FailureKind, LoadId, Request, Stop, announce_articles, collect};
use geomys_page::document::Document;
use geomys_page::document::binary;
use geomys_page::document::binary::JoinedFile;
use geomys_store::transfer::download;
use geomys_store::transfer::download::{DownloadOrder, Error, SavedFile, Target, TransferEvent};
use geomys_store::transfer::records::DirectoryRecords;
use geomys_store::transfer::retry::{RetryPolicy, transfer};
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use geomys_wire::text::{self, CharsetSetting};
use rfc1738::Url;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use super::reports::{ReportThrottle, panic_sentence, sentence};
use geomys_app::transfers::message::{
    BinaryGroup, BinaryJob, TransferInterruption, TransferJob, TransferOutcome, TransferQuestion,
};
use geomys_app::{Message, TransferMessage};

/// Carries out a transfer, and reports its progress.
pub(super) async fn run(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    job: TransferJob,
    (sources, retry_policy): (DirectoryRecords, RetryPolicy),
) {
    let url = match &job {
        TransferJob::File(order) => order.request.url.clone(),
        TransferJob::Directory(order) => order.request.url.clone(),
    };
    let running = AssertUnwindSafe(carry_out(
        &net,
        &messages,
        id,
        job,
        (&sources, &retry_policy),
    ));
    let result = match Box::pin(running.catch_unwind()).await {
        Ok(result) => result.map_err(interruption),
        Err(_) => Err(TransferInterruption::Failed(panic_sentence("save", &url))),
    };
    let _ = messages.send(TransferMessage::Ended(id, result).into());
}

async fn carry_out(
    net: &Net,
    messages: &UnboundedSender<Message>,
    id: LoadId,
    job: TransferJob,
    (sources, retry_policy): (&DirectoryRecords, &RetryPolicy),
) -> Result<TransferOutcome, Error> {
    let reports = ReportThrottle::new(messages);
    match job {
        TransferJob::File(order) => {
            let mut on_progress = |event| {
                let is_last =
                    matches!(event, TransferEvent::Octets(octets, Some(size)) if octets == size);
                match event {
                    // The end, or the remaining time, follows.
                    TransferEvent::Received | TransferEvent::Outage(..) => {}
                    TransferEvent::Octets(..) if !is_last => {
                        reports.offer(TransferMessage::Progress(id, event));
                    }
                    event => reports.send(TransferMessage::Progress(id, event)),
                }
            };
            let path = order.target.path().to_owned();
            let saving = transfer(net, order, retry_policy, &mut on_progress);
            match reports.during(saving).await {
                Err(Error::AlreadyComplete) => Ok(TransferOutcome::Skipped(path)),
                saved => saved.map(TransferOutcome::File),
            }
        }
        TransferJob::Directory(order) => {
            let path = order.into.clone();
            let mut on_progress = |step: &TreeProgress| {
                let report = TransferMessage::DirectoryProgress(id, step.clone());
                if step.retry.is_some() {
                    reports.send(report);
                } else {
                    reports.offer(report);
                }
            };
            let walk = Box::pin(tree(net, order, sources, retry_policy, &mut on_progress));
            let summary = reports.during(walk).await?;
            Ok(TransferOutcome::Directory(path, summary))
        }
    }
}

fn interruption(error: Error) -> TransferInterruption {
    match error {
        Error::Stopped { stop, part } => match *stop {
            Stop::Needs(question) => {
                TransferInterruption::Question(TransferQuestion::Load(question))
            }
            stop @ (Stop::Failed(_) | Stop::Truncated(_) | Stop::Closed) => {
                let stop = Box::new(stop);
                TransferInterruption::Failed(sentence(&Error::Stopped { stop, part }))
            }
        },
        Error::Directory => TransferInterruption::Question(TransferQuestion::Directory),
        Error::Foreign { path } => TransferInterruption::Question(TransferQuestion::Foreign(path)),
        Error::Oversize { size, .. } => {
            TransferInterruption::Question(TransferQuestion::Oversize(size))
        }
        Error::AlreadyComplete
        | Error::Link { .. }
        | Error::Busy { .. }
        | Error::NotReplaced { .. }
        | Error::Create { .. }
        | Error::Write { .. } => TransferInterruption::Failed(sentence(&error)),
    }
}

/// Removes the partial file of a transfer, after its task has ended.
pub(super) async fn remove_partial(
    running: Option<JoinHandle<()>>,
    order: Box<DownloadOrder>,
) -> Message {
    if let Some(running) = running {
        running.abort();
        // The result of the task does not matter.
        let _ = running.await;
    }
    let forgotten = order.forget().await;
    Message::Written(forgotten.map_err(|error| error.to_string()))
}

/// The maximum size of all pages together, in octets.
pub(super) const MAX_BINARY_BYTES: usize = 512 * 1024 * 1024;

/// Saves a binary, and reports its progress and its end.
pub(super) async fn save(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    job: BinaryJob,
) {
    let url = job.request.url.clone();
    let reports = ReportThrottle::new(&messages);
    let saving = reports.during(save_joined(&net, &reports, id, job));
    let saved = match AssertUnwindSafe(saving).catch_unwind().await {
        Ok(saved) => saved.map_err(|why| format!("not saved: {why}")),
        Err(_) => Err(panic_sentence("save", &url)),
    };
    let _ = messages.send(Message::Transfers(TransferMessage::Joined(id, saved)));
}

async fn save_joined(
    net: &Net,
    reports: &ReportThrottle,
    id: LoadId,
    job: BinaryJob,
) -> Result<(SavedFile, binary::FileCheck), String> {
    let BinaryJob {
        group,
        request,
        directory,
    } = job;
    let (group, line) = match group {
        BinaryGroup::Open(group, line) => (group, line),
        BinaryGroup::Closed(requests, id) => listed(net, requests, &id).await?,
    };
    let (parts, near) =
        blocking(move || (group.binary_parts(line), group.same_subject(line))).await;
    let urls = complete(parts)?;
    let requests = urls.into_iter().map(|url| Request {
        url,
        ..request.clone()
    });
    let mut requests: Vec<Request> = requests.collect();
    announce_articles(requests.iter_mut());
    let mut articles = Vec::with_capacity(requests.len());
    let mut octets = 0;
    for (number, request) in (1..).zip(requests) {
        let article = fetch(net, request, MAX_BINARY_BYTES - octets)
            .await
            .map_err(|stop| format!("part {number}: {}", stop.sentence()))?;
        octets += article.len();
        articles.push(article);
        reports.offer(TransferMessage::DownloadProgress(id, octets as u64, None));
    }
    // Of a message whose subjects have no counters one part is known, and what it says of the others.
    let message = match articles.as_slice() {
        [article] => binary::FoundParts::of(article),
        _ => None,
    };
    if let Some(mut message) = message {
        let mut near = near.into_iter();
        while !message.is_complete()
            && let Some(url) = near.next()
        {
            let request = Request {
                url,
                ..request.clone()
            };
            match fetch(net, request, MAX_BINARY_BYTES - octets).await {
                Ok(article) if message.add(&article) => {
                    octets += article.len();
                    articles.push(article);
                }
                Ok(_) => {}
                Err(Stop::Failed(failure)) if failure.kind == FailureKind::Missing => {}
                Err(stop) => return Err(stop.sentence()),
            }
            reports.offer(TransferMessage::DownloadProgress(id, octets as u64, None));
        }
    }
    let joined = blocking(move || binary::join(&articles)).await;
    let JoinedFile {
        name,
        octets,
        check,
    } = joined?;
    let path = directory.join(text::file_name(&name, "binary"));
    let saved = download::save(std::iter::once(octets.as_slice()), Target::Free(path)).await;
    Ok((saved.map_err(|error| error.to_string())?, check))
}

/// Fetches groups, and returns the first one that lists the article with this Message-ID, with its line.
///
/// # Errors
/// A sentence about the last group.
async fn listed(
    net: &Net,
    requests: Vec<Request>,
    id: &str,
) -> Result<(Box<Document>, usize), String> {
    let mut why = format!("{id} is in no group of the server");
    for request in requests {
        let url = request.url.clone();
        let (octets, head, end) = collect(net, request, MAX_BINARY_BYTES).await;
        let Some(head) = head.filter(|_| end.is_ok()) else {
            why = end.err().map_or(why, |stop| stop.sentence());
            continue;
        };
        let mut group = Document::new(head.url_of(&url), head.shape, CharsetSetting::Detected);
        group.append(&octets);
        match group.line_of_message(id.as_bytes()) {
            Some(line) => return Ok((Box::new(group), line)),
            None => why = format!("{id} is not in {url}"),
        }
    }
    Err(why)
}

/// Returns the URLs of all parts.
///
/// # Errors
/// The numbers of the missing parts.
fn complete(parts: Vec<Option<Url>>) -> Result<Vec<Url>, String> {
    let numbered = (1_usize..).zip(&parts);
    let missing = numbered.filter_map(|(number, url)| url.is_none().then_some(number));
    let missing: Vec<usize> = missing.collect();
    if missing.is_empty() {
        return Ok(parts.into_iter().flatten().collect());
    }
    let shown: Vec<String> = missing.iter().take(5).map(usize::to_string).collect();
    let more = if missing.len() > shown.len() {
        ", ..."
    } else {
        ""
    };
    let (shown, total) = (shown.join(", "), parts.len());
    Err(format!(
        "parts {shown}{more} of {total} are missing in this group"
    ))
}

/// Fetches a page of at most `most` octets.
///
/// # Errors
/// Why the load stopped; a page that is larger is a failure.
pub(super) async fn fetch(net: &Net, request: Request, most: usize) -> Result<Vec<u8>, Stop> {
    // One octet more shows that the limit was exceeded.
    let (octets, _, end) = collect(net, request, most.saturating_add(1)).await;
    if octets.len() > most {
        let most = text::octets(MAX_BINARY_BYTES as u64);
        return Err(Failure::new(format!("together they are larger than {most}")).into());
    }
    end?;
    Ok(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_parts_are_named() {
        let url = || Some(Url::parse("nntp://h/a.b/1").unwrap());
        assert_eq!(complete(vec![url(), url()]).unwrap().len(), 2);
        let parts = vec![None, url(), None];
        assert_eq!(
            complete(parts).unwrap_err(),
            "parts 1, 3 of 3 are missing in this group"
        );
        assert_eq!(
            complete(vec![None; 7]).unwrap_err(),
            "parts 1, 2, 3, 4, 5, ... of 7 are missing in this group"
        );
    }
}
