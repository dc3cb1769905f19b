//! Copies of a page that its server does not have any more: the cached one, and the one of an archive.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use geomys_store::files::cache::{Cache, CacheLimits};
use geomys_testing::web::{Web, ok};
use jiff::Timestamp;
use rfc1738::Url;

use super::schemes::shown_once;
use crate::support::command::{geomys, text};
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
    session.wait("404 Not Found").await;
    session.wait("A copy of 20").await;
    assert!(
        !session.screen().contains("archive"),
        "{}",
        session.screen()
    );
    session.press("g O");
    session.wait("Open which copy of this page?").await;
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
    session.wait("The archive may have").await;
    session.press("g O");
    session.wait("Open which copy of this page?").await;
    // The stored copy is offered first, and a letter sends nothing.
    session.wait("Stored here: a copy of 20").await;
    session.press("a Tab");
    session.wait("▌[ Archive ]").await;
    session.press("Enter");
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
        session.wait("404 Not Found").await;
        session.wait("no").await;
        assert_eq!(
            session.screen().contains("The archive may have"),
            has_archive
        );
        session.press("g O");
        if has_archive {
            session.wait("At the archive:").await;
            session.choose("Archive").await;
            session.wait("Archived: http://").await;
        } else {
            session.wait("No copy").await;
        }
    }
}

/// The line of a check that found a state, and the date of a bookmark.
fn records(url: &str, state: &str) -> (String, String) {
    let time = "2026-11-20T10:00:00Z";
    let check = format!(
        "{{\"url\":\"{url}\",\"state\":{state},\"at\":\"{time}\",\"ms\":1,\"since\":\"{time}\",\"listed\":\"{time}\"}}\n"
    );
    let added = format!("{{\"url\":\"{url}\",\"added\":\"2019-03-04T05:06:07Z\"}}\n");
    (check, added)
}

