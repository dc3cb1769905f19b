//! Moves that are believed for many bookmarks at once. A server that answers each missing page by a redirect says
//! "moved" where "gone" is meant: the shape of the new URL speaks against it. Such a move is accepted for a single
//! bookmark only. What is accepted leaves a record of where the page was.

use std::collections::{BTreeMap, BTreeSet};

use geomys_load::check::stands_for_many;
use jiff::Timestamp;
use rfc1738::{Url, without_secrets};

use super::checks::UrlKey;
use super::records::{BookmarkRecords, FormerUrl, key_of};
use super::{Bookmark, Bookmarks};

/// New URL of a bookmark by a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Index of the bookmark.
    pub index: usize,
    /// URL of the bookmark.
    pub from: Url,
    /// URL to which it has moved.
    pub to: Url,
}

/// Splits moves into those that are accepted together, and those that may mean that the page is gone. A single move is
/// accepted, as the user has looked at it.
pub fn split_moves(moves: Vec<Move>) -> (Vec<(usize, Url)>, Vec<Move>) {
    if let [only] = moves.as_slice() {
        return (vec![(only.index, only.to.clone())], Vec::new());
    }
    let doubtful = doubtful_moves(&moves);
    let (doubtful, sure): (Vec<Move>, Vec<Move>) =
        (moves.into_iter()).partition(|one| doubtful.contains(&one.index));
    let sure = sure.into_iter().map(|one| (one.index, one.to));
    (sure.collect(), doubtful)
}

/// Returns the indices of the bookmarks whose moves may mean that their pages are gone: several lead to one URL, or the
/// shape of the new URL speaks against it.
pub fn doubtful_moves(moves: &[Move]) -> BTreeSet<usize> {
    let mut sources: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for one in moves {
        let from = one.from.without_fragment().to_string();
        sources.entry(one.to.as_str()).or_default().insert(from);
    }
    let is_shared = |one: &Move| {
        let from = sources.get(one.to.as_str());
        from.is_some_and(|from| from.len() > 1)
    };
    let doubtful = moves.iter().filter(|one| {
        !is_same_path(one) && (is_shared(one) || stands_for_many(&one.from, &one.to))
    });
    doubtful.map(|one| one.index).collect()
}

impl Bookmarks {
    /// Returns the records of bookmarks whose pages are at other URLs now: those that [`Bookmarks::replacing_urls`]
    /// gives them after a move.
    pub fn moved_records(&self, moved: &[(usize, Url)], now: Timestamp) -> BookmarkRecords {
        let moved = moved.iter().filter_map(|(index, to)| {
            let from = self.bookmark(*index)?;
            Some((from, UrlKey::of_bookmark(to)))
        });
        former_records(moved, now)
    }

    /// Returns the records of bookmarks into which others are merged, as [`Bookmarks::merging`] does. Copies with the
    /// same URL leave none.
    pub fn merged_records(&self, groups: &[Vec<usize>], now: Timestamp) -> BookmarkRecords {
        let merged = groups.iter().flat_map(|group| {
            let mut group = group.iter().filter_map(|&index| self.bookmark(index));
            let first = group.next().map(|first| key_of(&first));
            group.filter_map(move |copy| Some((copy, first.clone()?)))
        });
        former_records(merged, now)
    }
}

/// Returns the records of these keys: the pages of the bookmarks were elsewhere until now.
fn former_records<'a>(
    moved: impl Iterator<Item = (Bookmark<'a>, UrlKey)>,
    now: Timestamp,
) -> BookmarkRecords {
    let mut records = BookmarkRecords::default();
    for (bookmark, key) in moved.filter(|(bookmark, key)| key_of(bookmark) != *key) {
        let former = FormerUrl {
            url: without_secrets(bookmark.url_text().as_str()).into_owned(),
            until: now,
        };
        records.add_former(key, former);
    }
    records
}

/// Returns true for another scheme or another host with the same path.
fn is_same_path(one: &Move) -> bool {
    let path = |url: &Url| url.path().unwrap_or_default().to_owned();
    path(&one.from) == path(&one.to)
}

#[cfg(test)]
mod tests {
    use rfc1738::Dialect;

    use super::*;

    fn moves(pairs: &[(&str, &str)]) -> Vec<Move> {
        let url = |text: &str| Dialect::Extended.parse(text).unwrap();
        let all = pairs.iter().enumerate();
        all.map(|(index, (from, to))| Move {
            index,
            from: url(from),
            to: url(to),
        })
        .collect()
    }

    /// Returns the indices of the moves that are accepted together.
    fn sure(pairs: &[(&str, &str)]) -> Vec<usize> {
        let (sure, doubtful) = split_moves(moves(pairs));
        assert_eq!(sure.len() + doubtful.len(), pairs.len());
        sure.into_iter().map(|(index, _)| index).collect()
    }

    #[test]
    fn redirect_to_a_page_that_stands_for_many_is_no_move() {
        let sure = sure(&[
            ("http://a/x", "http://a/"),
            ("http://b/x", "http://b"),
            ("http://c/x", "http://c/login?next=%2Fx"),
            ("http://d/x", "http://d/y?from=http://d/x"),
            ("http://e/x", "http://e/y?u=e%2fx"),
            ("http://f/x", "http://f/y;jsessionid=12"),
            ("http://g/x", "https://consent.g/consent"),
            ("http://o/x", "http://o/index.html"),
            ("http://p/x", "https://login.p/x/y"),
            ("http://q/x", "http://q/user-login.php"),
            ("http://h/1", "http://h/gone"),
            ("http://h/2", "http://h/gone"),
            // These are moves.
            ("http://i/x", "https://i/x"),
            ("http://j/x?a", "http://www.j/x?a"),
            ("http://k/", "https://k/"),
            ("http://l/old", "http://l/new"),
            ("http://m/login", "http://m/en/login"),
            ("http://n/x", "https://n/x"),
            ("http://www.n/x", "https://n/x"),
            ("http://r/x", "http://r/how-to-register"),
        ]);
        assert_eq!(sure, [12, 13, 14, 15, 16, 17, 18, 19]);
    }

    #[test]
    fn single_move_is_accepted() {
        assert_eq!(sure(&[("http://a/x", "http://a/")]), [0]);
        assert_eq!(
            sure(&[
                ("http://a/x#1", "http://a/y#1"),
                ("http://a/x#2", "http://a/y#2")
            ]),
            [0, 1]
        );
    }
}
