//! The first page of a news server: the groups that one follows.

use std::fs;

use geomys_testing::news::NewsServer;

use crate::support::screen::Browser;

fn article(number: usize) -> String {
    format!(
        "Subject: subject-{number}\nFrom: a@x\nDate: {number} Oct 1994 10:00:00 +0000\nMessage-ID: <{number}@x>\n\nWords {number}.\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn first_page_lists_the_subscribed_groups_and_a_key_shows_all() {
    let groups = vec![
        ("x.one", vec![article(1)]),
        ("x.two", vec![article(2), article(3)]),
        ("x.three", vec![article(4)]),
    ];
    let server = NewsServer::start(groups).await;
    let address = server.address;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(&file), "x.two: 1\n").unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/"))
        .start();
    session.wait("1 of 2 unread").await;
    session.wait_until_absent("x.one").await;
    session.press(", a");
    session.wait("x.one").await;
    session.wait("x.three").await;
    session.press(", a");
    session.wait_until_absent("x.one").await;
    // Space opens the next unread article.
    session.press("Space");
    session.wait("subject-3").await;
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_page_lists_all_groups_where_none_is_subscribed() {
    let groups = vec![("x.one", vec![article(1)]), ("x.two", vec![article(2)])];
    let server = NewsServer::start(groups).await;
    let session = Browser::new()
        .open(format!("nntp://{}/", server.address))
        .start();
    session.wait("x.one").await;
    session.wait("x.two").await;
    session.press("q");
    session.end().await;
}
