//! Followed pages: what a sync looks at, and what it stores of them.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use geomys_demo::Demo;
use geomys_testing::hole::Hole;
use geomys_testing::news::NewsServer;
use geomys_testing::web::{Web, ok};

use super::outbox::post;
use super::{offline, run, silent, synced};
use crate::support::command::text;
use crate::support::files::{self, write_queue};
use crate::support::follow;
use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn watch_command_names_its_replacement_and_sends_nothing() {
    let web = Web::start(|_| ok("Content-Type: text/plain\r\n", "a page")).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let bookmarks = format!("Page <URL:{}> #follow\n", web.url("/"));
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    follow::look(profile).await;
    follow::make_due(profile);
    web.take_lines();
    let before = fs::read(profile.join("watched.jsonl")).unwrap();
    for options in [
        &[][..],
        &["--now"],
        &["--confirm", "--now"],
        &["--now", "--matching", "-page"],
    ] {
        let output = run(profile, &[&["bookmarks", "watch"], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert!(
            text(&output.stderr).contains("run geomys sync"),
            "{output:?}"
        );
    }
    assert!(web.take_lines().is_empty());
    assert_eq!(fs::read(profile.join("watched.jsonl")).unwrap(), before);
    let help = run(profile, &["bookmarks", "--help"]);
    assert!(!text(&help.stdout).contains("watch"), "{help:?}");
}

/// A Web server with a log of as many entries as are set, and pages below it.
async fn log(entries: &Arc<AtomicUsize>) -> Web {
    let entries = Arc::clone(entries);
    Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        "/log" => {
            let entries = (1..=entries.load(Ordering::SeqCst)).rev();
            let lines =
                entries.map(|day| format!("<p>2026-11-0{day} <a href=/{day}>Day {day}</a>"));
            ok("Content-Type: text/html\r\n", lines.collect::<String>())
        }
        path => ok("Content-Type: text/plain\r\n", path),
    })
    .await
}

