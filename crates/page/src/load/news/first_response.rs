//! The first command with a useful response.

use geomys_wire::protocol::nntp::{ArticleId, List, NntpError, ServerDate, WaterMarks, patterns};

use super::endpoint::NewsDialogue;
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
    /// A group was selected.
    Group(WaterMarks),
}

/// Requests the content of the target, or checks that it exists.
pub(super) async fn ask(
    dialogue: &mut NewsDialogue,
    target: &NewsTarget<'_>,
    extent: RequestExtent,
) -> Result<FirstResponse, NntpError> {
    match target {
        // The greeting has arrived, which is enough.
        NewsTarget::Groups(_) | NewsTarget::Changes(_) if extent == RequestExtent::Existence => {
            Ok(FirstResponse::Exists)
        }
        NewsTarget::Groups(pattern) => {
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
                RequestExtent::Whole => FirstResponse::Group(marks),
                RequestExtent::Existence => FirstResponse::Exists,
            })
        }
        NewsTarget::Number(name, number) => {
            dialogue.group(name).await?;
            article(dialogue, ArticleId::Number(*number), extent).await
        }
        NewsTarget::MessageId(id) => article(dialogue, ArticleId::MessageId(id), extent).await,
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
        Err(NntpError::Declined(reply)) if matches!(reply.code, 500..=503) => Ok(false),
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
