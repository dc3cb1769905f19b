//! The user's own articles, cancelled or superseded, with the key of their lock and without one.

use geomys_demo::Demo;

use super::{files, session};

#[tokio::test(flavor = "multi_thread")]
async fn article_without_lock_warns_and_is_superseded() {
    let demo = Demo::start().await.unwrap();
    // This one was posted before there was a lock.
    let settings = "[news]\nfrom = '\"Ada\" <ada@underloam.example>'\n";
    let session = session(&demo, "gph-16@underloam.example", settings, "true\n");
    session.wait("like knocking, except").await;
    session.press("g X");
    session.wait("Send this cancel message?").await;
    session
        .wait("Note: the article has no Cancel-Lock of yours, so most servers ignore it.")
        .await;
    assert!(
        !session.screen().contains("Cancel-Key"),
        "{}",
        session.screen()
    );
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
    session.press("g s");
    session.wait("Post this to replace the article?").await;
    session.wait("Supersedes: <gph-16@underloam.example>").await;
    session.wait("Attributes: ask a thing about itself").await;
    session.choose("Post it").await;
    session.wait("Posted").await;
    assert_eq!(files(&session, "sent").len(), 1);
}
