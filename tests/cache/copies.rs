//! Copies of a page that its server does not have any more: the cached one, and the one of an archive.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use geomys_testing::web::Web;

use super::schemes::shown_once;
use crate::support::screen::Browser;

/// A server with a page until `is_gone` is set, and an archive that has all pages.
async fn server(is_gone: Arc<AtomicBool>) -> Web {
    Web::start(move |request| {
        let (status, words) = match request.path().strip_prefix("/archive/") {
            Some(url) => ("200 OK", format!("Archived: {url}")),
            None if is_gone.load(Ordering::SeqCst) => ("404 Not Found", "no".to_owned()),
            None => ("200 OK", "It was here".to_owned()),
        };
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{words}",
            words.len()
        )
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_page_offers_its_cached_copy_and_the_archive() {
    let is_gone = Arc::new(AtomicBool::new(false));
    let web = server(Arc::clone(&is_gone)).await;
    let address = format!("http://{}/page", web.address);
    let profile = tempfile::tempdir().unwrap();
    let settings = profile.path().join("settings.toml");
    fs::write(&settings, "session = \"new\"\n").unwrap();
    let profile = shown_once(profile, &address, "It was here", 1).await;
    is_gone.store(true, Ordering::SeqCst);
    let addresses = [address.clone()];

    // Without an archive, Enter opens the cached copy.
    let session = Browser::in_profile(profile).open_all(&addresses).start();
    session.wait("404").await;
    session.wait("A copy of 20").await;
    assert!(
        !session.screen().contains("archive"),
        "{}",
        session.screen()
    );
    session.press("Enter");
    session.wait("It was here").await;
    session
        .wait("From the cache (r retry): its server did not send it")
        .await;
    session.press("q");
    let profile = session.end().await.profile;

    let archive = format!("archive-url = \"http://{}/archive/\"\n", web.address);
    fs::write(&settings, format!("session = \"new\"\n{archive}")).unwrap();
    let session = Browser::in_profile(profile).open_all(&addresses).start();
    session.wait("The archive may have a copy").await;
    session.press("Enter");
    session.wait("Open which copy of this page?").await;
    session.press("a");
    session.wait("Archived: http://").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_page_without_a_copy_offers_the_archive_alone() {
    let web = server(Arc::new(AtomicBool::new(true))).await;
    let address = format!("http://{}/page", web.address);
    for (setting, has_archive) in [
        (format!("http://{}/archive/", web.address), true),
        (String::new(), false),
    ] {
        let settings = format!("session = \"new\"\narchive-url = \"{setting}\"\n");
        let session = Browser::new()
            .settings(settings)
            .open(address.clone())
            .start();
        session.wait("404").await;
        session.wait("r retry").await;
        assert_eq!(
            session.screen().contains("The archive may have a copy"),
            has_archive
        );
        session.press("Enter");
        if has_archive {
            session.wait("Archived: http://").await;
        } else {
            session.wait("No link").await;
        }
    }
}
