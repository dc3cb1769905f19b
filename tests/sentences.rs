//! What the screen says where there is nothing, and of what is saved.

use geomys_demo::Demo;
use geomys_testing::news::NewsServer;

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn empty_lists_say_what_fills_them() {
    let session = Browser::new()
        .bookmarks("# Mine\n")
        .open("geomys:history")
        .start();
    session.wait("No pages visited yet: o opens a URL").await;
    session.press("B");
    session.wait("▾ Mine").await;
    session.press("X");
    session.wait("Remove the folder").await;
    session.press("y");
    session.wait("Bookmarks saved").await;
    session.wait("No bookmarks yet: a adds this page").await;
    session.wait(":import FILE").await;
    session.press("Esc E");
    session
        .wait("Outbox empty: P posts to a group, R answers by mail")
        .await;
    session.press("g L");
    session
        .wait("Nothing kept yet: L keeps a link or a page")
        .await;
    assert!(!session.screen().contains("f pick"), "there is no link");
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_group_says_what_fills_it_and_counts_nothing() {
    let server = NewsServer::start(vec![("a.b", Vec::new())]).await;
    let session = Browser::new()
        .open(format!("nntp://{}/a.b", server.address))
        .start();
    session
        .wait("No articles here yet: P writes one, r reloads")
        .await;
    assert!(!session.screen().contains("all 0 read"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_downloads_are_both_named_and_a_menu_says_that_it_is_one() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("ftp://{}/pub/software/;type=d", demo.addresses.ftp))
        .start();
    session.wait("seeds.bin").await;
    session.press("G v k v");
    session.wait("2 rows are marked").await;
    session.press("d");
    session
        .wait_until("both names", |screen| {
            let saved = screen.lines().last().unwrap_or_default();
            ["Saved", "drum.README", "seeds.bin"]
                .iter()
                .all(|word| saved.contains(word))
        })
        .await;
    session.press("o");
    session.type_in(&format!("gopher://{}/", demo.addresses.gopher));
    session.press("Enter");
    session.wait("A map of the town").await;
    let saved = session.path().join("Downloads/map");
    session.press("j d");
    session.wait("Save the menu map?").await;
    assert!(!saved.exists());
    session.press("m");
    session.wait("Save directory as").await;
    session.press("Esc d");
    session.wait("Save the menu map?").await;
    session.press("s");
    session.wait("Saved the menu map alone").await;
    assert!(saved.exists());
}
