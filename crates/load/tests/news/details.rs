//! Differences between real servers, each as a transcript.

use geomys_load::{NewsQuery, Reason, Request};
use geomys_page::document::Shape;
use geomys_testing::script::{assert_played, listen, peer};
use geomys_wire::net::{Limits, Net, Security};
use geomys_wire::protocol::nntp::{Account, Dialogue, NntpError, OpenMode};
use rfc1738::Dialect;

use super::load::page;
use super::{document, load, rows};

const HELLO: &str = "S: 201 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n";

#[tokio::test]
async fn failed_group_command_is_not_repeated_after_login() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 2 1 2 a\nC: GROUP b\nS: 411 none\nC: OVER 1-2\nS: 480 who\n\
         C: AUTHINFO USER ada\nS: 281 in\nC: CAPABILITIES\nS: 101 here\nS: OVER\nS: .\n\
         C: OVER 1-2\nS: 412 no group\nsilence"
    );
    let (stream, playing) = peer(&script);
    let account = Account {
        user: "ada".to_owned(),
        password: String::new(),
    };
    let limits = Limits::default();
    let opened = Dialogue::open(
        stream,
        "news:119",
        &limits,
        Some(account),
        OpenMode::WithCapabilities,
        Security::Plain,
    );
    let mut talk = opened.await.unwrap();
    talk.group(b"a").await.unwrap();
    talk.group(b"b").await.unwrap_err();
    let error = talk.over(1, 2).await.unwrap_err();
    assert!(
        matches!(&error, NntpError::Declined(reply) if reply.code == 412),
        "{error:?}"
    );
    drop(talk);
    assert_played(playing).await;
}

/// The load of a group from a server that plays this.
async fn group(rest: &str) -> super::Loaded {
    let script = format!("{HELLO}{rest}\nsilence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let url = Dialect::Extended
        .parse(&format!("nntp://{address}/a"))
        .unwrap();
    let loaded = load(&net, Request::show(url, Reason::Typed)).await;
    drop(net);
    assert_played(playing).await;
    loaded
}

#[tokio::test]
async fn codes_423_420_and_empty_224_are_empty_windows() {
    for reply in ["423 none", "420 none", "224 here\nS: ."] {
        let loaded = group(&format!(
            "C: GROUP a\nS: 211 3 1 3 a\nC: OVER 1-3\nS: {reply}"
        ))
        .await;
        assert!(loaded.end.is_ok(), "{reply}: {loaded:?}");
        assert!(loaded.octets.is_empty());
    }
}

#[tokio::test]
async fn overviews_with_holes_odd_numbers_and_long_lines_load() {
    let long = "x".repeat(9_000);
    let loaded = group(&format!(
        "C: GROUP a\nS: 211 9 1 9 a\nC: OVER 1-9\nS: 224 here\nS: 2\tno more fields\nS: 5\t{long}\tada@x\t\t<5@x>\t\t\t\n\
         S| 9\\tcaf\\xe9\\tada@x\\t\\t<9@x>\\t\\t900\\t12\\tXref: h a:9 b:1\\r\\n\n\
         S: 12\tabove the mark\tada@x\t\t<12@x>\t\t1\t1\nS: ."
    ))
    .await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    let page = page(&loaded, "news:a");
    let subjects: Vec<String> = rows(&page)
        .iter()
        .map(geomys_page::document::Row::text)
        .collect();
    // The article above the mark was not asked for.
    assert_eq!(subjects, ["café", &long, "no more fields"]);
    let numbers: Vec<u64> = (0..3)
        .map(|row| page.article(row).unwrap().number)
        .collect();
    assert_eq!(numbers, [9, 5, 2]);
}

#[tokio::test]
async fn list_counts_is_used_when_announced_else_active() {
    let hello = HELLO.replace("S: OVER\n", "S: OVER\nS: LIST ACTIVE NEWSGROUPS COUNTS\n");
    for (counts, expected) in [
        ("S: 215 x\nS: a 9 1 4 y\nS: .\n", "4"),
        (
            "S: 503 not now\nC: LIST NEWSGROUPS\nS: 503 not now\nC: LIST ACTIVE\nS: 215 x\nS: a 9 1 y\nS: .\n",
            "9",
        ),
    ] {
        let script = format!(
            "{hello}C: DATE\nS: 111 20261120203000\nC: LIST COUNTS\n{counts}C: LIST NEWSGROUPS\nS: 215 x\nS: .\nsilence"
        );
        let (address, playing) = listen(&[&script]).await;
        let net = Net::default();
        let request = Request {
            news_query: NewsQuery {
                server: Some((address.ip().to_string(), address.port()).into()),
                ..NewsQuery::default()
            },
            ..Request::show(Dialect::Extended.parse("news:*").unwrap(), Reason::Typed)
        };
        let loaded = load(&net, request).await;
        let page = page(&loaded, "news:*");
        assert_eq!(page.row(0).unwrap().aside.unwrap().as_str(), expected);
        drop(net);
        assert_played(playing).await;
    }
}

#[test]
fn groups_of_every_status_are_listed() {
    let lines = b"a 9 1 y\nb 9 1 n\nc 9 1 m\nd 9 1 x\ne 9 1 j\nf 9 1 =a\ng 9 1\n";
    let list = document("news:*", Shape::Groups, lines).finished();
    assert_eq!(list.count(), 7);
    for row in 0..7 {
        assert!(list.links(row)[0].target.is_ok());
    }
}
