//! One key reads all that is new: unread articles, then new entries, then pages saved for later; with a network and
//! without.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use geomys_testing::news::NewsServer;
use geomys_testing::web::{Web, ok};
use tempfile::TempDir;

use super::read_on::article;
use crate::cache::reading::wait_for_cached_pages;
use crate::support::command::{geomys, text};
use crate::support::files::write_queue;
use crate::support::follow;
use crate::support::screen::{Browser, Session};

/// The message at the end, when all was read.
const END: &str = "No unread articles, entries or kept pages";

/// The pages of a Web server by their paths, which can be changed while it runs.
type Pages = Arc<Mutex<HashMap<&'static str, &'static str>>>;

async fn web(pages: &Pages) -> Web {
    let pages = Arc::clone(pages);
    Web::start(
        move |request| match pages.lock().unwrap().get(request.path()) {
            Some(page) if page.starts_with("<rss") => {
                ok("Content-Type: application/rss+xml\r\n", page)
            }
            Some(page) => ok("Content-Type: text/html\r\n", page),
            None => b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 16\r\n\r\n<p>Gone for now.".to_vec(),
        },
    )
    .await
}

/// A log with one entry, and what it lists later.
fn pages() -> Pages {
    let pages = [
        ("/log", "<p>2026-11-01 <a href=first>First</a>"),
        ("/first", "<p>The first entry."),
        ("/second", "<p>The second entry."),
        ("/third", "<p>The third entry."),
        ("/saved", "<p>The saved page."),
        ("/linked", "<p>The linked page."),
        ("/list", "<p><a href=linked>A link</a>"),
    ];
    Arc::new(Mutex::new(pages.into()))
}

const NEW_LOG: &str = "<p>2026-11-03 <a href=third>Third</a><p>2026-11-02 <a href=second>Second</a>\
     <p>2026-11-01 <a href=first>First</a>";

fn run(profile: &Path, arguments: &[&str]) -> String {
    let arguments = [&["--config", profile.to_str().unwrap()], arguments].concat();
    let output = geomys(&arguments, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    text(&output.stdout)
}

/// A profile that follows the log, at which nothing but a sync looks.
fn following(web: &Web) -> TempDir {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path();
    let settings = "session = \"new\"\n[bookmarks]\nfollow = false\n";
    fs::write(path.join("settings.toml"), settings).unwrap();
    let bookmarks = format!("A log <URL:{}> #watch\n", web.url("/log"));
    fs::write(path.join("bookmarks.txt"), bookmarks).unwrap();
    profile
}

/// A profile that watches the log, and has saved a page for later; the log has two new entries, which a sync has
/// fetched.
async fn synced(web: &Web, pages: &Pages) -> TempDir {
    let profile = following(web);
    let path = profile.path();
    write_queue(path, &[(web.url("/saved"), "Saved")]);
    follow::look(path).await;
    pages.lock().unwrap().insert("/log", NEW_LOG);
    run(path, &["sync"]);
    profile
}

/// Subscribes to two groups of a server, whose overviews are cached.
async fn subscribed(server: &NewsServer, profile: TempDir) -> TempDir {
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let address = server.address;
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(file), "a.first:\na.second:\n").unwrap();
    let group = |name: &str| format!("nntp://{address}/{name}");
    let session = Browser::in_profile(profile)
        .open_all([group("a.first"), group("a.second")])
        .size((100, 24))
        .start();
    session.wait("1 of 1 unread").await;
    session.press("}");
    session.wait("2 of 2 unread").await;
    let copies = fs::read_dir(session.path().join("cache"));
    let before = copies.map_or(0, |all| {
        let names = all.flatten().map(|entry| entry.file_name().len());
        names.filter(|length| *length == 64).count()
    });
    wait_for_cached_pages(session.path(), before.max(2)).await;
    session.press("q y");
    session.end().await.profile
}

fn groups() -> Vec<(&'static str, Vec<String>)> {
    vec![
        ("a.first", vec![article("a.first", 1, 3)]),
        (
            "a.second",
            vec![article("a.second", 1, 3), article("a.second", 2, 3)],
        ),
    ]
}

