//! The keys in the status line by kind of page, and the URL of the link under the cursor in the address line.

use std::fs;

use geomys_demo::Demo;

use crate::cache::reading::wait_for_cached_pages;
use crate::support::screen::{Browser, Session};

/// The browser on a page, with a bookmark of its own, so that no suggestion stands beside the page.
async fn on(url: &str, size: (u16, u16), first: &str) -> Session {
    let profile = tempfile::tempdir().unwrap();
    fs::write(profile.path().join("bookmarks.txt"), "# Mine\n").unwrap();
    let session = Browser::in_profile(profile).open(url).size(size).start();
    session.wait(first).await;
    session
}

/// The last row of the screen.
fn status(session: &Session) -> String {
    session.screen().lines().last().unwrap().to_owned()
}

/// The first row of the screen.
fn address(session: &Session) -> String {
    session.screen().lines().next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn menu_names_its_keys_and_back_only_with_a_page_back() {
    let demo = Demo::start().await.unwrap();
    let url = format!("gopher://{}/", demo.addresses.gopher);
    let session = on(&url, (80, 24), "The library").await;
    session
        .wait("Enter open  f pick  a bookmark  q quit  o URL  / find  ? help")
        .await;
    session.press("Enter");
    session.wait("h back  o URL").await;
    assert!(!status(&session).contains("q quit"), "{}", status(&session));
    let wide = on(&url, (120, 40), "The library").await;
    wide.wait("f pick  a bookmark  t tab  s beside  y copy  L keep  q quit  o URL")
        .await;
    assert!(status(&wide).contains("? help"), "{}", status(&wide));
}

#[tokio::test(flavor = "multi_thread")]
async fn text_with_numbers_names_them_and_one_without_links_scrolls() {
    let demo = Demo::start().await.unwrap();
    let about = format!("gopher://{}/0/about.txt", demo.addresses.gopher);
    let session = on(&about, (80, 24), "town of pocket").await;
    session.wait("1-9 open  J link  f pick  a bookmark").await;
    let text = format!(
        "gopher://{}/0/phlog/2026-11-a-visitor.txt",
        demo.addresses.gopher
    );
    let session = on(&text, (80, 24), "A visitor").await;
    session
        .wait("Space page  / find  v lines  a bookmark")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_name_the_key_by_what_it_would_do() {
    let demo = Demo::start().await.unwrap();
    let url = format!("nntp://{}/", demo.addresses.news);
    let session = on(&url, (100, 24), "underloam.talk.weather").await;
    session.wait("* subscribe").await;
    session.press("*");
    session.wait("* unsubscribe").await;
    session.press("*");
    session.wait("* subscribe").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn address_line_shows_the_target_from_its_host_on_or_not_at_all() {
    let demo = Demo::start().await.unwrap();
    let host = demo.addresses.gopher;
    let session = on(&format!("gopher://{host}/"), (80, 24), "The library").await;
    session.press("g g J");
    session.wait("→ 127.0.0.1:").await;
    // The own URL stays whole, and a target of which not even the host fits is left out.
    session.resize(44, 24);
    session.wait_until_absent("→").await;
    assert!(
        address(&session).contains("gopher://127.0.0.1:"),
        "{}",
        address(&session)
    );
    // Nothing is said of a connection that is as always.
    assert!(
        !address(&session).contains("plain"),
        "{}",
        address(&session)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn error_page_names_the_way_back_only_with_a_page_back() {
    let demo = Demo::start().await.unwrap();
    let url = format!("gopher://{}/0/nothing", demo.addresses.gopher);
    let session = on(&url, (80, 24), "r retry   O edit URL").await;
    assert!(!session.screen().contains("h back"), "{}", session.screen());
    session.press("~");
    session.wait("Start here").await;
    session.press("o");
    session.type_in(&format!("{url}-else"));
    session.press("Enter");
    session.wait("r retry   O edit URL   h back").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_counts_one_page_as_one() {
    let demo = Demo::start().await.unwrap();
    let url = format!("gopher://{}/", demo.addresses.gopher);
    let session = on(&url, (80, 24), "The library").await;
    wait_for_cached_pages(session.path(), 1).await;
    session.press("g /");
    session.type_in("xylophone");
    session.press("Enter");
    session.wait("Nothing found in 1 stored page and").await;
}
