//! A load that nobody wants any more: what is under way on its connection is read to its end, and the connection is
//! used again.

use geomys_load::{LoadId, Part, Sink};
use geomys_testing::script::{DEADLINE, assert_played, listen};
use geomys_wire::net::Net;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Loaded, load, request};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\nC: GROUP a\nS: 211 9 1 9 a\n";

/// Loads a URL until a part has come, and drops the load.
async fn load_until(net: &Net, url: &str, is_enough: impl Fn(&Part) -> bool) {
    let (sender, mut parts) = mpsc::channel(1);
    let loading = Box::pin(geomys_load::load(
        net,
        request(url),
        Sink::new(LoadId(1), sender),
    ));
    let enough = async {
        while let Some((_, part)) = parts.recv().await {
            if is_enough(&part) {
                break;
            }
        }
    };
    timeout(DEADLINE, async {
        tokio::select! {
            () = enough => {}
            () = loading => panic!("the load has ended"),
        }
    })
    .await
    .expect("a part in time");
}

async fn article(net: &Net, url: &str) -> Loaded {
    let loaded = load(net, request(url)).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    loaded
}

#[tokio::test]
async fn reply_of_a_dropped_load_is_read_to_its_end() {
    let lines = "S: more words\n".repeat(500);
    let script = format!(
        "{HELLO}C: ARTICLE 1\nS: 220 1 <1@x>\nS: Subject: one\nS: \n{lines}S: .\n\
         C: ARTICLE 2\nS: 220 2 <2@x>\nS: Subject: two\nS: \nS: .\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    load_until(&net, &format!("nntp://{address}/a/1"), |part| {
        matches!(part, Part::Octets(_))
    })
    .await;
    let loaded = article(&net, &format!("nntp://{address}/a/2")).await;
    assert_eq!(loaded.lines(), ["Subject: two", ""]);
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn long_reply_is_not_read_to_its_end() {
    let lines = format!("S: {}\n", "x".repeat(1000)).repeat(200);
    let first =
        format!("{HELLO}C: ARTICLE 1\nS: 220 1 <1@x>\nS: Subject: one\nS: \n{lines}silence");
    let second =
        format!("{HELLO}C: ARTICLE 2\nS: 220 2 <2@x>\nS: Subject: two\nS: \nS: .\nsilence");
    let (address, playing) = listen(&[&first, &second]).await;
    let net = Net::default();
    load_until(&net, &format!("nntp://{address}/a/1"), |part| {
        matches!(part, Part::Octets(_))
    })
    .await;
    let loaded = article(&net, &format!("nntp://{address}/a/2")).await;
    assert_eq!(loaded.lines(), ["Subject: two", ""]);
    drop(net);
    assert_played(playing).await;
}