async fn read(session: &Session, shown: &[&str]) {
    for words in shown {
        session.press(".");
        session.wait(words).await;
        session.settle().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_reads_articles_entries_and_saved_pages_in_the_order_of_home() {
    let (pages, server) = (pages(), NewsServer::start(groups()).await);
    let web = web(&pages).await;
    let profile = subscribed(&server, synced(&web, &pages).await).await;
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.wait("3 articles  2 entries  1 kept").await;
    session.wait("Kept pages").await;
    read(&session, &["<1.a.first@x>", "a.second 2"]).await;
    // The numbers are in the status line of every page.
    session.press("Esc");
    session.wait("● 5 new").await;
    read(&session, &["<1.a.second@x>", "<2.a.second@x>"]).await;
    read(&session, &["The third entry.", "The second entry."]).await;
    session.wait("● 1 kept").await;
    read(&session, &["The saved page.", END]).await;
    // The page stays.
    assert!(session.screen().contains("The saved page."));
    session.press("~");
    session.wait("Nothing new").await;
    session.wait("Start here").await;
    // It begins again, and says so again.
    read(&session, &[END]).await;
    session.press("q");
    let profile = session.end().await.profile;
    let queue = fs::read_to_string(profile.path().join("later/queue")).unwrap();
    assert!(queue.starts_with("2026-11-01T00:00:00Z,20"), "{queue}");
    assert_eq!(run(profile.path(), &["bookmarks", "entries"]), "");
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.wait("Nothing new").await;
    session.press("g L");
    session.wait(", read").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_skips_offline_what_has_no_copy_and_says_how_many() {
    let (pages, server) = (pages(), NewsServer::start(groups()).await);
    let web = web(&pages).await;
    let profile = subscribed(&server, synced(&web, &pages).await).await;
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.wait("3 articles").await;
    // One article was opened: it has a copy, and is unread again.
    read(&session, &["<1.a.first@x>"]).await;
    session.press("m");
    session.wait("marked unread").await;
    session.press("q");
    let profile = session.end().await.profile;
    web.take_lines();
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.wait("3 articles").await;
    session.press("Ctrl-O");
    session.wait("pages come from the cache").await;
    session.settle().await;
    let shown = ["<1.a.first@x>", "The third entry.", "The second entry."];
    read(&session, &shown).await;
    read(&session, &["The saved page."]).await;
    read(&session, &["No more to read: 2 skipped without a copy"]).await;
    session.press("~");
    session.wait("Start here").await;
    assert_eq!(web.take_lines(), [""; 0]);
    assert_eq!(server.received("ARTICLE").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_that_does_not_open_is_passed_and_stays_new() {
    let pages = pages();
    let web = web(&pages).await;
    let profile = synced(&web, &pages).await;
    fs::remove_dir_all(profile.path().join("synced")).ok();
    pages.lock().unwrap().remove("/third");
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.wait("2 entries  1 kept").await;
    read(&session, &["404", "The second entry.", "The saved page."]).await;
    read(&session, &["No more to read: 1 did not open"]).await;
    session.press("~");
    session.wait("1 entry").await;
}

const OLD_FEED: &str =
    "<rss><channel><item><title>First</title><link>/first</link></item></channel></rss>";

const NEW_FEED: &str = "<rss><channel><title>Feed</title>\
     <item><title>Third</title><link>/third</link><description>A third text.</description></item>\
     <item><title>Second</title><link>/second</link><description>A second text.</description></item>\
     <item><title>First</title><link>/first</link></item></channel></rss>";

#[tokio::test(flavor = "multi_thread")]
async fn text_of_an_entry_is_read_in_its_feed_and_marks_no_other_entry() {
    let pages = pages();
    pages.lock().unwrap().insert("/log", OLD_FEED);
    let web = web(&pages).await;
    let profile = following(&web);
    let path = profile.path();
    follow::look(path).await;
    pages.lock().unwrap().insert("/log", NEW_FEED);
    run(path, &["sync"]);
    web.take_lines();
    let session = Browser::in_profile(profile).size((100, 12)).start();
    session.wait("2 entries").await;
    // By its row on the home page.
    session.press("/");
    session.type_in("Second (");
    session.press("Enter Enter");
    session.wait("A second text.").await;
    assert!(session.screen().contains("/log#entry-"));
    session.press("Esc ~");
    session.wait("1 entry").await;
    let asked = web.take_lines();
    assert!(asked.iter().all(|line| line == "GET /log"), "{asked:?}");
    // Without a network the copy has it.
    session.press("~ Ctrl-O");
    session.wait("pages come from the cache").await;
    read(&session, &["A third text.", END]).await;
    session.press("~");
    session.wait("Nothing new").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_an_error_is_the_text_of_no_entry() {
    let pages = pages();
    pages.lock().unwrap().insert("/log", OLD_FEED);
    let web = web(&pages).await;
    let profile = following(&web);
    let path = profile.path();
    follow::look(path).await;
    pages.lock().unwrap().insert("/log", NEW_FEED);
    run(path, &["sync"]);
    pages.lock().unwrap().remove("/log");
    let session = Browser::in_profile(profile).size((100, 12)).start();
    session.wait("2 entries").await;
    read(&session, &["Gone for now."]).await;
    session.press(".");
    session.settle().await;
    read(&session, &["No more to read: 2 did not open"]).await;
    session.press("~");
    session.wait("2 entries").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_of_another_process_is_counted_without_a_restart() {
    let pages = pages();
    let web = web(&pages).await;
    let profile = synced(&web, &pages).await;
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.wait("2 entries  1 kept").await;
    let log = "<p>2026-11-04 <a href=linked>Fourth</a><p>2026-11-03 <a href=third>Third</a>";
    pages.lock().unwrap().insert("/log", log);
    let path = session.path().to_owned();
    tokio::task::spawn_blocking(move || run(&path, &["sync"]))
        .await
        .unwrap();
    session.wait("3 entries  1 kept").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn link_without_a_copy_is_queued_fetched_by_the_next_sync_and_read() {
    let pages = pages();
    let web = web(&pages).await;
    let session = Browser::new()
        .open(web.url("/list"))
        .settings("session = \"new\"\n")
        .size((100, 24))
        .start();
    session.wait("A link").await;
    wait_for_cached_pages(session.path(), 1).await;
    session.press("Ctrl-O");
    session.wait("pages come from the cache").await;
    session.settle().await;
    session.press("J Enter");
    session.wait("Kept: the next sync fetches it (g L").await;
    session.press("g L");
    session.wait("1 page is kept.").await;
    session.wait("◷ 20").await;
    session.wait("not fetched: the next sync does").await;
    session.press("Enter");
    session.wait("The next sync fetches it").await;
    assert_eq!(web.take_lines(), ["GET /list"]);
    session.press("q");
    let profile = session.end().await.profile;
    run(profile.path(), &["sync"]);
    assert_eq!(web.take_lines(), ["GET /linked"]);
    drop(web);
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.wait("1 kept").await;
    read(&session, &["The linked page.", END]).await;
    // It is taken out of the queue.
    session.press("g L");
    session.wait("1 page is kept.").await;
    session.press("J X");
    session.wait("Nothing kept yet").await;
}
