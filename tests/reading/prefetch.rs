//! The next unread article, which is fetched while one is read.

use geomys_testing::news::NewsServer;
use geomys_testing::script::{assert_played, listen};

use super::read_on::{article, session};
use crate::support::screen::{Browser, PATIENCE, Session};

/// A server with one group of three short articles.
async fn server() -> NewsServer {
    let articles = (1..=3).map(|number| article("a.b", number, 3)).collect();
    NewsServer::start(vec![("a.b", articles)]).await
}

/// Waits until the server has received exactly these commands for articles: one more or another one fails the test.
async fn wait_for_articles(server: &NewsServer, numbers: &[u64]) {
    let expected = numbers.iter().map(|number| format!("ARTICLE {number}"));
    let expected: Vec<String> = expected.collect();
    let all = server.wait_for("ARTICLE", expected.len());
    let in_time = tokio::time::timeout(PATIENCE, all).await;
    assert_eq!(server.received("ARTICLE"), expected);
    in_time.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn next_unread_article_is_fetched_once_while_one_is_read() {
    let server = server().await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("3 of 3 unread").await;
    session.press("Space");
    session.wait("<1.a.b@x>").await;
    wait_for_articles(&server, &[1, 2]).await;
    // The one that was fetched ahead is shown without a second request, and the next one is fetched.
    session.press(".");
    session.wait("<2.a.b@x>").await;
    wait_for_articles(&server, &[1, 2, 3]).await;
    session.press("Space");
    session.wait("<3.a.b@x>").await;
    session.press("Space");
    session.wait("No unread articles").await;
    wait_for_articles(&server, &[1, 2, 3]).await;
    assert_eq!(server.received("GROUP"), ["GROUP a.b"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_fetched_ahead_offline_or_for_a_cached_article() {
    let server = server().await;
    let first = session(&server, &["a.b"], (80, 24));
    first.wait("3 of 3 unread").await;
    first.press("Space");
    first.wait("<1.a.b@x>").await;
    wait_for_articles(&server, &[1, 2]).await;
    crate::cache::reading::wait_for_cached_pages(first.path(), 2).await;
    first.press("q");
    let profile = first.end().await.profile;
    let address = server.address;
    let second = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a.b"))
        .start();
    second.wait("2 of 3 unread").await;
    let go_offline = |session: &Session| {
        session.press(":");
        session.type_in("offline");
        session.press("Enter");
    };
    go_offline(&second);
    second.wait("pages come from the cache").await;
    second.press("G Enter");
    second.wait("<1.a.b@x>").await;
    second.settle().await;
    // Online again, the shown copy stays one of the cache.
    go_offline(&second);
    second.wait_until_absent("offline").await;
    second.settle().await;
    assert_eq!(server.received("ARTICLE").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn article_ahead_is_cancelled_when_the_reader_goes_elsewhere() {
    let script = "\
        S: 200 ready
        C: CAPABILITIES
        S: 101 list
        S: VERSION 2
        S: READER
        S: OVER
        S: .
        C: GROUP a.b
        S: 211 2 1 2 a.b
        C: OVER 1-2
        S: 224 overview
        S: 1\tone\tada@x\t1 Oct 94 10:00:00 EST\t<1@x>\t\t9\t5
        S: 2\ttwo\tada@x\t2 Oct 94 10:00:00 EST\t<2@x>\t\t9\t5
        S: .
        C: ARTICLE 1
        S: 220 1 <1@x>
        S: From: ada@x
        S: Message-ID: <1@x>
        S:
        S: Text.
        S: .
        C: ARTICLE 2
        silence";
    for elsewhere in ["h", "g C", "Ctrl-T"] {
        let (address, playing) = listen(&[script]).await;
        let session = Browser::new().open(format!("nntp://{address}/a.b")).start();
        session.wait("2 of 2 unread").await;
        session.press("Space");
        session.wait("Text.").await;
        // The next article is requested when this one is complete.
        session.settle().await;
        session.press(elsewhere);
        // The script ends when the connection is closed.
        assert_played(playing).await;
        drop(session);
    }
}
