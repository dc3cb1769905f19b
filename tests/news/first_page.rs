//! The first page of a news server: the groups that one follows.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use geomys_testing::news::NewsServer;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::support::command::{geomys, text};
use crate::support::screen::{Browser, Session};

fn article(number: usize) -> String {
    format!(
        "Subject: subject-{number}\nFrom: a@x\nDate: {number} Oct 1994 10:00:00 +0000\nMessage-ID: <{number}@x>\n\nWords {number}.\n"
    )
}

/// Writes the newsrc file of a server.
fn subscribe(profile: &Path, address: SocketAddr, newsrc: &str) {
    fs::create_dir_all(profile.join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.join(file), newsrc).unwrap();
}

/// A profile with the newsrc file of a server.
fn subscribed(address: SocketAddr, newsrc: &str) -> TempDir {
    let profile = tempfile::tempdir().unwrap();
    subscribe(profile.path(), address, newsrc);
    profile
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_open_the_group_under_the_cursor_or_the_next_unread_one() {
    let groups = vec![
        ("x.one", vec![article(1)]),
        ("x.two", vec![article(2)]),
        ("x.three", vec![article(3)]),
        ("x.four", vec![article(4)]),
    ];
    let server = NewsServer::start(groups).await;
    let address = server.address;
    // The group of the second row is read.
    let profile = subscribed(address, "x.one:\nx.two: 1\nx.three:\nx.four:\n");
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/"))
        .start();
    for (keys, group, subject) in [
        ("G Space", "x.four", "subject-4"),
        ("Home j .", "x.three", "subject-3"),
        ("Home j j .", "x.three", "subject-3"),
        ("Home Space", "x.one", "subject-1"),
    ] {
        session.wait("x.four").await;
        session.wait_until_absent("subject-").await;
        session.settle().await;
        session.press(keys);
        session.wait(subject).await;
        session
            .wait_until(group, |screen| screen.contains(group))
            .await;
        session.press("Left");
    }
    session.press("q");
    session.end().await;
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
    let profile = subscribed(address, "x.two: 1\n");
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
async fn all_groups_are_another_page_of_the_same_list() {
    let groups = vec![("x.one", vec![article(1)]), ("x.two", vec![article(2)])];
    let server = NewsServer::start(groups).await;
    let address = server.address;
    let profile = subscribed(address, "x.two:\n");
    let session = Browser::in_profile(profile)
        .settings(format!("news-server = \"{address}\"\n"))
        .open(format!("nntp://{address}/"))
        .start();
    session.wait("x.two").await;
    session.wait_until_absent("x.one").await;
    for (url, shows_all) in [("news:*", true), (&*format!("nntp://{address}/"), false)] {
        session.press("o");
        session.type_in(url);
        session.press("Enter");
        session.wait("x.two").await;
        session
            .wait_until(url, |screen| screen.contains("x.one") == shows_all)
            .await;
    }
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
    // The first subscription takes no row away, until a key or a load does.
    session.press("*");
    session.wait("Subscribed to x.").await;
    assert!(session.screen().contains("x.one") && session.screen().contains("x.two"));
    session.press(", a");
    session.wait("nly subscribed groups shown").await;
    let (own, other) = if session.screen().contains("x.one") {
        ("x.one", "x.two")
    } else {
        ("x.two", "x.one")
    };
    session.wait_until_absent(other).await;
    // The last one neither.
    session.press("*");
    session.wait("Unsubscribed from x.").await;
    session.wait(own).await;
    assert!(!session.screen().contains(other));
    session.press("r");
    session.wait(other).await;
    session.press("q");
    session.end().await;
}

/// The names of the groups on the screen, with the mark of the cursor.
fn rows(session: &Session) -> Vec<String> {
    let screen = session.screen();
    let rows = screen
        .lines()
        .filter(|row| row.contains("x.") && !row.contains("://") && !row.contains("ubscribed"));
    let name = |row: &str| {
        let mark = if row.starts_with('▌') { "▌" } else { "" };
        let name = row.split_whitespace().find(|word| word.starts_with("x."));
        format!("{mark}{}", name.unwrap_or_default())
    };
    rows.map(name).filter(|name| !name.is_empty()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn subscription_moves_nothing_before_the_list_is_loaded_again() {
    let groups = vec![
        ("x.one", vec![article(1)]),
        ("x.two", vec![article(2)]),
        ("x.three", vec![article(3)]),
    ];
    let server = NewsServer::start(groups).await;
    let session = Browser::new()
        .open(format!("nntp://{}/", server.address))
        .start();
    session.wait("x.three").await;
    session.settle().await;
    session.press("G *");
    session.wait("Subscribed to x.three").await;
    session.settle().await;
    assert_eq!(rows(&session), ["x.one", "x.two", "▌x.three"]);
    session.press("k *");
    session.wait("Subscribed to x.two").await;
    session.settle().await;
    assert_eq!(rows(&session), ["x.one", "▌x.two", "x.three"]);
    // Loaded again, the page lists the subscribed groups.
    session.press("r");
    session.wait_until_absent("x.one").await;
    session.settle().await;
    assert_eq!(rows(&session).len(), 2, "{}", session.screen());
    // A key shows all, and they stay.
    session.press(", a");
    session.wait("x.one").await;
    let lists = server.received("LIST").len();
    session.press("r");
    server.wait_for("LIST", lists + 1).await;
    session.settle().await;
    assert_eq!(rows(&session).len(), 3, "{}", session.screen());
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_page_of_the_last_session_is_that_of_the_subscribed_groups() {
    let groups = vec![("x.one", vec![article(1)]), ("x.two", vec![article(2)])];
    let server = NewsServer::start(groups).await;
    let address = server.address;
    let profile = subscribed(address, "x.two:\n");
    let session = Browser::in_profile(profile)
        .restoring()
        .open(format!("nntp://{address}/"))
        .start();
    session.wait("x.two").await;
    session.wait_until_absent("x.one").await;
    session.press("q");
    let profile = session.end().await.profile;
    let session = Browser::in_profile(profile).restoring().start();
    session.wait("x.two").await;
    // The subscriptions may be loaded after the list.
    session.wait_until_absent("x.one").await;
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn printed_list_is_that_of_the_screen() {
    let groups = vec![
        ("x.one", vec![article(1)]),
        ("x.two", vec![article(2), article(3)]),
    ];
    let server = NewsServer::start(groups).await;
    let address = server.address;
    let profile = tempfile::tempdir().unwrap();
    let print = |url: String| {
        let home = profile.path().display().to_string();
        let server = address.to_string();
        let printed = spawn_blocking(move || {
            geomys(
                &[
                    "--config", &home, "--server", &server, "dump", "--yes", &url,
                ],
                "",
            )
        });
        async { text(&printed.await.unwrap().stdout) }
    };
    let all = print(format!("nntp://{address}/")).await;
    assert!(all.contains("x.one") && all.contains("x.two"), "{all}");
    subscribe(profile.path(), address, "x.two: 1\n");
    let subscribed = print(format!("nntp://{address}/")).await;
    assert!(!subscribed.contains("x.one"), "{subscribed}");
    assert!(subscribed.contains("1 of 2 unread"), "{subscribed}");
    let all = print("news:*".to_owned()).await;
    assert!(all.find("x.two") < all.find("x.one"), "{all}");
    assert!(all.contains("1 of 2 unread"), "{all}");
}
