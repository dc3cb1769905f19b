//! Tasks with news.

use std::fs;

use geomys_demo::Demo;

use super::hand::{Hand, Way};
use crate::support::screen::{Browser, EDITOR};

/// The author of the articles, and an editor that adds a line.
const ADA: &str = "[news]\nfrom = \"Ada <ada@example.org>\"\n";
const ADDS_A_LINE: &str = "echo 'It is dry here.' >> \"$1\"\n";

/// The hand on a page of the news server of the demo.
async fn on_page(demo: &Demo, path: &str, shown: &str, size: (u16, u16), way: Way) -> Hand {
    let start = Browser::new()
        .demo(demo)
        .settings(ADA)
        .file(EDITOR, ADDS_A_LINE);
    let hand = Hand::start(start, size, way);
    hand.open(&format!("nntp://{}/{path}", demo.addresses.news))
        .await;
    hand.wait(shown).await;
    hand
}

/// The number of files in a directory of the profile.
fn files(hand: &Hand, directory: &str) -> usize {
    fs::read_dir(hand.path().join(directory)).map_or(0, Iterator::count)
}

pub async fn subscribe_and_read_the_next_unread(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_page(&demo, "", "underloam.talk.weather", size, way).await;
    hand.go_down_to("underloam.talk.weather").await;
    hand.shown("*", "subscribe").await;
    hand.wait("Subscribed to underloam.talk.weather").await;
    hand.shown("Enter", "open").await;
    hand.wait("10 of 10 unread").await;
    hand.shown(".", "next new").await;
    hand.wait("@").await;
    hand.wait_for_key("F", "follow-up").await;
}

pub async fn follow_up(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_page(&demo, "underloam.talk.weather", "Footsteps", size, way).await;
    hand.shown("Enter", "open").await;
    hand.shown("F", "follow-up").await;
    hand.wait("Post this reply?").await;
    hand.shown("p", "Post it").await;
    hand.wait("Posted").await;
    assert_eq!(files(&hand, "drafts"), 0);
    assert!(files(&hand, "sent") > 0);
}

pub async fn catch_up(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_page(&demo, "underloam.talk.weather", "Footsteps", size, way).await;
    hand.wait("10 of 10 unread").await;
    hand.shown("C", "catch up").await;
    hand.shown("y", "yes").await;
    hand.take_message_away().await;
    hand.wait("all 10 read").await;
}

pub async fn reply_with_the_next_sync(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = on_page(&demo, "underloam.talk.weather", "Footsteps", size, way).await;
    hand.shown("Enter", "open").await;
    hand.shown("F", "follow-up").await;
    hand.wait("Post this reply?").await;
    hand.shown("s", "At the next sync").await;
    hand.wait("In the outbox").await;
    assert!(files(&hand, "drafts") > 0);
    hand.shown("g U", "sync").await;
    hand.wait("Sync, and send 1 post?").await;
    hand.shown("y", "yes").await;
    hand.wait("1 sent").await;
    assert_eq!(files(&hand, "drafts"), 0);
}
