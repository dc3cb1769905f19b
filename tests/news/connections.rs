//! Keys faster than the server: on one that allows one connection, they stay on it.

use std::collections::HashSet;
use std::fs;

use geomys_testing::news::NewsServer;

use crate::support::screen::Browser;

fn article(number: usize) -> String {
    format!(
        "Subject: subject-{number}\nFrom: ada@x\nDate: {number} Oct 1994 10:00:00 +0000\nMessage-ID: <{number}@x>\n\nWords {number}.\n{}",
        "and more\n".repeat(300)
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn article_whose_body_is_left_is_read_to_its_end_for_the_next_one() {
    let articles = (1..=9).map(article).collect();
    let server = NewsServer::start(vec![("a", articles)]).await;
    server.allow_connections(1);
    server.halve_articles();
    let address = server.address;
    let session = Browser::new().open(format!("nntp://{address}/a")).start();
    session.wait("9 of 9 unread").await;
    for number in (2..=9).rev() {
        session.press("Enter");
        let words = format!("Words {number}.");
        let has_begun = |screen: &str| screen.contains(&words);
        session.wait_until("the first half", has_begun).await;
        // The body is here in part, and nobody wants the rest: it is read to its end before the next article.
        session.press("h j");
        session.wait("of 9 unread").await;
        server.send_rest();
    }
    session.settle().await;
    assert!(!session.screen().contains("502"));
    assert_eq!(server.connections(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn next_article_waits_for_the_body_under_way_on_the_same_connection() {
    let articles = (1..=9).map(article).collect();
    let server = NewsServer::start(vec![("a", articles)]).await;
    server.allow_connections(1);
    server.halve_articles();
    let address = server.address;
    let session = Browser::new().open(format!("nntp://{address}/a")).start();
    session.wait("9 of 9 unread").await;
    session.press(".");
    let mut last = String::new();
    for sent in 1..=9 {
        server.wait_for("ARTICLE", sent).await;
        let number = server.received("ARTICLE").pop().unwrap_or_default();
        let number = number.trim_start_matches("ARTICLE ");
        let words = format!("Words {number}.");
        let has_begun = |screen: &str| screen.contains(&words);
        session.wait_until("the first half", has_begun).await;
        // The second half is still to come.
        session.press(".");
        session.wait_until("the key", |_| true).await;
        last = number.to_owned();
        server.send_rest();
    }
    session.settle().await;
    assert!(!session.screen().contains("502"), "{last}");
    assert_eq!(server.connections(), 1);
    let commands = server.received("ARTICLE");
    let different: HashSet<&String> = commands.iter().collect();
    assert_eq!(
        different.len(),
        commands.len(),
        "no article was requested twice"
    );
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fast_keys_read_all_articles_on_one_connection() {
    let articles = (1..=9).map(article).collect();
    let server = NewsServer::start(vec![("a", articles)]).await;
    server.allow_connections(1);
    let address = server.address;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(&file), "a: \n").unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a"))
        .start();
    session.wait("9 of 9 unread").await;
    for number in 1..=9 {
        // More often than the server answers: the article under way is the wanted one.
        session.press(". . .");
        server.wait_for("ARTICLE", number).await;
    }
    session.settle().await;
    assert!(!session.screen().contains("502"));
    assert_eq!(server.connections(), 1);
    let commands = server.received("ARTICLE");
    let mut once = commands.clone();
    once.dedup();
    assert_eq!(commands, once, "no article was requested twice");
    session.press("q");
    session.end().await;
}
