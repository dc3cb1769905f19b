//! `geomys bookmarks check`, the real binary in the demo's world.

use std::fs;
use std::net::TcpListener;
use std::path::Path;

use geomys_demo::Demo;
use geomys_testing::web::Web;
use serde_json::{Value, json};

use crate::support::command::{geomys, text};

/// A profile with this bookmark file, in which `{gopher}`, `{news}` and `{dead}` are addresses.
fn profile(demo: &Demo, bookmarks: &str) -> tempfile::TempDir {
    let profile = tempfile::tempdir().unwrap();
    // A closed port.
    let dead = TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = dead.local_addr().unwrap().to_string();
    let file = bookmarks
        .replace("{gopher}", &demo.addresses.gopher.to_string())
        .replace("{ftp}", &demo.addresses.ftp.to_string())
        .replace("{news}", &demo.addresses.news.to_string())
        .replace("{dead}", &dead);
    fs::write(profile.path().join("bookmarks.txt"), file).unwrap();
    profile
}

const BOOKMARKS: &str = "\
# Gopher
The square <URL:gopher://{gopher}/> #town
Nowhere <URL:gopher://{gopher}/1/nowhere> #town
Again <URL:gopher://{gopher}/1/nowhere>
Silent <URL:gopher://{dead}/0/a>
# News
Announcements <URL:nntp://{news}/geomys.demo.announce>
A letter <URL:mailto:ada@example.org>
Bad <URL:gopher://bad~host/>
With a password <URL:ftp://ada:wrong@{ftp}/pub/>
";

/// Runs `geomys bookmarks` with these arguments: its exit status, its sorted output lines without what differs from run
/// to run, and its standard error.
fn run(profile: &Path, arguments: &[&str]) -> (i32, Vec<String>, String) {
    let profile = profile.to_str().unwrap();
    let output = geomys(
        &[&["--config", profile, "bookmarks"], arguments].concat(),
        "",
    );
    let out = geomys_testing::same_ports(&text(&output.stdout));
    let mut lines: Vec<String> = out
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields.as_slice() {
                [verdict, at, ms, rest @ ..] => {
                    let at = if at.ends_with('Z') { "TIME" } else { at };
                    let ms = if ms.ends_with(" ms") { "MS" } else { ms };
                    [&[*verdict, at, ms], rest].concat().join("|")
                }
                _ => line.to_owned(),
            }
        })
        .collect();
    lines.sort();
    let said = text(&output.stderr);
    (output.status.code().unwrap(), lines, said)
}

#[tokio::test(flavor = "multi_thread")]
async fn moved_bookmarks_get_their_new_urls() {
    let demo = Demo::start().await.unwrap();
    let web = demo.addresses.web;
    let file = format!("Old <URL:http://{web}/old> #x\nHere <URL:http://{web}/page.html>\n");
    let profile = profile(&demo, &file);
    let file = || fs::read_to_string(profile.path().join("bookmarks.txt")).unwrap();
    let accept = ["accept-move", "--matching", "http"];
    let (status, _, said) = run(profile.path(), &accept);
    assert_eq!(
        (status, said.as_str()),
        (1, "geomys: no selected bookmark can be moved\n")
    );
    let (status, _, said) = run(profile.path(), &["check"]);
    assert_eq!(status, 0, "{said}");
    let (status, lines, said) = run(profile.path(), &accept);
    assert_eq!((status, lines.len(), said.as_str()), (0, 1, ""));
    assert!(
        lines[0].starts_with("moved line 1: Old <URL:http://"),
        "{lines:?}"
    );
    let moved = format!("Old <URL:http://{web}/page.html> #x\nHere <URL:http://{web}/page.html>\n");
    assert_eq!(file(), moved);
}

