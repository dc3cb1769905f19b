//! Session cookies of the Web: for the pages that a person opens, in memory, and for nothing else.

use std::fs;
use std::path::Path;

use geomys_testing::web::{HttpRequest, Web, ok};

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

/// A site that sets a cookie and redirects to itself, and has a page for who has logged in.
async fn site() -> Web {
    Web::start(|request| {
        let cookies = request.field("cookie").unwrap_or_default();
        let page = |body: &str| ok("Content-Type: text/html\r\n", body);
        let go = |cookie: &str, to: &str| {
            format!("HTTP/1.1 302 Found\r\nSet-Cookie: {cookie}\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n")
                .into_bytes()
        };
        match (request.path(), request.head.starts_with("POST")) {
            ("/login", true) => go("user=s3cret-ada; Path=/; HttpOnly", "/members"),
            ("/members", _) if cookies.contains("user=s3cret-ada") => page("<p>Members only"),
            ("/members", _) => page("<p>Please log in"),
            // It checks for cookies by way of another page.
            ("/checked", _) if cookies.contains("check=1") => page("<p>Cookies work"),
            ("/checked", _) => go("check=1", "/check"),
            ("/check", _) => b"HTTP/1.1 302 Found\r\nLocation: /checked\r\nContent-Length: 0\r\n\r\n".to_vec(),
            (path, _) if !cookies.contains("sid=s3cret-1") => {
                go("sid=s3cret-1; Max-Age=600", path)
            }
            _ => page(
                "<p>Welcome <a href=/members>members</a> \
                 <form action=/login method=post><input name=n><input type=submit></form>",
            ),
        }
    })
    .await
}

/// The cookie fields of the requests since the last call.
fn cookies(web: &Web) -> Vec<String> {
    let field = |request: HttpRequest| {
        let cookies = request.field("cookie").unwrap_or("-").to_owned();
        format!("{} {cookies}", request.path())
    };
    web.take_requests().into_iter().map(field).collect()
}

/// Returns true if a file below a directory contains this text.
fn contains(directory: &Path, needle: &str) -> bool {
    fs::read_dir(directory).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return contains(&path, needle);
        }
        let octets = fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&octets).contains(needle)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn site_with_a_login_works_and_leaves_nothing_on_the_disk() {
    let web = site().await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("Welcome").await;
    assert_eq!(cookies(&web), ["/ -", "/ sid=s3cret-1"]);
    session.press("J J Enter");
    session.type_in("Ada");
    session.wait("[Ada").await;
    session.press("Enter");
    session.wait("Members only").await;
    let sent = cookies(&web);
    assert_eq!(sent.first().unwrap(), "/login sid=s3cret-1");
    assert_eq!(
        sent.last().unwrap(),
        "/members sid=s3cret-1; user=s3cret-ada"
    );
    session.press("q");
    let profile = session.end().await.profile;
    assert!(
        !contains(profile.path(), "s3cret"),
        "a cookie is on the disk"
    );
    assert!(
        !contains(profile.path(), "Members only"),
        "a page is on the disk"
    );
    // They end with the browser.
    let session = Browser::in_profile(profile)
        .open(web.url("/members"))
        .start();
    session.wait("Please log in").await;
    assert_eq!(cookies(&web), ["/members -"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_and_downloads_have_no_cookies() {
    let web = site().await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("Welcome").await;
    cookies(&web);
    session.press("J d");
    session.wait("Saved /").await;
    session.press("k L");
    session.wait("Kept: members").await;
    session.press("D");
    session.wait("members").await;
    assert!(cookies(&web).iter().all(|sent| sent.ends_with(" -")));
    let url = web.url("/");
    let dump = move || geomys(&["dump", &url], "");
    let output = tokio::task::spawn_blocking(dump).await.unwrap();
    let error = text(&output.stderr);
    assert!(error.contains("redirect loop"), "{error}");
    assert!(cookies(&web).iter().all(|sent| sent.ends_with(" -")));
}

#[tokio::test]
async fn private_tab_has_cookies_of_its_own() {
    let web = site().await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("Welcome").await;
    cookies(&web);
    session.press("g P");
    session.wait("Private tab").await;
    session.press("o");
    session.type_in(&web.url("/"));
    session.press("Enter");
    session.wait("Welcome").await;
    assert_eq!(cookies(&web), ["/ -", "/ sid=s3cret-1"]);
}

#[tokio::test]
async fn cookies_are_turned_off_by_a_setting() {
    let web = site().await;
    let session = Browser::new()
        .settings("[network]\ncookies = \"off\"\n")
        .open(web.url("/"))
        .size((100, 24))
        .start();
    session.wait("edirect loop").await;
    assert!(cookies(&web).iter().all(|sent| sent.ends_with(" -")));
}

#[tokio::test]
async fn details_show_the_cookies_of_a_page_and_remove_one() {
    let web = site().await;
    let session = Browser::new().open(web.url("/")).size((100, 24)).start();
    session.wait("Welcome").await;
    session.press("i");
    session.wait("sid of 127.0.0.1/").await;
    assert!(!session.screen().contains("s3cret"), "{}", session.screen());
    cookies(&web);
    session.press("X");
    session.wait("Cookie sid removed").await;
    session.press("r");
    session.wait("Welcome").await;
    session.settle().await;
    assert_eq!(cookies(&web).first().unwrap(), "/ -");
}

#[tokio::test]
async fn form_of_another_site_is_sent_without_cookies() {
    let web = site().await;
    let port = web.address.port();
    let other = Web::start(move |_| {
        let form = format!(
            "<p>Other <form action='http://127.0.0.1:{port}/login' method=post><input name=n></form>"
        );
        ok("Content-Type: text/html\r\n", form)
    })
    .await;
    let here = format!("http://localhost:{}/", other.address.port());
    let session = Browser::new()
        .open_all([web.url("/"), here])
        .size((100, 24))
        .start();
    session.wait("Welcome").await;
    cookies(&web);
    session.press("}");
    session.wait("Other").await;
    session.press("J Enter");
    session.type_in("Ada");
    session.wait("[Ada").await;
    session.press("Enter");
    session.wait("Members only").await;
    assert_eq!(cookies(&web).first().unwrap(), "/login -");
}

#[tokio::test(flavor = "multi_thread")]
async fn check_for_cookies_by_way_of_another_page_is_no_loop() {
    let web = site().await;
    let session = Browser::new().open(web.url("/checked")).start();
    session.wait("Cookies work").await;
    assert_eq!(
        cookies(&web),
        ["/checked -", "/check check=1", "/checked check=1"]
    );
    session.press("q");
    session.end().await;
}
