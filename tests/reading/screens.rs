//! Screens of news at 80x24: a login that fails, the list of groups, the draft of an answer.

use std::fs;

use geomys_demo::Demo;

use crate::support::screen::{Browser, EDITOR, Session};

macro_rules! snapshot {
    ($name:expr, $screen:expr) => {
        insta::with_settings!({snapshot_path => "../snapshots"}, {
            insta::assert_snapshot!($name, $screen);
        });
    };
}

/// A session on a page of the demo's news server.
fn session(demo: &Demo, page: &str, settings: &str) -> Session {
    let news = demo.addresses.news;
    let address = if page.starts_with("news:") {
        page.to_owned()
    } else {
        format!("nntp://{news}/{page}")
    };
    Browser::new()
        .settings(settings)
        .news(news)
        .open(address)
        .start()
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_login_quotes_the_server() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "geomys.demo.attic", "");
    session.wait("Name").await;
    session.type_in("ada");
    session.press("Enter");
    session.wait("Password").await;
    session.type_in("babbage");
    session.press("Enter");
    session.wait("481").await;
    snapshot!("login-refused", session.dialog());
    assert!(!session.screen().contains("babbage"));
}

#[tokio::test(flavor = "multi_thread")]
async fn group_list_screen() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "news:*", "");
    session.wait("geomys.demo.big").await;
    session.wait("100,000").await;
    session.settle().await;
    snapshot!("groups", session.page());
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_up_draft_in_the_editor() {
    let demo = Demo::start().await.unwrap();
    let settings = "[news]\nfrom = \"Ada <ada@example.org>\"\n";
    let session = session(&demo, "news:gph-1@underloam.example", settings);
    fs::write(
        session.path().join(EDITOR),
        "cp \"$1\" \"$(dirname \"$0\")/seen\"\n",
    )
    .unwrap();
    session.wait("Message-ID:").await;
    session.press("F");
    session.wait("Edit it").await;
    let seen = fs::read_to_string(session.path().join("seen")).unwrap();
    snapshot!("draft-quoted", seen);
}
