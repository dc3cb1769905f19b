//! Tasks with pages, tabs and panes.

use geomys_demo::Demo;

use super::hand::{Hand, Way};
use crate::support::screen::Browser;

/// The hand on the home page, with the bookmarks of the demo.
async fn at_home(demo: &Demo, size: (u16, u16), way: Way) -> Hand {
    let hand = Hand::start(Browser::new().demo(demo), size, way);
    hand.wait("Start here").await;
    hand
}

/// The hand on the first menu of the demo.
async fn on_square(demo: &Demo, size: (u16, u16), way: Way) -> Hand {
    let hand = at_home(demo, size, way).await;
    hand.open(&format!("gopher://{}/", demo.addresses.gopher))
        .await;
    hand.wait("U N D E R L O A M").await;
    hand
}

pub async fn open_by_name(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = at_home(&demo, size, way).await;
    hand.shown("o", "URL").await;
    hand.wait_in_prompt("URL (gopher").await;
    hand.type_in("Map of the town");
    hand.wait_in_prompt("gopher://127").await;
    hand.wait_for_key("Down", "choose").await;
    hand.go_down_to("Map of the town").await;
    hand.shown("Enter", "open").await;
    hand.wait("A map of Underloam").await;
}

pub async fn follow_a_link_and_go_back(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_square(&demo, size, way).await;
    hand.shown("Enter", "open").await;
    hand.wait("a town of pocket gophers").await;
    hand.shown("h", "back").await;
    hand.wait("U N D E R L O A M").await;
}

pub async fn use_a_search_row(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_square(&demo, size, way).await;
    hand.go_down_to("Ask the librarian").await;
    hand.shown("Enter", "open").await;
    hand.wait_for_key("Esc", "cancel").await;
    hand.type_in("potato");
    hand.shown("Enter", "search").await;
    hand.wait("The librarian found").await;
}

pub async fn open_in_a_tab_and_close_it(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_square(&demo, size, way).await;
    hand.command("t", "tab", "open in a new tab").await;
    hand.wait("a town of pocket gophers").await;
    hand.wait("2 What this place is").await;
    hand.shown("x", "close").await;
    hand.wait_until_absent("2 What this place is").await;
    hand.wait("U N D E R L O A M").await;
}

pub async fn find_the_next_match_and_leave(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_square(&demo, size, way).await;
    hand.shown("Enter", "open").await;
    hand.wait("a town of pocket gophers").await;
    hand.shown("/", "find").await;
    hand.type_in("the");
    hand.wait("1 of 12").await;
    hand.shown("Enter", "keep").await;
    hand.shown("n", "next").await;
    hand.wait("2 of 12").await;
    hand.shown("N", "previous").await;
    hand.wait("1 of 12").await;
    hand.shown("Esc", "leave").await;
    hand.wait_until_absent("of 12").await;
}

pub async fn use_the_history_and_reopen_a_tab(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let square = format!("gopher://{}/", demo.addresses.gopher);
    let start = Browser::new().open_all([square, "geomys:home".to_owned()]);
    let hand = Hand::start(start, size, way);
    hand.wait("U N D E R L O A M").await;
    hand.shown("x", "close").await;
    hand.shown("g T", "reopens").await;
    hand.wait("U N D E R L O A M").await;
    hand.shown("x", "close").await;
    hand.take_message_away().await;
    hand.shown("H", "history").await;
    hand.wait("geomys:history").await;
    hand.shown("Enter", "open").await;
    hand.wait("U N D E R L O A M").await;
}

pub async fn copy_a_link(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_square(&demo, size, way).await;
    hand.command("y", "copy", "copy the link's URL").await;
    hand.wait("Copied ").await;
    let copied = hand.copied();
    assert!(copied.iter().any(|url| url.ends_with("/0/about.txt")));
}

pub async fn show_two_menus_side_by_side(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_square(&demo, size, way).await;
    hand.go_down_to("The library").await;
    hand.command("s", "beside", "open in a new pane").await;
    if size.0 >= 106 {
        hand.wait("THE LIBRARY OF").await;
        hand.wait("U N D E R L O A M").await;
    } else {
        hand.wait("opened in a tab").await;
        hand.wait("2 The library").await;
    }
}

pub async fn use_the_mouse_only(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = at_home(&demo, size, way).await;
    hand.click("o URL").await;
    hand.wait_in_prompt("URL (gopher").await;
    hand.click("Esc cancel").await;
    hand.wait_until_absent("URL (gopher").await;
    hand.click("Dibble's phlog").await;
    hand.wait("telegraph").await;
    hand.click("h back").await;
    hand.wait("Start here").await;
    hand.click("H history").await;
    hand.wait("geomys:history").await;
    hand.click("? help").await;
    hand.wait("Most used").await;
    hand.click("Esc close").await;
    hand.wait_until_absent("Most used").await;
}

pub async fn quit(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = at_home(&demo, size, way).await;
    hand.shown("q", "quit").await;
    hand.end().await;
}
