//! Edits of the configuration files in a running browser, and the page of its mistakes.

use std::fs;

use crate::support::screen::{Browser, Session};

fn session() -> Session {
    Browser::new().bookmarks("").size((130, 30)).start()
}

#[tokio::test(flavor = "multi_thread")]
async fn edited_keys_and_glyphs_take_effect_in_the_running_browser() {
    let session = session();
    session.wait("Floodgap").await;
    let file = |name: &str| session.path().join(name);
    fs::write(file("keys.toml"), "[global]\n\"Q\" = \"config\"\n").unwrap();
    // All files are read at each edit: with this glyph the keys are in force too.
    fs::write(file("theme.toml"), "[glyphs]\nmenu = \"M\"\n").unwrap();
    session.wait(" M Floodgap").await;
    session.wait("Configuration reloaded").await;
    session.press("Q");
    session.wait("the configuration").await;
    session.wait("  None").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_the_configuration_lists_every_mistake() {
    let session = session();
    session.wait("Floodgap").await;
    let text = "colour = 1\ncharset = \"klingon\"\n";
    fs::write(session.path().join("settings.toml"), text).unwrap();
    session.wait("settings.toml:1:1").await;
    session.press("g C");
    session.wait("settings.toml:2:11").await;
    let screen = session.screen();
    assert!(screen.contains("settings.toml:1:1"), "{screen}");
    assert!(screen.contains("bookmarks.txt"), "{screen}");
}
