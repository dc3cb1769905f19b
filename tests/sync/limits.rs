//! Ends of a sync before its last page, and what stays then.

use std::fs;

use geomys_testing::web::{Web, ok};

use super::{offline, run, synced};
use crate::support::command::text;

#[tokio::test(flavor = "multi_thread")]
async fn unread_copies_that_fill_their_space_end_the_run_until_one_is_shown() {
    let page = "x".repeat(400_000);
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        path => ok("Content-Type: text/plain\r\n", format!("{path} {page}")),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(profile.join("settings.toml"), "[sync]\nkeep = 1\n").unwrap();
    let bookmarks: String = ["/a", "/b", "/c"]
        .map(|path| format!("{path} <URL:{}> #offline\n", web.url(path)))
        .concat();
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    let full = run(profile, &["sync"]);
    assert_eq!(full.status.code(), Some(1), "{full:?}");
    let said = text(&full.stderr);
    assert!(said.contains("fill [sync] keep"), "{said}");
    let read: Vec<&str> = ["/a", "/b", "/c"]
        .into_iter()
        .filter(|path| {
            let url = web.url(path);
            run(profile, &["--offline", "dump", &url]).status.success()
        })
        .collect();
    assert_eq!(read.len(), 2, "what came stays");
    assert!(synced(profile).contains(": 1 new\n"));
    for path in ["/a", "/b", "/c"] {
        assert!(offline(profile, &web.url(path)).starts_with(path));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_fails_removes_no_copy() {
    let answers = std::sync::Arc::new(std::sync::Mutex::new(ok(
        "Content-Type: text/plain\r\n",
        "the first copy",
    )));
    let next = std::sync::Arc::clone(&answers);
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        _ => next.lock().unwrap().clone(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let url = web.url("/page");
    let bookmark = format!("Page <URL:{url}> #offline\n");
    fs::write(profile.join("bookmarks.txt"), bookmark).unwrap();
    synced(profile);
    let page = "Content-Type: text/plain\r\nContent-Length: 99\r\n\r\ncut";
    for answer in [
        "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone".to_owned(),
        "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy".to_owned(),
        "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic\r\n\r\nlogin".to_owned(),
        "HTTP/1.1 304 Not Modified\r\n\r\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\n{page}"),
        "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "nonsense\r\n".to_owned(),
        String::new(),
    ] {
        *answers.lock().unwrap() = answer.clone().into_bytes();
        let output = run(profile, &["sync"]);
        assert!(!text(&output.stdout).contains("1 new\n"), "{answer}");
        assert_eq!(offline(profile, &url).trim(), "the first copy", "{answer}");
    }
}