#[tokio::test(flavor = "multi_thread")]
async fn login_gives_its_title_to_no_other_page() {
    let demo = Demo::start().await.unwrap();
    let page = |title: &str| {
        let body = format!("<title>{title}</title>");
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let web = Web::start(move |request| match request.path() {
        "/members" => {
            "HTTP/1.1 302 Found\r\nLocation: /login?next=%2Fmembers\r\nContent-Length: 0\r\n\r\n"
                .to_owned()
        }
        "/old" => "HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n".to_owned(),
        path => page(if path == "/new" {
            "News"
        } else {
            "Please log in"
        }),
    })
    .await;
    let [members, old] = ["/members", "/old"].map(|path| web.url(path));
    let profile = profile(&demo, &format!("<URL:{members}>\n<URL:{old}>\n"));
    let (status, _, said) = run(profile.path(), &["fetch-titles", "1", "2"]);
    assert_eq!(status, 0, "{said}");
    let file = fs::read_to_string(profile.path().join("bookmarks.txt")).unwrap();
    assert_eq!(file, format!("<URL:{members}>\nNews <URL:{old}>\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_of_several_bookmarks_to_one_url_are_perhaps_gone() {
    let demo = Demo::start().await.unwrap();
    let web = Web::start(|request| match request.path() {
        "/a" | "/b" => {
            "HTTP/1.1 301 Moved Permanently\r\nLocation: /news\r\nContent-Length: 0\r\n\r\n"
        }
        "/c" => "HTTP/1.1 301 Moved Permanently\r\nLocation: /d\r\nContent-Length: 0\r\n\r\n",
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    })
    .await;
    let list = ["/a", "/b", "/c", "/d"].map(|path| format!("<URL:{}>\n", web.url(path)));
    let profile = profile(&demo, &list.concat());
    let (_, lines, _) = run(profile.path(), &["check", "--json"]);
    let gone = |lines: &[String]| {
        let gone = lines
            .iter()
            .filter(|line| line.contains("\"perhaps_gone\":true"));
        gone.count()
    };
    assert_eq!((lines.len(), gone(&lines)), (4, 2), "{lines:?}");
    let (status, lines, said) = run(profile.path(), &["check"]);
    let words = lines.iter().filter(|line| line.ends_with("; perhaps gone"));
    assert_eq!((status, words.count()), (0, 2), "{lines:?}");
    assert_eq!(said, "4 bookmarks: 1 alive, 3 moved\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_to_the_root_is_accepted_for_a_single_bookmark_only() {
    let demo = Demo::start().await.unwrap();
    let web = Web::start(|request| match request.path() {
        "/a" | "/b" => "HTTP/1.1 301 Moved Permanently\r\nLocation: /\r\nContent-Length: 0\r\n\r\n",
        "/c" => "HTTP/1.1 301 Moved Permanently\r\nLocation: /d\r\nContent-Length: 0\r\n\r\n",
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    })
    .await;
    let [a, b, c, d, root] = ["/a", "/b", "/c", "/d", "/"].map(|path| web.url(path));
    let profile = profile(&demo, &format!("<URL:{a}>\n<URL:{b}>\n<URL:{c}>\n"));
    let file = || fs::read_to_string(profile.path().join("bookmarks.txt")).unwrap();
    let (status, _, said) = run(profile.path(), &["check"]);
    assert_eq!((status, said.as_str()), (0, "3 bookmarks: 3 moved\n"));
    let (_, lines, _) = run(profile.path(), &["check", "--json"]);
    let gone = lines
        .iter()
        .filter(|line| line.contains("\"perhaps_gone\":true"));
    assert_eq!(
        gone.filter(|line| line.contains("; perhaps gone\""))
            .count(),
        2,
        "{lines:?}"
    );
    let (status, lines, said) = run(profile.path(), &["accept-move", "--matching", "is:moved"]);
    assert_eq!((status, lines.len()), (0, 1), "{said}");
    assert_eq!(said.matches("perhaps gone, line").count(), 2, "{said}");
    assert_eq!(file(), format!("<URL:{a}>\n<URL:{b}>\n<URL:{d}>\n"));
    let (status, _, said) = run(profile.path(), &["accept-move", "1"]);
    assert_eq!((status, said.as_str()), (0, ""));
    assert_eq!(file(), format!("<URL:{root}>\n<URL:{b}>\n<URL:{d}>\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn server_cannot_turn_a_bookmark_into_a_script() {
    let demo = Demo::start().await.unwrap();
    let web = Web::start(|_| {
        "HTTP/1.1 301 Moved Permanently\r\nLocation: javascript:alert(1)\r\nContent-Length: 0\r\n\r\n"
    })
    .await;
    let file = format!("Old <URL:{}>\n", web.url("/"));
    let profile = profile(&demo, &file);
    let (status, lines, said) = run(profile.path(), &["check"]);
    assert!(
        lines[0].contains("moved to an address that is not accepted: javascript:alert(1)"),
        "{status} {said} {lines:?}"
    );
    // The file of results is not trusted either.
    let checks = profile.path().join("checks.jsonl");
    let stored = format!(
        "{{\"url\":\"{}\",\"state\":\"moved\",\"words\":\"javascript:alert(1)\",\"at\":\"2026-11-20T10:00:00Z\",\"ms\":1,\"since\":\"2026-11-20T10:00:00Z\",\"listed\":\"2026-11-20T10:00:00Z\"}}\n",
        web.url("/")
    );
    for results in [None, Some(stored)] {
        if let Some(results) = results {
            fs::write(&checks, results).unwrap();
        }
        let (status, _, said) = run(profile.path(), &["accept-move", "1"]);
        assert_eq!(
            (status, said.as_str()),
            (1, "geomys: no selected bookmark can be moved\n")
        );
        let (_, lines, _) = run(profile.path(), &["list", "is:refused"]);
        assert_eq!(lines.len(), 1);
    }
    assert_eq!(
        fs::read_to_string(profile.path().join("bookmarks.txt")).unwrap(),
        file
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn moved_page_keeps_the_fragment_of_each_bookmark() {
    let demo = Demo::start().await.unwrap();
    let web = Web::start(|request| match request.path() {
        "/old" => "HTTP/1.1 301 Moved Permanently\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n",
        "/part" => {
            "HTTP/1.1 301 Moved Permanently\r\nLocation: /new#own\r\nContent-Length: 0\r\n\r\n"
        }
        _ => "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    })
    .await;
    let old = web.url("/old");
    let file = format!(
        "<URL:{old}>\n<URL:{old}#sec>\n<URL:{old}#other>\n<URL:{}#sec>\n",
        web.url("/part")
    );
    let profile = profile(&demo, &file);
    let (status, _, said) = run(profile.path(), &["check"]);
    // A fragment is beyond RFC 1738, and no failure.
    assert_eq!(
        (status, said.as_str()),
        (0, "4 bookmarks: 4 moved, 3 with a fault\n")
    );
    // One request for each page.
    let paths = web.take_requests();
    let asked = |path: &str| {
        paths
            .iter()
            .filter(|request| request.path() == path)
            .count()
    };
    assert_eq!((asked("/old"), asked("/part")), (1, 1));
    let (status, lines, said) = run(profile.path(), &["accept-move", "--matching", "is:moved"]);
    assert_eq!((status, lines.len()), (0, 4), "{said}");
    let new = web.url("/new");
    let expected = format!("<URL:{new}>\n<URL:{new}#sec>\n<URL:{new}#other>\n<URL:{new}#own>\n");
    assert_eq!(
        fs::read_to_string(profile.path().join("bookmarks.txt")).unwrap(),
        expected
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn check_prints_a_line_per_bookmark_and_stores_results() {
    let demo = Demo::start().await.unwrap();
    let profile = profile(&demo, BOOKMARKS);
    let (status, lines, said) = run(profile.path(), &["check"]);
    assert_eq!(status, 1);
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("check", lines.join("\n"));
    });
    assert_eq!(
        said,
        "9 bookmarks: 2 alive, 2 dead, 1 refused, 2 unreachable, 1 not checked, 1 bad\n"
            .replace("2 unreachable", "1 unreachable")
            .replace("9 bookmarks", "8 bookmarks")
    );
    let checks = fs::read_to_string(profile.path().join("checks.jsonl")).unwrap();
    assert!(!checks.contains("wrong"), "{checks}");
    // Two bookmarks of one URL share a line, and an unchecked URL has none.
    assert_eq!(checks.lines().count(), 5, "{checks}");

    let (status, lines, said) = run(profile.path(), &["check", "--jobs", "1", "is:dead"]);
    assert_eq!((status, lines.len()), (1, 2));
    assert_eq!(said, "2 bookmarks: 2 dead\n");
    let (status, lines, said) = run(profile.path(), &["check", "#town", "SQUARE"]);
    assert_eq!((status, lines.len()), (0, 1));
    assert_eq!(said, "1 bookmark: 1 alive\n");
    // `list` takes the same words: a tag by its beginning, check results by the same names.
    for words in [
        &["is:dead"][..],
        &["IS:dead", "#tow"],
        &["is:unchecked"],
        &["dead>2w"],
    ] {
        let (_, listed, _) = run(profile.path(), &[&["list"], words].concat());
        let (_, checked, _) = run(
            profile.path(),
            &[&["check", "--dead-for", "0h"], words].concat(),
        );
        let count = match words {
            ["is:dead"] => (2, 2),
            ["IS:dead", "#tow"] => (1, 1),
            ["is:unchecked"] => (1, 0),
            _ => (0, 0),
        };
        assert_eq!((listed.len(), checked.len()), count, "{words:?}");
    }
    let (status, lines, said) = run(profile.path(), &["check", "no", "such", "words"]);
    assert_eq!((status, lines.len(), &*said), (0, 0, "0 bookmarks\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn each_password_is_checked_and_a_fault_by_its_repair() {
    let demo = Demo::start().await.unwrap();
    let bookmarks = "\
Right <URL:ftp://ada:lovelace@{ftp}/>
Wrong <URL:ftp://ada:wrong@{ftp}/>
Fault <URL:gopher://{gopher}/1/no where>
Bad <URL:gopher://bad~host/>
";
    let profile = profile(&demo, bookmarks);
    let (status, lines, said) = run(profile.path(), &["check"]);
    assert_eq!(status, 1);
    let verdicts: Vec<(&str, &str)> = lines
        .iter()
        .map(|line| {
            let fields: Vec<&str> = line.split('|').collect();
            (fields[3], fields[0])
        })
        .collect();
    let expected = [
        ("Right", "alive"),
        ("Bad", "bad"),
        ("Fault", "dead"),
        ("Wrong", "refused"),
    ];
    assert_eq!(verdicts, expected, "{lines:?}");
    let fault = lines.iter().find(|line| line.contains("|Fault|")).unwrap();
    assert!(
        fault.contains("checked as gopher://127.0.0.1:PORT/1/no%20where, as a space"),
        "{fault}"
    );
    assert_eq!(
        said,
        "4 bookmarks: 1 alive, 1 dead, 1 refused, 1 bad, 1 with a fault\n"
    );
    // The stored results differ too, and have no password.
    for (word, title) in [("is:alive", "Right"), ("is:refused", "Wrong")] {
        let (_, lines, _) = run(profile.path(), &["list", word]);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].contains(title), "{lines:?}");
    }
    let stored = fs::read_to_string(profile.path().join("checks.jsonl")).unwrap();
    assert!(
        !stored.contains("lovelace") && !stored.contains("wrong"),
        "{stored}"
    );
}

#[test]
fn age_selects_by_the_stored_time() {
    let ago = |hours: i64| {
        let time = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(hours);
        jiff::Timestamp::from_second(time.as_second()).unwrap()
    };
    // The second check is older than a month: a list that is checked twice a year has ages too.
    for checked in [0, 20 * 7 * 24] {
        let (checked, since) = (ago(checked), ago(27 * 7 * 24));
        let checks = format!(
            "{{\"url\":\"gopher://h.example/1/a\",\"state\":\"dead\",\"at\":\"{checked}\",\"before\":\"{since}\",\
             \"ms\":1,\"since\":\"{since}\",\"listed\":\"{checked}\"}}\n"
        );
        for query in ["dead>26w", "-alive>1d -b", "IS:dead DEAD>26w"] {
            let profile = tempfile::tempdir().unwrap();
            let path = profile.path();
            let file = "A <URL:gopher://h.example/1/a>\nB <URL:gopher://h.example/1/b>\n";
            fs::write(path.join("bookmarks.txt"), file).unwrap();
            fs::write(path.join("checks.jsonl"), &checks).unwrap();
            for command in [&["list", "--", query][..], &["check", "--dead-for", "26w"]] {
                let (status, lines, said) = run(path, command);
                assert_eq!((status, lines.len(), said.as_str()), (0, 1, ""));
            }
            let (status, _, said) = run(path, &["remove", "--matching", query]);
            assert_eq!(status, 0, "{said}");
            let left = fs::read_to_string(path.join("bookmarks.txt")).unwrap();
            assert_eq!(left, "B <URL:gopher://h.example/1/b>\n", "{query}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_for_lists_stored_results_without_checking() {
    let demo = Demo::start().await.unwrap();
    let profile = profile(&demo, BOOKMARKS);
    run(profile.path(), &["check", "nowhere"]);
    let (status, lines, _) = run(profile.path(), &["check", "--dead-for", "30d"]);
    assert_eq!((status, lines.len()), (0, 0));
    let path = profile.path().join("checks.jsonl");
    let report: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let since = report["since"].as_str().unwrap();
    let long_ago = fs::read_to_string(&path).unwrap().replace(
        &format!("\"since\":\"{since}\""),
        "\"since\":\"2001-01-01T00:00:00Z\"",
    );
    fs::write(&path, &long_ago).unwrap();
    drop(demo);
    let (status, lines, _) = run(profile.path(), &["check", "--dead-for", "30d"]);
    assert_eq!((status, lines.len()), (0, 2), "{lines:?}");
    assert!(lines[0].starts_with("dead|TIME|MS|Again|"), "{lines:?}");
    // Without a connection there is no new result.
    assert_eq!(fs::read_to_string(&path).unwrap(), long_ago);
    let (status, _, said) = run(profile.path(), &["check", "--dead-for", "soon"]);
    assert_eq!(status, 2);
    assert!(said.contains("expected a duration"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn json_prints_one_object_per_line() {
    let demo = Demo::start().await.unwrap();
    let profile = profile(&demo, BOOKMARKS);
    let (status, lines, _) = run(profile.path(), &["check", "--json", "#town"]);
    assert_eq!(status, 1);
    let objects: Vec<Value> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let square = objects
        .iter()
        .find(|object| object["title"] == "The square");
    let nowhere = objects.iter().find(|object| object["title"] == "Nowhere");
    let (square, nowhere) = (square.unwrap(), nowhere.unwrap());
    assert_eq!(square["verdict"], "alive");
    assert_eq!(square["folder"], json!(["Gopher"]));
    assert_eq!(square["alive"], square["at"]);
    assert_eq!(nowhere["verdict"], "dead");
    assert_eq!(nowhere["alive"], Value::Null);
    assert!(nowhere["words"].as_str().unwrap().contains("no door"));
}
