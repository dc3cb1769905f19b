//! Requests that were put aside keep who named them: a page of another host leads to this machine with a permission
//! only, whichever way its link takes.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use geomys_testing::news::NewsServer;
use geomys_testing::socks::{self, Rule};
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{Limits, Net, Route};

use crate::support::command::{geomys, text};
use crate::support::follow;
use crate::support::screen::Browser;

/// The standard output and the errors of a sync.
fn sync(profile: &Path) -> (String, String) {
    let output = geomys(&["--config", profile.to_str().unwrap(), "sync"], "");
    (text(&output.stdout), text(&output.stderr))
}

fn plain(body: &str) -> Vec<u8> {
    ok("Content-Type: text/plain\r\n", body)
}

const IS_TO_ANSWER: &str = "a page of another host leads to this machine";

#[tokio::test(flavor = "multi_thread")]
async fn queued_link_of_a_public_page_waits_for_the_answer_of_the_user() {
    let inside = Web::start(|_| plain("a page inside")).await;
    let link = inside.url("/");
    let web = Web::start(move |_| {
        let page = format!("<a href=\"{link}\">a link inside</a>");
        ok("Content-Type: text/html\r\n", &page)
    })
    .await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let net =
        Net::new(Limits::default()).with_route(Route::from_setting(&proxy.address.to_string()));
    let page = format!("http://page.example:{}/", web.address.port());
    let session = Browser::new().open(&page).size((100, 24)).net(net).start();
    session.wait("a link inside").await;
    session.press("Ctrl-o");
    session.wait("Offline").await;
    session.press("J Enter");
    session.wait("Kept: the next sync fetches it").await;
    session.press("q");
    let ended = session.end().await;
    let profile = ended.profile.path();
    let queue = fs::read_to_string(profile.join("later/queue")).unwrap();
    assert!(queue.contains(&format!("named-by {page} ")), "{queue}");

    // Nothing is sent, however often it is asked.
    for _ in 0..2 {
        let (said, asked) = sync(profile);
        assert!(said.contains("1 to answer"), "{said}");
        assert!(asked.contains(IS_TO_ANSWER), "{asked}");
        assert!(inside.take_requests().is_empty());
    }

    let session = Browser::in_profile(ended.profile).size((100, 24)).start();
    session.press("g L");
    session
        .wait("to answer: a page of another host leads to this machine")
        .await;
    session.press("Enter");
    session.wait("Connect to 127.0.0.1").await;
    session.press("Tab Enter");
    session.wait("a page inside").await;
    session.press("q");
    let ended = session.end().await;
    inside.take_requests();
    let (said, asked) = sync(ended.profile.path());
    assert!(said.contains("1 new"), "{said}{asked}");
    assert_eq!(inside.take_requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_earlier_version_has_stored_counts_as_named_by_a_public_page() {
    let inside = Web::start(|_| plain("a page inside")).await;
    let url = inside.url("/a.txt");
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let written = |name: &str, content: &str| {
        let path = profile.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    written(
        "later/queue",
        &format!("2026-11-01T00:00:00Z {url} A page\n"),
    );
    written(
        "drafts/1.eml",
        &format!("Upload-To: titan://{}/up\n\nRain.\n", inside.address),
    );
    written("drafts/1.state", "Server: \nAttempts: 0\nState: queued\n");
    let (said, asked) = sync(profile);
    assert!(said.contains("outbox: 1 to answer"), "{said}{asked}");
    assert!(said.contains("kept pages: 1 to answer"), "{said}{asked}");
    assert_eq!(asked.matches(IS_TO_ANSWER).count(), 2, "{asked}");

    let saved = profile.join("a.txt");
    written(
        "transfers.txt",
        &format!("running new {url} {}\n", saved.display()),
    );
    let tabs = format!(
        r#"{{"tabs":[{{"panes":[{{"pages":[{{"url":"{url}","title":"Inside","wrap":true}}],"shown":0}}],"focus":0}}],"shown":0}}"#
    );
    written("session.json", &tabs);
    let session = Browser::in_profile(directory)
        .restoring()
        .size((100, 24))
        .start();
    session
        .wait("Page of the last session, not loaded yet")
        .await;
    session.press("r");
    session.wait("Connect to 127.0.0.1").await;
    session.press("Esc D");
    session.wait("local address?").await;
    assert!(inside.take_requests().is_empty());
    assert!(!saved.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_of_a_feed_of_this_machine_opens_without_a_question() {
    let has_news = Arc::new(AtomicBool::new(false));
    let grown = Arc::clone(&has_news);
    let web = Web::start(move |request| {
        let entry = |day: u8| {
            let address = request.address;
            format!("<p>2026-11-0{day} <a href=http://{address}/{day}>Day {day}</a>")
        };
        match request.path() {
            "/log" if grown.load(Ordering::SeqCst) => {
                let entries = [entry(3), entry(2), entry(1)].concat();
                ok("Content-Type: text/html\r\n", &entries)
            }
            "/log" => ok("Content-Type: text/html\r\n", entry(1)),
            path => plain(&format!("The entry {path}.")),
        }
    })
    .await;
    // The name of this machine, where the entries have its address.
    let log = web.url("/log").replace("127.0.0.1", "localhost");
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let settings = "session = \"new\"\n[bookmarks]\nfollow = false\n";
    fs::write(profile.join("settings.toml"), settings).unwrap();
    let bookmarks = format!("A log <URL:{log}> #watch\n");
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    follow::look(profile).await;
    has_news.store(true, Ordering::SeqCst);
    follow::look(profile).await;
    let session = Browser::in_profile(directory).size((100, 24)).start();
    session.wait("2 entries").await;
    session.press("/");
    session.type_in("Day 3");
    session.press("Enter i");
    session.wait("followed in http://localhost:").await;
    session.press("Esc .");
    session.wait("The entry /").await;
    session.press(".");
    session.wait("The entry /").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_copy_of_a_link_is_reloaded_by_the_reason_of_the_link() {
    let inside = Web::start(|_| plain("a page inside")).await;
    let link = inside.url("/a");
    let session = Browser::new().open(&link).size((100, 24)).start();
    session.wait("a page inside").await;
    session.press("q");
    let ended = session.end().await;
    inside.take_requests();

    let named = link.clone();
    let web = Web::start(move |_| {
        let page = format!("<a href=\"{named}\">a link inside</a>");
        ok("Content-Type: text/html\r\n", &page)
    })
    .await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let net =
        Net::new(Limits::default()).with_route(Route::from_setting(&proxy.address.to_string()));
    let page = format!("http://page.example:{}/", web.address.port());
    let session = Browser::in_profile(ended.profile)
        .open(&page)
        .size((100, 24))
        .net(net)
        .start();
    session.wait("a link inside").await;
    session.press("J g O");
    session.wait("Open which copy of this page?").await;
    session.press("Enter");
    session.wait("From the cache").await;
    session.press("r");
    session.wait("Connect to 127.0.0.1").await;
    assert!(inside.take_requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn history_and_log_say_the_reason_of_each_request() {
    let web = Web::start(|request| match request.path() {
        "/" => ok("Content-Type: text/html\r\n", "<a href=/moved>a link</a>"),
        "/moved" => b"HTTP/1.1 302 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n".to_vec(),
        _ => plain("the end of the way"),
    })
    .await;
    let page = web.url("/");
    let session = Browser::new().open(&page).size((100, 24)).start();
    session.wait("a link").await;
    session.press("J Enter");
    session.wait("the end of the way").await;
    session.press("q");
    let ended = session.end().await;
    let profile = ended.profile.path().to_str().unwrap();
    let list = geomys(&["--config", profile, "history", "list", "--json"], "");
    let list = text(&list.stdout);
    assert!(list.contains("\"reason\":\"command line\""), "{list}");
    let link = format!("\"reason\":\"link of {page}\"");
    assert!(list.contains(&link), "{list}");

    let log = ended.profile.path().join("log.txt");
    let arguments = ["--log", log.to_str().unwrap(), "dump", &web.url("/moved")];
    assert!(geomys(&arguments, "").status.success());
    let log = fs::read_to_string(log).unwrap();
    let reasons: Vec<&str> = log
        .lines()
        .filter_map(|line| Some(line.split_once("reason: ")?.1))
        .collect();
    let redirect = format!("redirect of {}", web.url("/moved"));
    assert_eq!(reasons, ["command line", &redirect], "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_is_made_of_another_one_keeps_its_reason() {
    let article = "From: ada@h.example\nNewsgroups: a.b\nSubject: Outer\nMessage-ID: <1@h.example>\n\
        MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nLook.\n--b\n\
        Content-Type: message/rfc822\nContent-Disposition: attachment; filename=in.eml\n\n\
        From: ada@h.example\nSubject: Inner\n\nThe inner words.\n--b--\n";
    let inside = NewsServer::start(vec![("a.b", vec![article.to_owned()])]).await;
    let link = format!("nntp://{}/a.b/1", inside.address);
    let web = Web::start(move |_| {
        let page = format!("<a href=\"{link}\">a link inside</a>");
        ok("Content-Type: text/html\r\n", &page)
    })
    .await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let net =
        Net::new(Limits::default()).with_route(Route::from_setting(&proxy.address.to_string()));
    let page = format!("http://page.example:{}/", web.address.port());
    let session = Browser::new().open(&page).size((100, 24)).net(net).start();
    session.wait("a link inside").await;
    session.press("J Enter");
    session.wait("Connect to 127.0.0.1").await;
    session.press("Tab Enter");
    session.wait("in.eml, message/rfc822").await;
    session.press("J J Enter");
    session.wait("The inner words").await;
    session.press("q");
    let ended = session.end().await;
    let state = fs::read_to_string(ended.profile.path().join("session.json")).unwrap();
    let named = format!("\"referrer\":\"{page}\"");
    assert_eq!(state.matches(&named).count(), 2, "{state}");
    assert_eq!(state.matches("geomys:user").count(), 1, "{state}");
}
