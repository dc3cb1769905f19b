//! Limits of a sync that no setting reaches, and of its servers.

use std::sync::Arc;
use std::time::Duration;

use geomys_crawl::sync::report::SourceReport;
use geomys_crawl::sync::run::{LIMITS, SyncOptions, SyncRun};
use geomys_crawl::sync::sources::SyncSources;
use geomys_crawl::sync::state::SyncState;
use geomys_crawl::sync::unread::{FollowedGroup, UnreadMarks};
use geomys_load::Request;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::watch::{WatchEvent, WatchedPages};
use geomys_store::files::cache::{Cache, CacheLimits};
use geomys_store::outbox::Sender;
use geomys_testing::loading::url;
use geomys_testing::news::NewsServer;
use geomys_testing::script::DEADLINE;
use geomys_testing::socks::{self, Rule};
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{Limits, Net, Route};
use geomys_wire::protocol::nntp::ARTICLES_AHEAD;
use rfc1738::Url;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

#[tokio::test]
async fn full_disk_ends_the_run_before_a_request() {
    let web = Web::start(|request| match request.path() {
        "/robots.txt" => ok("", ""),
        _ => ok("Content-Type: text/plain\r\n", "the page"),
    })
    .await;
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = Arc::new(cache.with_synced(profile.path().join("synced")));
    let text = format!("Page <URL:{}> #offline\n", web.url("/page"));
    let bookmarks = Bookmarks::parse(text.as_bytes());
    for (reserve, is_full) in [(u64::MAX, true), (0, false)] {
        web.take_requests();
        let net = Net::default();
        let options = SyncOptions {
            limits: LIMITS,
            size: 1 << 20,
            page: None,
            reserve,
            is_dry: false,
            request: &Request::show,
            is_excluded: Arc::new(|_| false),
            unread: Arc::new(UnreadMarks::new(Box::new(|| None))),
            source_time: Duration::from_mins(1),
            progress: &|_| (),
        };
        let sources = SyncSources {
            drafts: None,
            sender: &Sender::default(),
            bookmarks: &bookmarks,
            watched: &profile.path().join("watched"),
            groups: &[],
        };
        let mut run = SyncRun::new(&net, Arc::clone(&cache), options, SyncState::default());
        let (reports, summary) = run.run(&sources).await.unwrap();
        let report = reports
            .iter()
            .find(|report| report.title == "Page")
            .unwrap();
        let end = summary.stopped.map(|end| end.to_string());
        assert_eq!(
            end.as_deref(),
            is_full.then_some("stopped: less than 17,592,186,044,415 MiB free on the disk")
        );
        assert_eq!(
            (report.left, report.new),
            if is_full { (1, 0) } else { (0, 1) }
        );
        let asked = web.take_lines();
        assert_eq!(
            asked.iter().any(|line| line == "GET /page"),
            !is_full,
            "{asked:?}"
        );
    }
}

/// A server with these numbers of articles in the groups `a`, `b` and so on.
async fn news_server(articles: &[usize]) -> NewsServer {
    let article = |number: usize, group: &str| {
        format!(
            "Subject: s{number}\nFrom: ada@x\nDate: 1 Oct 1994 10:00:00 +0000\nMessage-ID: <{number}@{group}>\n\nWords.\n"
        )
    };
    let groups = ["a", "b", "c"].into_iter().zip(articles);
    let groups = groups.map(|(name, count)| {
        let articles = (1..=*count).map(|number| article(number, name));
        (name, articles.collect())
    });
    NewsServer::start(groups.collect()).await
}

/// The reports of a sync of groups.
async fn sync_groups(server: &NewsServer, names: &[&str]) -> Vec<SourceReport> {
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = Arc::new(cache.with_synced(profile.path().join("synced")));
    let groups = names.iter().map(|name| FollowedGroup {
        urls: vec![url(format!("nntp://{}/{name}", server.address))],
        read: Arc::default(),
    });
    let groups: Vec<FollowedGroup> = groups.collect();
    let options = SyncOptions {
        size: 1 << 20,
        page: None,
        limits: LIMITS,
        reserve: 0,
        is_dry: false,
        request: &Request::show,
        is_excluded: Arc::new(|_| false),
        unread: Arc::new(UnreadMarks::new(Box::new(|| None))),
        source_time: Duration::from_mins(1),
        progress: &|_| (),
    };
    let sources = SyncSources {
        drafts: None,
        sender: &Sender::default(),
        bookmarks: &Bookmarks::parse(b""),
        watched: &profile.path().join("watched"),
        groups: &groups,
    };
    let net = Net::default();
    let mut run = SyncRun::new(&net, cache, options, SyncState::default());
    let (reports, _) = timeout(DEADLINE, run.run(&sources)).await.unwrap().unwrap();
    let groups = reports.into_iter();
    groups.filter(|report| report.source == "group").collect()
}

/// The new pages, the pages that are left, and the lines of each report.
fn counts(reports: &[SourceReport]) -> Vec<(usize, usize, Vec<String>)> {
    let counts = reports.iter().map(|report| {
        let lines = report.later.iter().chain(&report.failed);
        let lines = lines.map(|note| note.reason.clone()).collect();
        (report.new, report.left, lines)
    });
    counts.collect()
}

