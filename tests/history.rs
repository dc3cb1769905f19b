//! The history: `geomys history`, run as a user would.

use std::fs;
use std::path::Path;

use geomys_demo::Demo;
use geomys_store::files::history::{Visit, VisitKind, append};
use jiff::Timestamp;
use rfc1738::Dialect;

use crate::support::command::{geomys_in, text};
use crate::support::screen::{Browser, Session};
use crate::support::terminal::Terminal;

fn visit(path: &Path, minutes_ago: i64, url: &str, title: &str, kind: VisitKind) {
    let time = Timestamp::now().as_second() - 60 * minutes_ago;
    let time = Timestamp::from_second(time).unwrap();
    let visit = Visit::new(time, &Dialect::Extended.parse(url).unwrap(), title, kind);
    append(&path.join("history.jsonl"), &visit).unwrap();
}

fn run(profile: &Path, arguments: &[&str]) -> (i32, String) {
    let config = profile.to_str().unwrap();
    let arguments: Vec<&str> = ["--config", config, "history"]
        .iter()
        .chain(arguments)
        .copied()
        .collect();
    let output = geomys_in(&[("TZ", "UTC")], &arguments, "");
    assert_eq!(text(&output.stderr), "");
    (output.status.code().unwrap(), text(&output.stdout))
}

#[test]
fn history_command_lists_searches_and_clears() {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path();
    assert_eq!(run(path, &["list"]), (0, String::new()));
    visit(
        path,
        3,
        "gopher://one.example/1/map",
        "A \u{1b}[31mMap",
        VisitKind::Menu,
    );
    visit(
        path,
        2,
        "ftp://ada:s3cret@two.example/",
        "Files",
        VisitKind::Listing,
    );
    visit(path, 1, "news:comp.misc", "comp.misc", VisitKind::Group);
    let (status, all) = run(path, &["list"]);
    assert_eq!(status, 0);
    let lines: Vec<&str> = all
        .lines()
        .map(|line| line.split_once('\t').unwrap().1)
        .collect();
    assert_eq!(
        lines,
        [
            "news:comp.misc\tcomp.misc",
            "ftp://ada@two.example/\tFiles",
            "gopher://one.example/1/map\tA Map",
        ]
    );
    let (_, found) = run(path, &["search", "MAP", "example"]);
    assert_eq!(found.lines().count(), 1, "{found}");
    let (_, json) = run(path, &["search", "--json", "files"]);
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["url"], "ftp://ada@two.example/");
    assert_eq!(object["kind"], "listing");
    assert_eq!(
        run(path, &["clear", "map"]),
        (0, "1 visit removed\n".to_owned())
    );
    assert_eq!(
        run(path, &["clear", "--json"]),
        (0, "{\"removed\":2}\n".to_owned())
    );
    assert_eq!(fs::read(path.join("history.jsonl")).unwrap(), b"");
}

#[test]
fn clear_asks_on_a_terminal() {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path();
    visit(
        path,
        2,
        "gopher://one.example/1/map",
        "Map",
        VisitKind::Menu,
    );
    visit(
        path,
        1,
        "gopher://two.example/1/map",
        "Map",
        VisitKind::Menu,
    );
    let count = || run(path, &["list"]).1.lines().count();
    for (answer, status, left) in [("n\r", 1, 2), ("\r", 1, 2), ("y\r", 0, 0)] {
        let mut terminal = Terminal::run(path, &["history", "clear", "map"]);
        terminal.wait("Remove 2 visits? y or n:");
        terminal.press(answer);
        terminal.end(status);
        assert_eq!(count(), left, "{answer:?}");
    }
    visit(
        path,
        1,
        "gopher://two.example/1/map",
        "Map",
        VisitKind::Menu,
    );
    let mut terminal = Terminal::run(path, &["history", "clear", "--yes"]);
    terminal.end(0);
    assert_eq!(count(), 0);
}

