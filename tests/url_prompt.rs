//! The prompt for a URL: suggestions from bookmarks and visited pages, and a search for words.

use std::io::ErrorKind;
use std::net::TcpListener;

use geomys_demo::Demo;

use crate::support::screen::{Browser, Session};

fn session(demo: &Demo, columns: u16, rows: u16) -> Session {
    let settings = format!(
        "search-engine = \"gopher://{}/7/search\"\nsession = \"new\"\n",
        demo.addresses.gopher
    );
    Browser::new()
        .settings(settings)
        .demo(demo)
        .size((columns, rows))
        .start()
}

#[tokio::test(flavor = "multi_thread")]
async fn url_prompt_suggests_bookmarks_and_visited_pages() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, 80, 24);
    session.press("o");
    session.type_in(&format!("gopher://{}/1/phlog", demo.addresses.gopher));
    session.press("Enter");
    session.wait("Newest first").await;
    session.press("o");
    session.type_in("geomys:help");
    session.press("Enter");
    session.wait_until_absent("Newest first").await;
    session.press("o");
    session.type_in("phlog");
    session.wait_in_prompt("▌ Search").await;
    session.press("Down");
    session.wait_until_absent("▌ Search").await;
    session.press("Enter");
    session.wait("Newest first").await;
    session.press("o Up Up");
    session.wait_in_prompt("> geomys:help").await;
    session.press("Down");
    session.wait_in_prompt("> phlog").await;
    session.press("Esc");
    session.wait_until_absent("> phlog").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_searched_for_at_enter_on_the_first_suggestion() {
    let demo = Demo::start().await.unwrap();
    for (columns, rows) in [(80, 24), (120, 40)] {
        let session = session(&demo, columns, rows);
        session.wait("geomys:home").await;
        session.press("o");
        session.type_in("prairie dog");
        session
            .wait_in_prompt("▌ Search 127.0.0.1 for prairie dog")
            .await;
        let port = demo.addresses.gopher.port().to_string();
        let screen = session.screen().replace(&port, "[port]");
        insta::assert_snapshot!(format!("suggest_{columns}x{rows}"), screen);
        session.press("Enter");
        session.wait("The librarian looked everywhere").await;
    }
}

/// A URL of 130 characters whose last segment has a fault.
fn long_url() -> String {
    format!("gopher://tilde.example/1/{}/~ada", "abcdefghij".repeat(10))
}

#[tokio::test(flavor = "multi_thread")]
async fn caret_of_a_long_url_is_shown_in_the_prompt_and_the_form() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, 80, 24);
    session.press("o");
    session.type_in(&long_url());
    // The fault is shown at the tilde, before the last letter is typed.
    session.wait_in_prompt("must be encoded as %7E").await;
    session.wait_in_prompt("~ada").await;
    assert_caret(&session, "~ada");
    session.press("Esc B j e Tab Ctrl-U");
    session.wait("Edit the bookmark").await;
    session.type_in(&long_url());
    // The fault is shown at the tilde, before the last letter is typed.
    session.wait("must be encoded as %7E").await;
    session.wait("~ada").await;
    assert_caret(&session, "~ada");
}

/// Checks that the caret stands below the first letter of these words.
fn assert_caret(session: &Session, words: &str) {
    let screen = session.screen();
    let lines: Vec<&str> = screen.lines().collect();
    let caret = lines
        .iter()
        .position(|line| line.trim_matches(['│', ' ']) == "^");
    let caret = caret.unwrap_or_else(|| panic!("no caret\n{screen}"));
    let column = |line: &str, words: &str| line.find(words).map(|at| line[..at].chars().count());
    let above = column(lines[caret - 1], words);
    assert_eq!(column(lines[caret], "^"), above, "{screen}");
    assert!(above.is_some(), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_search_engine_offers_no_search() {
    let demo = Demo::start().await.unwrap();
    let settings = "search-engine = \"\"\nsession = \"new\"\n";
    let session = Browser::new().settings(settings).demo(&demo).start();
    session.wait("geomys:home").await;
    session.press("o");
    session.type_in("prairie dog");
    session.wait_in_prompt("> prairie dog").await;
    assert!(!session.screen().contains("for prairie dog"));
    // Enter keeps the text, and opens nothing.
    session.press("Enter");
    session.type_in("s");
    session.wait_in_prompt("> prairie dogs").await;
    assert!(!session.screen().contains("for prairie dogs"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_before_enter_on_the_search() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let demo = Demo::start().await.unwrap();
    let engine = listener.local_addr().unwrap();
    let settings = format!("search-engine = \"gopher://{engine}/7/vs\"\nsession = \"new\"\n");
    let session = Browser::new().settings(settings).demo(&demo).start();
    session.wait("geomys:home").await;
    session.press("o");
    session.type_in("prairie dog");
    session.wait_in_prompt("for prairie dog").await;
    session.type_in("s");
    session.wait_in_prompt("for prairie dogs").await;
    let refused = listener.accept().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WouldBlock);
    session.press("Enter");
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    listener.accept().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_password_is_not_recalled() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, 80, 24);
    session.press("o");
    session.type_in("geomys:help");
    session.press("Enter");
    session.wait("news groups: read, write").await;
    session.press("o");
    session.type_in(&format!("ftp://ada:lovelace@{}/", demo.addresses.ftp));
    session.press("Enter");
    session.wait_until_absent("news groups: read, write").await;
    session.press("o Up");
    // The input before it is recalled in its place.
    session.wait_in_prompt("> geomys:help").await;
    session.press("Up");
    session.type_in("x");
    session.wait_in_prompt("> geomys:helpx").await;
    assert!(
        !session.screen().contains("lovelace"),
        "{}",
        session.screen()
    );
}