#[tokio::test]
async fn news_server_with_one_connection_sends_all() {
    let server = news_server(&[9]).await;
    server.allow_connections(1);
    let reports = sync_groups(&server, &["a"]).await;
    assert_eq!(counts(&reports), [(10, 0, vec![])]);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn articles_are_requested_in_windows_of_ten_and_more() {
    let server = news_server(&[330]).await;
    server.hold_articles(10);
    let reports = sync_groups(&server, &["a"]).await;
    assert_eq!(counts(&reports), [(331, 0, vec![])]);
    assert!(server.windows() <= 34, "{}", server.windows());
    assert_eq!(server.received("ARTICLE").len(), 330);
    // With the overview, and once more with the first articles: a server may know only those of that moment.
    assert_eq!(server.received("GROUP").len(), 2);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn groups_take_turns_of_a_hundred_articles() {
    let server = news_server(&[330, 150]).await;
    let reports = sync_groups(&server, &["a", "b"]).await;
    assert_eq!(counts(&reports), [(331, 0, vec![]), (151, 0, vec![])]);
    assert_eq!(server.received("ARTICLE").len(), 480);
    // Two for the overviews, and one each time when it is the turn of the other group.
    assert_eq!(server.received("GROUP").len(), 7);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn lost_connection_costs_one_window_and_no_article() {
    let server = news_server(&[80]).await;
    server.hold_articles(10);
    server.lose_connection_in(40);
    let reports = sync_groups(&server, &["a"]).await;
    assert_eq!(counts(&reports), [(81, 0, vec![])]);
    assert_eq!(server.connections(), 2);
    let asked = server.received("ARTICLE").len();
    assert!(asked <= 80 + ARTICLES_AHEAD, "{asked}");
}

#[tokio::test]
async fn refused_connection_is_one_refusal_with_one_line() {
    let server = news_server(&[9, 9, 9]).await;
    server.allow_connections(0);
    let reports = sync_groups(&server, &["a", "b", "c"]).await;
    let mut told = counts(&reports);
    // The first of them was refused, the others were not asked for.
    let host = server.address.to_string();
    let first = (0, 0, vec![format!("{host} ended the session")]);
    let left = (0, 1, vec!["502 Too many connections: 1 left".to_owned()]);
    told.sort();
    assert_eq!(told, [first, left.clone(), left]);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn look_without_room_for_copies_compares_all_pages() {
    let web =
        Web::start(|request| ok("Content-Type: text/plain\r\n", request.path().repeat(1000))).await;
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 3000,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = Arc::new(cache.with_synced(profile.path().join("synced")));
    let options = SyncOptions {
        size: 1 << 20,
        page: None,
        limits: LIMITS,
        reserve: 0,
        is_dry: false,
        request: &Request::show,
        is_excluded: Arc::new(|url| url.as_str().ends_with("/e")),
        unread: Arc::new(UnreadMarks::new(Box::new(|| None))),
        source_time: Duration::from_mins(1),
        progress: &|_| (),
    };
    let net = Net::default();
    let mut run = SyncRun::new(&net, Arc::clone(&cache), options, SyncState::default());
    let urls = ["/a", "/b", "/c", "/e"].map(|path| url(web.url(path)));
    let (sender, mut looks) = unbounded_channel();
    let states = WatchedPages::default();
    run.look_only(urls.to_vec(), &states, sender).await;
    let mut seen = WatchedPages::default();
    while let Some(event) = looks.recv().await {
        seen.note(&event);
    }
    let has_content = |url: &Url| seen.of(url).is_some_and(|state| state.content.is_some());
    assert_eq!(urls.each_ref().map(has_content), [true, true, true, false]);
    let copies = urls.iter().filter(|url| cache.has(url)).count();
    assert_eq!(copies, 1, "there is room for one");
    assert_eq!(web.take_lines().len(), 3, "one request a page");
}

#[tokio::test]
async fn redirect_of_a_followed_page_leads_to_no_private_address() {
    let inside = Web::start(|_| ok("Content-Type: text/plain\r\n", "a secret")).await;
    let secret = inside.url("/secret");
    let to = secret.clone();
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        _ => format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into(),
    })
    .await;
    // A host of a name that is not one of this machine.
    let proxy = socks::Proxy::start(Rule::Open).await;
    let route = Route::from_setting(&proxy.address.to_string());
    let net = Net::new(Limits::default()).with_route(route);
    let page = url(format!("http://page.example:{}/", web.address.port()));
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = Arc::new(cache.with_synced(profile.path().join("synced")));
    let options = || SyncOptions {
        size: 1 << 20,
        page: None,
        limits: LIMITS,
        reserve: 0,
        is_dry: false,
        request: &Request::show,
        is_excluded: Arc::new(|_| false),
        unread: Arc::new(UnreadMarks::new(Box::new(|| None))),
        source_time: Duration::from_mins(1),
        progress: &|_| (),
    };
    let (sender, mut looks) = unbounded_channel();
    let mut run = SyncRun::new(&net, Arc::clone(&cache), options(), SyncState::default());
    let states = WatchedPages::default();
    run.look_only(vec![page.clone()], &states, sender).await;
    // The next start of the day does not ask again, and there is no content.
    let look = looks.recv().await;
    assert!(
        matches!(look, Some(WatchEvent::Fetched(_, None, _))),
        "{look:?}"
    );
    assert_eq!(looks.recv().await, None);
    assert_eq!(web.take_lines(), ["GET /"]);

    let bookmarks = Bookmarks::parse(format!("Page <URL:{page}> #offline\n").as_bytes());
    let sources = SyncSources {
        drafts: None,
        sender: &Sender::default(),
        bookmarks: &bookmarks,
        watched: &profile.path().join("watched"),
        groups: &[],
    };
    let mut run = SyncRun::new(&net, Arc::clone(&cache), options(), SyncState::default());
    let (_, summary) = run.run(&sources).await.unwrap();
    assert_eq!((summary.asks, summary.new), (1, 0), "{summary:?}");
    assert!(inside.take_lines().is_empty());
    assert!(!cache.has(&page) && !cache.has(&url(secret)));
}
