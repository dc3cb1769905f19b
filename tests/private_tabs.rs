//! Private tabs: whatever is done in one leaves the profile as if it had not been done.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use geomys_demo::Demo;
use geomys_testing::web::{Web, ok};
use proptest::prelude::*;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::support::command::geomys;
use crate::support::files::write_queue;
use crate::support::follow;
use crate::support::screen::Browser;

/// The servers, and a profile that follows them and has something new of each.
struct Followed {
    runtime: Runtime,
    demo: Demo,
    web: Web,
    /// The address of an FTP server that offers TLS.
    offering: SocketAddr,
    profile: TempDir,
}

impl Followed {
    fn new() -> Self {
        let runtime = Runtime::new().unwrap();
        let has_news = Arc::new(AtomicBool::new(false));
        let (demo, web, offering) = runtime.block_on(async {
            let demo = Demo::start().await.unwrap();
            (demo, log(&has_news).await, ftp_with_tls().await)
        });
        let profile = tempfile::tempdir().unwrap();
        let path = profile.path();
        let news = demo.addresses.news;
        let settings = format!("news-server = \"{news}\"\n[bookmarks]\nfollow = false\n");
        fs::write(path.join("settings.toml"), settings).unwrap();
        let bookmarks = format!("A log <URL:{}> #watch\n", web.url("/log"));
        fs::write(path.join("bookmarks.txt"), bookmarks).unwrap();
        write_queue(path, &[(web.url("/saved"), "Saved")]);
        fs::create_dir(path.join("newsrc")).unwrap();
        let newsrc = format!("newsrc/{}_{}", news.ip(), news.port());
        fs::write(path.join(newsrc), "geomys.demo.announce:\n").unwrap();
        let run = |arguments: &[&str]| {
            geomys(
                &[&["--config", path.to_str().unwrap()], arguments].concat(),
                "",
            )
        };
        runtime.block_on(follow::look(path));
        has_news.store(true, Ordering::SeqCst);
        let synced = run(&["sync"]);
        assert!(synced.status.success(), "{synced:?}");
        Self {
            runtime,
            demo,
            web,
            offering,
            profile,
        }
    }

    /// The URLs that are opened, one of each kind of page.
    fn urls(&self) -> Vec<String> {
        let addresses = &self.demo.addresses;
        vec![
            format!("gopher://{}/1/weather", addresses.gopher),
            format!("gopher://{}/1/map", addresses.gopher),
            format!("ftp://{}/pub/;type=d", addresses.ftp),
            format!("gemini://{}/", addresses.gemini),
            format!("http://{}/", addresses.web),
            format!("nntp://{}/geomys.demo.announce", addresses.news),
            format!("nntp://{}/geomys.demo.announce/3", addresses.news),
            self.web.url("/log"),
            self.web.url("/saved"),
            "geomys:home".to_owned(),
            format!("ftp://ada:byron@{}/", self.offering),
        ]
    }

    /// The files of a copy of the profile after a session that does these things in a private tab.
    fn after(&self, private: &[Step]) -> BTreeMap<String, String> {
        self.runtime.block_on(self.session(private))
    }

    async fn session(&self, private: &[Step]) -> BTreeMap<String, String> {
        let copy = tempfile::tempdir().unwrap();
        copy_all(self.profile.path(), copy.path());
        let menu = format!("gopher://{}/", self.demo.addresses.gopher);
        let session = Browser::in_profile(copy).open(menu).size((100, 30)).start();
        session.wait("What this place is").await;
        if !private.is_empty() {
            session.press("g P");
            session.wait("Private tab").await;
        }
        for step in private {
            match step {
                Step::Keys(keys) => session.press(keys),
                Step::Open(number) => {
                    session.press("Esc o");
                    let urls = self.urls();
                    session.type_in(&urls[number % urls.len()]);
                    session.press("Enter");
                }
            }
            session.settle().await;
        }
        if !private.is_empty() {
            session.press("Esc Esc Ctrl-W");
            session.wait("What this place is").await;
        }
        // What is read in another tab is recorded, whatever was read in the private one.
        session.press("o");
        session.type_in(&self.urls()[6]);
        session.press("Enter");
        session.wait("geomys.demo.announce").await;
        session.settle().await;
        session.press(".");
        // The next unread article, whatever was read in the private tab.
        session
            .wait("This is the first article in this group")
            .await;
        session.settle().await;
        // A download may still run, and would ask.
        let ended = session.terminate().await;
        assert_eq!(ended.unsaved, Vec::<String>::new());
        files(ended.profile.path())
    }
}

/// What is done in the private tab.
#[derive(Clone, Debug)]
enum Step {
    Open(usize),
    Keys(&'static str),
}

fn step() -> impl Strategy<Value = Step> {
    let keys = [
        ".",
        "m",
        "j Enter",
        "k",
        "Space",
        "h",
        "r",
        ", n",
        ", d",
        "Z",
        "Tab",
        "h h",
        "n",
        "^",
        "y",
        "i Esc",
        "/ a Enter",
        "g h Esc",
        "d",
        "J d Enter",
        "D r Esc",
        "g O",
        "Enter",
    ];
    prop_oneof![
        (0..11_usize).prop_map(Step::Open),
        prop::sample::select(keys.to_vec()).prop_map(Step::Keys),
    ]
}

/// Starts an FTP server that announces TLS and refuses it, so that the offer is what a visit leaves.
async fn ftp_with_tls() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let (mut line, mut reply) = (String::new(), "220 Hello");
                while stream.write_all(reply.as_bytes()).await.is_ok()
                    && stream.write_all(b"\r\n").await.is_ok()
                {
                    line.clear();
                    if !matches!(stream.read_line(&mut line).await, Ok(1..)) {
                        return;
                    }
                    reply = match line.trim_end() {
                        "FEAT" => "211-Features\r\n AUTH TLS\r\n211 End",
                        "PASS byron" => "230 In",
                        command if command.starts_with("AUTH") => "534 No",
                        command if command.starts_with("USER") => "331 Password?",
                        _ => "502 What?",
                    };
                }
            });
        }
    });
    address
}

