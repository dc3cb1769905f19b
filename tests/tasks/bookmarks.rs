//! Tasks with bookmarks.

use std::fs;

use geomys_demo::Demo;

use super::hand::{Hand, Way};
use crate::support::screen::Browser;

/// The hand on the bookmarks of the demo, on this one.
async fn on_bookmark(demo: &Demo, size: (u16, u16), way: Way, title: &str) -> Hand {
    let hand = Hand::start(Browser::new().demo(demo), size, way);
    hand.shown("B", "bookmarks").await;
    hand.wait("Bookmarks ━").await;
    hand.go_down_to(title).await;
    hand
}

pub async fn bookmark_with_folder_and_tag(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = Hand::start(Browser::new().bookmarks(""), size, way);
    hand.open(&format!("gopher://{}/0/about.txt", demo.addresses.gopher))
        .await;
    hand.wait("a town of pocket gophers").await;
    hand.shown("a", "bookmark").await;
    hand.wait("New bookmark").await;
    hand.go_to_field("Folder").await;
    hand.type_in("Towns");
    hand.go_to_field("Tags").await;
    hand.type_in("seen");
    hand.shown("Enter", "save").await;
    hand.wait("added").await;
    let file = hand.bookmarks();
    assert!(
        file.contains("# Towns\n") && file.contains("/0/about.txt> #seen\n"),
        "{file}"
    );
}

pub async fn open_a_bookmark(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_bookmark(&demo, size, way, "The library").await;
    hand.shown("Enter", "open").await;
    hand.wait("THE LIBRARY OF").await;
}

pub async fn rename_a_bookmark(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_bookmark(&demo, size, way, "The library").await;
    hand.shown("e", "edit").await;
    hand.wait("Edit the bookmark").await;
    hand.clear_input();
    hand.type_in("All the books");
    hand.shown("Enter", "save").await;
    hand.wait_until("the new title in the file", |_| {
        hand.bookmarks().contains("All the books <URL:")
    })
    .await;
}

pub async fn delete_a_bookmark_and_undo(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_bookmark(&demo, size, way, "The library").await;
    let has_it = |hand: &Hand| hand.bookmarks().contains("The library <URL:");
    hand.shown("X", "remove").await;
    hand.wait_until("the file without it", |_| !has_it(&hand))
        .await;
    hand.shown("z", "undo").await;
    hand.wait_until("the file with it", |_| has_it(&hand)).await;
}

pub async fn bring_a_bookmark_back_the_next_day(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_bookmark(&demo, size, way, "The library").await;
    hand.shown("X", "remove").await;
    hand.wait("z undo").await;
    // The drawer has no room for the key; the list of a wide screen has.
    hand.take_message_away().await;
    if size.0 < 106 {
        hand.shown("?", "help").await;
        hand.type_in("quit");
        hand.wait_for_key("q", "quit").await;
        hand.shown("Enter", "run").await;
    } else {
        hand.shown("q", "quit").await;
    }
    let profile = hand.end().await.profile;
    let hand = Hand::start(Browser::in_profile(profile), size, way);
    assert!(!hand.bookmarks().contains("The library <URL:"));
    hand.help("restore an earlier state of bookmarks").await;
    hand.wait("Restore the bookmarks of state number").await;
    hand.type_in("1");
    hand.shown("Enter", "restore").await;
    hand.wait_until("the file with it", |_| {
        hand.bookmarks().contains("The library <URL:")
    })
    .await;
}

pub async fn import_the_bookmarks_of_a_browser(size: (u16, u16), way: Way) {
    let hand = Hand::start(Browser::new().bookmarks("# Mine\n"), size, way);
    let file = hand.path().join("browser.html");
    fs::write(
        &file,
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><DT><A HREF=\"http://moles.example/\">Moles</A></DL>\n",
    )
    .unwrap();
    hand.shown("B", "bookmarks").await;
    hand.go_down_to("Mine").await;
    hand.shown("X", "remove").await;
    hand.shown("y", "yes").await;
    // The empty list names the command.
    hand.typed_command("import", "FILE").await;
    hand.wait_for_key("Enter", "import").await;
    hand.clear_input();
    hand.type_in(&file.display().to_string());
    hand.shown("Enter", "import").await;
    hand.wait_until("the bookmark in the file", |_| {
        hand.bookmarks()
            .contains("Moles <URL:http://moles.example/>")
    })
    .await;
}

pub async fn follow_a_phlog(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = Hand::start(Browser::new().bookmarks("# Mine\n"), size, way);
    hand.open(&format!("gopher://{}/1/phlog", demo.addresses.gopher))
        .await;
    hand.shown("a", "follow").await;
    hand.go_to_field("[ ] Follow").await;
    hand.type_in(" ");
    hand.wait("[x] Follow").await;
    hand.shown("Enter", "save").await;
    hand.wait("Following: ").await;
    let file = hand.bookmarks();
    assert!(file.contains("/1/phlog> #follow\n"), "{file}");
}
