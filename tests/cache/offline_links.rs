//! The look of links in the offline mode: those whose pages are cached differ from the others.

use geomys_demo::Demo;
use ratatui::style::Modifier;

use super::reading::wait_for_cached_pages;
use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn links_whose_pages_are_cached_look_different_offline() {
    let demo = Demo::start().await.unwrap();
    let root = format!("gopher://{}/", demo.addresses.gopher);
    let bookmarks = format!("Gallery <URL:{root}1/gallery>\nWeather <URL:{root}1/weather>\n");
    let session = Browser::new()
        .settings("background = \"dark\"\n")
        .bookmarks(bookmarks)
        .open(root)
        .start();
    session.wait("market square").await;
    session.press("7 Enter");
    session.wait("Bursarius").await;
    session.press("h");
    session.wait("market square").await;
    wait_for_cached_pages(session.path(), 2).await;
    assert!(!session.screen().contains('✓'), "{}", session.screen());
    let online = session.style_of("The gallery");

    // The cursor has the column of the mark.
    session.press("k Ctrl-O");
    session.wait("✓ 7").await;
    let screen = session.screen();
    assert_eq!(screen.matches('✓').count(), 1, "{screen}");
    let dim = session.style_of("The gallery");
    assert_ne!(dim, online, "a page that is not cached");
    assert_eq!(
        session.style_of("The weather station"),
        online,
        "cached, and visited"
    );
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("offline-links", screen);
    });
    session.press("B");
    session.wait("✓▸ Weather").await;
    let screen = session.screen();
    assert_eq!(screen.matches('✓').count(), 1, "{screen}");
    session.press("Esc Ctrl-O");
    session.wait_until_absent("✓").await;
    assert_eq!(session.style_of("The gallery"), online);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_in_texts_whose_pages_are_not_cached_have_no_underline_offline() {
    let demo = Demo::start().await.unwrap();
    let text = format!("gopher://{}/0/library/addresses.txt", demo.addresses.gopher);
    let session = Browser::new().open(text).start();
    session.wait("/1/map>").await;
    let is_underlined = || {
        let style = session.style_of("/1/map>");
        style.add_modifier.contains(Modifier::UNDERLINED)
    };
    assert!(is_underlined());
    session.press("Ctrl-O");
    session.wait("pages come from the cache").await;
    session
        .wait_until("a link without an underline", |_| !is_underlined())
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn link_opened_before_the_copies_are_read_is_queued() {
    let demo = Demo::start().await.unwrap();
    let root = format!("gopher://{}/", demo.addresses.gopher);
    let session = Browser::new().open(root).start();
    session.wait("market square").await;
    session.press("Ctrl-O 7 Enter");
    session.wait("Kept: the next sync fetches it").await;
}
