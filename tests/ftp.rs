//! Screens of a login and of a failure, and sessions at servers.

mod site_tree;
mod tls_offers;

use geomys_demo::Demo;

use crate::support::screen::Browser;

macro_rules! snapshot {
    ($name:literal, $screen:expr) => {
        insta::with_settings!({ snapshot_path => "snapshots" }, {
            insta::assert_snapshot!($name, $screen);
        })
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn login_and_failure_screens() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("ftp://ada@{}/", demo.addresses.ftp))
        .start();
    session.wait("Password of ada").await;
    session.type_in("byron");
    session.press("Enter");
    session.wait("530 That is not the password").await;
    snapshot!("login", session.dialog());
    session.type_in("lovelace");
    session.press("Enter");
    session.wait("diary.txt").await;
    session.press("o");
    session.type_in(&format!(
        "ftp://{}/pub/nothing/here.txt",
        demo.addresses.ftp
    ));
    session.press("Enter");
    session.wait("Look in the directory above").await;
    snapshot!("failure", session.page());
}

#[tokio::test(flavor = "multi_thread")]
async fn bookmark_of_a_path_names_its_host() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("ftp://{}/pub/", demo.addresses.ftp))
        .start();
    session.wait("Modified").await;
    session.press("a");
    session.wait("New bookmark").await;
    let title = format!("{}/pub", demo.addresses.ftp);
    session.press("Enter");
    session.wait("added at the top").await;
    assert!(
        session
            .bookmarks()
            .contains(&format!("{title} <URL:ftp://{title}/")),
        "{}",
        session.bookmarks()
    );
}
