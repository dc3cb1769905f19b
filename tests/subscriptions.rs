//! Subscriptions: the dated entries of watched pages, from one request, to the home page and the command line.

use std::fs;
use std::path::Path;

use geomys_demo::Demo;
use geomys_load::check::{FetchContent, run_job};
use geomys_load::{Reason, Request};
use geomys_testing::script::{assert_played, listen};
use geomys_testing::web::Web;
use geomys_wire::net::{Limits, Net};
use rfc1738::Dialect;

use crate::support::command::{geomys, text};
use crate::support::follow;
use crate::support::screen::Browser;
use crate::support::terminal::Terminal;

/// The output of the program with these arguments.
fn run(profile: &Path, arguments: &[&str]) -> String {
    let arguments = [&["--config", profile.to_str().unwrap()], arguments].concat();
    let output = geomys(&arguments, "");
    let said = text(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    text(&output.stdout)
}

/// The output of `geomys bookmarks` with these arguments.
fn bookmarks(profile: &Path, arguments: &[&str]) -> String {
    run(profile, &[&["bookmarks"], arguments].concat())
}

/// Fetches what is followed.
fn sync(profile: &Path) {
    run(profile, &["sync"]);
}

/// A profile that watches a log on the disk and the phlog of the demo, each fetched once. The log has one more entry
/// since.
async fn subscribed(demo: &Demo) -> tempfile::TempDir {
    let profile = tempfile::tempdir().unwrap();
    let log = profile.path().join("log.html");
    let bookmarks_file = format!(
        "A log <URL:file://{}> #watch\nA phlog <URL:gopher://{}/1/phlog> #watch\n",
        log.display(),
        demo.addresses.gopher
    );
    fs::write(profile.path().join("bookmarks.txt"), bookmarks_file).unwrap();
    let settings = "session = \"new\"\nhistory = false\n[bookmarks]\nfollow = false\n";
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let old = "<html><p>2026-11-01 <a href='a.txt'>Old post</a>";
    fs::write(&log, old).unwrap();
    for (name, words) in [
        ("a", "It is old."),
        ("b", "It is new."),
        ("c", "It is newer."),
    ] {
        fs::write(profile.path().join(format!("{name}.txt")), words).unwrap();
    }
    follow::look(profile.path()).await;
    assert_eq!(bookmarks(profile.path(), &["entries"]), "");
    let new =
        "<p>2026-11-03 <a href='c.txt'>Newer post</a><p>2026-11-02 <a href='b.txt'>New post</a>";
    fs::write(&log, format!("{old}{new}")).unwrap();
    profile
}

#[tokio::test(flavor = "multi_thread")]
async fn command_lists_new_entries_until_they_are_opened() {
    let demo = Demo::start().await.unwrap();
    let profile = subscribed(&demo).await;
    let log = format!("file://{}/log.html", profile.path().display());
    sync(profile.path());
    let here = format!("file://{}", profile.path().display());
    let expected = format!(
        "2026-11-03\tNewer post\t{here}/c.txt\tA log\n2026-11-02\tNew post\t{here}/b.txt\tA log\n"
    );
    // A repeated fetch adds nothing.
    for _ in 0..2 {
        assert_eq!(bookmarks(profile.path(), &["entries"]), expected);
        sync(profile.path());
    }
    let json = bookmarks(profile.path(), &["entries", "--all", "--json"]);
    let entries: Vec<serde_json::Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // Three of the log, and four of the phlog of the demo.
    assert_eq!(entries.len(), 7, "{json}");
    let newest = &entries[0];
    for (key, value) in [
        ("date", "2026-11-03"),
        ("title", "Newer post"),
        ("bookmark", "A log"),
    ] {
        assert_eq!(newest[key], value);
    }
    assert_eq!(newest["page"], log);
    assert_eq!(
        entries.iter().filter(|entry| entry["new"] == true).count(),
        2
    );

    // Entries of a bookmark that is not watched any more are not listed.
    let file = profile.path().join("bookmarks.txt");
    let without = fs::read_to_string(&file)
        .unwrap()
        .replacen(" #watch", "", 1);
    fs::write(&file, without).unwrap();
    assert_eq!(bookmarks(profile.path(), &["entries"]), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_opened_on_the_home_page_is_not_new_any_more() {
    let demo = Demo::start().await.unwrap();
    for size in [(24, 80), (40, 120)] {
        let profile = subscribed(&demo).await;
        sync(profile.path());
        let mut terminal = Terminal::run(profile.path(), &[]);
        terminal.resize(size.1, size.0);
        terminal.wait("New post (A lo");
        terminal.wait("New entries");
        // In the wide one the bookmarks stand beside the page, which has the focus.
        if size.1 > 105 {
            terminal.wait("Bookmarks ─");
        }
        // The first link is the newest entry.
        terminal.press("\r");
        terminal.wait("It is newer.");
        terminal.press("h");
        terminal.wait("New post (A lo");
        terminal.wait_until_absent("2026-11-03");
        assert!(!terminal.screen().contains("Changed pages"));
        terminal.press("q");
        terminal.end(0);
        let left = bookmarks(profile.path(), &["entries"]);
        assert!(
            left.starts_with("2026-11-02") && left.lines().count() == 1,
            "{left}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_stores_entries_of_the_pages_that_it_watches() {
    let demo = Demo::start().await.unwrap();
    let profile = subscribed(&demo).await;
    follow::make_due(profile.path());
    let settings = "session = \"new\"\nhistory = false\n";
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let session = Browser::in_profile(profile).start();
    session.wait("2026-11-03  Newer post (A log)").await;
    // Opening the page itself shows all of its entries.
    session.press("o");
    session.type_in(&format!("file://{}/log.html", session.path().display()));
    session.press("Enter");
    session.wait("Old post").await;
    session.press("h");
    session.wait("Start here").await;
    session.wait_until_absent("New entries").await;
}

/// The entries of a page as lines of date, title and URL.
async fn entries(url: &str) -> Vec<String> {
    let request = Request::show(Dialect::Extended.parse(url).unwrap(), Reason::Typed);
    let content = run_job(FetchContent, &Net::new(Limits::default()), &request)
        .await
        .unwrap()
        .unwrap();
    let entries = content.entries.iter();
    entries
        .map(|entry| {
            let date = entry.date.map_or("-".to_owned(), |date| date.to_string());
            format!("{date} {} {}", entry.title, entry.url)
        })
        .collect()
}

#[tokio::test]
async fn entries_of_a_phlog_come_with_the_one_request_of_the_watch() {
    let script = "C: /phlog\nS: 02026-11-20 The lamp\t/a.txt\th.example\t70\nS: .\n";
    let (address, peer) = listen(&[script]).await;
    let found = entries(&format!("gopher://{address}/1/phlog")).await;
    assert_played(peer).await;
    assert_eq!(found, ["2026-11-20 The lamp gopher://h.example/0/a.txt"]);
}

#[tokio::test]
async fn feed_behind_a_redirect_has_its_links_relative_to_the_last_url() {
    let feed = "<feed><entry><title>One</title><link href='one'/><published>2026-11-01</published></entry></feed>";
    // The entries of a followed page are read whatever type its server declares.
    let types = [
        "application/atom+xml",
        "text/xml",
        "text/plain",
        "text/html",
        "application/octet-stream",
    ];
    for media in types {
        let page = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{feed}",
            feed.len()
        );
        let server = Web::start(move |request| match request.path() {
            "/old" => "HTTP/1.1 301 Moved\r\nLocation: /blog/feed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                .to_owned(),
            _ => page.clone(),
        })
        .await;
        let found = entries(&format!("http://{}/old", server.address)).await;
        let expected = format!("2026-11-01 One http://{}/blog/one", server.address);
        assert_eq!(found, [expected], "{media}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_has_a_gemlog_a_feed_and_a_phlog() {
    let demo = Demo::start().await.unwrap();
    let (gemini, web, gopher) = (
        demo.addresses.gemini,
        demo.addresses.web,
        demo.addresses.gopher,
    );
    for (url, first) in [
        (
            format!("gemini://{gemini}/log/"),
            "2026-11-20 The lamp is out, and the stars are better",
        ),
        (
            format!("http://{web}/feed.xml"),
            "2026-11-18 A roof at last",
        ),
        (format!("gopher://{gopher}/1/phlog"), "2026-11-01 A visitor"),
    ] {
        let found = entries(&url).await;
        assert!(found.len() > 1, "{url}");
        assert!(found[0].starts_with(first), "{found:?}");
    }
}
