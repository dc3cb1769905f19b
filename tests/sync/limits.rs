//! What a run asks first, what it leaves, and when it ends: slow and failed sources, no network, full space, failed
//! pages.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use geomys_crawl::sync::run::{LIMITS, SyncOptions, SyncRun};
use geomys_crawl::sync::sources::SyncSources;
use geomys_crawl::sync::state::SyncState;
use geomys_crawl::sync::unread::UnreadMarks;
use geomys_load::{Reason, Request};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::cache::{Cache, CacheLimits};
use geomys_store::outbox::Sender;
use geomys_testing::news::NewsServer;
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{Limits, Net};
use jiff::Timestamp;
use rfc1738::Url;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{Pages, capsule, offline, run, set, silent, synced};
use crate::support::command::text;
use crate::support::files::write_queue;
use crate::support::follow;

#[tokio::test(flavor = "multi_thread")]
async fn link_that_was_queued_last_is_fetched_first() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move {
        let mut selectors = Vec::new();
        for _ in 0..3 {
            // Over Gopher one connection at a time.
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = tokio::io::BufReader::new(stream);
            let mut selector = String::new();
            stream.read_line(&mut selector).await.unwrap();
            selectors.push(selector.trim_end().to_owned());
            stream.write_all(b"text\r\n.\r\n").await.unwrap();
        }
        selectors
    });
    let directory = tempfile::tempdir().unwrap();
    let link = |name| (format!("gopher://{address}/0/{name}"), name);
    write_queue(directory.path(), &["old", "middle", "new"].map(link));
    let said = synced(directory.path());
    assert!(said.starts_with("kept pages: 3 new\n"), "{said}");
    assert_eq!(serving.await.unwrap(), ["/new", "/middle", "/old"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn option_that_repeated_what_failed_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let output = run(directory.path(), &["sync", "--failed"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = text(&output.stderr);
    assert!(
        said.contains("each sync asks first for what did not come"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_hosts_end_no_run() {
    let web = Web::start(|request| match request.path() {
        "/robots.txt" => ok("", ""),
        _ => ok("Content-Type: text/plain\r\n", "it is here"),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let closed = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"].map(|host| {
        let listener = std::net::TcpListener::bind((host, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        format!("{host} <URL:gopher://{address}/0/x> #offline\n")
    });
    let here = format!("Here <URL:{}> #offline\n", web.url("/here"));
    let bookmarks = [closed.concat(), here].concat();
    fs::write(directory.path().join("bookmarks.txt"), bookmarks).unwrap();
    let output = run(directory.path(), &["sync"]);
    assert!(text(&output.stdout).contains("Here: 1 new\n"), "{output:?}");
    assert!(!text(&output.stderr).contains("stopped"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn followed_page_that_was_never_confirmed_is_not_fetched_at_any_depth() {
    let web = Web::start(|_| ok("Content-Type: text/html\r\n", "<a href=/b>b</a>")).await;
    let directory = tempfile::tempdir().unwrap();
    for (tag, is_fetched) in [
        ("follow", false),
        ("follow1", false),
        ("Follow3", false),
        ("watch", false),
        // It has never asked.
        ("offline2", true),
    ] {
        let bookmarks = format!("Page <URL:{}> #{tag}\n", web.url("/a"));
        fs::write(directory.path().join("bookmarks.txt"), bookmarks).unwrap();
        let output = run(directory.path(), &["sync"]);
        let asked = !web.take_lines().is_empty();
        assert_eq!(asked, is_fetched, "{tag}: {output:?}");
        let says = text(&output.stderr).contains("it was never followed");
        assert_eq!(says, !is_fetched, "{tag}: {output:?}");
        if is_fetched {
            continue;
        }
        // The command that the message names is the consent.
        let command = format!("bookmarks edit URL --add-tag {tag}");
        assert!(text(&output.stderr).contains(&command), "{output:?}");
        let url = web.url("/a");
        let agree = ["bookmarks", "edit", &url, "--add-tag", tag];
        let agreed = run(directory.path(), &agree);
        assert!(
            text(&agreed.stdout).starts_with("followed line 1"),
            "{agreed:?}"
        );
        let again = run(directory.path(), &agree);
        assert!(
            text(&again.stderr).contains("nothing to change"),
            "{again:?}"
        );
        assert!(web.take_lines().is_empty(), "{tag}");
        synced(directory.path());
        assert!(!web.take_lines().is_empty(), "{tag}");
        fs::remove_file(directory.path().join("watched.jsonl")).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn line_of_a_source_is_printed_while_others_run() {
    let pages = Pages::default();
    set(&pages, &[("/here", "it is here\n"), ("/robots.txt", "")]);
    let capsule = capsule(&pages).await;
    let (_listener, silent) = silent().await;
    let directory = tempfile::tempdir().unwrap();
    let here = format!("Here <URL:{}> #watch\n", capsule.url("/here"));
    fs::write(
        directory.path().join("bookmarks.txt"),
        [silent, here].concat(),
    )
    .unwrap();
    follow::look_at(directory.path(), |bookmark| {
        bookmark.title().as_str() == "Here"
    })
    .await;
    let mut child = Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(["--config", directory.path().to_str().unwrap(), "sync"])
        .env_clear()
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let lines: Vec<String> = lines.take(1).map(Result::unwrap).collect();
    assert_eq!(lines, ["Here: 1 new"]);
    assert_eq!(
        child.try_wait().unwrap(),
        None,
        "the silent server is waited for"
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_source_ends_alone() {
    let web = Web::start(|_| ok("Content-Type: text/plain\r\n", "it is here")).await;
    let (_listener, silent) = silent().await;
    let here = format!("Here <URL:{}> #offline\n", web.url("/here"));
    // Over finger nobody asks for rules.
    let slow = silent
        .replace("gopher://", "finger://")
        .replace("/0/x", "/x");
    let directory = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(directory.path().join("cache"), limits);
    let cache = Arc::new(cache.with_synced(directory.path().join("synced")));
    let net = Net::new(Limits::default());
    let ended = Mutex::new(Vec::new());
    let options = SyncOptions {
        size: 1 << 20,
        page: None,
        limits: LIMITS,
        reserve: 0,
        is_dry: false,
        request: &|url: Url, reason: Reason| Request::show(url, reason),
        is_excluded: Arc::new(|_| false),
        unread: Arc::new(UnreadMarks::new(Box::new(|| None))),
        source_time: Duration::from_millis(300),
        progress: &|now| {
            if now.has_ended {
                ended.lock().unwrap().push(now.source.title.clone());
            }
        },
    };
    let bookmarks = Bookmarks::parse([slow, here].concat().as_bytes());
    let (sender, watched) = (Sender::default(), directory.path().join("watched"));
    let sources = SyncSources {
        drafts: None,
        sender: &sender,
        bookmarks: &bookmarks,
        watched: &watched,
        groups: &[],
    };
    let mut sync = SyncRun::new(&net, cache, options, SyncState::default());
    let (reports, summary) = sync.run(&sources).await.unwrap();
    let slow = reports
        .iter()
        .find(|report| report.title == "Silent")
        .unwrap();
    assert_eq!((slow.left, slow.later.len()), (1, 1), "{slow:?}");
    assert!(slow.later[0].reason.starts_with("it takes longer than"));
    assert_eq!(summary.new, 1, "{reports:?}");
    assert_eq!(
        ended.lock().unwrap().len(),
        reports.len(),
        "each source ends once"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_copies_that_fill_their_space_end_the_run_until_one_is_shown() {
    let page = "x".repeat(400_000);
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        path => ok("Content-Type: text/plain\r\n", format!("{path} {page}")),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(profile.join("settings.toml"), "[sync]\nunread = 1\n").unwrap();
    let bookmarks: String = ["/a", "/b", "/c"]
        .map(|path| format!("{path} <URL:{}> #offline\n", web.url(path)))
        .concat();
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    let full = run(profile, &["sync"]);
    assert_eq!(full.status.code(), Some(1), "{full:?}");
    let said = text(&full.stderr);
    assert!(said.contains("fill [sync] unread"), "{said}");
    let read: Vec<&str> = ["/a", "/b", "/c"]
        .into_iter()
        .filter(|path| {
            let url = web.url(path);
            run(profile, &["--offline", "dump", &url]).status.success()
        })
        .collect();
    assert_eq!(read.len(), 2, "what came stays");
    assert!(synced(profile).contains(": 1 new\n"));
    for path in ["/a", "/b", "/c"] {
        assert!(offline(profile, &web.url(path)).starts_with(path));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_that_were_caught_up_make_room_for_others() {
    let article = |number: usize| {
        let (date, text) = (Timestamp::now(), "It rains.\n".repeat(30_000));
        let date = date.strftime("%a, %d %b %Y %H:%M:%S +0000");
        format!("Subject: s{number}\nFrom: bo@x\nDate: {date}\nMessage-ID: <{number}@x>\n\n{text}")
    };
    let articles = |first: usize| (first..first + 3).map(article).collect();
    let groups = vec![("a.b", articles(1)), ("c.d", articles(4))];
    let server = NewsServer::start(groups).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(profile.join("settings.toml"), "[sync]\nunread = 1\n").unwrap();
    fs::create_dir(profile.join("newsrc")).unwrap();
    let address = server.address;
    let newsrc = profile.join(format!("newsrc/{}_{}", address.ip(), address.port()));
    fs::write(&newsrc, "a.b:\n").unwrap();
    assert!(synced(profile).contains("a.b: 4 new\n"));
    // All of them are unread.
    fs::write(&newsrc, "a.b:\nc.d:\n").unwrap();
    let full = run(profile, &["sync"]);
    assert!(
        text(&full.stderr).contains("fill [sync] unread"),
        "{full:?}"
    );
    assert_eq!(full.status.code(), Some(1), "{full:?}");
    // The marks of a server that cannot be read say nothing.
    fs::remove_file(&newsrc).unwrap();
    fs::create_dir(&newsrc).unwrap();
    let bookmark = "Big <URL:finger://127.0.0.1:1/x> #offline\n";
    fs::write(profile.join("bookmarks.txt"), bookmark).unwrap();
    run(profile, &["sync"]);
    fs::remove_dir(&newsrc).unwrap();
    // Caught up without a look at any of them.
    fs::write(&newsrc, "a.b: 1-3\nc.d:\n").unwrap();
    let in_synced = |number: usize| {
        let limits = CacheLimits {
            synced: 1 << 20,
            ..CacheLimits::default()
        };
        let pages = Cache::new(profile.join("none"), limits).with_synced(profile.join("synced"));
        let url = format!("nntp://{address}/a.b/{number}");
        pages.synced().unwrap().has(&Url::parse(&url).unwrap())
    };
    assert!((1..=3).all(in_synced), "none has left before");
    fs::remove_file(profile.join("bookmarks.txt")).unwrap();
    let said = synced(profile);
    assert!(said.contains("c.d: "), "{said}");
    assert!(!(1..=3).any(in_synced), "they have left");
    for (group, number) in [("a.b", 1), ("a.b", 3), ("c.d", 1), ("c.d", 3)] {
        let shown = offline(profile, &format!("nntp://{address}/{group}/{number}"));
        assert!(shown.contains("It rains."), "{group} {number}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_the_user_keeps_are_never_removed_and_the_others_wait() {
    let page = "x".repeat(400_000);
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        path => ok("Content-Type: text/plain\r\n", format!("{path} {page}")),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(profile.join("settings.toml"), "[cache]\nkept = 1\n").unwrap();
    let here = format!("Here <URL:{}> #offline\n", web.url("/here"));
    fs::write(profile.join("bookmarks.txt"), here).unwrap();
    let paths = ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"];
    write_queue(profile, &paths.map(|path| (web.url(path), path)));
    let mut kept = Vec::new();
    for count in 0..3 {
        let full = run(profile, &["sync"]);
        assert_eq!(full.status.code(), Some(1), "{full:?}");
        let said = text(&full.stderr);
        assert!(said.contains("fill [cache] kept"), "{said}");
        assert!(
            count > 0 || text(&full.stdout).contains("Here: 1 new\n"),
            "{full:?}"
        );
        assert!(text(&full.stdout).contains(" left\n"), "{full:?}");
        let is_here = |path: &&&str| {
            let page = run(profile, &["--offline", "dump", &web.url(path)]);
            page.status.success()
        };
        let now: Vec<&str> = paths.iter().filter(is_here).copied().collect();
        assert_eq!(now.len(), 2, "{now:?}");
        assert!(kept.is_empty() || kept == now, "{kept:?} {now:?}");
        kept = now;
        // What did not fit is not fetched in vain.
        let asked = web.take_lines();
        let is_saved = |line: &&String| paths.iter().any(|path| line.ends_with(path));
        let asked = asked.iter().filter(is_saved).count();
        assert_eq!(asked, if count == 0 { paths.len() } else { 0 });
    }
    // There is room again.
    let settings = "[cache]\nkept = 2\n";
    fs::write(profile.join("settings.toml"), settings).unwrap();
    let output = run(profile, &["sync"]);
    let said = text(&output.stdout);
    assert!(said.contains("kept pages: 3 new, 3 left"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_fails_removes_no_copy() {
    let answers = std::sync::Arc::new(std::sync::Mutex::new(ok(
        "Content-Type: text/plain\r\nETag: \"1\"\r\n",
        "the first copy",
    )));
    let next = std::sync::Arc::clone(&answers);
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        _ => next.lock().unwrap().clone(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let url = web.url("/page");
    let bookmark = format!("Page <URL:{url}> #offline\n");
    fs::write(profile.join("bookmarks.txt"), bookmark).unwrap();
    synced(profile);
    let page = "Content-Type: text/plain\r\nContent-Length: 99\r\n\r\ncut";
    for answer in [
        "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone".to_owned(),
        "HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy".to_owned(),
        "HTTP/1.1 401 Who\r\nWWW-Authenticate: Basic\r\n\r\nlogin".to_owned(),
        "HTTP/1.1 304 Not Modified\r\n\r\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\n{page}"),
        "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "nonsense\r\n".to_owned(),
        String::new(),
    ] {
        *answers.lock().unwrap() = answer.clone().into_bytes();
        let output = run(profile, &["sync"]);
        assert!(!text(&output.stdout).contains("1 new\n"), "{answer}");
        assert_eq!(offline(profile, &url).trim(), "the first copy", "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_is_watched_and_kept_costs_one_request_and_brings_its_new_pages() {
    let links = Arc::new(Mutex::new("<p><a href='/one'>one</a>".to_owned()));
    let page = Arc::clone(&links);
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        "/" => ok("Content-Type: text/html\r\n", &*page.lock().unwrap()),
        path => ok("Content-Type: text/plain\r\n", path),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let url = web.url("/");
    let added = run(
        profile,
        &["bookmarks", "add", &url, "--tag", "watch,offline"],
    );
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    synced(profile);
    web.take_requests();
    links.lock().unwrap().push_str(" <a href='/two'>two</a>");
    synced(profile);
    let asked = web.take_lines();
    let count = |path: &str| {
        asked
            .iter()
            .filter(|line| **line == format!("GET {path}"))
            .count()
    };
    assert_eq!(
        [count("/"), count("/one"), count("/two")],
        [1, 0, 1],
        "{asked:?}"
    );
    let changed = run(profile, &["bookmarks", "list", "is:new"]);
    assert!(text(&changed.stdout).contains(&url), "{changed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn login_page_of_a_network_replaces_no_copy() {
    let away = Arc::new(Mutex::new(None::<String>));
    let to = Arc::clone(&away);
    let web = Web::start(
        move |request| match (request.path(), &*to.lock().unwrap()) {
            ("/robots.txt", _) => ok("", ""),
            (path, _) if path.starts_with("/login") => {
                ok("Content-Type: text/html\r\n", "<p>Pay here")
            }
            (path, Some(to)) => {
                format!("HTTP/1.1 302 Found\r\nLocation: {to}?{path}\r\nContent-Length: 0\r\n\r\n")
                    .into_bytes()
            }
            ("/feed", None) => ok(
                "Content-Type: application/rss+xml\r\nETag: \"1\"\r\n",
                "<rss><channel><title>A feed</title></channel></rss>",
            ),
            _ => ok("Content-Type: text/plain\r\nETag: \"1\"\r\n", "the page"),
        },
    )
    .await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let feed = web.url("/feed");
    fs::write(
        profile.join("bookmarks.txt"),
        format!("Feed <URL:{feed}> #offline\n"),
    )
    .unwrap();
    synced(profile);
    *away.lock().unwrap() = Some(web.url("/login"));
    let output = run(profile, &["sync"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("the copy here is a feed, a gemlog or a menu"),
        "{output:?}"
    );
    assert!(offline(profile, &feed).contains("A feed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_server_that_refuses_are_one_line() {
    let web = Web::start(|request| match request.path() {
        "/robots.txt" => ok("", ""),
        "/" => {
            let links: Vec<String> = (0..5)
                .map(|number| format!("<a href='/{number}'>x</a>"))
                .collect();
            let links = links.concat();
            ok("Content-Type: text/html\r\n", format!("<p>{links}"))
        }
        _ => b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n".to_vec(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let bookmark = format!("Top <URL:{}> #offline\n", web.url("/"));
    fs::write(directory.path().join("bookmarks.txt"), bookmark).unwrap();
    let output = run(directory.path(), &["sync", "--quiet"]);
    let said = text(&output.stderr);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("(and 4 more there)"), "{said}");
}
