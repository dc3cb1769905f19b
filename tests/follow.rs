//! Following a page: the form's rows and its tags, the first look at once, the near miss, and what is read on.

use std::fs;

use geomys_demo::Demo;

use crate::support::command::geomys;
use crate::support::screen::{Browser, Session};

/// The browser on the phlog of the demo, without suggestions in its way.
async fn on_phlog(demo: &Demo) -> Session {
    let profile = tempfile::tempdir().unwrap();
    fs::write(profile.path().join("bookmarks.txt"), "# Mine\n").unwrap();
    let url = format!("gopher://{}/1/phlog", demo.addresses.gopher);
    let session = Browser::in_profile(profile)
        .open(&url)
        .size((80, 24))
        .start();
    session.wait("a follow").await;
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn phlog_is_followed_from_the_form_and_read_on_at_once() {
    let demo = Demo::start().await.unwrap();
    let session = on_phlog(&demo).await;
    session.press("a");
    session.wait("[ ] Follow: new entries and changes").await;
    // The row is the second field of a page that lists entries, and the box does not move when the depth comes.
    let before = session.screen();
    let row_of = |screen: &str, words: &str| screen.lines().position(|line| line.contains(words));
    assert_eq!(
        row_of(&before, "Follow:"),
        row_of(&before, "Title").map(|row| row + 1),
        "{before}"
    );
    session.press("Tab Space");
    session.wait("[x] Follow").await;
    session.wait("Depth").await;
    let ticked = session.screen();
    assert_eq!(
        row_of(&before, "Title"),
        row_of(&ticked, "Title"),
        "{ticked}"
    );
    assert_eq!(
        row_of(&before, "Enter"),
        row_of(&ticked, "Enter"),
        "{ticked}"
    );
    assert!(
        ticked.contains("(•) 0 this page  ( ) 1  ( ) 2  ( ) 3 links away"),
        "{ticked}"
    );
    session.press("Tab 2");
    session.wait("(•) 2").await;
    assert!(session.screen().contains("follow2"), "{}", session.screen());
    session.press("Left Left");
    session.wait("(•) 0 this page").await;
    session.press("Enter");
    session.wait("Following: ").await;
    session.wait("(. reads them)").await;
    assert!(
        session.bookmarks().contains("/1/phlog> #follow\n"),
        "{}",
        session.bookmarks()
    );
    // The newest entry is read at once, without a restart.
    let before = session.screen();
    session.press(".");
    session.wait_until_absent("(. reads them)").await;
    session.wait("Space page").await;
    assert_ne!(session.screen(), before);
    // What was typed in the form is the consent: the command asks nothing.
    session.press("q");
    let profile = session.end().await.profile;
    let path = profile.path().to_str().unwrap();
    let sync = geomys(&["--config", path, "sync"], "");
    let said = String::from_utf8_lossy(&sync.stdout);
    assert!(!said.contains("never"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistyped_tag_asks_and_completion_says_what_a_tag_means() {
    let demo = Demo::start().await.unwrap();
    let session = on_phlog(&demo).await;
    session.press("a");
    session.wait("[ ] Follow").await;
    session.press("Shift-Tab Shift-Tab");
    session.type_in("fol");
    session.wait("low  new entries and changes").await;
    session.press("Backspace Backspace Backspace");
    session.type_in("wat");
    session.press("Enter");
    session.wait("Follow this page (#follow)?").await;
    session.press("b");
    session.wait("[ ] Follow").await;
    session.press("Enter");
    session.wait("Follow this page (#follow)?").await;
    session.press("k");
    session.wait("added").await;
    assert!(
        session.bookmarks().contains("> #wat\n"),
        "{}",
        session.bookmarks()
    );
    // A tag that is in use is no mistake; the command ticks the row of the same bookmark.
    session.press(":");
    session.type_in("follow");
    session.press("Enter");
    session.wait("[x] Follow").await;
    session.press("Enter");
    session.wait("Following: ").await;
    assert!(
        session.bookmarks().contains("> #wat #follow\n"),
        "{}",
        session.bookmarks()
    );
}
