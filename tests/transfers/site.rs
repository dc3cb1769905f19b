//! `geomys mirror` of a site: pages below a URL, against servers that answer as each test says.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use std::sync::{Arc, Mutex};

use geomys_demo::Demo;
use geomys_testing::capsule::Capsule;
use geomys_testing::hole::{Hole, menu};
use geomys_testing::tls::Identity;
use geomys_testing::web::{HttpRequest, Web, ok};

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

/// The answers of a capsule by their paths; others are not found.
pub(super) type Pages = Arc<Mutex<HashMap<&'static str, String>>>;

pub(super) async fn capsule(pages: &Pages) -> Capsule {
    let pages = Arc::clone(pages);
    let answer = move |path: &str| {
        let answer = match pages.lock().unwrap().get(path) {
            Some(answer) if answer.starts_with(['3', '4', '1']) => answer.clone(),
            Some(page) => format!("20 text/gemini\r\n{page}"),
            None => "51 not found\r\n".to_owned(),
        };
        (answer.into_bytes(), true)
    };
    Capsule::start(&Identity::self_signed("localhost"), answer).await
}

pub(super) fn set(pages: &Pages, path: &'static str, page: &str) {
    pages.lock().unwrap().insert(path, page.to_owned());
}

/// Runs `geomys mirror` into the directory `here` below `root`.
pub(super) fn mirror(root: &Path, arguments: &[&str]) -> Output {
    let (config, into) = (root.join("config"), root.join("here"));
    fs::create_dir_all(&config).unwrap();
    fs::write(
        config.join("settings.toml"),
        "[transfers]\nretry-hours = 0\n",
    )
    .unwrap();
    let (config, into) = (config.to_str().unwrap(), into.to_str().unwrap());
    let command = ["--config", config, "mirror"];
    geomys(&[command.as_slice(), arguments, &[into]].concat(), "")
}

/// The files below the mirror, sorted.
pub(super) fn files(root: &Path) -> Vec<String> {
    files_below(&root.join("here"))
}

/// The files below a directory, sorted.
pub(super) fn files_below(here: &Path) -> Vec<String> {
    fn add(directory: &Path, above: &str, all: &mut Vec<String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{above}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                add(&entry.path(), &format!("{name}/"), all);
            } else {
                all.push(name);
            }
        }
    }
    let mut all = Vec::new();
    if here.exists() {
        add(here, "", &mut all);
    }
    all.sort();
    all
}