#[test]
fn list_long_after_the_last_visit_removes_nothing() {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path();
    // As if the clock were two years ahead.
    for number in 0..3 {
        let url = format!("gopher://one.example/1/{number}");
        visit(
            path,
            2 * 365 * 24 * 60 + number,
            &url,
            "Map",
            VisitKind::Menu,
        );
    }
    let before = fs::read(path.join("history.jsonl")).unwrap();
    for arguments in [&["list"][..], &["search", "map"]] {
        let (status, listed) = run(path, arguments);
        assert_eq!((status, listed.lines().count()), (0, 3));
    }
    assert_eq!(fs::read(path.join("history.jsonl")).unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn visits_look_visited_and_are_listed_and_removed() {
    let demo = Demo::start().await.unwrap();
    // Without a known background no colour tells visited links.
    let session = Browser::new()
        .settings("background = \"dark\"\n")
        .demo(&demo)
        .size((100, 30))
        .with_bookmarks()
        .start();
    session.press("j Enter");
    session.wait("/30 ").await;
    session.press("3 Enter");
    session.wait("Newest first").await;
    session.press("h");
    session.wait("market square").await;
    // The cursor is on the link that was followed.
    session.press("j");
    let looks_visited = |session: &Session| {
        session.style_of("The phlog of Dibble") != session.style_of("The gallery")
    };
    session
        .wait_until("a visited link", |_| looks_visited(&session))
        .await;
    session.press("H");
    session.wait("geomys:history").await;
    let visits = |session: &Session| {
        let file = fs::read_to_string(session.path().join("history.jsonl")).unwrap();
        file.lines().filter(|line| line.contains("gopher")).count()
    };
    assert_eq!(visits(&session), 2);
    // The cursor is on the newest visit, below the heading of the day.
    session.press("X");
    session.wait("Remove all visits of").await;
    session.press("y");
    session.wait_until_absent("/1/phlog").await;
    assert_eq!(visits(&session), 1);
    session.press("H");
    session.wait("The gallery").await;
    session
        .wait_until("an unvisited link", |_| !looks_visited(&session))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn visits_have_the_titles_of_the_pages() {
    let demo = Demo::start().await.unwrap();
    let web = format!("http://{}/", demo.addresses.web);
    let article = format!("nntp://{}/geomys.demo.announce/1", demo.addresses.news);
    let session = Browser::new()
        .open(web)
        .open(article)
        .size((100, 30))
        .start();
    session.wait("The town has a page now").await;
    session.press("Alt-2");
    session.wait("This is the first article").await;
    session.press("q");
    let profile = session.end().await.profile;
    let (_, listed) = run(profile.path(), &["list"]);
    let titles: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.rsplit('\t').next())
        .collect();
    let article = "Welcome to the news of Underloam";
    for title in ["Underloam on the Web", article] {
        assert!(titles.contains(&title), "{title}: {listed}");
    }
    assert_eq!(titles.len(), 2, "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn filter_stays_when_a_visit_is_removed() {
    let demo = Demo::start().await.unwrap();
    // Without a known background no colour tells visited links.
    let session = Browser::new()
        .settings("background = \"dark\"\n")
        .demo(&demo)
        .size((100, 30))
        .with_bookmarks()
        .start();
    session.press("j Enter");
    session.wait("/30 ").await;
    session.press("3 Enter");
    session.wait("Newest first").await;
    session.press("H");
    session.wait("geomys:history").await;
    session.press("&");
    session.type_in("phlog");
    session.press("Enter");
    session.wait_until_absent("market square").await;
    session.press("X");
    session.wait("Remove all visits of").await;
    session.press("y");
    session.wait_until_absent("/1/phlog").await;
    session.wait("No match").await;
    assert!(!session.screen().contains("market square"));
}

#[tokio::test(flavor = "multi_thread")]
async fn history_that_is_off_stores_nothing() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .settings("history = false\n")
        .demo(&demo)
        .size((120, 30))
        .with_bookmarks()
        .start();
    session.press("j Enter");
    session.wait("/30 ").await;
    session.press("H");
    session.wait("The history is off").await;
    session.press("q");
    let profile = session.end().await.profile;
    assert!(!profile.path().join("history.jsonl").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn title_of_a_visit_is_whole_and_its_url_yields() {
    let profile = tempfile::tempdir().unwrap();
    let title = "A very rude letter has been opened, with tongs";
    let url = "nntp://news.example.org/geomys.demo.announce/11";
    visit(profile.path(), 5, url, title, VisitKind::Article);
    let session = Browser::in_profile(profile).start();
    session.wait("Start here").await;
    session.press("H");
    session.wait("geomys:history").await;
    session.wait(title).await;
}
