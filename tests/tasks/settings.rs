//! Tasks with settings and keys.

use geomys_demo::Demo;

use super::hand::{Hand, Way};
use crate::support::screen::{Browser, EDITOR};

pub async fn choose_another_theme(size: (u16, u16), way: Way) {
    let hand = Hand::start(Browser::new(), size, way);
    hand.palette("theme gruvbox").await;
    hand.wait_until("the setting in its file", |_| {
        hand.file("settings.toml").contains("theme = \"gruvbox\"")
    })
    .await;
}

pub async fn set_the_news_server(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = Hand::start(Browser::new(), size, way);
    let server = demo.addresses.news.to_string();
    hand.help("news-server").await;
    hand.wait(": set news-server").await;
    // Its value, which is empty, stands there between quotes.
    hand.delete(2);
    hand.type_in(&server);
    hand.shown("Enter", "run").await;
    hand.wait_until("the setting in its file", |_| {
        hand.file("settings.toml").contains(&server)
    })
    .await;
}

pub async fn change_a_key(size: (u16, u16), way: Way) {
    let start = Browser::new().file(
        EDITOR,
        "printf '[global]\\n\"q\" = \"\"\\n\"Q\" = \"quit\"\\n' > \"$1\"\n",
    );
    let hand = Hand::start(start, size, way);
    hand.help("edit keys").await;
    hand.wait_for_key("Q", "quit").await;
    assert!(hand.file("keys.toml").contains("\"Q\" = \"quit\""));
    hand.shown("Q", "quit").await;
    hand.end().await;
}

pub async fn change_a_setting(size: (u16, u16), way: Way) {
    let start = Browser::new().file(EDITOR, "printf '[reading]\\nwidth = 66\\n' > \"$1\"\n");
    let hand = Hand::start(start, size, way);
    hand.named("set reading.width 66", "edit settings").await;
    hand.wait_until("the setting in its file", |_| {
        hand.file("settings.toml").contains("width = 66")
    })
    .await;
}