/// The last line of the report, without the path before it and the time behind it.
pub(super) fn summary(output: &Output) -> String {
    let said = text(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    let (_, counts) = last.split_once("/here: ").unwrap_or(("", last));
    let (files, rest) = counts.split_once(" in ").unwrap_or((counts, ""));
    let rest = rest
        .split_once(';')
        .map_or(String::new(), |(_, rest)| format!(";{rest}"));
    format!("{files}{rest}")
}

#[tokio::test(flavor = "multi_thread")]
async fn capsule_is_mirrored_and_only_changes_are_written() {
    let pages = Pages::default();
    let front = "=> a.gmi A\n=> sub/ Below\n=> old Moved\n=> loop Loop\n=> gone Gone\n=> private/x Private\n=> /above Above\n\
                 => .molly Hostile\n=> gemini://example.invalid/ Elsewhere\n=> ask Question\n=> away Away\n";
    set(&pages, "/docs/", front);
    set(&pages, "/docs/a.gmi", "the first version\n");
    set(&pages, "/docs/sub/", "=> b B\n=> ../ Up\n");
    set(&pages, "/docs/sub/b", "page b\n");
    set(&pages, "/docs/old", "31 /docs/new\r\n");
    set(&pages, "/docs/new", "new\n");
    set(&pages, "/docs/away", "31 /above\r\n");
    set(&pages, "/docs/loop", "30 /docs/loop?1\r\n");
    set(&pages, "/docs/loop?1", "30 /docs/loop\r\n");
    set(&pages, "/docs/private/x", "private\n");
    set(&pages, "/docs/.molly", "[MimeOverrides]\n");
    set(&pages, "/docs/ask", "10 What?\r\n");
    set(&pages, "/above", "above\n");
    set(
        &pages,
        "/robots.txt",
        "User-agent: archiver\nDisallow: /docs/private/\nUser-agent: researcher\nDisallow: /\n",
    );
    let capsule = capsule(&pages).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = capsule.url("/docs/");
    let first = mirror(root, &[&url]);
    let expected = [
        "_molly",
        "a.gmi",
        "index.gmi",
        "new",
        "sub/b",
        "sub/index.gmi",
    ];
    assert_eq!(files(root), expected, "{first:?}");
    assert_eq!(
        fs::read_to_string(root.join("here/index.gmi")).unwrap(),
        front
    );
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let said = text(&first.stderr);
    for note in [
        "1 refused by robots.txt",
        "/docs/gone is missing: ",
        "is missing: it redirects in a loop",
        "/docs/ask was left out: ",
        "/docs/away was left out: it redirects to gemini://",
    ] {
        assert!(said.contains(note), "{note}: {said}");
    }
    assert!(summary(&first).ends_with("; 2 missing"), "{said}");
    let requests = capsule.requests();
    for path in ["/above", "/docs/private/x"] {
        assert!(!requests.iter().any(|asked| asked == path), "{path}");
    }
    let looped = requests
        .iter()
        .filter(|path| path.starts_with("/docs/loop"));
    assert_eq!(looped.count(), 2, "{requests:?}");

    let modified = |name: &str| {
        fs::metadata(root.join("here").join(name))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = modified("sub/b");
    set(&pages, "/docs/a.gmi", "the second version\n");
    let second = mirror(root, &[&url]);
    assert!(
        summary(&second).contains("1 updated; 5 there already"),
        "{second:?}"
    );
    let a = fs::read_to_string(root.join("here/a.gmi")).unwrap();
    assert_eq!(
        (a.as_str(), modified("sub/b")),
        ("the second version\n", before)
    );

    // A page that no link leads to any more, a dead link, and a file of the user.
    pages.lock().unwrap().remove("/docs/sub/b");
    set(&pages, "/docs/", &front.replace("=> old Moved\n", ""));
    fs::write(root.join("here/mine"), "mine").unwrap();
    let third = mirror(root, &["--delete", &url]);
    let end = "1 deleted; 4 there already; 1 page that nothing links to; 3 missing";
    assert!(summary(&third).ends_with(end), "{third:?}");
    assert_eq!(
        files(root),
        [
            "_molly",
            "a.gmi",
            "index.gmi",
            "mine",
            "new",
            "sub/index.gmi"
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_hole_writes_nothing_that_a_server_runs() {
    let hole = Hole::start(|selector, here| match selector {
        "" => menu(
            &[
                "iText\t\terror.host\t1",
                "0Map\t/gophermap\t@",
                "0Hidden\t/.profile\t@",
                "0Up\t/../../etc/passwd\t@",
                "0Text\t/x\t@",
                "1Menu\t/x\t@",
                "0Below\t/x/y\t@",
                "9Escape\t/a\u{1b}[2Jb\t@",
                "=id\t/x\t@",
                "7Search\t/search\t@",
            ],
            here,
        ),
        "/x" => menu(&["0Below\t/x/y\t@"], here),
        _ => b"text\r\n..dot\r\n.\r\n".to_vec(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let output = mirror(root, &[&format!("gopher://{}/", hole.address)]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        files(root),
        [
            ".profile",
            "ab",
            "gophermap_",
            "index.gopher",
            "x",
            "x (2)/index.gopher",
            "x (2)/y",
            "x (3)"
        ]
    );
    assert_eq!(
        fs::read(root.join("here/gophermap_")).unwrap(),
        b"text\r\n.dot\r\n"
    );
    assert_eq!(hole.most(), 1, "one connection at a time");
    let requests = hole.requests();
    assert!(
        !requests
            .iter()
            .any(|asked| asked.contains("..") || asked == "/search"),
        "{requests:?}"
    );

    let url = format!("file://{}/here/index.gopher", root.display());
    let shown = geomys(&["dump", &url], "");
    assert!(text(&shown.stdout).contains("Hidden\n"), "{shown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn web_pages_are_limited_by_depth_number_and_names() {
    let other =
        Web::start(|_: &HttpRequest| ok("Content-Type: text/html\r\n", "<title>other</title>"))
            .await;
    let elsewhere = other.url("/o.html").replace("127.0.0.1", "localhost");
    let web = Web::start(move |request: &HttpRequest| match request.path() {
        "/robots.txt" => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
        "/d/file.bin" => ok("Content-Type: application/octet-stream\r\n", [0, 1, 2]),
        path => {
            let links = format!("<title>t</title><a href='{path}n/'>n</a> <a href=file.bin>f</a> <a href='{elsewhere}'>o</a>");
            ok("Content-Type: text/html\r\n", links)
        }
    })
    .await;
    let url = web.url("/d/");
    let run = |arguments: &[&str]| {
        let directory = tempfile::tempdir().unwrap();
        let output = mirror(directory.path(), &[arguments, &[url.as_str()]].concat());
        (files(directory.path()), output)
    };
    let (found, output) = run(&["--depth", "1"]);
    assert_eq!(
        found,
        ["file.bin", "index.html", "n/index.html"],
        "{output:?}"
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let (found, output) = run(&["--pages", "6"]);
    assert_eq!(found.len(), 6, "{output:?}");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let left = "pages were left out: 6 are fetched at most (--pages)";
    assert!(text(&output.stderr).contains(left), "{output:?}");
    let (found, output) = run(&["--depth", "2", "--exclude", "n/"]);
    assert_eq!(found, ["file.bin", "index.html"], "{output:?}");
    let (found, output) = run(&["--depth", "1", "--include", "*.bin"]);
    assert_eq!(
        found,
        ["file.bin", "index.html", "n/index.html"],
        "{output:?}"
    );
    assert!(other.take_lines().is_empty());
    let (found, output) = run(&["--depth", "1", "--span", "LOCALHOST", "--yes"]);
    let expected = ["file.bin", "index.html", "localhost/o.html", "n/index.html"];
    assert_eq!(found, expected, "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_rules_fetch_nothing() {
    let broken = |_: &HttpRequest| b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".to_vec();
    let web = Web::start(broken).await;
    let directory = tempfile::tempdir().unwrap();
    let output = mirror(directory.path(), &[&web.url("/")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        text(&output.stderr).contains("robots.txt cannot be read, so nothing is fetched"),
        "{output:?}"
    );
    assert_eq!(web.take_lines(), ["GET /robots.txt"]);
    assert!(files(directory.path()).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn endless_menu_leaves_nothing() {
    let hole = Hole::start(|selector, here| match selector {
        "" => menu(&["1Endless\t/endless\t@", "0A text\t/a\t@"], here),
        "/endless" => b"iand so on and so on\t\terror.host\t1\r\n".repeat(2_000_000),
        _ => b"text\r\n.\r\n".to_vec(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let output = mirror(root, &[&format!("gopher://{}/", hole.address)]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        text(&output.stderr).contains("/endless: the page is longer than 67.1 MB"),
        "{output:?}"
    );
    assert_eq!(files(root), ["a", "index.gopher"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn menu_and_text_named_like_archives_are_pages() {
    let hole = Hole::start(|selector, here| match selector {
        "/a.zip" => menu(&["0Old texts\t/a.zip/old.tar.gz\t@"], here),
        _ => b"no archive\r\n.\r\n".to_vec(),
    })
    .await;
    for (path, expected) in [
        ("1/a.zip", ["index.gopher", "old.tar.gz"].as_slice()),
        ("0/old.tar.gz", &["old.tar.gz"]),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("gopher://{}/{path}", hole.address);
        let output = mirror(directory.path(), &[&url]);
        assert_eq!(files(directory.path()), expected, "{path}: {output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_differs_in_each_run_is_named() {
    let count = Arc::new(Mutex::new(0));
    let hole = Hole::start(move |selector, here| {
        let mut count = count.lock().unwrap();
        *count += usize::from(selector.is_empty());
        let visitor = format!("iVisitor {count}\t\terror.host\t1");
        match selector {
            "" => menu(&[&visitor, "0Same\t/same\t@"], here),
            _ => b"the same\r\n.\r\n".to_vec(),
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let url = format!("gopher://{}/", hole.address);
    let run = || mirror(directory.path(), &[&url]);
    let note = format!("{url} always changes");
    for (number, is_noted) in [false, false, true].into_iter().enumerate() {
        let output = run();
        let said = text(&output.stderr);
        assert_eq!(said.contains(&note), is_noted, "{number}: {said}");
        let end = "; 1 updated; 1 there already; 1 always changing";
        assert_eq!(
            summary(&output).ends_with(end),
            is_noted,
            "{number}: {said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn site_is_mirrored_from_inside() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .demo(&demo)
        .open(format!("gopher://{}/1/phlog", demo.addresses.gopher))
        .size((100, 30))
        .start();
    session.wait("Newest first").await;
    session.run_command("mirror").await;
    session.wait("Save directory as").await;
    session.press("Ctrl-U");
    let into = session.path().join("copy");
    session.type_in(&into.display().to_string());
    session.press("Enter");
    session.wait("(5 files").await;
    assert!(
        into.join("index.gopher").exists(),
        "{:?}",
        fs::read_dir(&into)
    );
}
