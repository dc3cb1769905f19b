//! Counts of subscribed groups: requested again, and before the user reads that nothing else is unread.

use std::net::SocketAddr;

use geomys_load::{ChangesQuery, NewsQuery, Request};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;

use super::{load, request};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n";

/// A request for the counts of these groups.
fn counts(address: SocketAddr, groups: &[&str]) -> Request {
    Request {
        news_query: NewsQuery {
            server: Some((address.ip().to_string(), address.port()).into()),
            since: Some(ChangesQuery {
                date: None,
                subscribed: groups.iter().map(|name| name.as_bytes().to_vec()).collect(),
            }),
            ..NewsQuery::default()
        },
        ..request("news:*")
    }
}

#[tokio::test]
async fn counts_of_many_groups_take_one_command() {
    let script = format!("{HELLO}C: LIST ACTIVE a.b,c.d\nS: 215 x\nS: a.b 12 3 y\nS: .\nsilence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    // A group that the server does not list is gone.
    let loaded = load(&net, counts(address, &["a.b", "c.d"])).await;
    assert_eq!(loaded.lines(), ["a.b 12 3 y"]);
    loaded.end.unwrap();
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn server_without_patterns_counts_groups_one_by_one() {
    for list in [
        "S: 501 no patterns",
        "S: 503 not here",
        // No pattern is a list of names here.
        "S: 215 x\nS: .",
    ] {
        let script = format!(
            "{HELLO}C: LIST ACTIVE a.b,c.d,e.f\n{list}\nC: GROUP a.b\nS: 211 9 3 12 a.b\nC: GROUP c.d\nS: 411 gone\n\
             C: GROUP e.f\nS: 211 0 5 4 e.f\nsilence"
        );
        let (address, playing) = listen(&[&script]).await;
        let net = Net::default();
        let loaded = load(&net, counts(address, &["a.b", "c.d", "e.f"])).await;
        assert_eq!(loaded.lines(), ["a.b 12 3 9 y", "e.f 4 5 0 y"], "{list}");
        loaded.end.unwrap();
        drop(net);
        assert_played(playing).await;
    }
}
