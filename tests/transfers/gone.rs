//! `geomys get -r --delete` of a site: only what the server has said is gone is deleted, and no whole copy is replaced
//! by less.

use std::fs;
use std::sync::{Arc, Mutex};

use geomys_testing::capsule::Capsule;
use geomys_testing::hole::{Hole, menu};
use geomys_testing::tls::Identity;
use geomys_testing::web::{HttpRequest, Web, ok};

use super::kinds::NOT_FOUND;
use super::site::{Pages, capsule, files, mirror, set, summary};
use crate::support::command::{geomys, text};

#[tokio::test(flavor = "multi_thread")]
async fn page_that_nothing_links_to_is_asked_for_and_stays_unless_it_is_gone() {
    let pages = Pages::default();
    set(
        &pages,
        "/",
        "=> a.gmi\n=> b.gmi\n=> c.gmi\n=> d.gmi\n=> e.gmi\n",
    );
    for path in ["/a.gmi", "/b.gmi", "/c.gmi", "/d.gmi", "/e.gmi"] {
        set(&pages, path, "old\n");
    }
    let capsule = capsule(&pages).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = capsule.url("/");
    mirror(root, &[&url]);
    set(&pages, "/", "# Maintenance\n");
    set(&pages, "/a.gmi", "new\n=> f.gmi\n");
    pages.lock().unwrap().remove("/b.gmi");
    set(&pages, "/c.gmi", "40 later\r\n");
    set(&pages, "/d.gmi", "31 /a.gmi\r\n");
    let kept = ["a.gmi", "c.gmi", "d.gmi", "e.gmi", "index.gmi"];
    let asked = |so_far: usize| {
        let mut asked = capsule.requests().split_off(so_far);
        asked.sort();
        asked
    };
    let before = capsule.requests().len();
    let dry = mirror(root, &["--delete", "--dry-run", &url]);
    let planned = text(&dry.stdout).replace(root.to_str().unwrap(), "");
    let expected = "update /here/index.gmi\ndelete /here/b.gmi\n";
    assert_eq!(planned, expected, "{dry:?}");
    assert_eq!(files(root).len(), 6);
    assert_eq!(fs::read(root.join("here/a.gmi")).unwrap(), b"old\n");
    let dry_asked = asked(before);
    let before = capsule.requests().len();
    let output = mirror(root, &["--delete", &url]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(files(root), kept, "{output:?}");
    let end = "; 1 updated; 1 deleted; 2 there already; 4 pages that nothing links to";
    assert!(summary(&output).ends_with(end), "{output:?}");
    let a = fs::read(root.join("here/a.gmi")).unwrap();
    assert_eq!(a, b"old\n", "it was only asked whether it is gone");
    let once = [
        "/",
        "/a.gmi",
        "/b.gmi",
        "/c.gmi",
        "/d.gmi",
        "/e.gmi",
        "/robots.txt",
    ];
    assert_eq!(asked(before), once);
    assert_eq!(dry_asked, once);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_error_row_of_gopher_deletes_and_other_words_do_not() {
    let is_later = Arc::new(Mutex::new(false));
    let later = Arc::clone(&is_later);
    let hole = Hole::start(move |selector, here| {
        let is_later = *later.lock().unwrap();
        match selector {
            "" if is_later => menu(&["iBack soon\t\terror.host\t1"], here),
            "" => menu(&["0A\t/a\t@", "0B\t/b\t@", "0C\t/c\t@", "0D\t/d\t@"], here),
            "/a" if is_later => menu(&["3It is gone\t\terror.host\t1"], here),
            "/b" if is_later => menu(
                &[
                    "iMaintenance\t\terror.host\t1",
                    "3Try again later\t\terror.host\t1",
                ],
                here,
            ),
            // The menu as a text: the beginning of what it was.
            "/c" if is_later => b"one\r\n".to_vec(),
            _ => b"one\r\ntwo\r\n.\r\n".to_vec(),
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = format!("gopher://{}/", hole.address);
    mirror(root, &[&url]);
    assert_eq!(files(root), ["a", "b", "c", "d", "index.gopher"]);
    *is_later.lock().unwrap() = true;
    let output = mirror(root, &["--delete", &url]);
    assert_eq!(files(root), ["b", "c", "d", "index.gopher"], "{output:?}");
    let c = fs::read(root.join("here/c")).unwrap();
    assert_eq!(c, b"one\r\ntwo\r\n", "a text that was cut replaces nothing");
    assert!(
        summary(&output).ends_with("; 3 pages that nothing links to"),
        "{output:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_half_of_a_mirror_is_deleted_by_order_only() {
    let is_gone = Arc::new(Mutex::new(false));
    let gone = Arc::clone(&is_gone);
    let web = Web::start(move |request: &HttpRequest| match request.path() {
        "/robots.txt" => NOT_FOUND.to_vec(),
        "/" => {
            let links = (0..12).map(|number| format!("<a href=/p{number}>p</a> "));
            ok("Content-Type: text/html\r\n", links.collect::<String>())
        }
        _ if *gone.lock().unwrap() => NOT_FOUND.to_vec(),
        _ => ok("Content-Type: text/plain\r\n", "page"),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = web.url("/");
    mirror(root, &[&url]);
    assert_eq!(files(root).len(), 13);
    *is_gone.lock().unwrap() = true;
    let output = mirror(root, &["--delete", &url]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("12 of 13 files are gone"), "{said}");
    assert_eq!(files(root).len(), 13);
    let output = mirror(root, &["--delete=all", &url]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(files(root), ["index.html"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_without_its_end_replaces_no_whole_one() {
    let is_cut = Arc::new(Mutex::new(false));
    let cut = Arc::clone(&is_cut);
    let capsule = Capsule::start(&Identity::self_signed("localhost"), move |path: &str| {
        let is_cut = *cut.lock().unwrap();
        let answer = match (path, is_cut) {
            ("/", false) => "20 text/gemini\r\n=> /a\n=> /b\n",
            // As long as before, or longer.
            ("/", true) => "20 text/gemini\r\n=> /a\n# More text than before, and no other link\n",
            ("/a" | "/b", _) => "20 text/plain\r\nleaf\n",
            _ => "51 none\r\n",
        };
        (answer.into(), path != "/" || !is_cut)
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = capsule.url("/");
    mirror(root, &[&url]);
    *is_cut.lock().unwrap() = true;
    let output = mirror(root, &["--delete", &url]);
    assert_eq!(files(root), ["a", "b", "index.gmi"], "{output:?}");
    let index = fs::read(root.join("here/index.gmi")).unwrap();
    assert_eq!(index, b"=> /a\n=> /b\n");
    assert!(summary(&output).ends_with("; 1 not replaced"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_is_asked_for_by_its_version_and_compared_without_one() {
    let version = Arc::new(Mutex::new(1));
    let now = Arc::clone(&version);
    let web = Web::start(move |request: &HttpRequest| {
        let version = *now.lock().unwrap();
        let tag = format!("\"v{version}\"");
        match request.path() {
            "/robots.txt" => NOT_FOUND.to_vec(),
            "/" => ok(
                "Content-Type: text/html\r\n",
                "<a href=/tag>t</a> <a href=/none>n</a>",
            ),
            "/tag" if request.field("if-none-match") == Some(tag.as_str()) => {
                format!("HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\n\r\n").into_bytes()
            }
            "/tag" => ok(
                &format!("Content-Type: text/plain\r\nETag: {tag}\r\n"),
                format!("version {version}"),
            ),
            _ => ok("Content-Type: text/plain\r\n", format!("version {version}")),
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = web.url("/");
    mirror(root, &[&url]);
    web.take_requests();
    let again = mirror(root, &[&url]);
    assert!(summary(&again).ends_with("; 3 there already"), "{again:?}");
    let requests = web.take_requests();
    let asked = requests.iter().find(|request| request.path() == "/tag");
    assert_eq!(asked.unwrap().field("if-none-match"), Some("\"v1\""));
    *version.lock().unwrap() = 2;
    mirror(root, &[&url]);
    for name in ["tag", "none"] {
        let page = fs::read(root.join("here").join(name)).unwrap();
        assert_eq!(page, b"version 2", "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_pages_leave_no_directories_and_no_part_beside_a_whole_page() {
    let is_broken = Arc::new(Mutex::new(true));
    let broken = Arc::clone(&is_broken);
    let web = Web::start(move |request: &HttpRequest| {
        let is_broken = *broken.lock().unwrap();
        match request.path() {
            "/" if !is_broken => ok(
                "Content-Type: text/html\r\n",
                "<a href=/sub/gone.txt>x</a> <a href=/half.txt>y</a>",
            ),
            "/half.txt" => b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf".to_vec(),
            _ => NOT_FOUND.to_vec(),
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = web.url("/");
    let output = mirror(root, &[&url]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!root.join("here").exists(), "{output:?}");
    *is_broken.lock().unwrap() = false;
    mirror(root, &[&url]);
    let partial = ["half.txt.part", "half.txt.part.geomys", "index.html"];
    assert_eq!(files(root), partial, "the next run resumes it");
    assert!(!root.join("here/sub").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_were_left_out_are_counted_by_reason() {
    let hole = Hole::start(|selector, here| match selector {
        "" => menu(
            &[
                "0A\t/a\t@",
                "0A again\t/a\t@",
                "7Search\t/search\t@",
                "0Elsewhere\t/x\texample.invalid\t70",
                "hWeb\tURL:http://example.invalid/\t@",
                "0Private\t/private\t@",
                "0Named\t/named.iso\t@",
                "1Deeper\t/deeper\t@",
            ],
            here,
        ),
        "/deeper" => menu(&["0Deep\t/deep\t@"], here),
        "robots.txt" => b"User-agent: *\r\nDisallow: /private\r\n.\r\n".to_vec(),
        _ => b"text\r\n.\r\n".to_vec(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let url = format!("gopher://{}/", hole.address);
    let output = mirror(
        directory.path(),
        &["--depth", "1", "--exclude", "*.iso", &url],
    );
    let expected = "links left out: 2 to other places, 1 refused by robots.txt, 1 to searches or sessions, \
                    1 deeper than --depth, 1 excluded by name\n";
    assert!(text(&output.stderr).contains(expected), "{output:?}");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn menu_with_a_slash_at_its_end_is_left_out_only_if_it_repeats_another_one() {
    let hole = Hole::start(|selector, here| match selector {
        "" => menu(&["1Same\t/same\t@", "1Other\t/other\t@"], here),
        "/same" | "/same/" => menu(&["1Same\t/same/\t@", "0Gone\t/gone\t@"], here),
        "/other" => menu(&["1All\t/other/\t@"], here),
        "/other/" => menu(&["0Text\t/other/text\t@"], here),
        "/other/text" => b"text\r\n.\r\n".to_vec(),
        _ => b"3Not found\t\terror.host\t1\r\n.\r\n".to_vec(),
    })
    .await;
    let url = format!("gopher://{}/", hole.address);
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for _ in 0..2 {
        let output = mirror(root, &[&url]);
        let said = text(&output.stderr);
        assert!(
            said.contains("links left out: 1 to repeated menus"),
            "{said}"
        );
        assert_eq!(files(root).len(), 5, "{:?}", files(root));
    }
    let requests = hole.requests();
    for (selector, expected) in [("/same", 2), ("/same/", 2), ("/other/", 2)] {
        let asked = requests.iter().filter(|asked| *asked == selector);
        assert_eq!(asked.count(), expected, "{selector}: {requests:?}");
    }
    // The check of the site tells one dead link once, with the place where it stands.
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let checked = geomys(&["--config", config, "check", "-r", &url], "");
    let report = text(&checked.stdout);
    assert_eq!(report.matches("/0/gone").count(), 1, "{report}");
}
