//! The search of titles: bookmarks and visits, whose pages need no copy.

use geomys_wire::net::compared_url;
use jiff::Timestamp;
use rfc1738::{Dialect, Url};

use super::{Rank, SearchHit, SearchQuery, sort};
use crate::bookmarks::Bookmarks;
use crate::bookmarks::dates::AddedDates;
use crate::files::history::History;

/// Returns a hit if all words are in a title.
pub fn title_hit(
    query: &SearchQuery,
    url: &Url,
    title: &str,
    since: Option<Timestamp>,
) -> Option<SearchHit> {
    let is_hit = query.admits(url, since) && query.is_in_title(title);
    is_hit.then(|| SearchHit {
        url: url.clone(),
        key: compared_url(&url.without_password().without_fragment()),
        title: title.to_owned(),
        since,
        line: String::new(),
        count: 1,
        rank: Rank::Title,
    })
}

/// Returns the bookmarks and visits with the words in their title, sorted.
pub fn title_hits(
    query: &SearchQuery,
    bookmarks: &Bookmarks,
    added: &AddedDates,
    visits: &History,
) -> Vec<SearchHit> {
    let bookmarks = bookmarks.bookmarks().filter_map(|bookmark| {
        let url = bookmark.url().ok()?;
        title_hit(query, &url, bookmark.title().as_str(), added.of(&url))
    });
    let visits = visits.iter().rev().filter_map(|visit| {
        let url = Dialect::Extended.parse(visit.url).ok()?;
        title_hit(query, &url, visit.title, Some(visit.to_visit().time))
    });
    let mut hits: Vec<SearchHit> = bookmarks.chain(visits).collect();
    sort(&mut hits);
    hits
}
