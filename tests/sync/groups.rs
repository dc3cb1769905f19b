//! Subscribed groups: a sync brings their overviews and unread articles, which open without their server.

use std::fs;

use geomys_testing::news::NewsServer;
use jiff::{SignedDuration, Timestamp};

use super::{offline, run, synced};
use crate::support::command::text;

/// An article of this age.
fn article(number: usize, days: i64) -> String {
    let date = Timestamp::now() - SignedDuration::from_hours(24 * days);
    let date = date.strftime("%a, %d %b %Y %H:%M:%S +0000");
    format!(
        "Subject: Burrow {number}\nFrom: bo@x\nDate: {date}\nMessage-ID: <{number}@x>\n\ntext {number}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_articles_are_fetched_once_and_open_offline() {
    let articles = vec![article(1, 1), article(2, 400), article(3, 1), article(4, 0)];
    let server = NewsServer::start(vec![("a.b", articles), ("c.d", vec![article(9, 0)])]).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(profile.join("settings.toml"), "[cache]\ndays = 90\n").unwrap();
    let newsrcs = profile.join("newsrc");
    fs::create_dir(&newsrcs).unwrap();
    let address = server.address;
    let newsrc = format!("{}_{}", address.ip(), address.port());
    fs::write(newsrcs.join(newsrc), "a.b: 1\nc.d! 0\n").unwrap();
    let planned = run(profile, &["sync", "--dry-run"]);
    assert!(
        text(&planned.stdout).ends_with("a.b: 1 to fetch\n"),
        "{planned:?}"
    );
    assert_eq!(server.received("GROUP").len(), 0);

    // The overview and two articles: one is read, and one older than [cache] days.
    let said = synced(profile);
    assert!(said.contains("a.b: 3 new\n"), "{said}");
    // The newest first.
    assert_eq!(server.received("ARTICLE"), ["ARTICLE 4", "ARTICLE 3"]);
    let said = synced(profile);
    assert!(said.contains("a.b: 1 unchanged\n"), "{said}");
    assert_eq!(server.received("ARTICLE").len(), 2);
    server.add("a.b", &article(5, 0));
    let said = synced(profile);
    assert!(said.contains("a.b: 2 new\n"), "{said}");
    assert_eq!(server.received("ARTICLE").len(), 3);
    // Only what is behind the known lines was asked for, with the group.
    assert_eq!(server.received("OVER").last().unwrap(), "OVER 5-104");

    let group = format!("nntp://{address}/a.b");
    let overview = offline(profile, &group);
    for number in 1..=5 {
        assert!(overview.contains(&format!("Burrow {number}")), "{overview}");
    }
    for number in [3, 4, 5] {
        let shown = offline(profile, &format!("{group}/{number}"));
        assert!(shown.contains(&format!("text {number}")), "{shown}");
    }
    let missing = run(profile, &["--offline", "dump", &format!("{group}/2")]);
    assert_eq!(missing.status.code(), Some(1), "{missing:?}");
    let newsrc = fs::read_dir(&newsrcs).unwrap().next().unwrap().unwrap();
    let marks = fs::read_to_string(newsrc.path()).unwrap();
    assert_eq!(marks, "a.b: 1\nc.d! 0\n", "a sync reads nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribed_group_that_is_gone_is_told() {
    let server = NewsServer::start(vec![("a.b", vec![article(1, 0)])]).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::create_dir(profile.join("newsrc")).unwrap();
    let newsrc = format!("{}_{}", server.address.ip(), server.address.port());
    fs::write(profile.join("newsrc").join(newsrc), "a.b: 0\nc.d: 0\n").unwrap();
    let output = run(profile, &["sync"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stdout);
    assert!(
        said.contains("a.b: 2 new\n") && said.contains("c.d: 1 failed\n"),
        "{said}"
    );
}
