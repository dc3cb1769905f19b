//! Text hidden behind form feeds in an article, in a whole session.

use geomys_testing::script::{assert_played, listen};

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

fn script() -> String {
    let feed = "S| \\x0c\\r\\n\n";
    let body: Vec<String> = (1..=60).map(|line| format!("S: clue {line}\n")).collect();
    let body = body.concat();
    format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: .\nC: ARTICLE <who@x.example>\nS: 220 0 here\n\
         S: Subject: Who did it?\nS: \nS: It was\n{feed}S: the butler\n{feed}{body}S: .\nsilence"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn next_screen_key_unfolds_form_feed_before_scrolling() {
    let (address, playing) = listen(&[&script()]).await;
    let session = Browser::new()
        .news(address)
        .open("news:who@x.example")
        .start();
    session
        .wait("[form feed: 61 lines more; Enter or page down]")
        .await;
    assert!(!session.screen().contains("butler"));
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("form-feed", session.page());
    });
    session.press("Space");
    session.wait("the butler").await;
    session.wait("[form feed: 61 lines more").await;
    assert!(session.screen().contains("It was"));
    // Also by the link.
    session.press("K J Enter");
    session.wait("clue 1").await;
    session.press("Space");
    session.wait("clue 30").await;
    drop(session);
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_prints_text_behind_form_feed() {
    let (address, playing) = listen(&[&script()]).await;
    let server = address.to_string();
    let dumped = tokio::task::spawn_blocking(move || {
        geomys(&["--server", &server, "dump", "news:who@x.example"], "")
    });
    let dumped = dumped.await.unwrap();
    let dumped = text(&dumped.stdout);
    assert!(
        dumped.contains("the butler\n") && dumped.contains("clue 60\n"),
        "{dumped}"
    );
    assert_played(playing).await;
}
