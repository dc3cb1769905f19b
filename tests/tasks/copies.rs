//! Tasks with copies: syncs, kept pages, and the search of all that is here.

use geomys_demo::Demo;

use super::hand::{Hand, Way};
use crate::support::screen::Browser;

pub async fn sync_and_read_offline(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let phlog = format!("gopher://{}/1/phlog", demo.addresses.gopher);
    let hand = Hand::start(Browser::new().bookmarks("# Mine\n"), size, way);
    hand.open(&phlog).await;
    hand.shown("a", "follow").await;
    hand.go_to_field("[ ] Follow").await;
    hand.type_in(" ");
    hand.go_to_field("Depth").await;
    hand.type_in("1");
    hand.wait("(•) 1").await;
    hand.shown("Enter", "save").await;
    hand.wait("Following: ").await;
    hand.take_message_away().await;
    hand.shown("h", "back").await;
    hand.shown("g U", "sync").await;
    hand.wait("Sync: ").await;
    // The servers are gone.
    drop(demo);
    hand.open(&phlog).await;
    hand.wait("cached").await;
    hand.go_down_to("Still here").await;
    hand.shown("Enter", "open").await;
    hand.wait("cached").await;
    hand.wait("0/phlog").await;
}

pub async fn keep_a_link(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = Hand::start(Browser::new().demo(&demo), size, way);
    hand.open(&format!("gopher://{}/", demo.addresses.gopher))
        .await;
    hand.wait("U N D E R L O A M").await;
    hand.command("L", "keep", "keep the link or the page").await;
    hand.wait("Kept: What this place is").await;
    hand.take_message_away().await;
    hand.wait("1 kept").await;
}

pub async fn search_all_texts(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = Hand::start(Browser::new().demo(&demo), size, way);
    hand.open(&format!("gopher://{}/0/about.txt", demo.addresses.gopher))
        .await;
    hand.wait("a town of pocket gophers").await;
    hand.shown("h", "back").await;
    hand.wait("Start here").await;
    hand.shown("g /", "search all").await;
    hand.wait("Search all stored pages").await;
    hand.type_in("gophers");
    hand.shown("Enter", "search").await;
    hand.wait("1 found").await;
    hand.shown("Enter", "open").await;
    hand.wait("a town of pocket gophers").await;
}
