//! Whole sessions: keys in, screen out, against the demo's servers.

use std::time::Duration;

use geomys::demo::Demo;
use geomys::net::Limits;

use crate::support::screen::Session;

#[tokio::test(flavor = "multi_thread")]
async fn a_bookmark_a_link_and_back_again() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 30).await;
    session.wait("Geomys").await;
    insta::assert_snapshot!("home", session.screen());
    session.press("j Enter");
    session.wait("market square").await;
    session.wait("30 rows").await;
    insta::assert_snapshot!("menu", session.screen());
    session.press("1 Enter");
    session.wait("/0/about.txt").await;
    session.wait("rows").await;
    insta::assert_snapshot!("text", session.screen());
    session.press("h");
    session.wait("market square").await;
    // The place is kept: the cursor is on the link that was followed.
    session.wait("▌ 1").await;
    session.press("]");
    session.wait("/0/about.txt").await;
    session.press("q");
    let ending = session.ending().await;
    assert!(ending.app.is_over);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_asked_for_and_its_words_are_in_the_url() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 30).await;
    session.press("j Enter");
    session.wait("market square").await;
    session.press("5 Enter");
    session.wait("Ask the librarian (search):").await;
    session.type_in("potato soup");
    session.press("Enter");
    session.wait("/7/search%09potato%20soup").await;
    session.wait("Search again").await;
    insta::assert_snapshot!("search", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn panes_stand_beside_each_other_and_tabs_above() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 24).await;
    session.press("j Enter");
    session.wait("market square").await;
    session.press("B Tab");
    session.press("3 s");
    session.wait("telegraph").await;
    session.wait("/1/phlog").await;
    insta::assert_snapshot!("beside", session.screen());
    session.press("x");
    session.wait_gone("│").await;
    session.press("7 t");
    session.wait(" 2 ").await;
    session.wait("/1/weather").await;
    insta::assert_snapshot!("tabs", session.screen());
    session.press("Alt-1");
    session.wait("market square").await;
    session.press("} Ctrl-W");
    session.wait("market square").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bookmark_is_added_edited_removed_and_brought_back() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 30).await;
    let before = session.bookmarks();
    session.press("j Enter");
    session.wait("market square").await;
    session.press("4 Enter");
    session.wait("/1/library").await;
    session.press("a");
    session.wait("New bookmark").await;
    session.wait("The library").await;
    insta::assert_snapshot!("form", session.screen());
    session.press("Ctrl-U");
    session.type_in("A good library");
    session.press("Tab Tab Tab");
    session.type_in("books read");
    session.press("Enter");
    session.wait("bookmarks saved").await;
    let gopher = demo.gopher();
    let line = format!("A good library <URL:gopher://{gopher}/1/library> #books #read\n");
    assert_eq!(session.bookmarks(), format!("{before}{line}"));

    session.press("Shift-Tab e");
    session.wait("Edit the bookmark").await;
    session.press("Tab End Backspace Backspace Backspace Backspace Backspace Backspace Backspace");
    session.type_in("~ada");
    session.wait("cannot stand unencoded").await;
    insta::assert_snapshot!("form-fault", session.screen());
    session.press("Enter");
    session.wait("Edit the bookmark").await;
    session.press("Backspace Backspace Backspace Backspace Enter");
    session.wait("bookmarks saved").await;
    let changed = line.replace("library>", ">");
    assert_eq!(session.bookmarks(), format!("{before}{changed}"));

    session.press("X");
    session.wait_gone("A good library").await;
    assert_eq!(session.bookmarks(), before);
    session.press("z");
    session.wait("undone").await;
    assert_eq!(session.bookmarks(), format!("{before}{changed}"));
    session.press("z z");
    session.wait_gone("A good lib").await;
    assert_eq!(session.bookmarks(), before);
    session.press("Z");
    session.wait("done again").await;
    assert_eq!(session.bookmarks(), format!("{before}{line}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_start_writes_nothing_until_something_is_changed() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let addresses = [format!("gopher://{}/", demo.gopher())];
    let session = Session::start(profile, None, &addresses, (80, 24), Limits::default()).await;
    session.wait("Floodgap").await;
    session.wait("market square").await;
    assert!(!session.path().join("bookmarks.txt").exists());
    session.press("a Enter");
    session.wait("bookmarks saved").await;
    let file = session.bookmarks();
    assert!(file.starts_with(geomys::config::BOOKMARKS), "{file}");
    assert_eq!(
        file.lines().count(),
        geomys::config::BOOKMARKS.lines().count() + 1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_bookmark_is_shown_with_its_fault() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 30).await;
    session.wait("! A bad one").await;
    for _ in 0..9 {
        session.press("j");
    }
    session.wait("opens as").await;
    insta::assert_snapshot!("bad-bookmark", session.screen());
    session.press("Enter");
    session.wait("cannot stand unencoded").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_appear_as_they_arrive_and_esc_keeps_them() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let addresses = [format!("gopher://{}/1/slow/1000", demo.gopher())];
    let session = Session::start(profile, None, &addresses, (80, 12), Limits::default()).await;
    // Rows are on screen while it arrives.
    session
        .wait_until("rows while it arrives", |screen| {
            screen.contains("Room 3 ") && screen.contains("…  Esc stop")
        })
        .await;
    session.press("Esc");
    session.wait("stopped").await;
    let rows = session.screen();
    assert!(
        rows.contains("Room 1 ") && rows.contains("Room 3 "),
        "{rows}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_without_end_and_a_menu_without_end_stop_at_a_limit() {
    let demo = Demo::start().await.unwrap();
    let limits = Limits {
        page: 1_000_000,
        ..Limits::default()
    };
    for selector in ["endless", "forever"] {
        let profile = tempfile::tempdir().unwrap();
        let addresses = [format!("gopher://{}/1/{selector}", demo.gopher())];
        let session = Session::start(profile, None, &addresses, (80, 24), limits.clone()).await;
        session.wait("cut: a page holds").await;
        session.press("G");
        session.wait("cut here: a page holds 1.0 MB").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn finding_goes_from_match_to_match_and_round_the_end() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let addresses = [format!("gopher://{}/1/big/100000", demo.gopher())];
    let session = Session::start(profile, None, &addresses, (80, 24), Limits::default()).await;
    session.wait("100,0").await;
    session.press("/");
    session.type_in("99999");
    session.press("Enter");
    session.wait("/row/99999").await;
    session.press("n");
    session.wait("went round").await;
    session.press("/");
    session.type_in("no such words");
    session.press("Enter");
    session.wait("is not on this page").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_pages_that_say_what_to_do() {
    let demo = Demo::start().await.unwrap();
    let limits = Limits {
        connect: Duration::from_millis(500),
        idle: Duration::from_millis(300),
        ..Limits::default()
    };
    let profile = tempfile::tempdir().unwrap();
    let vacant = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let addresses = [
        format!("gopher://{vacant}/"),
        "gopher://no-such-host.invalid/".to_owned(),
        format!("gopher://{}/1/silent", demo.gopher()),
        format!("gopher://{}/0/a%00b", demo.gopher()),
        "wais://example.org/db".to_owned(),
    ];
    let session = Session::start(profile, None, &addresses, (80, 24), limits).await;
    session.wait("refused the connection").await;
    insta::assert_snapshot!("refused", session.screen());
    session.press("}");
    session.wait("no-such-host.invalid").await;
    session.wait("Check the name").await;
    session.press("}");
    session.wait("sent nothing within").await;
    session.press("}");
    session.wait("Not sent").await;
    session.press("}");
    session.wait("does not speak wais").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_can_be_read_down_to_twenty_by_six() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 40).await;
    session.press("j Enter");
    // Words of the page: on a screen this wide the bookmark's own name is whole.
    session.wait("You are standing").await;
    for (columns, lines) in [
        (80, 24),
        (59, 20),
        (40, 12),
        (20, 6),
        (8, 3),
        (1, 1),
        (80, 24),
    ] {
        session.resize(columns, lines);
        session.press("j");
    }
    session.wait("market square").await;
    session.resize(20, 6);
    session
        .wait_until("the small screen", |screen| {
            let narrow = screen.lines().all(|line| line.chars().count() <= 20);
            // The keys before the last size may still be on their way.
            screen.lines().count() == 6 && narrow && screen.contains("You are")
        })
        .await;
    insta::assert_snapshot!("small", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn help_tells_every_key_that_is_bound() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 90).await;
    session.press("?");
    session.wait("to the next link").await;
    insta::assert_snapshot!("help", session.screen());
    session.press("?");
    session.wait("in your terminal").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_shown_is_offered_as_a_download() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let addresses = [format!("gopher://{}/9/gallery/seeds.bin", demo.gopher())];
    let downloads = profile.path().join("Downloads");
    let session = Session::start(profile, None, &addresses, (100, 24), Limits::default()).await;
    session.wait("Save as").await;
    session.wait("This is a binary file").await;
    session.press("Enter");
    session.wait("saved").await;
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(std::fs::read(downloads.join("seeds.bin")).unwrap(), all);
    assert!(!downloads.join("seeds.bin.part").exists());
    // Nothing is written over: the second one gets a number.
    session.press("o");
    session.type_in(&addresses[0]);
    session.press("Enter");
    session.wait("Save as").await;
    session.press("Enter");
    session.wait("seeds (2).bin").await;
    assert_eq!(std::fs::read(downloads.join("seeds (2).bin")).unwrap(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn copying_gives_the_url_without_its_password() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 24).await;
    session.press("j y");
    session.wait("copied").await;
    assert_eq!(
        *session.copied.lock().unwrap(),
        [format!("gopher://{}/", demo.gopher())]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_loop_ends_when_the_system_asks() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 80, 24).await;
    session.wait("Bookmarks").await;
    assert!(session.terminate().await.app.is_over);
}
