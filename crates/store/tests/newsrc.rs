//! Unread counts in a group list, from the list's numbers and the newsrc.

use geomys_page::document::marks::{GroupMarks, MarkChange, ServerMarks};
use geomys_page::document::{Arrangement, ArticleNumbers, Document, Kind, Shape};
use geomys_store::files::newsrc::Newsrc;
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;
use rfc1738::Url;

fn list(lines: &str) -> Document {
    let mut list = Document::new(
        Url::parse("news:*").unwrap(),
        Shape::Groups,
        CharsetSetting::default(),
    );
    list.append(lines.as_bytes());
    list
}

fn rows(list: &Document) -> Vec<(Kind, String)> {
    let rows = (0..list.count()).map(|row| list.row(row).unwrap());
    rows.map(|row| (row.kind, format!("{} {}", row.text(), row.aside.unwrap())))
        .collect()
}

#[test]
fn empty_groups_have_no_unread_articles() {
    let newsrc = Newsrc::parse(b"e.one: 1-3\ne.two:\ne.three: 5\nf.full: 2-3\nf.none! 1\n");
    let mut list =
        list("x.y 9 1 y\ne.one 3 4 y\ne.two 0 0 y\ne.three 9 5 0 y\nf.full 5 0 y\nf.none 2 1 y\n");
    list.set_marks(newsrc.marks());
    let list = list.finished();
    let expected = [
        (Kind::Subscribed, "e.one 0"),
        (Kind::Subscribed, "e.two 0"),
        (Kind::Subscribed, "e.three 0"),
        (Kind::SubscribedUnread, "f.full 3 of 5 unread"),
        (Kind::Group, "x.y 9"),
        (Kind::Group, "f.none 1 of 2 unread"),
    ];
    assert_eq!(
        rows(&list),
        expected.map(|(kind, row)| (kind, row.to_owned()))
    );
    assert_eq!(list.groups_with_unread(), [b"f.full"]);
    // The cursor stays on its group when the read marks arrive later.
    let mut later = self::list("x.y 9 1 y\ne.one 3 4 y\n").finished();
    later.set_marks(newsrc.marks());
    let finished = later.clone().finished();
    assert_eq!(finished.row(0).unwrap().text(), "e.one");
    assert_eq!(later.moved_to(0, &finished), Some(1));
    let again = finished.clone().arranged(Arrangement::default());
    assert_eq!(rows(&again), rows(&finished));
}

proptest! {
    #[test]
    fn unread_count_is_between_zero_and_the_group_count(
        high: u64,
        low: u64,
        count in prop::option::of(any::<u64>()),
        read in "([0-9]{1,20}(-[0-9]{1,20})?,?){0,4}",
    ) {
        let count = count.map_or(String::new(), |count| format!(" {count}"));
        let mut list = list(&format!("a.b {high} {low}{count} y\n"));
        let numbers = ArticleNumbers::parse(read.as_bytes()).unwrap_or_default();
        let marked = GroupMarks { is_subscribed: true, read: numbers.into() };
        list.set_marks(ServerMarks::new([(b"a.b".to_vec(), marked)]));
        let (kind, row) = rows(&list).remove(0);
        if kind == Kind::Subscribed {
            prop_assert!(!row.contains("unread"));
        } else {
            let words: Vec<u64> = row
                .split(' ')
                .filter_map(|word| word.replace(',', "").parse().ok())
                .collect();
            prop_assert!(words[0] > 0 && words[0] <= words[1], "{}", row);
        }
    }

    #[test]
    fn changes_shown_at_once_equal_the_stored_newsrc(
        changes in proptest::collection::vec((0..3_u8, 0..4_u8, 0..30_u64, 0..9_u64), 0..20),
        early_changes in 0..20_usize,
    ) {
        let mut newsrc = Newsrc::parse(b"g0: 1-4\n# odd\ng1! 2\n");
        let changes: Vec<(Vec<u8>, MarkChange)> = changes
            .iter()
            .map(|&(group, change, first, more)| {
                let numbers = ArticleNumbers::range(first, first + more);
                let change = match change {
                    0 => MarkChange::Read(numbers),
                    1 => MarkChange::Unread(numbers),
                    2 => MarkChange::Subscribe(more > 4),
                    _ => MarkChange::Reset,
                };
                (format!("g{group}").into_bytes(), change)
            })
            .collect();
        let (written, later) = changes.split_at(early_changes.min(changes.len()));
        for (group, change) in written {
            newsrc.apply(group, change);
        }
        let mut marks = newsrc.marks();
        for (group, change) in later {
            marks.apply(group, change);
            newsrc.apply(group, change);
        }
        let then = newsrc.marks();
        for group in [b"g0", b"g1", b"g2"] {
            prop_assert_eq!(marks.read(group), then.read(group));
            prop_assert_eq!(marks.is_subscribed(group), then.is_subscribed(group));
        }
        let mut by_name = marks.subscribed();
        let mut then_by_name = then.subscribed();
        by_name.sort_unstable();
        then_by_name.sort_unstable();
        prop_assert_eq!(by_name, then_by_name);
    }
}