/// Waits until the states of all pages that were due are saved.
async fn looked(profile: &Path) {
    let directory = profile.to_owned();
    let is_saved = move || follow::is_none_due(&directory).then_some(());
    files::found(profile, is_saved).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_looks_at_due_pages_alone_and_stores_them() {
    let entries = Arc::new(AtomicUsize::new(1));
    let (web, server) = (
        log(&entries).await,
        NewsServer::start(vec![("a.b", vec![])]).await,
    );
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let url = web.url("/log");
    // A gopher server is asked for one page after the other.
    let hole = Hole::start(|line, _| line.as_bytes().to_vec()).await;
    let address = hole.address;
    let bookmarks = format!(
        "One <URL:gopher://{address}/0one> #follow\nA log <URL:{url}> #follow1\nTwo <URL:gopher://{address}/0two> #follow\n"
    );
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    fs::write(profile.join("settings.toml"), "session = \"new\"\n").unwrap();
    write_queue(profile, &[(web.url("/later"), "Later")]);
    let draft = post(profile, &server.address.to_string(), "queued");
    follow::look(profile).await;
    follow::make_due(profile);
    entries.store(2, Ordering::SeqCst);
    web.take_lines();
    let session = Browser::in_profile(directory).size((100, 30)).start();
    session.wait("● 1 entry").await;
    let profile = session.path().to_owned();
    looked(&profile).await;
    assert_eq!(web.take_lines(), ["GET /log"]);
    assert_eq!(hole.requests(), ["one", "one", "two", "two"]);
    assert!(draft.exists() && server.received("POST").is_empty());
    assert!(offline(&profile, &url).contains("Day 2"));
    session.press("q");
    // The next start of the day asks for nothing but what is due, which comes last.
    let directory = session.end().await.profile;
    follow::make_some_due(&profile, |url| url.ends_with("two"));
    let session = Browser::in_profile(directory).size((100, 30)).start();
    session.wait("● 1 entry").await;
    looked(&profile).await;
    assert_eq!(hole.requests(), ["one", "one", "two", "two", "two"]);
    assert!(web.take_lines().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn stopped_sync_stores_what_it_has_looked_at() {
    let entries = Arc::new(AtomicUsize::new(1));
    let web = log(&entries).await;
    let (_listener, silent) = silent().await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let bookmarks = format!("A log <URL:{}> #follow\n{silent}", web.url("/log"));
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    follow::agree(profile);
    follow::look_at(profile, |bookmark| bookmark.title().as_str() == "A log").await;
    entries.store(2, Ordering::SeqCst);
    let mut child = Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(["--config", profile.to_str().unwrap(), "sync"])
        .env_clear()
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let states = profile.join("watched.jsonl");
    let is_saved = move || {
        fs::read_to_string(&states)
            .unwrap()
            .contains("Day 2")
            .then_some(())
    };
    let saved = files::found(profile, is_saved).await;
    assert!(
        saved.is_some(),
        "the states are saved while a server is silent"
    );
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let changed = run(profile, &["bookmarks", "list", "is:new"]);
    assert!(text(&changed.stdout).starts_with("A log"), "{changed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_marks_changes_of_files_and_listings() {
    let files = tempfile::tempdir().unwrap();
    let page = files.path().join("page.txt");
    fs::write(&page, "one").unwrap();
    let demo = Demo::start().await.unwrap();
    let mine = format!("file://{}", page.display());
    let listing = format!("ftp://{}/pub/", demo.addresses.ftp);
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let bookmarks = format!("Mine <URL:{mine}> #watch\nListing <URL:{listing}> #Follow\n");
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    follow::look(profile).await;
    assert_eq!(synced(profile).lines().next(), Some("Listing: 1 new"));
    let states = || fs::read_to_string(profile.join("watched.jsonl")).unwrap();
    assert!(!states().contains("\"new\":true"), "{}", states());
    fs::write(&page, "two").unwrap();
    for _ in 0..2 {
        // A file of this machine needs no copy.
        assert!(!synced(profile).contains("Mine"));
        let changed = run(profile, &["bookmarks", "list", "is:new"]);
        let changed = text(&changed.stdout);
        assert!(
            changed.lines().count() == 1 && changed.contains(&mine),
            "{changed}"
        );
    }
    assert_eq!(states().lines().count(), 2, "{}", states());
    let copies = fs::read_dir(profile.join("synced")).unwrap().flatten();
    let copies = copies.filter(|copy| copy.file_name().len() == 64);
    assert_eq!(copies.count(), 1);
    fs::remove_file(&page).unwrap();
    let output = run(profile, &["sync", "--quiet"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(
        said.starts_with(&format!("geomys: failed: {mine}: ")),
        "{said}"
    );
}

#[test]
fn bookmark_whose_url_has_a_fault_is_followed_by_its_tag() {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(
        profile.join("bookmarks.txt"),
        "A <URL:http://h.example/~a> #follow\n",
    )
    .unwrap();
    let agree = ["bookmarks", "edit", "1", "--add-tag", "follow"];
    let agreed = run(profile, &agree);
    assert!(
        text(&agreed.stdout).starts_with("followed line 1"),
        "{agreed:?}"
    );
    let again = run(profile, &agree);
    assert!(
        text(&again.stderr).contains("nothing to change"),
        "{again:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_line_with_its_tag_is_an_agreement() {
    let web = Web::start(|_| ok("Content-Type: text/plain\r\n", "a page")).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let line = format!("Page <URL:{}> #follow", web.url("/"));
    let added = run(profile, &["bookmarks", "add", &line]);
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    assert!(synced(profile).contains("Page: 1 new"));
}

#[tokio::test(flavor = "multi_thread")]
async fn feed_that_is_declared_as_octets_is_followed_without_complaint() {
    let web = Web::start(|request| match request.path() {
        "/feed" => ok(
            "Content-Type: application/octet-stream\r\n",
            "<rss><channel><item><title>One</title><link>/one</link></item></channel></rss>",
        ),
        _ => ok("Content-Type: text/plain\r\n", "the entry"),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(
        profile.join("bookmarks.txt"),
        format!("Feed <URL:{}> #follow\n", web.url("/feed")),
    )
    .unwrap();
    follow::agree(profile);
    for said in [synced(profile), synced(profile)] {
        assert!(!said.contains("not stored"), "{said}");
    }
    assert!(offline(profile, &web.url("/one")).contains("the entry"));
}

#[tokio::test(flavor = "multi_thread")]
async fn followed_page_is_told_beside_the_same_page_in_the_queue() {
    let web = Web::start(
        |_| "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n",
    )
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(
        profile.join("bookmarks.txt"),
        format!("Page <URL:{}> #follow\n", web.url("/")),
    )
    .unwrap();
    follow::agree(profile);
    write_queue(profile, &[(web.url("/"), "Later")]);
    let said = synced(profile);
    assert!(
        said.contains("kept pages: 1 to answer\n") && said.contains("Page: 1 to answer\n"),
        "{said}"
    );
}
