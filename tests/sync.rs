//! `geomys sync`: what is followed is fetched from running servers, and read when they are gone.

pub(crate) mod anywhere;
mod browser;
mod followed;
mod groups;
mod killed;
mod left;
mod limits;
mod outbox;
mod unchanged;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

use geomys_testing::capsule::Capsule;
use geomys_testing::tls::Identity;
use geomys_testing::web::{Web, ok};
use tokio::net::TcpListener;

use crate::support::command::{geomys, text};
use crate::support::files::write_queue;
use crate::support::follow;

/// The pages of a capsule by their paths; others are not found.
type Pages = Arc<Mutex<HashMap<&'static str, String>>>;

async fn capsule(pages: &Pages) -> Capsule {
    let pages = Arc::clone(pages);
    let identity = Identity::self_signed("localhost");
    let answer = move |path: &str| {
        let answer = match pages.lock().unwrap().get(path) {
            Some(page) if page.starts_with("44") => page.clone(),
            Some(page) => format!("20 text/gemini\r\n{page}"),
            None => "51 not found\r\n".to_owned(),
        };
        (answer.into_bytes(), true)
    };
    Capsule::start(&identity, answer).await
}

fn run(profile: &Path, arguments: &[&str]) -> Output {
    let profile = profile.to_str().unwrap();
    geomys(&[&["--config", profile], arguments].concat(), "")
}

