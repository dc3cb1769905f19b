//! The loop and its tasks: a panicking task ends alone.

use geomys_testing::script::{assert_played, listen};

use crate::support::screen::Browser;

/// A runtime on which every socket panics, as its I/O driver is disabled.
fn without_sockets() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
}

#[test]
fn panicking_load_shows_an_error_page() {
    without_sockets().block_on(async {
        let session = Browser::new()
            .open("gopher://127.0.0.1:7070/1/there")
            .size((120, 24))
            .start();
        session.wait("ailed to load").await;
        session.wait("gopher://127.0.0.1:7070/1/there").await;
        session.press("q");
        session.end().await;
    });
}

#[test]
fn panicking_download_is_reported() {
    without_sockets().block_on(async {
        let bookmarks = "A file <URL:gopher://127.0.0.1:7070/9/there>\n";
        let session = Browser::new()
            .bookmarks(bookmarks)
            .size((120, 24))
            .with_bookmarks()
            .start();
        session.wait("A file").await;
        session.press("d");
        session.wait("Failed to save").await;
        session.press("q");
        session.end().await;
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn url_on_the_command_line_is_repaired() {
    let script = "C: /a b|c~\nS: found\nS: .\n";
    let (address, playing) = listen(&[script]).await;
    let session = Browser::new()
        .open(format!("gopher://{address}/0/a b|c~"))
        .start();
    session.wait("found").await;
    session.press("q");
    session.end().await;
    assert_played(playing).await;
}
