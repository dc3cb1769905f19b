//! The sync in the browser: its question, its progress, its end, and what it shows without a restart.

use std::fs;
use std::path::Path;

use geomys_crawl::sync::lock::SyncLock;
use geomys_testing::news::NewsServer;
use geomys_testing::web::{Web, ok};
use tempfile::TempDir;

use super::outbox::post;
use super::{Pages, capsule, offline, run, set, silent};
use crate::support::command::text;
use crate::support::files::write_queue;
use crate::support::follow;
use crate::support::screen::{Browser, Session};

/// A session in a profile with these bookmarks.
async fn session(bookmarks: &str) -> Session {
    started(profile(bookmarks)).await
}

fn profile(bookmarks: &str) -> TempDir {
    let profile = tempfile::tempdir().unwrap();
    fs::write(profile.path().join("bookmarks.txt"), bookmarks).unwrap();
    profile
}

async fn started(profile: TempDir) -> Session {
    let session = Browser::in_profile(profile).size((100, 40)).start();
    session.settle().await;
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn key_syncs_and_shows_what_has_come_without_a_restart() {
    let pages = Pages::default();
    set(
        &pages,
        &[
            ("/log", "# Log\n=> /first 2026-11-01 First\n"),
            ("/first", "the first entry\n"),
            ("/second", "the second entry\n"),
            ("/later", "saved for later\n"),
        ],
    );
    let capsule = capsule(&pages).await;
    let profile = profile(&format!(
        "A log <URL:{}> #watch\nGone <URL:{}> #offline\n",
        capsule.url("/log"),
        capsule.url("/gone")
    ));
    write_queue(profile.path(), &[(capsule.url("/later"), "Later")]);
    follow::look(profile.path()).await;
    let log = "# Log\n=> /second 2026-11-20 Second\n=> /first 2026-11-01 First\n";
    set(&pages, &[("/log", log)]);
    let session = started(profile).await;
    session.wait("g U sync").await;
    session.press("g L");
    session.wait("not fetched: the next sync does").await;
    session.press("g U");
    session.wait("Sync: 3 new, 1 failed (g L lists)").await;
    // The list was made again.
    session.wait_until_absent("not fetched").await;
    session.press("h");
    session.wait("1 entry").await;
    session.wait("1 kept").await;
    session.press("g L");
    session.wait("Not fetched by the last sync:").await;
    session.wait("failed: ").await;
    drop(capsule);
    let (shown, url) = (session.path().to_owned(), "second");
    assert!(shown.join("synced").exists(), "{url}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_that_would_send_something_asks_first() {
    let article = "Subject: A burrow\nFrom: bo@x\nDate: Thu, 26 Nov 2026 10:00:00 +0000\nMessage-ID: <1@x>\n\nhello";
    let server = NewsServer::start(vec![("a.b", vec![article.to_owned()])]).await;
    let profile = profile("");
    let path = post(profile.path(), &server.address.to_string(), "queued");
    let session = started(profile).await;
    let posted = || server.received("POST").len();
    session.press("g U");
    session.wait("Sync, and send 1 post?").await;
    session.wait("Rain  to a.b").await;
    session.press("n");
    session.wait_until_absent("Sync, and send").await;
    session.press("g U");
    session.wait("Sync, and send 1 post?").await;
    session.press("w");
    session.wait("Sync: nothing new").await;
    assert!(path.exists() && posted() == 0, "{}", session.screen());
    session.press("E");
    session.wait("waits for the next sync").await;
    session.press("Esc g U");
    session.wait("Sync, and send 1 post?").await;
    session.press("y");
    session.wait("Sync: 1 sent").await;
    assert!(!path.exists() && posted() == 1, "{}", session.screen());
    session.press("E");
    session.wait("Outbox empty").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn running_sync_is_shown_stopped_and_keeps_what_came() {
    let pages = Pages::default();
    set(&pages, &[("/here", "it is here\n"), ("/robots.txt", "")]);
    let capsule = capsule(&pages).await;
    let (_listener, silent) = silent().await;
    let here = capsule.url("/here");
    let profile = profile(&format!("{silent}Here <URL:{here}> #watch\n"));
    follow::agree(profile.path());
    follow::look_at(profile.path(), |bookmark| {
        bookmark.title().as_str() == "Here"
    })
    .await;
    let session = started(profile).await;
    session.press("g U");
    session.wait("sync 1 of ").await;
    session.press("D");
    session.wait("Sync: Here").await;
    session.press("Esc g U");
    session.wait("(Esc stops it)").await;
    session.press("q");
    session.wait("Quit while a sync is running?").await;
    session.press("n");
    session.wait_until_absent("Quit?").await;
    session.press("Esc");
    session.wait("Sync stopped after 1 of ").await;
    session.wait_until_absent("sync 1 of ").await;
    assert_eq!(offline(session.path(), &here), "it is here\n");
    // Nothing holds the lock.
    session.press("g U");
    session.wait("Sync started").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_that_runs_when_the_browser_ends_loses_nothing() {
    let server = NewsServer::start(vec![("a.b", Vec::new())]).await;
    let (listener, silent) = silent().await;
    let profile = profile(&silent);
    // No question at the start about a page that was never looked at.
    fs::write(
        profile.path().join("settings.toml"),
        "[bookmarks]\nfollow = false\n",
    )
    .unwrap();
    let path = post(profile.path(), &server.address.to_string(), "queued");
    let session = started(profile).await;
    session.press("g U");
    session.wait("Sync, and send 1 post?").await;
    session.press("y");
    session.wait("sync 1 of ").await;
    session.press("q");
    session.wait("Quit while a sync is running?").await;
    session.press("y");
    let ended = session.end().await;
    drop(listener);
    let profile: &Path = ended.profile.path();
    assert!(!path.exists());
    let output = run(profile, &["sync"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        text(&output.stdout).contains("Silent: 1 later"),
        "{output:?}"
    );
    assert_eq!(server.received("POST").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_waits_for_the_bookmark_that_is_being_saved() {
    let web = Web::start(|request| match request.path() {
        "/" => ok("Content-Type: text/html\r\n", "<a href=/b>the other</a>"),
        _ => ok("Content-Type: text/plain\r\n", "It is here.\n"),
    })
    .await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("the other").await;
    session.press("a");
    session.wait("New bookmark").await;
    session.press("Tab Tab Tab");
    session.type_in("#offline1");
    let is_typed = |screen: &str| screen.contains("#offline1");
    session.screen_when("the tag", is_typed).await;
    // Another process writes files of the profile.
    let directory = fs::File::open(session.path()).unwrap();
    directory.lock().unwrap();
    session.press("Enter");
    session.wait_until_absent("New bookmark").await;
    session.press("g U");
    session.wait("Sync started").await;
    drop(directory);
    session.wait("Sync: ").await;
    let requests = web.take_lines();
    assert!(requests.contains(&"GET /b".to_owned()), "{requests:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_beside_another_one_is_refused() {
    let session = session("").await;
    let lock = SyncLock::take(&session.path().join("sync.lock")).unwrap();
    session.press("g U");
    session.wait("nother sync is running").await;
    drop(lock);
    session.press("g U");
    session.wait("Sync: nothing new").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offline_and_in_a_private_tab_the_key_says_what_to_do() {
    let session = session("").await;
    session.press("Ctrl-O g U");
    session.wait("Offline: Ctrl-O goes online, then sync").await;
    session.press("Ctrl-O g P g U");
    session
        .wait("A private tab stores nothing: sync from another tab")
        .await;
    let output = run(session.path(), &["--offline", "sync"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("offline: a sync needs the network"), "{said}");
}
