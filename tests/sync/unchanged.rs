//! Pages that are as their copies: they cost no write, and no transfer where their servers can tell.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use geomys_demo::Demo;
use geomys_store::files::cache::{Cache, CacheLimits};
use geomys_testing::web::{HttpRequest, Web, ok};
use jiff::Timestamp;
use rfc1738::Url;

use super::{offline, run, synced};
use crate::support::command::text;
use crate::support::follow;

/// The files of pages in a profile, with what a write would change: the inode, the times and the size.
fn pages(profile: &Path) -> BTreeMap<PathBuf, (u64, i64, i64, i64, u64)> {
    let mut directories = vec![profile.to_owned()];
    let mut pages = BTreeMap::new();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let (path, is) = (entry.as_ref().unwrap().path(), entry.unwrap().metadata());
            let is = is.unwrap();
            if is.is_dir() {
                directories.push(path);
            } else if path.file_name().unwrap().len() == 64 {
                let state = (
                    is.ino(),
                    is.mtime(),
                    is.mtime_nsec(),
                    is.ctime_nsec(),
                    is.size(),
                );
                pages.insert(path, state);
            }
        }
    }
    pages
}

fn profile_of(bookmarks: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("bookmarks.txt"), bookmarks).unwrap();
    directory
}

/// A site of a menu and pages below it, each with this version, whose requests for the same version get 304.
async fn site(version: &'static str, edits: Arc<AtomicUsize>) -> Web {
    Web::start(move |request: &HttpRequest| {
        let edit = edits.load(Ordering::Relaxed);
        let (fields, condition) = match version {
            "" => (String::new(), None),
            "date" => {
                let date = format!("Sun, 06 Nov 1994 08:49:{edit:02} GMT");
                let asked = request.field("if-modified-since");
                (
                    format!("Last-Modified: {date}\r\n"),
                    asked.map(|asked| asked == date),
                )
            }
            tag => {
                let tag = tag.replace('N', &edit.to_string());
                let asked = request.field("if-none-match");
                (format!("ETag: {tag}\r\n"), asked.map(|asked| asked == tag))
            }
        };
        match request.path() {
            "/robots.txt" => return ok("", ""),
            "/old" => return b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n".to_vec(),
            _ if condition == Some(true) => {
                return format!("HTTP/1.1 304 Not Modified\r\n{fields}\r\n").into_bytes();
            }
            _ => {}
        }
        let fields = format!("Content-Type: text/html; charset=iso-8859-1\r\n{fields}");
        match request.path() {
            "/" => ok(&fields, "<p><a href='/a'>A</a> <a href='/b'>B</a>"),
            path => ok(
                &fields,
                [format!("<p>Edit {edit} of {path}: caf").as_bytes(), b"\xe9"].concat(),
            ),
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_pages_cost_no_write_and_no_transfer() {
    for version in ["\"tagN\"", "W/\"tagN\"", "date", ""] {
        for top in ["/", "/old"] {
            let edits = Arc::new(AtomicUsize::new(0));
            let web = site(version, Arc::clone(&edits)).await;
            let directory = profile_of(&format!("Top <URL:{}> #offline\n", web.url(top)));
            let profile = directory.path();
            let said = synced(profile);
            assert!(said.contains("Top: 3 new\n"), "{version} {top}: {said}");
            let before = pages(profile);
            assert_eq!(before.len(), 3);

            for _ in 0..2 {
                let output = run(profile, &["sync", "--json"]);
                let summary = text(&output.stdout).lines().last().unwrap().to_owned();
                let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
                let is_conditional = !version.is_empty();
                // A server that cannot tell whether a page has changed is asked once a day.
                let counts = (&summary["same"], &summary["today"]);
                let expected = if is_conditional { [3, 0] } else { [0, 3] };
                assert_eq!(
                    counts,
                    (&expected[0].into(), &expected[1].into()),
                    "{version} {top}: {output:?}"
                );
                assert_eq!(summary["bytes"], 0, "{summary}");
                assert_eq!(pages(profile), before, "{version} {top}");
            }

            if version.is_empty() {
                continue;
            }
            edits.store(1, Ordering::Relaxed);
            let said = synced(profile);
            assert!(
                said.contains("Top: 2 new, 1 unchanged\n"),
                "{version} {top}: {said}"
            );
            drop(web);
            let urls = before.len();
            assert_eq!(pages(profile).len(), urls, "{version} {top}");
        }
    }
}

/// The time at which the copy of a page was as its server has it.
fn since(profile: &Path, url: &str) -> Timestamp {
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.join("cache"), limits).with_synced(profile.join("synced"));
    let (_, since) = cache.header(&Url::parse(url).unwrap()).unwrap();
    since
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_copy_has_the_time_of_the_last_look() {
    let web = site("\"N\"", Arc::default()).await;
    let demo = Demo::start().await.unwrap();
    let file = format!("ftp://{}/README", demo.addresses.ftp);
    let directory = profile_of(&format!(
        "A <URL:{}> #offline\nFile <URL:{file}> #offline\n",
        web.url("/a")
    ));
    let profile = directory.path();
    for url in [web.url("/a"), file] {
        synced(profile);
        let first = since(profile, &url);
        assert!(synced(profile).contains("1 unchanged\n"));
        let second = since(profile, &url);
        assert!(first < second, "{url}: {first} {second}");
        // A copy that was read keeps the time, and gets the next one.
        offline(profile, &url);
        assert_eq!(since(profile, &url), second, "{url}");
        synced(profile);
        assert!(second < since(profile, &url), "{url}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shown_page_stays_in_the_cache_and_is_asked_for_by_its_version() {
    let web = site("\"N\"", Arc::default()).await;
    let directory = profile_of(&format!("A <URL:{}> #offline\n", web.url("/a")));
    let profile = directory.path();
    synced(profile);
    assert!(offline(profile, &web.url("/a")).contains("Edit 0 of /a: caf"));
    let before = pages(profile);
    assert!(synced(profile).contains("A: 1 unchanged\n"));
    assert_eq!(pages(profile), before, "a sync is no use of a page");
    // A damaged copy is none.
    let (path, _) = before.iter().next().unwrap();
    let mut octets = fs::read(path).unwrap();
    let last = octets.len() - 40;
    octets[last] ^= 1;
    fs::write(path, octets).unwrap();
    assert!(synced(profile).contains("A: 1 new\n"));
    assert!(offline(profile, &web.url("/a")).contains("Edit 0 of /a"));
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_page_that_may_no_longer_be_stored_is_listed() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let web = Web::start(move |request: &HttpRequest| match request.path() {
        "/robots.txt" => ok("", ""),
        _ if request.field("if-none-match").is_some() => {
            count.fetch_add(1, Ordering::Relaxed);
            b"HTTP/1.1 304 Not Modified\r\nCache-Control: no-store\r\n\r\n".to_vec()
        }
        _ => ok("Content-Type: text/plain\r\nETag: \"a\"\r\n", "the page"),
    })
    .await;
    let directory = profile_of(&format!("Page <URL:{}> #offline\n", web.url("/")));
    let profile = directory.path();
    synced(profile);
    assert!(synced(profile).contains("Page: 1 not stored\n"));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    assert!(offline(profile, &web.url("/")).contains("the page"));
}

#[tokio::test(flavor = "multi_thread")]
async fn file_of_ftp_is_fetched_once() {
    let demo = Demo::start().await.unwrap();
    let url = format!("ftp://{}/README", demo.addresses.ftp);
    let directory = profile_of(&format!("File <URL:{url}> #offline\n"));
    let profile = directory.path();
    assert!(synced(profile).contains("File: 1 new\n"));
    let before = pages(profile);
    let output = run(profile, &["sync", "--json"]);
    let source = text(&output.stdout);
    assert!(source.contains("\"same\":1,\"bytes\":0"), "{source}");
    assert_eq!(pages(profile), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn watched_page_is_asked_for_its_version() {
    for version in ["\"N\"", "date"] {
        let edits = Arc::new(AtomicUsize::new(0));
        let web = site(version, Arc::clone(&edits)).await;
        let directory = profile_of(&format!("Log <URL:{}> #watch\n", web.url("/log")));
        let profile = directory.path();
        follow::look(profile).await;
        assert!(
            synced(profile).contains("Log: 1 new\n"),
            "it has no copy yet"
        );
        web.take_requests();
        for _ in 0..2 {
            let output = run(profile, &["sync"]);
            assert_eq!(output.status.code(), Some(0), "{output:?}");
            assert!(!text(&output.stdout).contains("1 new"), "{output:?}");
            let requests = web.take_requests();
            let [request] = requests.as_slice() else {
                panic!("{requests:?}");
            };
            let names = ["if-none-match", "if-modified-since"];
            let conditions = names.map(|name| request.field(name).is_some());
            assert_eq!(conditions, [version != "date", version == "date"]);
        }
        edits.store(1, Ordering::Relaxed);
        assert!(synced(profile).contains("Log: 1 new\n"));
        assert!(offline(profile, &web.url("/log")).contains("Edit 1"));
    }
}
