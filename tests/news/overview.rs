//! Overviews on the way: rows appear as they come, and only those that were asked for.

use std::fs;
use std::net::SocketAddr;

use geomys_testing::news::NewsServer;
use geomys_testing::script::{assert_played, listen, listen_at_once};
use tempfile::TempDir;

use crate::support::files;
use crate::support::screen::{Browser, Session};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n";

fn session(address: SocketAddr, group: &str) -> Session {
    Browser::new()
        .news(address)
        .open(format!("nntp://{address}/{group}"))
        .start()
}

/// The rows of articles on the screen, by their subjects.
fn subjects(screen: &str) -> Vec<&str> {
    let words = screen.split_whitespace();
    words.filter(|word| word.starts_with("subject-")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_stalling_server_appear_and_stay_after_esc() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 90 1 90 a\nC: OVER 1-90\nS: 224 x\nS: 3\tsubject-3\tada@x\nS: 5\tsubject-5\tada@x\n\
         S: 4\tsubject-4\tada@x\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let session = session(address, "a");
    let is_there = |screen: &str| screen.contains("subject-4");
    session.wait_until("the rows", is_there).await;
    assert_eq!(
        subjects(&session.screen()),
        ["subject-5", "subject-4", "subject-3"]
    );
    // The cursor stays on its article while rows come above it, and its row stays after Esc.
    session.press("Esc");
    session.wait("Stopped").await;
    assert_eq!(
        subjects(&session.screen()),
        ["subject-5", "subject-4", "subject-3"]
    );
    session.press("q");
    session.end().await;
    assert_played(playing).await;
}

/// The overview lines of a dense group.
fn lines(first: u64, last: u64) -> String {
    let lines = (first..=last).map(|number| {
        format!(
            "S: {number}\tsubject-{number}\tada@x\t1 Oct 94 10:00:00 EST\t<{number}@x>\t\t100\t5\n"
        )
    });
    lines.collect()
}

fn group(low: u64, high: u64) -> String {
    format!("{HELLO}C: GROUP a\nS: 211 {high} {low} {high} a\n")
}

/// The group, and the overview of these numbers in the same window, of which the articles up to `high` exist.
fn known_group((low, high): (u64, u64), (first, last): (u64, u64)) -> String {
    format!(
        "{HELLO}C: GROUP a\nC: OVER {first}-{last}\nS: 211 {high} {low} {high} a\nS: 224 x\n{}S: .\n",
        lines(first, high)
    )
}

fn over(first: u64, last: u64) -> String {
    format!(
        "C: OVER {first}-{last}\nS: 224 x\n{}S: .\n",
        lines(first, last)
    )
}

/// Opens a group in a profile with this newsrc, waits for words, and quits.
async fn open(profile: TempDir, address: SocketAddr, wait: &str, keys: &[(&str, &str)]) -> TempDir {
    let session = Browser::in_profile(profile)
        .news(address)
        .open(format!("nntp://{address}/a"))
        .start();
    session.wait(wait).await;
    for (key, wait) in keys {
        session.press(key);
        session.wait(wait).await;
    }
    session.press("q");
    session.end().await.profile
}

fn profile_with(newsrc: &str, address: SocketAddr) -> TempDir {
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().join("newsrc");
    fs::create_dir(&directory).unwrap();
    let file = format!("{}_{}", address.ip(), address.port());
    fs::write(directory.join(file), newsrc).unwrap();
    profile
}

#[tokio::test(flavor = "multi_thread")]
async fn big_group_requests_unread_articles_and_nothing_that_is_cached() {
    // Unread articles first, then the rest of a screen; later only what is new.
    let first = format!(
        "{}{}{}silence",
        group(1, 100_000),
        over(99_991, 100_000),
        over(99_901, 99_990)
    );
    let new = known_group((1, 100_003), (100_001, 100_100));
    let second = format!("{new}silence");
    let (address, playing) = listen(&[&first, &second]).await;
    let profile = profile_with("a: 1-99990\n", address);
    let profile = open(profile, address, "10 of 100 unread, 99,900 older", &[]).await;
    files::cached_words(profile.path(), "covered 99901-100000").await;
    let profile = open(profile, address, "13 of 103 unread, 99,900 older", &[]).await;
    files::cached_words(profile.path(), "covered 99901-100003").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn older_articles_load_at_the_end_and_by_key() {
    let script = format!(
        "{}{}C: GROUP a\nS: 211 250 1 250 a\n{}{}silence",
        group(1, 250),
        over(151, 250),
        over(51, 150),
        over(1, 50)
    );
    let (address, playing) = listen(&[&script]).await;
    let profile = profile_with("a: 1-250\n", address);
    let keys = [("G j", "all 250 read"), ("g e", "All articles are loaded")];
    open(profile, address, "all 100 read, 150 older", &keys).await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_loads_all_articles_and_all_unread_are_counted() {
    let articles = (1..=3000).map(|number| {
        format!("From: Ada <ada@x>\nSubject: s\nMessage-ID: <{number}@x>\n\nText.\n")
    });
    let server = NewsServer::start(vec![("a", articles.collect())]).await;
    let profile = profile_with("a: 1\n", server.address);
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{}/a", server.address))
        .start();
    session.wait("2,999 of 2,999 unread").await;
    session.press("g e");
    session.wait("2,999 of 3,000 unread").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_articles_leave_the_cached_overview() {
    let first = format!("{}{}silence", group(1, 50), over(1, 50));
    let second = format!("{}silence", known_group((41, 50), (51, 150)));
    let (address, playing) = listen(&[&first, &second]).await;
    let profile = profile_with("a: 1-50\n", address);
    let profile = open(profile, address, "all 50 read", &[]).await;
    files::cached_words(profile.path(), "covered 1-50").await;
    open(profile, address, "all 10 read", &[]).await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn next_unread_opens_an_article_while_the_overview_loads() {
    let overview = format!(
        "{}C: OVER 41-50\nS: 224 x\n{}silence",
        group(1, 50),
        lines(41, 45)
    );
    let article = format!(
        "{}C: ARTICLE 41\nS: 220 41 <41@x>\nS: Subject: subject-41\nS: Message-ID: <41@x>\nS:\nS: the text\nS: .\nsilence",
        group(1, 50)
    );
    let (address, playing) = listen_at_once(&[&overview, &article]).await;
    let profile = profile_with("a: 1-40\n", address);
    let session = Browser::in_profile(profile)
        .news(address)
        .open(format!("nntp://{address}/a"))
        .start();
    // The marks are there.
    let is_unread = |screen: &str| screen.contains("▌●");
    session.wait_until("an unread article", is_unread).await;
    session.press(".");
    let is_open = |screen: &str| screen.contains("the text");
    session.wait_until("the article", is_open).await;
    session.press("q");
    session.end().await;
    assert_played(playing).await;
}
