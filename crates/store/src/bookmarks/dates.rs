//! The orders of a list of bookmarks: by title, host, date of addition, last visit. The bookmark file holds no dates.

use std::cmp::Reverse;
use std::collections::HashMap;

use geomys_wire::net::page_text;
use jiff::Timestamp;
use rfc1738::Url;
use serde::{Deserialize, Serialize};

use super::Bookmarks;
use super::query::node_of;
use super::records::BookmarkRecords;
use crate::files::history::History;

/// The order of a list of bookmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BookmarkOrder {
    /// The order of the file.
    #[default]
    File,
    /// By title, in any case.
    Title,
    /// By the date added, the newest first, unknown ones last.
    Added,
    /// By the last visit, the newest first, those without one last.
    Visited,
    /// By host, those of one host in the order of the file; those without a host last.
    Host,
}

/// The times of the last visits of URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastVisits(HashMap<String, i64>);

impl LastVisits {
    /// Collects the last visit of each URL.
    pub fn of(history: &History) -> Self {
        let visits = history.iter();
        Self(
            visits
                .map(|visit| (visit.key().into_owned(), visit.second))
                .collect(),
        )
    }

    /// Returns the time of the last visit of the page of a bookmark, whose URL is given as it is written; `None` if it
    /// is not stored.
    pub fn time(&self, written: &str) -> Option<Timestamp> {
        let second = self.0.get(&*page_text(written))?;
        Timestamp::from_second(*second).ok()
    }
}

/// Sorts bookmarks by their indices, which are in the order of the file.
pub fn sort(
    file: &Bookmarks,
    indices: &mut [usize],
    order: BookmarkOrder,
    added: &BookmarkRecords,
    visits: &LastVisits,
) {
    let url = |index: usize| file.bookmark(index)?.repaired_url().ok();
    match order {
        BookmarkOrder::File => {}
        BookmarkOrder::Title => indices.sort_by_cached_key(|&index| {
            let bookmark = file.bookmark(index);
            bookmark.map(|bookmark| bookmark.label().as_str().to_lowercase())
        }),
        BookmarkOrder::Added => {
            let date =
                |index: usize| added.added_written(file.bookmark(index)?.url_text().as_str());
            indices.sort_by_cached_key(|&index| Reverse(date(index)));
        }
        BookmarkOrder::Host => indices.sort_by_cached_key(|&index| {
            let domains = url(index).and_then(|url| domains_of(&url));
            (domains.is_none(), domains)
        }),
        BookmarkOrder::Visited => {
            let visit = |index: usize| visits.time(file.bookmark(index)?.url_text().as_str());
            indices.sort_by_cached_key(|&index| Reverse(visit(index)));
        }
    }
}

/// Returns the parts of the host of a URL, the top domain first: the hosts of one domain stand together.
fn domains_of(url: &Url) -> Option<Vec<String>> {
    let node = node_of(url)?;
    Some(node.rsplit('.').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn time(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    proptest! {
        #[test]
        fn sorting_keeps_all_and_the_order_of_the_file_among_equals(
            seconds in proptest::collection::vec(proptest::option::of(0_i64..5), 0..30),
        ) {
            let lines = (0..seconds.len()).map(|number| format!("<URL:gopher://h/1/{number}>\n"));
            let file = Bookmarks::parse(lines.collect::<String>().as_bytes());
            let mut added = BookmarkRecords::default();
            for (number, second) in seconds.iter().enumerate() {
                if let Some(second) = second {
                    added.add_date(&format!("gopher://h/1/{number}"), time(*second));
                }
            }
            let mut sorted: Vec<usize> = (0..file.len()).collect();
            sort(&file, &mut sorted, BookmarkOrder::Added, &added, &LastVisits::default());
            let mut expected: Vec<usize> = (0..file.len()).collect();
            expected.sort_by_key(|&index| (Reverse(seconds[index]), index));
            prop_assert_eq!(sorted, expected);
        }
    }
}
