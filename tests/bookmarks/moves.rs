//! Moves of bookmarks: where a page was is recorded, and an old result is checked again before it is believed.

use std::fs;

use geomys_testing::web::Web;
use serde_json::Value;

use super::command::Profile;
use crate::support::files;
use crate::support::screen::Browser;

/// A server on which `/a` has moved to `/b`, and `/b` to `/c`, which is there.
async fn moving_twice() -> Web {
    Web::start(|request| {
        let to = |path: &str| {
            format!("HTTP/1.1 301 Moved\r\nLocation: {path}\r\nContent-Length: 0\r\n\r\n")
        };
        match request.path() {
            "/a" => to("/b"),
            "/old" => to("/c"),
            _ => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_owned(),
        }
    })
    .await
}

/// The former URLs of the first bookmark, as `list --json` prints them.
fn former(profile: &Profile) -> Vec<String> {
    let (_, out, _) = profile.run(&["list", "--json"]);
    let first: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    let was = first["was"].as_array().cloned().unwrap_or_default();
    was.iter()
        .map(|one| {
            assert!(one["until"].as_str().unwrap().ends_with('Z'), "{one}");
            one["url"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// A stored result of 2020: this URL had moved to another one.
fn old_result(url: &str, to: &str) -> String {
    let time = "2020-01-01T00:00:00Z";
    format!(
        "{{\"url\":\"{url}\",\"state\":\"moved\",\"words\":\"{to}\",\"at\":\"{time}\",\"ms\":1,\
         \"since\":\"{time}\",\"listed\":\"{time}\"}}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn former_urls_are_recorded_and_carried_along() {
    let web = moving_twice().await;
    let [a, b, old] = ["/a", "/b", "/old"].map(|path| web.url(path));
    let profile = Profile::new(&format!("One <URL:{a}>\nTwo <URL:{b}>\n"));
    assert!(former(&profile).is_empty());
    assert_eq!(profile.run(&["check"]).0, 0);
    assert_eq!(profile.run(&["accept-move", "1"]).0, 0);
    assert_eq!(profile.file(), format!("One <URL:{b}>\nTwo <URL:{b}>\n"));
    assert_eq!(former(&profile), [a.as_str()]);
    // A repair or an edit is no move, and the record goes with the bookmark.
    let (status, _, said) = profile.run(&["edit", "1", "--url", &old]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(former(&profile), [a.as_str()]);
    assert_eq!(profile.run(&["check", "One"]).0, 0);
    assert_eq!(profile.run(&["accept-move", "1"]).0, 0);
    assert_eq!(former(&profile), [a, old]);
}

#[tokio::test(flavor = "multi_thread")]
async fn old_result_is_checked_again_before_a_move_is_accepted() {
    let web = moving_twice().await;
    let [a, b, page] = ["/a", "/b", "/page"].map(|path| web.url(path));
    let profile = Profile::new(&format!("One <URL:{a}>\nTwo <URL:{page}>\n"));
    let results = [old_result(&a, &web.url("/stale")), old_result(&page, &b)].concat();
    fs::write(profile.directory().join("checks.jsonl"), results).unwrap();
    let (_, out, _) = profile.run(&["accept-move", "1", "2", "--dry-run"]);
    assert_eq!(out.lines().count(), 2);
    assert!(web.take_requests().is_empty());
    let (status, _, said) = profile.run(&["accept-move", "1", "2"]);
    assert_eq!(status, 0, "{said}");
    // Where the first one is now; the second one is back.
    assert_eq!(profile.file(), format!("One <URL:{b}>\nTwo <URL:{page}>\n"));
    let (_, out, _) = profile.run(&["list", "is:alive"]);
    assert!(out.starts_with("Two"), "{out}");
}

#[test]
fn without_an_answer_no_move_is_accepted_and_none_is_forgotten() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let [old, new] = ["old", "new"].map(|path| format!("http://{address}/{path}"));
    let list = format!("One <URL:{old}>\n");
    let profile = Profile::new(&list);
    let checks = profile.directory().join("checks.jsonl");
    fs::write(&checks, old_result(&old, &new)).unwrap();
    for _ in 0..2 {
        let (status, _, said) = profile.run(&["accept-move", "--matching", "is:moved"]);
        assert_eq!(status, 1);
        assert!(said.contains("not checked again, line 1: One"), "{said}");
        assert_eq!(profile.file(), list);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_shows_where_a_page_was_and_undo_takes_it_back() {
    let web = moving_twice().await;
    let [a, b] = ["/a", "/b"].map(|path| web.url(path));
    let session = Browser::new()
        .bookmarks(format!("One <URL:{a}>\n"))
        .file("checks.jsonl", old_result(&a, &web.url("/stale")))
        .start();
    session.wait("geomys:home").await;
    session.press("B");
    session.wait("→ One").await;
    // The old result is checked again first.
    session.press("g m");
    session.wait("“One” has its new URL").await;
    session
        .wait_until("the new URL", |_| {
            session.bookmarks() == format!("One <URL:{b}>\n")
        })
        .await;
    session.settle().await;
    session.press("i");
    session.wait("/a until 20").await;
    session.press("Esc z");
    session.wait("Undone").await;
    session
        .wait_until("the old URL", |_| {
            session.bookmarks() == format!("One <URL:{a}>\n")
        })
        .await;
    let records = fs::read_to_string(session.path().join("added.jsonl")).unwrap_or_default();
    assert!(!records.contains("until"), "{records}");
    session.press("Z");
    session.wait("Redone").await;
    let records = session.path().join("added.jsonl");
    let is_there = files::found(session.path(), move || {
        let text = fs::read_to_string(&records).ok()?;
        text.contains("\"until\":\"20").then_some(())
    });
    assert!(is_there.await.is_some());
}
