//! Pages that are saved for later: fetched in the background, listed, read without their server, removed.

use std::fs;
use std::path::Path;

use geomys_demo::Demo;
use geomys_testing::hole::Hole;

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

/// The number of pages that are saved for later.
fn saved_pages(profile: &Path) -> usize {
    let entries = fs::read_dir(profile.join("later")).into_iter().flatten();
    entries
        .flatten()
        .filter(|entry| entry.file_name().len() == 64)
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn link_and_page_are_saved_and_read_without_their_server() {
    let demo = Demo::start().await.unwrap();
    let library = format!("gopher://{}/1/library", demo.addresses.gopher);
    let addresses = [library.clone()];
    let session = Browser::new().open_all(&addresses).size((100, 24)).start();
    session.wait("How to write an address").await;
    session.press("J L");
    session.wait("Kept: How to write an address").await;
    // A text without a selected link is saved itself.
    session.press("J J Enter");
    session.wait("ISO 8859-1").await;
    session.press("h");
    session.press("g L");
    session.wait("1 page is kept.").await;
    session.wait("How to write an address").await;
    session.press("q");
    let profile = session.end().await.profile;
    assert_eq!(saved_pages(profile.path()), 1);
    let config = profile.path().to_str().unwrap().to_owned();
    let page = format!("gopher://{}/0/library/addresses.txt", demo.addresses.gopher);
    let now = geomys(&["--config", &config, "dump", &page], "");
    assert_eq!(now.status.code(), Some(0), "{now:?}");
    drop(demo);
    // The page itself was never opened, and is not in the cache.
    let later = geomys(&["--config", &config, "dump", "--offline", &page], "");
    assert_eq!(text(&later.stdout), text(&now.stdout));
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.press("g L");
    session.wait("1 page is kept.").await;
    session.press("J Enter");
    session.wait("From the cache (r retry): it is kept").await;
    session.press("h");
    session.wait("1 page is kept.").await;
    session.press("X");
    session.wait("Nothing kept yet").await;
    assert_eq!(saved_pages(session.path()), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_cannot_be_fetched_stays_in_the_queue() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/1/library", demo.addresses.gopher))
        .size((100, 24))
        .start();
    session.wait("How to write an address").await;
    session.press("Ctrl-O");
    session.wait("pages come from the cache").await;
    session.press("J L");
    session.wait("Kept, not fetched").await;
    session.press("g L");
    session.wait("1 page is kept.").await;
    assert_eq!(saved_pages(session.path()), 0);
    // A reload fetches what is missing.
    session.press("Ctrl-O r");
    session.wait("Kept: How to write an address").await;
    assert_eq!(saved_pages(session.path()), 1);
    session.press("r");
    session.wait_until_absent("not fetched").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_behind_a_login_is_not_saved() {
    let demo = Demo::start().await.unwrap();
    let line = format!("Papers <URL:ftp://ada@{}/>\n", demo.addresses.ftp);
    let session = Browser::new().bookmarks(line).size((100, 24)).start();
    session.press("B");
    session.wait("Papers").await;
    session.press("L");
    session
        .wait("Not kept: it is local, or needs a login or a form")
        .await;
    assert!(!session.path().join("data/later/queue").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn article_saved_from_a_folded_row_has_its_own_title() {
    let demo = Demo::start().await.unwrap();
    let article = format!("nntp://{}/geomys.demo.announce/11", demo.addresses.news);
    let session = Browser::new().demo(&demo).open(article).start();
    session.wait("Newsgroups:").await;
    session.run_command("fold-headers").await;
    session.wait("more headers]").await;
    session.press("J L");
    session.wait("Kept: A very rude letter").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_without_a_row_offer_no_removal() {
    let session = Browser::new().start();
    session.wait("Start here").await;
    for (keys, words) in [
        ("g L", "Nothing kept yet"),
        ("g I", "No client certificates"),
    ] {
        session.press(keys);
        session.wait(words).await;
        session.settle().await;
        assert!(!session.screen().contains("X remove"), "{keys}");
    }
}

#[tokio::test]
async fn number_before_the_key_saves_that_link() {
    let hole = Hole::start(|line, at| {
        let row = |name: &str| format!("0The {name} text\t/{name}\t127.0.0.1\t{}\r\n", at.port());
        match line {
            "/m" => ["first", "second", "third"].map(row).concat().into_bytes(),
            other => format!("text of {other}\r\n.\r\n").into_bytes(),
        }
    })
    .await;
    let session = Browser::new()
        .open(format!("gopher://{}/1/m", hole.address))
        .start();
    session.wait("The third text").await;
    session.press("3 L");
    session.wait("Kept: The third text").await;
    session.press("7 L");
    session.wait("No link has the number 7").await;
}
