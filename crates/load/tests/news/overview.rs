//! Overviews on the way: rows appear as they come, and only those that were asked for.

use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;

use super::load::page;
use super::{load, request, rows};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n";

#[tokio::test]
async fn articles_that_were_not_requested_and_doubles_are_dropped() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 9 10 109 a\nC: OVER 10-109\nS: 224 x\nS: 9\texpired\nS: 10\tten\nS: 11\televen\n\
         S: 10\tten again\nS: 110\tnew\nS: 18446744073709551615\tfar\nS: 0\tnone\nS: .\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert_eq!(loaded.lines(), ["10\tten", "11\televen"]);
    let shown = rows(&page(&loaded, "news:a"));
    let shown: Vec<_> = shown.iter().map(geomys_page::document::Row::text).collect();
    assert_eq!(shown, ["eleven", "ten"]);
    loaded.end.unwrap();
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn endless_articles_that_were_not_requested_end_the_load() {
    let junk = format!("S: 99\t{}\n", "x".repeat(60_000)).repeat(80);
    let script =
        format!("{HELLO}C: GROUP a\nS: 211 9 1 9 a\nC: OVER 1-9\nS: 224 x\nS: 3\tthree\n{junk}");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert_eq!(loaded.lines(), ["3\tthree"]);
    let sentence = loaded.failure().0;
    assert_eq!(
        sentence,
        format!("{address} sent articles that were not requested")
    );
    playing.abort();
}
