//! The loop and its tasks: a panicking task ends alone.

use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Limits;

use crate::support::screen::Session;

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
        let profile = tempfile::tempdir().unwrap();
        let addresses = ["gopher://127.0.0.1:7070/1/there".to_owned()];
        let session = Session::start(profile, None, &addresses, (120, 24), Limits::default());
        session.wait("ailed to load").await;
        session.wait("gopher://127.0.0.1:7070/1/there").await;
        session.press("q");
        session.end().await;
    });
}

#[test]
fn panicking_download_is_reported() {
    without_sockets().block_on(async {
        let profile = tempfile::tempdir().unwrap();
        let bookmarks = "A file <URL:gopher://127.0.0.1:7070/9/there>\n";
        std::fs::write(profile.path().join("bookmarks.txt"), bookmarks).unwrap();
        let session = Session::start(profile, None, &[], (120, 24), Limits::default());
        session.wait("A file").await;
        session.press("d");
        session.wait("failed to save").await;
        session.press("q");
        session.end().await;
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn url_on_the_command_line_is_repaired() {
    let script = "C: /a b|c~\nS: found\nS: .\n";
    let (address, playing) = listen(&[script]).await;
    let profile = tempfile::tempdir().unwrap();
    let addresses = [format!("gopher://{address}/0/a b|c~")];
    let session = Session::start(profile, None, &addresses, (80, 24), Limits::default());
    session.wait("found").await;
    session.press("q");
    session.end().await;
    assert_played(playing).await;
}