async fn log(has_news: &Arc<AtomicBool>) -> Web {
    let has_news = Arc::clone(has_news);
    Web::start(move |request| {
        let new = if has_news.load(Ordering::SeqCst) {
            "<p>2026-11-02 <a href=/two>Two</a>"
        } else {
            ""
        };
        let page = match request.path() {
            "/log" => format!("{new}<p>2026-11-01 <a href=/one>One</a>"),
            path => format!("<title>{path}</title><p>The page {path}."),
        };
        ok("Content-Type: text/html\r\n", &page)
    })
    .await
}

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy_all(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The files below a directory by their paths, with all times alike.
fn files(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let name = path.strip_prefix(directory).unwrap();
            // The sum of the copies, in which a time may be a digit longer; and what was saved by name.
            if name == Path::new("cache/size") || name.starts_with("Downloads") {
                continue;
            }
            let mut content = fs::read(&path).unwrap();
            if content.starts_with(b"geomys page") {
                // The digest at the end is one of the time too.
                content.truncate(content.len() - 32);
            }
            let content = without_times(&String::from_utf8_lossy(&content));
            found.insert(name.display().to_string(), content);
        }
    }
    found
}

/// Replaces each time as `2026-11-22T21:03:00Z` by one word.
fn without_times(text: &str) -> String {
    let mut same = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('T') {
        let (before, from) = rest.split_at(at);
        let is_digit = |letter: char| letter.is_ascii_digit() || "-:.".contains(letter);
        let end = from[1..].find(|letter: char| !is_digit(letter));
        let end = end.map_or(from.len(), |end| end + 1);
        let day = before.trim_end_matches(is_digit);
        if end >= 9 && before.len() - day.len() >= 10 {
            same.push_str(day);
            same.push_str("TIME");
        } else {
            same.push_str(before);
            same.push_str(&from[..end]);
        }
        rest = &from[end..];
    }
    same.push_str(rest);
    same
}

#[test]
fn whatever_is_done_in_a_private_tab_leaves_no_trace() {
    let followed = Followed::new();
    let before = followed.after(&[]);
    // Each kind of page alone, so that none hides behind the steps that are drawn.
    let all: Vec<Step> = (0..followed.urls().len()).map(Step::Open).collect();
    assert_same(&before, &followed.after(&all), &all);
    // A directory is downloaded, with its files.
    let download = [Step::Open(2), Step::Keys("J d"), Step::Keys("Enter")];
    let download = [&download[..], &[Step::Open(0), Step::Open(2)]].concat();
    assert_same(&before, &followed.after(&download), &download);
    // The stored copy of an unread page is read.
    let copy = [Step::Open(7), Step::Keys("g O"), Step::Keys("Enter")];
    assert_same(&before, &followed.after(&copy), &copy);
    // The order of a group decides which article is read next.
    let order = [Step::Open(5), Step::Keys(", d"), Step::Keys(", d")];
    assert_same(&before, &followed.after(&order), &order);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 16,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let steps = prop::collection::vec(step(), 1..8);
    runner
        .run(&steps, |steps| {
            assert_same(&before, &followed.after(&steps), &steps);
            Ok(())
        })
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn charset_of_a_private_tab_holds_in_private_tabs_alone() {
    let web = Web::start(|request| {
        let line = [request.path().as_bytes(), b" \xf0\xd2\xc9\xd7\xc5\xd4\r\n"].concat();
        ok("Content-Type: text/plain\r\n", line)
    })
    .await;
    let session = Browser::new().open(web.url("/a")).size((100, 30)).start();
    session.wait("Привет").await;
    session.press("g P");
    session.wait("Private tab").await;
    for (is_first, path) in [(true, "/b"), (false, "/c")] {
        session.press("o");
        session.type_in(&web.url(path));
        session.press("Enter");
        if is_first {
            session.wait("/b Привет").await;
            session.press("e");
            session.wait("Charset of").await;
            session.press("w");
        }
        session.wait(&format!("{path} ðÒÉ×ÅÔ")).await;
    }
    session.press("Ctrl-W");
    session.wait("/a Привет").await;
    session.press("o");
    session.type_in(&web.url("/d"));
    session.press("Enter");
    session.wait("/d Привет").await;
}

fn assert_same(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    steps: &[Step],
) {
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(before), names(after), "{steps:?}");
    for (name, content) in before {
        let (content, other) = (without_page_file(content), without_page_file(&after[name]));
        assert_eq!(content, other, "{name} after {steps:?}");
    }
}

/// Returns the content of a file; of the text of a page without the inode and the size of the page: the time in it has
/// more or fewer digits.
fn without_page_file(content: &str) -> String {
    match content.splitn(3, '\n').collect::<Vec<_>>().as_slice() {
        [first, _, rest] if first.starts_with("geomys text ") => (*rest).to_owned(),
        _ => content.to_owned(),
    }
}
