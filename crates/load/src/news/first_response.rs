//! The first command about a target, and the response to it.

use geomys_wire::protocol::nntp::{ArticleId, List, NntpError, ServerDate, WaterMarks, patterns};

use super::endpoint::NewsDialogue;
use super::overview::EarlyWindow;
use super::settings::ChangesQuery;
use super::target::{NewsTarget, RequestExtent};

/// The first response of the server.
#[derive(Clone, Copy, Debug)]
pub(super) enum FirstResponse {
    /// The target exists, and nothing else was requested.
    Exists,
    /// An article follows.
    Article,
    /// A list of groups follows; with the server's time before it, if that is useful and the server reported it.
    Groups(Option<ServerDate>),
    /// Counts of groups: true if the list of the first ones follows, false if the server does not list them.
    Counts(bool),
    /// A group was selected, and perhaps a window of its overview follows.
    Group(WaterMarks, Option<EarlyWindow>),
}

/// Requests the content of the target, or checks that it exists.
pub(super) async fn ask(
    dialogue: &mut NewsDialogue,
    target: &NewsTarget<'_>,
    extent: RequestExtent,
    window: Option<(u64, u64)>,
) -> Result<FirstResponse, NntpError> {
    match target {
        // The greeting has arrived, which is enough.
        NewsTarget::Groups(_) | NewsTarget::Changes(_) if extent == RequestExtent::Existence => {
            Ok(FirstResponse::Exists)
        }
        NewsTarget::Groups(pattern) => {
            if pattern.is_none() {
                let list = if dialogue.has_counts() {
                    b"LIST COUNTS".as_slice()
                } else {
                    b"LIST ACTIVE"
                };
                let window = [b"DATE".as_slice(), list, b"LIST NEWSGROUPS"];
                dialogue.send_ahead(&window).await?;
            }
            // Requested before the list, so that changes during the transfer are reported the next time.
            let list_date = match pattern {
                None => dialogue.date().await?,
                Some(_) => None,
            };
            count(dialogue, pattern.as_deref()).await?;
            Ok(FirstResponse::Groups(list_date))
        }
        NewsTarget::Changes(since) => {
            let Some(date) = &since.date else {
                return Ok(FirstResponse::Counts(first_counts(dialogue, since).await?));
            };
            let list_date = dialogue.date().await?;
            dialogue.new_groups(date).await?;
            Ok(FirstResponse::Groups(list_date))
        }
        NewsTarget::Group(name) | NewsTarget::Range(name, ..) => {
            let marks = dialogue.group(name).await?;
            Ok(match extent {
                RequestExtent::Whole => {
                    FirstResponse::Group(marks, early_window(dialogue, window).await?)
                }
                RequestExtent::Existence => FirstResponse::Exists,
            })
        }
        NewsTarget::Number(name, number) => {
            article(dialogue, ArticleId::Number(name, *number), extent).await
        }
        NewsTarget::MessageId(id) => article(dialogue, ArticleId::MessageId(id), extent).await,
    }
}

/// Reads the reply to the window of an overview that was requested with its group. A server without an overview is
/// asked otherwise later.
async fn early_window(
    dialogue: &mut NewsDialogue,
    window: Option<(u64, u64)>,
) -> Result<Option<EarlyWindow>, NntpError> {
    let Some((first, last)) = window else {
        return Ok(None);
    };
    match dialogue.over(first, last).await {
        Ok(has_lines) => Ok(Some(EarlyWindow {
            first,
            last,
            has_lines,
        })),
        Err(NntpError::Declined(reply)) if reply.is_unsupported() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Requests the counts of the first groups. Returns false if the server does not list them by a pattern.
async fn first_counts(
    dialogue: &mut NewsDialogue,
    query: &ChangesQuery,
) -> Result<bool, NntpError> {
    let patterns = patterns(query.subscribed.iter().map(Vec::as_slice));
    let Some(first) = patterns.first() else {
        return Ok(false);
    };
    match count(dialogue, Some(first)).await {
        Ok(()) => Ok(true),
        Err(NntpError::Declined(reply)) if reply.is_unsupported() => Ok(false),
        Err(error) => Err(error),
    }
}

async fn article(
    dialogue: &mut NewsDialogue,
    id: ArticleId<'_>,
    extent: RequestExtent,
) -> Result<FirstResponse, NntpError> {
    match extent {
        RequestExtent::Existence => {
            dialogue.stat(id).await?;
            Ok(FirstResponse::Exists)
        }
        RequestExtent::Whole => {
            dialogue.article(id).await?;
            Ok(FirstResponse::Article)
        }
    }
}

/// Requests a list of groups, with their counts if the server supports them.
pub(super) async fn count(
    dialogue: &mut NewsDialogue,
    pattern: Option<&[u8]>,
) -> Result<(), NntpError> {
    if dialogue.has_counts() {
        match dialogue.list(List::Counts, pattern).await {
            Err(NntpError::Declined(_)) => {}
            done => return done,
        }
    }
    dialogue.list(List::Active, pattern).await
}
