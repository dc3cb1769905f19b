//! `geomys get -r` of a site: which pages are followed, by their declared types, and which its rules refuse.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use geomys_testing::capsule::Capsule;
use geomys_testing::hole::{Hole, menu};
use geomys_testing::tls::Identity;
use geomys_testing::web::{HttpRequest, Web, ok};

use super::site::mirror;
use crate::support::command::{geomys, text};

/// The answer to a request for a page that is not there.
pub(super) const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

/// The paths that a mirror of a site requests, whose first page has this type and content.
async fn requested(fields: &'static str, first: Vec<u8>) -> Vec<String> {
    let web = Web::start(move |request: &HttpRequest| match request.path() {
        "/" => ok(fields, &first),
        "/b" => ok("Content-Type: text/html\r\n", "leaf"),
        _ => NOT_FOUND.to_vec(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let output = mirror(directory.path(), &[&web.url("/")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    web.take_lines()
}

#[tokio::test(flavor = "multi_thread")]
async fn declared_html_is_followed_whatever_it_begins_with() {
    let html = "Content-Type: text/html\r\n";
    let packed = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"<a href='/b'>b</a>").unwrap();
    let compressed = encoder.finish().unwrap();
    for (fields, first, is_followed) in [
        (html, b"<p><a href='/b'>b</a>".to_vec(), true),
        (html, b"<!-- c --><a href='/b'>b</a>".to_vec(), true),
        (html, b"Hello <a href='/b'>b</a>".to_vec(), true),
        (packed, compressed, true),
        ("", b"<html><a href='/b'>b</a>".to_vec(), true),
        (
            "Content-Type: text/plain\r\n",
            b"<html><a href='/b'>b</a>".to_vec(),
            false,
        ),
        ("Content-Type: text/gemini\r\n", b"=> /b B\n".to_vec(), true),
    ] {
        let lines = requested(fields, first).await;
        let is = lines.iter().any(|line| line == "GET /b");
        assert_eq!(is, is_followed, "{fields}: {lines:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gemtext_is_followed_at_any_path_and_again_from_the_copy() {
    let leaf = Arc::new(Mutex::new("first"));
    let said = Arc::clone(&leaf);
    let capsule = Capsule::start(&Identity::self_signed("localhost"), move |path: &str| {
        let answer = match path {
            "/" => "20 text/gemini\r\n=> /page.txt\n=> /plain.gmi\n".to_owned(),
            "/page.txt" => "20 text/gemini\r\n=> /leaf\n".to_owned(),
            "/plain.gmi" => "20 text/plain\r\n=> /trap\n".to_owned(),
            "/leaf" => format!("20 text/plain\r\n{}", said.lock().unwrap()),
            _ => "51 not found\r\n".to_owned(),
        };
        (answer.into_bytes(), true)
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let url = capsule.url("/");
    for run in ["first", "again"] {
        *leaf.lock().unwrap() = run;
        let output = mirror(directory.path(), &[&url]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let here = directory.path().join("here/leaf");
        assert_eq!(std::fs::read_to_string(here).unwrap(), run);
    }
    let requests = capsule.requests();
    assert!(!requests.iter().any(|path| path == "/trap"), "{requests:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn item_of_the_web_is_html_without_a_known_tag() {
    let hole = Hole::start(|selector, here| match selector {
        "" => menu(&["hPage\t/page\t@"], here),
        "/page" => format!("<ul><li><a href='gopher://{here}/0/leaf'>x</a></ul>").into_bytes(),
        "/leaf" => b"leaf\r\n.\r\n".to_vec(),
        _ => menu(&["3none\t\terror.host\t1"], here),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let output = mirror(directory.path(), &[&format!("gopher://{}/", hole.address)]);
    let requests = hole.requests();
    assert!(requests.iter().any(|asked| asked == "/leaf"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_hold_whatever_their_form() {
    let rules = "User-agent: *\nDisallow: /private\n";
    let forms = HashMap::from([
        ("no-store", ok("Cache-Control: no-store\r\n", rules)),
        ("byte order mark", ok("", format!("\u{feff}{rules}"))),
        (
            "long",
            ok("", format!("{rules}{}", "# filler\n".repeat(100_000))),
        ),
        (
            "binary",
            ok("Content-Type: application/octet-stream\r\n", rules),
        ),
    ]);
    for (form, robots) in forms {
        let web = Web::start(move |request: &HttpRequest| match request.path() {
            "/robots.txt" => robots.clone(),
            _ => ok(
                "Content-Type: text/html\r\n",
                "<a href='/private'>x</a> <a href='/open'>y</a>",
            ),
        })
        .await;
        let directory = tempfile::tempdir().unwrap();
        mirror(directory.path(), &[&web.url("/")]);
        let mut lines = web.take_lines();
        lines.sort();
        assert_eq!(lines, ["GET /", "GET /open", "GET /robots.txt"], "{form}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_page_in_another_charset_are_asked_as_written() {
    let page = geomys_wire::text::Charset::named("windows-1251").unwrap();
    let page = page.encode("<p>Страница <a href='/привет'>привет</a></p>");
    let web = Web::start(move |request: &HttpRequest| match request.path() {
        "/" => ok("Content-Type: text/html; charset=windows-1251\r\n", &page),
        "/%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82" => ok("Content-Type: text/plain\r\n", "x"),
        _ => NOT_FOUND.to_vec(),
    })
    .await;
    let profile = tempfile::tempdir().unwrap();
    let profile = profile.path().to_str().unwrap();
    let output = geomys(&["--config", profile, "check", "-r", &web.url("/")], "");
    let said = text(&output.stdout);
    assert!(said.contains("/привет") && !said.contains("dead"), "{said}");
    let lines = web.take_lines();
    let is_link = |line: &String| line.contains("%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82");
    assert!(lines.iter().any(is_link), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_belong_to_pages_are_fetched_with_them() {
    let html = "<link rel=stylesheet href=/css/style.css><style>p { background: url(paper.gif) }</style>\
                <script src=/run.js></script><body background=bg.gif><p style='color: red; list-style: url(dot.gif)'>\
                <a href=next><img src=a.png alt=a srcset='a.png 1x, /big/a.png 2x'></a><a href=/outside>x</a>\
                <video src=v.ogg poster=v.png></video>";
    let css = "@import 'more.css'; b { background: url(\"../fonts/f.woff\") } /* url(no.gif) */";
    let web = Web::start(move |request: &HttpRequest| match request.path() {
        "/docs/" => ok("Content-Type: text/html\r\n", html),
        "/docs/next" => ok("Content-Type: text/html\r\n", "<p>Next"),
        "/css/style.css" => ok("Content-Type: text/css\r\n", css),
        "/robots.txt" => ok("", "User-agent: *\nDisallow: /run.js\n"),
        _ => ok("Content-Type: image/gif\r\n", "GIF89a"),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let output = mirror(directory.path(), &[&web.url("/docs/")]);
    let mut lines = web.take_lines();
    lines.sort();
    let expected = [
        "/big/a.png",
        "/css/more.css",
        "/css/style.css",
        "/docs/",
        "/docs/a.png",
        "/docs/bg.gif",
        "/docs/dot.gif",
        "/docs/next",
        "/docs/paper.gif",
        "/docs/v.ogg",
        "/docs/v.png",
        "/fonts/f.woff",
        "/robots.txt",
    ];
    assert_eq!(
        lines,
        expected.map(|path| format!("GET {path}")),
        "{output:?}"
    );
    let said = text(&output.stderr);
    let left = "links left out: 1 to other places, 1 refused by robots.txt";
    assert!(said.contains(left), "{said}");
}
