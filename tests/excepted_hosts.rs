//! `[history] except`: nothing on the disk tells of these hosts, in whatever spelling and by whatever way they were
//! reached.

use std::fs;
use std::path::Path;

use geomys_demo::Demo;
use geomys_testing::capsule::Capsule;
use geomys_testing::tls::Identity;
use geomys_testing::web::{Web, ok};

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

/// The files below a profile whose content or name has these words, but for the settings.
fn telling(profile: &Path, words: &[String]) -> Vec<String> {
    let (mut found, mut waiting) = (Vec::new(), vec![profile.to_owned()]);
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let name = path.strip_prefix(profile).unwrap().display().to_string();
            let content = fs::read(&path).unwrap();
            let content = [name.as_bytes(), b" ", &content].concat();
            let has = |word: &String| memchr::memmem::find(&content, word.as_bytes()).is_some();
            if name != "settings.toml" && words.iter().any(has) {
                found.push(format!("{name}: {}", content.escape_ascii()));
            }
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_an_excepted_host_leave_no_trace() {
    let demo = Demo::start().await.unwrap();
    let addresses = demo.addresses;
    let web = Web::start(move |request| match request.path() {
        "/away" => {
            let to = format!("http://localhost:{}/", addresses.web.port());
            format!("HTTP/1.1 302 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n")
                .into_bytes()
        }
        path => ok(
            "Content-Type: text/html\r\n",
            format!("<p>The page {path}."),
        ),
    })
    .await;
    let identity = Identity::self_signed("localhost");
    let page = |_: &str| (b"20 text/gemini\r\nA capsule.\n".to_vec(), true);
    let capsule = Capsule::start(&identity, page).await;
    for written in ["localhost", "LocalHost.", "localhost:70"] {
        let settings = format!("[history]\nexcept = [\"{written}\"]\n");
        let session = Browser::new().settings(settings).size((100, 30)).start();
        // The URL, and words of its page.
        let opened = [
            (
                format!("gopher://LOCALHOST:{}/1/weather", addresses.gopher.port()),
                "Bursarius",
            ),
            (
                capsule.url("/").replace("127.0.0.1", "localhost"),
                "A capsule",
            ),
            (
                format!(
                    "nntp://LocalHost:{}/geomys.demo.announce",
                    addresses.news.port()
                ),
                "Bursarius",
            ),
            (web.url("/?u=gopher%3A%2F%2Flocalhost%2F1"), "The page /?u="),
            (web.url("/away"), "Underloam"),
        ];
        for (url, words) in opened {
            session.press("o");
            session.type_in(&url);
            session.press("Enter");
            session.wait(words).await;
            session.settle().await;
        }
        // A charset is chosen for the host, in memory alone.
        session.press("e");
        session.wait("Charset of").await;
        session.press("w");
        session
            .wait("Read as windows-1252, for all pages of this host")
            .await;
        // An article is read, and marked in memory alone.
        session.press("h h");
        session.wait("geomys.demo.announce").await;
        session.press("Enter");
        session.settle().await;
        session.press("q");
        let ended = session.end().await;
        let found = telling(
            ended.profile.path(),
            &[
                "localhost".to_owned(),
                "LOCALHOST".to_owned(),
                "geomys.demo.announce".to_owned(),
            ],
        );
        assert_eq!(found, Vec::<String>::new(), "{written}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn download_and_namer_of_an_excepted_host_are_not_listed() {
    let web = Web::start(|request| match request.path() {
        "/" => ok(
            "Content-Type: text/html\r\n",
            "<a href=http://127.0.0.1:1/a.iso>a file</a>",
        ),
        _ => ok("", ""),
    })
    .await;
    let page = web.url("/").replace("127.0.0.1", "localhost");
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("Downloads")).unwrap();
    let session = Browser::in_profile(profile)
        .settings("[history]\nexcept = [\"localhost\"]\n")
        .open(&page)
        .size((100, 30))
        .start();
    session.wait("a file").await;
    session.press("J d D");
    session.wait("a.iso").await;
    // While it runs, quitting asks.
    let is_asked = |screen: &str| screen.contains("1 asking");
    session.screen_when("the question", is_asked).await;
    session.press("q q");
    let ended = session.end().await;
    let list = fs::read_to_string(ended.profile.path().join("transfers.txt")).unwrap();
    assert!(
        list.contains("http://127.0.0.1:1/a.iso") && !list.contains("from="),
        "{list}"
    );
    assert_eq!(
        telling(ended.profile.path(), &["localhost".to_owned()]),
        Vec::<String>::new()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn downloaded_directory_of_an_excepted_host_has_no_record() {
    let demo = Demo::start().await.unwrap();
    let url = format!(
        "ftp://localhost:{}/pub/software/",
        demo.addresses.ftp.port()
    );
    for (except, has_record) in [("localhost", false), ("other.example", true)] {
        let session = Browser::new()
            .settings(format!("[history]\nexcept = [\"{except}\"]\n"))
            .bookmarks(format!("Software <URL:{url}>\n"))
            .with_bookmarks()
            .size((100, 30))
            .start();
        session.wait("Software").await;
        session.press("d");
        session.wait("Save directory as").await;
        session.press("Enter D");
        session.wait("3 files").await;
        session.wait("done").await;
        session.press("q q");
        let ended = session.end().await;
        let sources = ended.profile.path().join("sources");
        assert_eq!(sources.exists(), has_record, "{except}");
        assert!(
            ended
                .profile
                .path()
                .join("Downloads/software/seeds.bin")
                .exists()
        );
    }
}

#[test]
fn exception_that_can_match_nothing_is_a_mistake() {
    for written in ["http://secret.example/", "*.example", "a b", ""] {
        let profile = tempfile::tempdir().unwrap();
        let settings = format!("[history]\nexcept = [\"{written}\"]\n");
        fs::write(profile.path().join("settings.toml"), settings).unwrap();
        let path = profile.path().to_str().unwrap();
        let output = geomys(&["--config", path, "config", "check"], "");
        assert_eq!(output.status.code(), Some(1), "{written}: {output:?}");
        let said = [text(&output.stdout), text(&output.stderr)].concat();
        assert!(
            said.contains(":2:") && said.contains("is no host"),
            "{said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn queued_link_of_an_excepted_host_has_no_namer() {
    let web = Web::start(|_| {
        let page = "<a href=http://127.0.0.1:1/later>a link</a>";
        ok("Content-Type: text/html\r\n", page)
    })
    .await;
    let session = Browser::new()
        .settings("[history]\nexcept = [\"localhost\"]\n")
        .open(web.url("/").replace("127.0.0.1", "localhost"))
        .size((100, 30))
        .start();
    session.wait("a link").await;
    session.press("Ctrl-o");
    session.wait("Offline").await;
    session.press("J Enter");
    session.wait("Kept: the next sync fetches it").await;
    session.press("q");
    let ended = session.end().await;
    let queue = fs::read_to_string(ended.profile.path().join("later/queue")).unwrap();
    assert!(
        queue.contains("/later") && !queue.contains("named-by"),
        "{queue}"
    );
    assert_eq!(
        telling(ended.profile.path(), &["localhost".to_owned()]),
        Vec::<String>::new()
    );
}
