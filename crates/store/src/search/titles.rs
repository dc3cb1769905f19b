//! The search of titles: bookmarks and visits, whose pages need no copy.

use std::collections::HashSet;

use geomys_wire::net::page_url;
use jiff::Timestamp;
use rfc1738::{Dialect, Url};

use super::{Rank, SearchHit, SearchQuery, sort};
use crate::bookmarks::Bookmarks;
use crate::bookmarks::records::BookmarkRecords;
use crate::files::history::History;

/// Returns a hit if all words are in a title, and the conditions for the URL and the title are met. The search judges
/// the others, by the copy of the page if there is one. `date` is that of the bookmark or the visit.
pub fn title_hit(
    query: &SearchQuery,
    url: &Url,
    title: &str,
    date: Option<Timestamp>,
) -> Option<SearchHit> {
    let is_part = query.in_title(title)?;
    query.may_admit(url, title).then(|| SearchHit {
        url: url.clone(),
        key: page_url(url),
        title: title.to_owned(),
        date,
        line: String::new(),
        count: 1,
        is_part,
        rank: Rank::Title,
    })
}

/// What the titles of bookmarks and visits say of their pages.
#[derive(Clone, Debug, Default)]
pub struct Titles {
    /// The pages with the words in a title, sorted.
    pub hits: Vec<SearchHit>,
    /// The keys of the pages with an excluded word in a title.
    pub excluded: HashSet<Url>,
}

impl FromIterator<SearchHit> for Titles {
    fn from_iter<I: IntoIterator<Item = SearchHit>>(hits: I) -> Self {
        Self {
            hits: hits.into_iter().collect(),
            excluded: HashSet::new(),
        }
    }
}

/// Searches the titles of bookmarks and visits.
pub fn title_hits(
    query: &SearchQuery,
    bookmarks: &Bookmarks,
    added: &BookmarkRecords,
    visits: &History,
) -> Titles {
    let mut titles = Titles::default();
    let mut look = |url: Url, title: &str, date: Option<Timestamp>| {
        if query.is_excluded_title(title) {
            titles.excluded.insert(page_url(&url));
        } else {
            titles.hits.extend(title_hit(query, &url, title, date));
        }
    };
    for bookmark in bookmarks.bookmarks() {
        if let Ok(url) = bookmark.url() {
            let date = added.added(&url);
            look(url, bookmark.title().as_str(), date);
        }
    }
    for visit in visits.iter().rev() {
        if let Ok(url) = Dialect::Extended.parse(visit.url) {
            look(url, visit.title, Some(visit.to_visit().time));
        }
    }
    sort(&mut titles.hits);
    titles
}
