//! Pages of the queue that wait for an answer of the user: they stay, say so, and the answer holds for the entry.

use std::fs;
use std::path::Path;

use geomys_testing::socks::{self, Rule};
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{Limits, Net, Route};
use tempfile::TempDir;

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

const ASKS: &str = "to answer: a page of another host leads to this machine";

fn plain(body: &str) -> Vec<u8> {
    ok("Content-Type: text/plain\r\n", body)
}

/// A profile whose queue has pages that a page of the Internet has named.
fn profile(urls: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("later")).unwrap();
    let lines = urls.iter().map(|url| {
        format!("2026-11-01T00:00:00Z {url} A page\nnamed-by http://pub.example/local {url}\n")
    });
    let lines: Vec<String> = lines.collect();
    fs::write(directory.path().join("later/queue"), lines.concat()).unwrap();
    directory
}

fn queue(profile: &Path) -> String {
    fs::read_to_string(profile.join("later/queue")).unwrap()
}

/// A network whose names all lead to loopback.
fn through(proxy: &socks::Proxy) -> Net {
    Net::new(Limits::default()).with_route(Route::from_setting(&proxy.address.to_string()))
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_that_waits_for_an_answer_stays_in_the_queue() {
    let inside = Web::start(|_| plain("a page inside")).await;
    let url = inside.url("/old");
    let profile = profile(&[&url]);
    let before = queue(profile.path());
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.press("g L");
    session.wait(ASKS).await;
    session.press("r");
    session.wait("Kept, to answer: open it in g L").await;
    session.wait(ASKS).await;
    session.press("q");
    let ended = session.end().await;
    assert_eq!(queue(ended.profile.path()), before);

    // The list is loaded again at the start.
    let session = Browser::in_profile(ended.profile)
        .restoring()
        .size((100, 24))
        .start();
    session.wait(ASKS).await;
    session.wait("Kept, to answer: open it in g L").await;
    session.press("q");
    let ended = session.end().await;
    assert_eq!(queue(ended.profile.path()), before);
    assert!(inside.take_requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn link_to_this_machine_is_kept_to_be_answered() {
    let inside = Web::start(|_| plain("a page inside")).await;
    let link = inside.url("/");
    let web = Web::start(move |_| {
        let page = format!("<a href=\"{link}\">a link inside</a>");
        ok("Content-Type: text/html\r\n", &page)
    })
    .await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let page = format!("http://page.example:{}/", web.address.port());
    let session = Browser::new()
        .open(&page)
        .size((100, 24))
        .net(through(&proxy))
        .start();
    session.wait("a link inside").await;
    session.press("J L");
    session.wait("Kept, to answer: open it in g L").await;
    session.press("g L");
    session.wait(ASKS).await;
    assert!(inside.take_requests().is_empty());
    session.press("Enter");
    session.wait("Connect to 127.0.0.1").await;
    session.press("Tab Enter");
    session.wait("a page inside").await;
    session.press("g L");
    session.wait("not fetched: the next sync does").await;
    session.press("q");
    let ended = session.end().await;
    let queue = queue(ended.profile.path());
    assert!(queue.contains(&format!("named-by {page} ")), "{queue}");
    assert!(queue.contains("accepted 127.0.0.1:"), "{queue}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_holds_for_the_redirects_of_its_entry_only() {
    let inside = Web::start(|_| plain("a page inside")).await;
    let target = inside.url("/");
    let web = Web::start(move |_| {
        let head = format!("HTTP/1.1 302 Moved\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
        head.into_bytes()
    })
    .await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let url = |path: &str| format!("http://pub.example:{}{path}", web.address.port());
    let profile = profile(&[&url("/other"), &url("/redir")]);
    let settings = format!("[network]\nproxy = \"{}\"\n", proxy.address);
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let session = Browser::in_profile(profile)
        .size((100, 24))
        .net(through(&proxy))
        .start();
    session.press("g L");
    session.wait("not fetched: the next sync does").await;
    session.press("g U");
    session.wait("Sync: 2 to answer (g L lists)").await;
    session.wait_until_absent("not fetched").await;
    let shown = session.screen();
    assert_eq!(shown.matches("leads to this machine").count(), 2, "{shown}");
    assert!(!shown.contains("Not fetched by the last sync"), "{shown}");
    assert!(inside.take_requests().is_empty());

    // The newest is the first row.
    session.press("g g J Enter");
    session.wait("Connect to 127.0.0.1").await;
    session.choose("Yes").await;
    session.wait("a page inside").await;
    session.press("q");
    let ended = session.end().await;
    assert_eq!(inside.take_requests().len(), 1);
    let profile = ended.profile.path();
    let output = geomys(&["--config", profile.to_str().unwrap(), "sync"], "");
    let said = text(&output.stdout);
    assert!(said.contains("1 new, 1 to answer"), "{said}");
    assert_eq!(inside.take_requests().len(), 1);
    assert!(queue(profile).contains(&format!(" {}\n", url("/redir"))));
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_that_no_sync_fetches_says_why() {
    let profile = profile(&["nntp://news.example/a.b", "gopher://private.example/0/a"]);
    let settings = "[history]\nexcept = [\"private.example\"]\n";
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.press("g L");
    session.wait("2 pages are kept").await;
    session
        .wait("not fetched: groups are cached when they are opened")
        .await;
    session
        .wait("not fetched: its host is in [history] except")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn link_to_this_machine_is_piped_after_a_question() {
    let inside = Web::start(|_| plain("a page inside")).await;
    let profile = profile(&[&inside.url("/old")]);
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.press("g L");
    session.wait(ASKS).await;
    session.press("|");
    session.wait("Pipe to").await;
    session.type_in("cat");
    session.press("Enter");
    session.wait("Connect to 127.0.0.1").await;
    assert!(inside.take_requests().is_empty());
    session.choose("Yes").await;
    session.wait("“cat” exited: a page inside").await;
}
