//! Cached group lists: changes since then are requested, and merged into them.

use std::collections::HashMap;
use std::net::SocketAddr;

use geomys_load::{ChangesQuery, FailureKind, NewsQuery, Request, ServerDate, Stop};
use geomys_page::document::marks::{GroupMarks, ServerMarks};
use geomys_page::document::{Kind, Shape};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;
use proptest::prelude::*;

use super::{document, load, request, rows};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n";

fn of(address: SocketAddr, since: Option<ChangesQuery>) -> Request {
    Request {
        news_query: NewsQuery {
            server: Some((address.ip().to_string(), address.port()).into()),
            since,
            ..NewsQuery::default()
        },
        ..request("news:*")
    }
}

fn since(subscribed: &[&str]) -> ChangesQuery {
    ChangesQuery {
        date: ServerDate::parse(b"20261119080000"),
        subscribed: subscribed
            .iter()
            .map(|name| name.as_bytes().to_vec())
            .collect(),
    }
}

#[tokio::test]
async fn date_is_requested_before_the_list() {
    let list =
        "C: LIST ACTIVE\nS: 215 x\nS: a 1 1 y\nS: .\nC: LIST NEWSGROUPS\nS: 503 none\nsilence";
    for (date, shown) in [
        ("111 20261120203000", Some("20261120203000")),
        ("111 261120203000", None),
        ("111", None),
        ("500 what", None),
        ("503 no clock", None),
    ] {
        let (address, playing) = listen(&[&format!("{HELLO}C: DATE\nS: {date}\n{list}")]).await;
        let net = Net::default();
        let loaded = load(&net, of(address, None)).await;
        let list_date = loaded.begin.as_ref().unwrap().list_date;
        assert_eq!(
            list_date.map(|date| date.to_string()).as_deref(),
            shown,
            "{date}"
        );
        loaded.end.unwrap();
        drop(net);
        assert_played(playing).await;
    }
    // Servers without CAPABILITIES may disconnect at DATE as well.
    let old = "S: 200 hi\nC: CAPABILITIES\nS: 500 what\nC: MODE READER\nS: 200 yes\n";
    let (address, playing) = listen(&[&format!("{old}{list}")]).await;
    let net = Net::default();
    let loaded = load(&net, of(address, None)).await;
    assert_eq!(loaded.begin.unwrap().list_date, None);
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn changes_request_new_groups_and_counts_of_read_groups() {
    let script = format!(
        "{HELLO}C: DATE\nS: 111 20261120203000\nC: NEWGROUPS 20261119 080000 GMT\nS: 231 x\nS: new.one 0 1 y\nS: new.two 5 1 m\nS: .\n\
         C: LIST ACTIVE a.b,c.d\nS: 215 x\nS: a.b 99 1 y\nS: .\n\
         C: LIST NEWSGROUPS new.one,new.two\nS: 215 x\nS: new.two\tThe second\nS: .\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let subscribed = since(&["a.b", "a pattern*", "c.d"]);
    let loaded = load(&net, of(address, Some(subscribed))).await;
    assert_eq!(
        loaded.lines(),
        [
            ".",
            "new.one 0 1 y",
            "new.two 5 1 m",
            "a.b 99 1 y",
            ".",
            "new.two\tThe second"
        ]
    );
    let list_date = loaded.begin.unwrap().list_date.unwrap();
    assert_eq!(list_date.to_string(), "20261120203000");
    loaded.end.unwrap();
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn no_command_is_longer_than_512_octets() {
    let names: Vec<String> = (0..60)
        .map(|number| format!("a.group.with.a.name.{number:02}"))
        .collect();
    // 497 octets of names are 21 of these with their commas.
    let requested = names
        .chunks(21)
        .map(|names| format!("C: LIST ACTIVE {}\nS: 215 x\nS: .\n", names.join(",")));
    let script = format!(
        "{HELLO}C: DATE\nS: 500 what\nC: NEWGROUPS 20261119 080000 GMT\nS: 231 x\nS: .\n{}silence",
        requested.collect::<String>()
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let loaded = load(&net, of(address, Some(since(&names)))).await;
    loaded.end.unwrap();
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn refused_newgroups_fetches_the_whole_list() {
    for refusal in ["500 what", "501 syntax", "502 not you", "403 broken"] {
        let script = format!(
            "{HELLO}C: DATE\nS: 500 what\nC: NEWGROUPS 20261119 080000 GMT\nS: {refusal}\nsilence"
        );
        let (address, playing) = listen(&[&script]).await;
        let net = Net::default();
        let loaded = load(&net, of(address, Some(since(&[])))).await;
        let Err(Stop::Failed(failure)) = loaded.end else {
            panic!("{:?}", loaded.end);
        };
        assert_eq!(failure.kind, FailureKind::ResumeMismatch, "{refusal}");
        drop(net);
        assert_played(playing).await;
    }
}

#[test]
fn changes_are_merged_into_the_list() {
    let mut list = document(
        "news:*",
        Shape::Groups,
        b"a.one 12 3 y\nb.two 4 1 4 y\nc.three 9 1 y\n.\na.one\tThe first\n",
    );
    let read = |is_subscribed| GroupMarks {
        is_subscribed,
        ..GroupMarks::default()
    };
    list.set_marks(ServerMarks::new([
        (b"c.three".to_vec(), read(true)),
        (b"b.two".to_vec(), read(false)),
    ]));
    let list = list.finished();
    let texts = |list: &geomys_page::document::Document| -> Vec<String> {
        rows(list)
            .iter()
            .map(|row| {
                assert_ne!(row.kind, Kind::Malformed);
                let aside = row.aside.clone().unwrap_or_default();
                format!("{} [{aside}]", row.text().split("  ").next().unwrap())
            })
            .collect()
    };
    assert_eq!(
        texts(&list),
        [
            "c.three [9 of 9 unread]",
            "a.one [10]",
            "b.two [4 of 4 unread]"
        ]
    );
    let mut changed = list;
    changed.append(b".\nz.new 2 1 y\nc.three 20 1 20 y\n");
    // No row moves before the list is complete.
    assert_eq!(changed.count(), 3);
    changed.append(b".\nz.new\tBrand new\n");
    assert!(changed.needs_finish());
    let changed = changed.finished();
    assert!(!changed.needs_finish());
    let now = [
        "c.three [20 of 20 unread]",
        "z.new [2]",
        "a.one [10]",
        "b.two [4 of 4 unread]",
    ];
    assert_eq!(texts(&changed), now);
    assert_eq!(changed.new_groups(), 1);
    assert!(changed.row(1).unwrap().text().ends_with("Brand new"));
    assert_eq!(changed.listed_group(0), Some((b"c.three".to_vec(), 20)));
    assert_eq!(
        changed.links(1)[0].target.as_ref().unwrap().as_str(),
        "news:z.new"
    );
    assert_eq!(changed.groups_with_unread(), [b"c.three"]);
    // The cached form is one list with all changes merged.
    let merged = changed.merged().unwrap();
    assert_eq!(
        String::from_utf8(merged).unwrap(),
        "a.one 12 3 y\r\nb.two 4 1 4 y\r\nc.three 20 1 20 y\r\nz.new 2 1 y\r\n.\r\na.one\tThe first\r\nz.new\tBrand new\r\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn merged_groups_do_not_depend_on_chunks(
        listed in proptest::collection::vec(("[a-d]{1,2}", 1..99_u64), 0..12),
        changes in proptest::collection::vec(proptest::collection::vec(("[a-f]{1,2}", 1..99_u64), 0..6), 1..4),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..4),
    ) {
        let lines = |groups: &[(String, u64)]| -> String {
            let lines: Vec<String> = groups.iter().map(|(name, high)| format!("{name} {high} 1 y\r\n")).collect();
            lines.concat()
        };
        let mut octets = lines(&listed) + ".\r\n";
        for changes in &changes {
            octets.extend([".\r\n", &lines(changes), ".\r\n"]);
        }
        let at_once = document("news:*", Shape::Groups, octets.as_bytes()).finished();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(octets.len() + 1)).collect();
        places.sort_unstable();
        let mut list = document("news:*", Shape::Groups, b"");
        let mut from = 0;
        for place in places.into_iter().chain([octets.len()]) {
            list.append(&octets.as_bytes()[from..place]);
            from = place;
        }
        let list = list.finished();
        let shown = |list: &geomys_page::document::Document| -> Vec<(String, String)> {
            rows(list).iter().map(|row| (row.text(), row.aside.clone().unwrap_or_default().to_string())).collect()
        };
        prop_assert_eq!(shown(&list), shown(&at_once));
        // Every received group is there with its newest number.
        let newest: HashMap<&String, u64> = changes.iter().flatten().map(|(name, high)| (name, *high)).collect();
        for (name, high) in newest {
            let expected = (name.clone(), high.to_string());
            prop_assert!(shown(&list).contains(&expected), "{:?} is not in {:?}", expected, shown(&list));
        }
        if let Some(merged) = list.merged() {
            let merged = document("news:*", Shape::Groups, &merged).finished();
            let mut one = shown(&list);
            let mut other = shown(&merged);
            one.sort();
            other.sort();
            prop_assert_eq!(one, other);
        }
    }
}

#[test]
fn merged_list_describes_each_group_once() {
    let octets = b"a 1 1 y\r\n.\r\na\tFirst\r\n.\r\nb 2 1 y\r\n.\r\nb\tSecond\r\na\tAgain\r\n";
    let list = document("news:*", Shape::Groups, octets).finished();
    let merged = list.merged().unwrap();
    assert_eq!(
        String::from_utf8(merged).unwrap(),
        "a 1 1 y\r\nb 2 1 y\r\n.\r\na\tFirst\r\nb\tSecond\r\n"
    );
}