/// The standard output of a sync that has succeeded.
fn synced(profile: &Path) -> String {
    let output = run(profile, &["sync"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    text(&output.stdout)
}

/// The text of a page without a network.
fn offline(profile: &Path, url: &str) -> String {
    let output = run(profile, &["--offline", "dump", url]);
    assert_eq!(output.status.code(), Some(0), "{url}: {output:?}");
    text(&output.stdout)
}

fn set(pages: &Pages, entries: &[(&'static str, &str)]) {
    let mut pages = pages.lock().unwrap();
    pages.extend(
        entries
            .iter()
            .map(|(path, page)| (*path, (*page).to_owned())),
    );
}

/// A server that takes connections and never answers, and a bookmark of it.
async fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let bookmark = format!("Silent <URL:gopher://{address}/0/x> #offline\n");
    (listener, bookmark)
}

#[tokio::test(flavor = "multi_thread")]
async fn followed_pages_are_read_without_their_servers() {
    let pages = Pages::default();
    set(
        &pages,
        &[
            ("/log", "# Log\n=> /first 2026-11-01 First\n"),
            ("/first", "the first entry\n"),
            ("/second", "the second entry\n"),
            ("/later", "saved for later\n"),
            (
                "/keep",
                "=> /keep/a A\n=> /keep/no No\n=> gemini://example.invalid/ Else\n",
            ),
            ("/keep/a", "=> /keep/b B\npage a\n"),
            ("/keep/b", "too deep\n"),
            ("/keep/no", "refused\n"),
            ("/robots.txt", "User-agent: archiver\nDisallow: /keep/no\n"),
        ],
    );
    let capsule = capsule(&pages).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let (log, kept) = (capsule.url("/log"), capsule.url("/keep"));
    let bookmarks = format!("A log <URL:{log}> #watch\nKept <URL:{kept}> #offline\n");
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    write_queue(profile, &[(capsule.url("/later"), "Later")]);
    follow::look(profile).await;

    let planned = run(profile, &["sync", "--dry-run"]);
    let asked = capsule.requests().len();
    assert!(
        text(&planned.stdout).starts_with("kept pages: 1 to fetch\nA log: 1 to fetch\n"),
        "{planned:?}"
    );
    let log = "# Log\n=> /second 2026-11-20 Second\n=> /first 2026-11-01 First\n";
    set(&pages, &[("/log", log)]);
    let said = synced(profile);
    assert!(asked < capsule.requests().len());
    assert!(
        said.starts_with(
            "kept pages: 1 new\nKept: 1 new\nA log: 2 new\nKept, links: 1 new, 1 not stored\n"
        ),
        "{said}"
    );
    let again = synced(profile);
    assert!(again.contains("A log: 1 unchanged\n"), "{again}");
    assert!(
        again.contains("Kept, links: 1 asked today, 1 not stored\n"),
        "{again}"
    );
    let requests = capsule.requests();
    assert!(
        !requests
            .iter()
            .any(|path| path == "/keep/no" || path == "/keep/b")
    );

    drop(capsule);
    let url = |path: &str| kept.replace("/keep", path);
    for (path, expected) in [
        ("/later", "saved for later"),
        ("/log", "Second"),
        ("/second", "the second entry"),
        ("/keep", "Else"),
        ("/keep/a", "page a"),
    ] {
        let shown = offline(profile, &url(path));
        assert!(shown.contains(expected), "{path}: {shown}");
    }
    let entries = run(profile, &["bookmarks", "entries"]);
    assert!(
        text(&entries.stdout).contains("Second"),
        "a sync reads nothing: {entries:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn busy_server_is_asked_again_and_a_missing_page_fails() {
    let pages = Pages::default();
    set(&pages, &[("/slow", "44 60\r\n")]);
    let (busy, capsule) = (capsule(&pages).await, capsule(&pages).await);
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let (slow, gone) = (busy.url("/slow"), capsule.url("/gone"));
    let bookmarks = format!("Slow <URL:{slow}> #offline\nGone <URL:{gone}> #offline2\n");
    fs::write(profile.join("bookmarks.txt"), &bookmarks).unwrap();
    let output = run(profile, &["sync", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines: Vec<serde_json::Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[1]["title"], "Slow");
    assert_eq!(lines[1]["later"][0]["url"], slow.as_str());
    assert_eq!(lines[2]["failed"][0]["url"], gone.as_str());
    assert_eq!(
        (&lines[3]["failed"], &lines[3]["later"]),
        (&1.into(), &1.into())
    );
    let quiet = run(profile, &["sync", "--quiet"]);
    assert!(quiet.stdout.is_empty(), "{quiet:?}");
    assert!(
        text(&quiet.stderr).contains("failed: gemini://"),
        "{quiet:?}"
    );
    let now = fs::read_to_string(profile.join("bookmarks.txt")).unwrap();
    assert_eq!(now, bookmarks, "a sync changes no bookmark");
    set(&pages, &[("/slow", "there\n"), ("/gone", "back\n")]);
    assert!(synced(profile).contains("Slow: 1 new\nGone: 1 new\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_ends_at_its_size_and_the_next_one_goes_on() {
    let page = "x".repeat(600_000);
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        "/secret" => ok(
            "Cache-Control: no-store\r\nContent-Type: text/plain\r\n",
            "secret",
        ),
        _ => ok("Content-Type: text/plain\r\n", &page),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(profile.join("settings.toml"), "[sync]\nsize = 1\n").unwrap();
    let links = ["/a", "/b", "/c", "/d", "/e", "/secret"].map(|name| (web.url(name), name));
    write_queue(profile, &links);
    let first = run(profile, &["sync"]);
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    let said = text(&first.stderr);
    assert!(said.contains("stopped at [sync] size"), "{said}");
    assert!(
        said.contains("/secret: its server forbids storing it"),
        "{said}"
    );
    let mut runs = 1;
    while run(profile, &["sync"]).status.code() != Some(0) {
        runs += 1;
        assert!(runs < 6, "each run brings pages");
    }
    drop(web);
    for name in ["a", "e"] {
        let queue = fs::read_to_string(profile.join("later/queue")).unwrap();
        let line = queue
            .lines()
            .find(|line| line.ends_with(&format!("/{name}")));
        let url = line.unwrap().split(' ').nth(1).unwrap();
        assert!(offline(profile, url).len() >= 600_000);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_web_page_are_fetched_with_it() {
    let web = Web::start(|request| match request.path() {
        "/robots.txt" => ok("", ""),
        "/" => ok(
            "Content-Type: text/html\r\n",
            "<p><a href='/a'>A</a> <a href='http://example.invalid/'>Else</a>",
        ),
        _ => ok("Content-Type: text/html\r\n", "<p>the page below"),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let bookmark = format!("Top <URL:{}> #offline\n", web.url("/"));
    fs::write(profile.join("bookmarks.txt"), bookmark).unwrap();
    let said = synced(profile);
    assert!(said.contains("Top: 2 new\n"), "{said}");
    assert!(offline(profile, &web.url("/a")).contains("the page below"));
}