#[tokio::test(flavor = "multi_thread")]
async fn bookmark_offers_the_archive_at_the_date_of_its_addition_and_its_new_address() {
    let web = server(Arc::new(AtomicBool::new(true))).await;
    let (old, new) = (
        format!("http://{}/old", web.address),
        format!("http://{}/archive/new", web.address),
    );
    let (check, added) = records(&old, &format!("\"moved\",\"words\":\"{new}\""));
    let archive = format!(
        "archive-url = \"http://{}/archive/{{date}}/{{url}}\"\n",
        web.address
    );
    let session = Browser::new()
        .settings(archive)
        .bookmarks(format!("Old page <URL:{old}>\n"))
        .file("checks.jsonl", check)
        .file("added.jsonl", added)
        .size((100, 24))
        .start();
    session.press("B");
    session.wait("Old page").await;
    session.press("g O");
    session.wait("Open which copy of this page?").await;
    session.wait("/archive/20190304050607/http://").await;
    session.wait("New address: http://").await;
    // Nothing was sent, and nothing is without Enter.
    assert!(
        !session.screen().contains("Stored here"),
        "{}",
        session.screen()
    );
    session.press("Esc");
    session.wait_until_absent("Open which copy").await;
    session.press("g O");
    session.wait("Open which copy of this page?").await;
    session.choose("Archive").await;
    session.wait("Archived: 20190304050607/http://").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gopher_page_without_a_copy_says_that_no_archive_answers() {
    let session = Browser::new()
        .settings("archive-url = \"https://web.archive.org/web/{date}/{url}\"\n")
        .bookmarks("Hole <URL:gopher://h.invalid/1/>\n")
        .size((100, 24))
        .start();
    session.press("B");
    session.wait("Hole").await;
    session.press("g O");
    session
        .wait("No copy is stored. No archive of Gopher answers by URL")
        .await;
}

#[test]
fn list_of_dead_bookmarks_has_their_archive() {
    let profile = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(profile.path().join(name), text).unwrap();
    let (old, live) = ("http://h.invalid/a#part", "http://h.invalid/live");
    let (dead, added) = records("http://h.invalid/a", "\"dead\"");
    let (alive, _) = records(live, "\"alive\"");
    write(
        "bookmarks.txt",
        &format!("Old <URL:{old}>\nLive <URL:{live}>\n"),
    );
    write("checks.jsonl", &format!("{dead}{alive}"));
    write("added.jsonl", &added);
    write(
        "settings.toml",
        "archive-url = \"https://web.archive.org/web/{date}/{url}\"\n",
    );
    let config = profile.path().to_str().unwrap();
    let list = |query: &[&str]| {
        let arguments = [&["--config", config, "bookmarks", "list", "--json"], query].concat();
        let output = geomys(&arguments, "");
        let lines = text(&output.stdout);
        let objects = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        objects.collect::<Vec<serde_json::Value>>()
    };
    let dead = list(&["is:dead"]);
    assert_eq!(dead.len(), 1);
    let archive = dead[0]["archive"].as_str().unwrap();
    assert!(
        archive.starts_with("https://web.archive.org/web/20"),
        "{archive}"
    );
    assert!(archive.ends_with("/http://h.invalid/a"), "{archive}");
    assert!(list(&["live"])[0].get("archive").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_gets_a_page_again_only_if_it_has_changed() {
    let edit = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&edit);
    let web = Web::start(move |request| {
        let (tag, page) = if flag.load(Ordering::SeqCst) {
            ("\"b\"", "The second edition")
        } else {
            ("\"a\"", "The first edition")
        };
        if request.field("if-none-match") == Some(tag) {
            return b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec();
        }
        let fields = format!("Content-Type: text/plain\r\nETag: {tag}\r\n");
        ok(&fields, page)
    })
    .await;
    let asked = || {
        let requests = web.take_requests();
        let tags = requests
            .iter()
            .map(|request| request.field("if-none-match"));
        tags.map(|tag| tag.map(str::to_owned)).collect::<Vec<_>>()
    };
    let address = format!("http://{}/page", web.address);
    let profile = tempfile::tempdir().unwrap();
    fs::write(profile.path().join("settings.toml"), "session = \"new\"\n").unwrap();
    let profile = shown_once(profile, &address, "The first edition", 1).await;
    assert_eq!(asked(), [None]);

    let session = Browser::in_profile(profile).open(&address).start();
    session.wait("The first edition").await;
    assert_eq!(asked(), [None], "a page that is opened comes whole");
    session.press("r");
    session.wait("unchanged").await;
    assert_eq!(asked(), [Some("\"a\"".to_owned())]);
    assert!(
        session.screen().contains("The first edition"),
        "{}",
        session.screen()
    );
    edit.store(true, Ordering::SeqCst);
    session.press("r");
    session.wait("The second edition").await;
    assert_eq!(asked(), [Some("\"a\"".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reloaded_page_that_is_unchanged_has_the_time_of_the_reload() {
    let web = Web::start(|request| match request.field("if-none-match") {
        Some(_) => b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
        None => ok(
            "Content-Type: text/plain\r\nETag: \"a\"\r\n",
            "The only edition",
        ),
    })
    .await;
    let address = format!("http://{}/page", web.address);
    let profile = tempfile::tempdir().unwrap();
    fs::write(profile.path().join("settings.toml"), "session = \"new\"\n").unwrap();
    let profile = shown_once(profile, &address, "The only edition", 1).await;
    let since = |profile: &Path| {
        let limits = CacheLimits {
            size: 1 << 20,
            ..CacheLimits::default()
        };
        let cache = Cache::new(profile.join("cache"), limits);
        cache.header(&Url::parse(&address).unwrap()).unwrap().1
    };
    let session = Browser::in_profile(profile).open(&address).start();
    session.wait("The only edition").await;
    let begun = Timestamp::now();
    session.press("r");
    session.wait("unchanged").await;
    session.press("q");
    let profile = session.end().await.profile;
    let reloaded = since(profile.path());
    assert!(begun < reloaded, "{begun} {reloaded}");
}
