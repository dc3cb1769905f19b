//! What a run has left: the next one fetches it, and the exit status says so until then.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use geomys_testing::web::{HttpRequest, Web, ok};

use super::{offline, run, synced};
use crate::support::command::text;
use crate::support::follow;

/// The length of an entry that leaves room for two in a run of 1 MiB.
const LONG: usize = 400_000;

/// A log with six entries, whose pages answer as `entry` says.
async fn log(entry: impl Fn(&HttpRequest) -> Vec<u8> + Send + Sync + 'static) -> Web {
    Web::start(move |request| match request.path() {
        "/log" => {
            let line = |day| format!("<p>2026-11-0{day} <a href=/{day}>Day {day}</a>");
            ok(
                "Content-Type: text/html\r\n",
                (1..=6).map(line).collect::<String>(),
            )
        }
        _ => entry(request),
    })
    .await
}

/// Follows the log of a server.
fn follow(profile: &Path, web: &Web) {
    let bookmark = format!("Log <URL:{}> #follow\n", web.url("/log"));
    fs::write(profile.join("bookmarks.txt"), bookmark).unwrap();
    follow::agree(profile);
}

/// Runs until all is here, and returns the number of runs.
fn runs(profile: &Path) -> usize {
    for number in 1..=6 {
        let output = run(profile, &["sync"]);
        match output.status.code() {
            Some(0) => return number,
            Some(1) => {}
            other => panic!("{other:?}: {output:?}"),
        }
    }
    panic!("each run brings entries");
}

#[tokio::test(flavor = "multi_thread")]
async fn first_entries_beyond_the_size_of_a_run_come_with_the_next_ones() {
    let page = "x".repeat(LONG);
    let web = log(move |_| ok("Content-Type: text/plain\r\n", &page)).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(profile.join("settings.toml"), "[sync]\nsize = 1\n").unwrap();
    follow(profile, &web);
    assert!((2..=4).contains(&runs(profile)));
    web.take_lines();
    synced(profile);
    assert_eq!(web.take_lines(), ["GET /log"], "nothing is wanted any more");
    for day in 1..=6 {
        assert!(offline(profile, &web.url(&format!("/{day}"))).len() >= LONG);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn first_entries_that_failed_are_asked_for_until_they_come_or_are_refused() {
    let run_number = Arc::new(AtomicUsize::new(1));
    let number = Arc::clone(&run_number);
    let web = log(move |request| {
        let is_first = number.load(Ordering::SeqCst) == 1;
        let answer = match request.path() {
            "/1" if is_first => "503 Busy\r\nContent-Length: 0\r\n\r\n",
            "/2" if is_first => {
                "200 OK\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\r\ncut"
            }
            "/3" if is_first => "500 No\r\nContent-Length: 0\r\n\r\n",
            "/4" => "404 No\r\nContent-Length: 0\r\n\r\n",
            path => return ok("Content-Type: text/plain\r\n", format!("entry {path}")),
        };
        format!("HTTP/1.1 {answer}").into_bytes()
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    follow(profile, &web);
    let first = run(profile, &["sync"]);
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    web.take_lines();
    run_number.store(2, Ordering::SeqCst);
    let said = synced(profile);
    assert!(said.contains("Log: 3 new"), "{said}");
    let mut lines = web.take_lines();
    lines.sort();
    assert_eq!(lines, ["GET /1", "GET /2", "GET /3", "GET /log"]);
    for day in [1, 2, 3, 5, 6] {
        let shown = offline(profile, &web.url(&format!("/{day}")));
        assert!(shown.contains(&format!("entry /{day}")), "{shown}");
    }
    synced(profile);
    assert_eq!(web.take_lines(), ["GET /log"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn run_whose_pages_come_later_fails() {
    let web = Web::start(|request| match request.path() {
        "/cut" => "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ncut".to_owned(),
        "/around" => "HTTP/1.1 302 On\r\nLocation: /around\r\nContent-Length: 0\r\n\r\n".to_owned(),
        path => format!("HTTP/1.1 {} No\r\nContent-Length: 0\r\n\r\n", &path[1..]),
    })
    .await;
    let closed = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let refusing = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let paths = ["/500", "/503", "/429", "/cut", "/around"].map(|path| web.url(path));
    for url in paths.into_iter().chain([refusing]) {
        let directory = tempfile::tempdir().unwrap();
        let profile = directory.path();
        fs::write(
            profile.join("bookmarks.txt"),
            format!("Page <URL:{url}> #follow\n"),
        )
        .unwrap();
        follow::agree(profile);
        let output = run(profile, &["sync"]);
        assert_eq!(output.status.code(), Some(1), "{url}: {output:?}");
        let said = text(&output.stdout);
        assert!(
            said.contains("Page: 1 later\n") || said.contains("Page: 1 failed\n"),
            "{url}: {said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn good_copy_is_not_replaced_by_an_empty_page_or_a_part() {
    let run_number = Arc::new(AtomicUsize::new(1));
    let number = Arc::clone(&run_number);
    let web = Web::start(move |request| {
        let is_first = number.load(Ordering::SeqCst) == 1;
        match request.path() {
            "/robots.txt" => ok("", ""),
            path if is_first => ok("Content-Type: text/plain\r\n", format!("good {path}")),
            "/empty" => ok("Content-Type: text/plain\r\n", ""),
            "/none" => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
            _ => b"HTTP/1.1 206 Part\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-3/9\r\n\
                   Content-Length: 4\r\n\r\npart"
                .to_vec(),
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let urls = ["/empty", "/none", "/part"].map(|path| web.url(path));
    let bookmarks = urls
        .each_ref()
        .map(|url| format!("P <URL:{url}> #follow\n"));
    fs::write(profile.join("bookmarks.txt"), bookmarks.concat()).unwrap();
    follow::agree(profile);
    synced(profile);
    run_number.store(2, Ordering::SeqCst);
    let said = text(&run(profile, &["sync"]).stdout);
    assert!(!said.contains("1 new"), "{said}");
    for url in urls {
        assert!(offline(profile, &url).contains("good /"), "{url}");
    }
}
