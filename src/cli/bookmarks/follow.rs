//! The consent to follow: a tag that is given by name needs no question.

use geomys_store::bookmarks::checks::{self, UrlKey};
use geomys_store::bookmarks::followed::depth_of_tags;
use geomys_store::bookmarks::watch::{self, WatchEvent};
use rfc1738::Url;

use crate::cli::context::CliContext;
use crate::cli::error::CliError;

/// Records that the user agrees to follow URLs if one of these tags follows. Returns the URLs to which nobody had
/// agreed before.
///
/// # Errors
/// Errors of the file of followed pages.
pub(super) fn confirm_tagged<'u>(
    context: &CliContext,
    tags: &[String],
    urls: impl IntoIterator<Item = &'u Url>,
) -> Result<Vec<UrlKey>, CliError> {
    if depth_of_tags(tags.iter().map(String::as_str)).is_none() {
        return Ok(Vec::new());
    }
    let path = context.paths.watched();
    let known = watch::load(&path)?;
    let mut new: Vec<UrlKey> = urls
        .into_iter()
        .filter(|url| !known.is_confirmed(url))
        .map(UrlKey::of)
        .collect();
    new.sort_unstable();
    new.dedup();
    let now = checks::current_second();
    let events = new
        .iter()
        .map(|key| WatchEvent::Confirmed(key.clone(), now));
    let events: Vec<WatchEvent> = events.collect();
    if !events.is_empty() {
        watch::save(&path, &events, now)?;
    }
    Ok(new)
}
