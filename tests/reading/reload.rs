//! Reload of groups and articles: order, filter, folds and the cursor stay.

use geomys_testing::news::NewsServer;

use super::read_on::{article, session};

#[tokio::test(flavor = "multi_thread")]
async fn order_filter_and_cursor_survive_reload_with_new_articles() {
    let articles = (1..=9).map(|number| article("a.b", number, 3));
    let server = NewsServer::start(vec![("a.b", articles.collect())]).await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("9 of 9 unread").await;
    // The newest is first; by subject the oldest is.
    session.press(", s");
    session.wait("Sorted by subject").await;
    session.press("j j j");
    session.settle().await;
    assert_eq!(selected(&session.screen()), "a.b 4");
    server.add("a.b", &article("a.b", 10, 3));
    session.press("r");
    session.wait("10 of 10 unread").await;
    session.settle().await;
    // "a.b 10" stands after "a.b 1" now.
    assert_eq!(selected(&session.screen()), "a.b 4");
    let screen = session.screen();
    let order = ["a.b 1 ", "a.b 10 ", "a.b 2 ", "a.b 9 "];
    let at: Vec<usize> = order
        .iter()
        .map(|words| screen.find(words).unwrap())
        .collect();
    assert!(at.is_sorted(), "{screen}");

    session.press("&");
    session.type_in("b 1");
    session.press("Enter");
    session.wait_until_absent("a.b 2").await;
    server.add("a.b", &article("a.b", 11, 3));
    session.press("r");
    session.wait("a.b 11").await;
    session.settle().await;
    let screen = session.screen();
    assert!(
        screen.contains("a.b 10") && !screen.contains("a.b 2"),
        "{screen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_unread_articles_are_shown_after_reload() {
    let articles = (1..=4).map(|number| article("a.b", number, 3));
    let server = NewsServer::start(vec![("a.b", articles.collect())]).await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("4 of 4 unread").await;
    session.press("m , u");
    session.wait_until_absent("a.b 4 ").await;
    session.press("r");
    session.wait("3 of 4 unread").await;
    session.settle().await;
    let screen = session.screen();
    assert!(
        screen.contains("a.b 3 ") && !screen.contains("a.b 4 "),
        "{screen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn folds_and_rot13_of_an_article_survive_reload() {
    let quotation = "> quoted\n".repeat(9);
    let text = format!("{}{quotation}Uryyb.\n", article("a.b", 1, 1));
    let server = NewsServer::start(vec![("a.b", vec![text])]).await;
    let session = session(&server, &["a.b"], (80, 24));
    session.wait("1 of 1 unread").await;
    session.press("Enter");
    session.wait("Uryyb.").await;
    session.press("( %");
    session.wait("[9 lines of quotation]").await;
    session.wait("Hello.").await;
    session.press("r");
    session.settle().await;
    session.wait("[9 lines of quotation]").await;
    session.wait("Hello.").await;
    session.wait_until_absent("> quoted").await;
}

/// The subject in the row of the cursor.
fn selected(screen: &str) -> &str {
    let row = screen.lines().find(|line| line.contains('▌')).unwrap();
    let subject = row.find("a.b ").unwrap();
    row[subject..].split("  ").next().unwrap().trim()
}
