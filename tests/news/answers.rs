//! Replies to the user's own articles, whose Message-IDs are known since they were posted.

use geomys_testing::news::NewsServer;

use crate::support::screen::Browser;

fn article(number: usize, references: &str) -> String {
    format!(
        "Subject: subject-{number}\nFrom: ada@x\nDate: {number} Oct 1994 10:00:00 +0000\nMessage-ID: <{number}@x>\nReferences: {references}\n\nx\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_with_replies_to_own_articles_come_first_by_score() {
    // Some programs write References as in a URL.
    for references in ["<1@x>", "<0@x> %3C1@x%3E", "%3c1%40x%3e"] {
        come_first(references).await;
    }
}

async fn come_first(references: &str) {
    let articles = vec![
        article(1, ""),
        article(2, references),
        article(3, ""),
        article(4, ""),
    ];
    let server = NewsServer::start(vec![("a", articles)]).await;
    let session = Browser::new()
        .file("posted.txt", "<1@x>\n")
        .open(format!("nntp://{}/a", server.address))
        .start();
    session.wait("subject-4").await;
    let position = |name: &str| session.screen().find(name).unwrap();
    assert!(position("subject-4") < position("subject-1"));
    session.press(", c");
    session
        .wait_until("the order by score", |screen| {
            screen.find("subject-1") < screen.find("subject-4")
        })
        .await;
    session.press("q");
    session.end().await;
}
